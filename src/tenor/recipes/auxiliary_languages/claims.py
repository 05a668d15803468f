"""The claims about auxiliary languages, with the figures that the paper's BPEmb tables give for them."""

from collections.abc import Sequence
from typing import Any

from tenor.metrics.verdicts import Claim, Contrast
from tenor.recipes.auxiliary_languages.data import TARGETS
from tenor.recipes.recipe import Trivial

PAPER_NER = ("NER en", "NER es", "NER nl")
"""Targets that the paper has too."""
NER = tuple(name for name, target in TARGETS.items() if target.spans)
POS = tuple(name for name, target in TARGETS.items() if not target.spans)
FREQUENT, UNTRAINED, DISTANCES = "most-frequent-tag", "untrained", "distances"
TRIVIAL: Trivial = dict.fromkeys(TARGETS, FREQUENT)
OVER_BEST, HITS, OWN_ATTENTION = "meta less best X (NER)", "vote hits (NER)", "own attention"
_NONE = "not in the paper"


def with_other(targets: Sequence[str]) -> Contrast:
    """Return the mean of mono+X over the auxiliary languages of each target, and over targets."""
    weights = {
        (f"mono+{other}", name): 1.0 / (len(targets) * len(TARGETS[name].others))
        for name in targets
        for other in TARGETS[name].others
    }
    return Contrast(weights)


def _claim(text: str, first: str, second: str, metric: Sequence[str], smallest: float, **more: Any) -> Claim:
    contrast = Contrast.difference(first, second, metric=metric)
    return Claim(text=text, contrast=contrast, smallest=smallest, **more)


def _number(text: str, metric: str, smallest: float, **more: Any) -> Claim:
    cell = "meta" if metric == OWN_ATTENTION else DISTANCES
    return Claim(text=text, contrast=Contrast.mean(cell, metric=metric), smallest=smallest, **more)


CLAIMS = (
    _claim(
        "Vectors of all languages beside the target's own raise entity F1 (en, es, nl).",
        "mono+all", "mono", PAPER_NER, 0.009, paper=0.0179, headline=True,
    ),
    _claim(
        "Attended vectors of all languages (meta) raise entity F1 (en, es, nl).",
        "meta", "mono", PAPER_NER, 0.0109, paper=0.0205, headline=True,
    ),
    Claim(
        text="Vectors of one other language raise entity F1, on average over languages (en, es, nl).",
        contrast=with_other(PAPER_NER).minus(Contrast.mean("mono", metric=PAPER_NER)),
        smallest=0.0076,
        paper=0.0133,
        headline=True,
    ),
    _number(
        "Meta beats the best single auxiliary language (all NER).",
        OVER_BEST, 0.002, paper="0.0022 (en, es, nl)", headline=True,
        reason="The best language is chosen by its dev score, for each seed.",
    ),
    _number(
        "The nearest language by the vote is not always the best one (all NER).",
        HITS, 0.05, direction="less", reference=1.0, paper="2.5 of 5 (BPEmb)", headline=True,
        reason="The share of targets whose first language by the vote has the best mono+X test score.",
    ),
    _number(
        "The vote's ranking correlates with how useful languages are (Spearman, all NER).",
        "vote (NER)", 0.1, paper="0.63 (BPEmb)",
    ),
    _claim(
        "Multilingual vectors beside the target's own raise entity F1 (en, es, nl).",
        "mono+multi", "mono", PAPER_NER, 0.0123, paper=0.016,
    ),
    _claim(
        "The target's own vectors beat multilingual ones (en, es, nl).",
        "mono", "multi", PAPER_NER, 0.0026, paper=0.0078,
    ),
    _claim(
        "The target's vectors twice are as good as once (en, es, nl).",
        "mono+mono", "mono", PAPER_NER, 0.01, direction="same", paper="0.0005 (FLAIR)",
    ),
    Claim(
        text="Another language beats the target's vectors twice: it is not the size (en, es, nl).",
        contrast=with_other(PAPER_NER).minus(Contrast.mean("mono+mono", metric=PAPER_NER)),
        smallest=0.0012,
        paper="0.0030 (FLAIR)",
    ),
    _claim(
        "Attention beats concatenation of the same vectors (en, es, nl).",
        "meta", "mono+all", PAPER_NER, 0.0017, paper=0.0026,
    ),
    Claim(
        text="Meta beats the average auxiliary language (en, es, nl).",
        contrast=Contrast.mean("meta", metric=PAPER_NER).minus(with_other(PAPER_NER)),
        smallest=0.0033,
        paper=0.0072,
    ),
    _claim(
        "Vectors of all languages raise entity F1 in Swahili.",
        "mono+all", "mono", ("NER swa",), 0.009, paper=_NONE,
    ),
    _claim(
        "Vectors of all languages raise the accuracy of parts of speech (English).",
        "mono+all", "mono", ("POS en",), 0.005, paper=0.0123,
        reason="English parts of speech are a target of the scale full.",
    ),
    _claim(
        "Vectors of all languages raise the accuracy of parts of speech (Afrikaans).",
        "mono+all", "mono", ("POS af",), 0.005, paper=_NONE,
    ),
    _number(
        "The tagged language has the largest mean attention.",
        OWN_ATTENTION, 0.01, paper="0.014 (one English sentence)",
        reason="Its mean weight less the largest of another source, averaged over targets.",
    ),
    Claim(
        text="Meta on FLAIR embeddings is better than the systems before it.",
        paper="POS in five languages",
        reason="no character language models of the size of FLAIR's are at hand",
    ),
)  # fmt: skip
