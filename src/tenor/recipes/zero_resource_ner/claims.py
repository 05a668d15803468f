"""The claims about zero-resource-ner, with the differences of the paper's table 1 (F1 on SciTech)."""

from tenor.metrics.verdicts import Claim, Contrast
from tenor.recipes.recipe import Trivial
from tenor.recipes.zero_resource_ner.data import DOMAINS, SCITECH, SOURCE
from tenor.recipes.zero_resource_ner.scoring import (
    BOUNDARIES,
    ENTROPY_ENTITIES,
    ENTROPY_O,
    GATE_RIGHT,
)

VARIANTS = ("crf", "mtl", "moee", "both")
CONCEPT, ROBUST, UNTRAINED, FREQUENT, OUTSIDE = "concept", "robust", "untrained", "frequent-tag", "all-o"
CROSSNER = "CrossNER"
# Table 1 of the paper, F1 on SciTech with vectors that are frozen and updated.
PAPER = {
    "crf": (0.6821, 0.6318),
    "mtl": (0.6935, 0.6462),
    "moee": (0.6927, 0.6524),
    "both": (0.6953, 0.6488),
    CONCEPT: (0.6686, 0.6234),
    ROBUST: (0.6812, 0.6366),
}
TRIVIAL: Trivial = dict.fromkeys((SOURCE, SCITECH, BOUNDARIES, *DOMAINS), FREQUENT)
_SMALLEST = 0.005


def cell_name(variant: str, *, frozen: bool) -> str:
    """Return the name of a cell of the grid."""
    return f"{variant}-{'frozen' if frozen else 'updated'}"


def _gain(
    first: str,
    second: str,
    text: str,
    *,
    frozen: bool = True,
    metric: str | list[str] = SCITECH,
    paper: float | str | None = None,
    headline: bool = False,
) -> Claim:
    """Claim that one tagger is better than another with the same vectors."""
    column = 0 if frozen else 1
    cells = [cell_name(each, frozen=frozen) for each in (first, second)]
    return Claim(
        text=text,
        contrast=Contrast.difference(*cells, metric=metric),
        smallest=_SMALLEST,
        paper=round(PAPER[first][column] - PAPER[second][column], 4) if paper is None else paper,
        headline=headline,
    )


def _frozen_against_updated() -> Claim:
    cells = [[cell_name(each, frozen=frozen) for each in VARIANTS] for frozen in (True, False)]
    paper = sum(PAPER[each][0] - PAPER[each][1] for each in VARIANTS) / len(VARIANTS)
    return Claim(
        text="Frozen vectors beat updated ones on SciTech (mean of the four variants).",
        contrast=Contrast.difference(*cells, metric=SCITECH),
        smallest=0.01,
        paper=round(paper, 4),
        headline=True,
    )


def _gate(cell: str) -> tuple[Claim, ...]:
    return (
        Claim(
            text="The gate is right on more than 95% of SciTech's words that are no entity.",
            contrast=Contrast.mean(cell, metric=GATE_RIGHT),
            reference=0.95,
            smallest=0.01,
            paper="near one-hot, a figure",
        ),
        Claim(
            text="The gate is less sure of words of entities than of others (entropy, SciTech).",
            contrast=Contrast.mean(cell, metric=ENTROPY_ENTITIES).minus(
                Contrast.mean(cell, metric=ENTROPY_O)
            ),
            smallest=0.05,
            paper="a figure",
        ),
    )


_BOTH = cell_name("both", frozen=True)
CLAIMS = (
    _gain("both", "crf", "Boundaries and experts together raise F1 on SciTech (frozen).", headline=True),
    _gain("mtl", "crf", "The task of boundaries raises F1 on SciTech (frozen).", headline=True),
    _gain("moee", "crf", "Entity experts raise F1 on SciTech (frozen).", headline=True),
    _frozen_against_updated(),
    _gain("both", CONCEPT, "Both together beat the concept tagger on SciTech (frozen).", headline=True),
    _gain("both", ROBUST, "Both together beat the robust tagger on SciTech (frozen).", headline=True),
    _gain("crf", CONCEPT, "The BiLSTM-CRF beats the concept tagger on SciTech (frozen)."),
    _gain("mtl", "crf", "The task of boundaries raises F1 on SciTech (updated).", frozen=False),
    _gain("moee", "crf", "Entity experts raise F1 on SciTech (updated).", frozen=False),
    _gain("both", "crf", "Boundaries and experts together raise F1 on SciTech (updated).", frozen=False),
    _gain(
        "mtl",
        "crf",
        "The task of boundaries raises F1 of boundaries, types left aside, on SciTech (frozen).",
        metric=BOUNDARIES,
        paper="said to be the reason, no figure",
    ),
    _gain(
        "both",
        "crf",
        "Boundaries and experts together raise F1 on CrossNER's five domains (mean, frozen).",
        metric=list(DOMAINS),
        paper="not in the paper",
    ),
    Claim(
        text="What is learned helps beyond the vectors: the trained BiLSTM-CRF beats a CRF on an untrained "
        "BiLSTM on SciTech (frozen).",
        contrast=Contrast.difference("crf-frozen", UNTRAINED, metric=SCITECH),
        smallest=0.02,
        paper="not in the paper",
    ),
    *_gate(_BOTH),
    Claim(
        text="The modules help a fine-tuned BERT.",
        paper="67.55 → 68.76 (boundaries), 68.06 (experts), 68.59 (both)",
        reason="an encoder of BERT's size is not trained at this scale; the task takes one (`head`, "
        "`boundary_weight`)",
    ),
)
