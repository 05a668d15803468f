"""The claims of the paper on the corpora at hand, smallest effects from the paper's own differences."""

from tenor.metrics.verdicts import Claim, Contrast
from tenor.recipes.recipe import Trivial

GRID = ("whole", "whole-history", "parts", "parts-history")
REAL = ("GENIA", "questions")
CATEGORIES = ("generated", *REAL)
ALL = (*CATEGORIES, "Tamil")


def _gain(first: str, second: str, metric: str | list[str]) -> Contrast:
    return Contrast.difference(first, second, metric=metric)


def _each(corpora: tuple[str, ...], measure: str) -> list[str]:
    return [f"{corpus}: {measure}" for corpus in corpora]


def _interaction(metric: str | list[str]) -> Contrast:
    """What history adds to parts, less what it adds to whole labels."""
    return _gain("parts-history", "parts", metric).minus(_gain("whole-history", "whole", metric))


CLAIMS = (
    Claim(
        text="The decoder gives labels never seen: accuracy on held-out categories (generated corpus).",
        contrast=Contrast.mean("parts-history", metric="generated: unseen labels"),
        smallest=0.05,
        paper="0.11 on dev, 0.05 on test of CCGbank",
        headline=True,
    ),
    Claim(
        text="Parts with history give more sentences that parse than whole labels (generated corpus).",
        contrast=_gain("parts-history", "whole", "generated: CKY coverage"),
        smallest=0.03,
        paper=0.116,
        headline=True,
    ),
    Claim(
        text="Parts with history give more sentences that parse than whole labels (GENIA and questions).",
        contrast=_gain("parts-history", "whole", _each(REAL, "CKY coverage")),
        smallest=0.03,
        paper=0.116,
        headline=True,
    ),
    Claim(
        text="Parts with history have more words right than whole labels (GENIA and questions).",
        contrast=_gain("parts-history", "whole", _each(REAL, "accuracy")),
        smallest=0.001,
        paper=0.0011,
        headline=True,
    ),
    Claim(
        text="History helps parts more than whole labels: coverage (GENIA and questions).",
        contrast=_interaction(_each(REAL, "CKY coverage")),
        smallest=0.02,
        paper=0.051,
        headline=True,
    ),
    Claim(
        text="History helps parts more than whole labels: coverage (generated corpus).",
        contrast=_interaction("generated: CKY coverage"),
        smallest=0.02,
        paper=0.051,
    ),
    Claim(
        text="Parts with history give more sentences that parse than whole labels, also where no label is "
        "new (generated corpus).",
        contrast=_gain("parts-history", "whole", "generated: CKY coverage, known labels"),
        smallest=0.03,
        paper="not in the paper",
    ),
    Claim(
        text="And have equally many words of known labels right (generated corpus).",
        contrast=_gain("parts-history", "whole", "generated: known labels"),
        direction="same",
        smallest=0.005,
        paper="not in the paper",
    ),
    Claim(
        text="Of the order of coverage: history helps whole labels (all corpora of categories).",
        contrast=_gain("whole-history", "whole", _each(CATEGORIES, "CKY coverage")),
        smallest=0.02,
        paper=0.062,
    ),
    Claim(
        text="Of the order of coverage: parts with history beat whole labels with history (all corpora of "
        "categories).",
        contrast=_gain("parts-history", "whole-history", _each(CATEGORIES, "CKY coverage")),
        smallest=0.02,
        paper=0.054,
    ),
    Claim(
        text="Without history, parts and whole labels have equally many sentences that parse (GENIA and "
        "questions).",
        contrast=_gain("parts", "whole", _each(REAL, "CKY coverage")),
        direction="same",
        smallest=0.02,
        paper=0.003,
    ),
    Claim(
        text="Without history, parts and whole labels have equally many words right (all corpora).",
        contrast=_gain("parts", "whole", _each(ALL, "accuracy")),
        direction="same",
        smallest=0.005,
        paper=0.0,
    ),
    Claim(
        text="History helps on labels never seen (generated corpus).",
        contrast=_gain("parts-history", "parts", "generated: unseen labels"),
        smallest=0.02,
        paper="0.09 on dev, 0.047 on test of CCGbank",
    ),
    Claim(
        text="Parts with history give labels never seen (GENIA and questions).",
        contrast=Contrast.mean("parts-history", metric=_each(REAL, "unseen labels")),
        smallest=0.02,
        paper="0.11 on dev, 0.05 on test of CCGbank",
    ),
    Claim(
        text="Feature bundles: parts with history give bundles never seen (Tamil).",
        contrast=Contrast.mean("parts-history", metric="Tamil: unseen labels"),
        smallest=0.02,
        paper="not in the paper",
    ),
    Claim(
        text="Feature bundles: parts with history have more words right than whole bundles (Tamil).",
        contrast=_gain("parts-history", "whole", "Tamil: accuracy"),
        smallest=0.001,
        paper="not in the paper",
    ),
    Claim(
        text="Fewer than 1 in 1,000 words get a malformed label (parts with history, all corpora).",
        contrast=Contrast.mean("parts-history", metric=_each(ALL, "malformed")),
        direction="less",
        reference=0.001,
        paper="7 words in 20 runs of 55,000",
    ),
    Claim(
        text="Parser F1 rises with parts and history.",
        paper="0.007",
        reason="there is no parser that gives dependencies, and no CCGbank to score them on",
    ),
)
_COVERAGES = ("CKY coverage", "CKY coverage, known labels")
TRIVIAL: Trivial = {
    f"{corpus}: {measure}": "most-frequent"
    for corpus in ALL
    for measure in ("accuracy", "unseen labels", "known labels", *_COVERAGES)
    if measure not in _COVERAGES or corpus in CATEGORIES
}
