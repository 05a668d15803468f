"""The section of a page that says what would decide its undecided claims."""

import math
from collections.abc import Iterator
from dataclasses import replace

from tenor.metrics.power import needed
from tenor.metrics.verdicts import Claim, Judgement, Verdict
from tenor.recipes.results import Results
from tenor.report.tables import figure, markdown_table

_ABOUT = (
    "For each claim that its interval leaves undecided: the effect to be seen (the paper's, where it gives a "
    "figure; for a target the distance of our mean from it; for a claim that there is no effect the one that "
    "it rules out; else the smallest effect of interest, or our estimate), the standard deviation between "
    "independent draws (seeds, or stages that several seeds share), the standard error over the test items, "
    "and how many draws with how many times the items would show the effect four times in five. A dash is "
    "more than a thousand. The deviations are themselves estimated from a few draws: orders of magnitude."
)
_HEADER = [
    "claim",
    "effect to be seen",
    "deviation between draws",
    "error over items",
    "draws",
    "draws needed",
    "items needed",
]


def power_section(found: Results) -> Iterator[str]:
    """Write the section, where the recipe has it and a claim is undecided."""
    rows = [row for row in map(lambda one: _row(found, one), found.judgements) if row]
    if found.recipe.power and rows:
        yield from ("", "## What would decide the undecided claims", "", _ABOUT, "")
        yield markdown_table(_HEADER, rows)


def effect_to_see(claim: Claim, estimate: float) -> float:
    """Return the effect that a study of the claim should be able to see.

    >>> from tenor.metrics.verdicts import Contrast
    >>> gain = Contrast.difference("a", "b", metric="f1")
    >>> effect_to_see(Claim(text="", contrast=gain, paper=0.03, smallest=0.01), 0.5)
    0.03
    >>> effect_to_see(Claim(text="", contrast=gain, paper="no figure", smallest=0.01), 0.5)
    0.01
    """
    assert claim.contrast is not None
    if abs(sum(claim.contrast.weights.values())) > 1e-9:
        return abs(estimate - claim.reference)
    if claim.direction == "same" or claim.reference:
        return claim.smallest or abs(claim.reference)
    return abs(claim.paper) if isinstance(claim.paper, float) else claim.smallest or abs(estimate)


def _row(found: Results, one: Judgement) -> list[str] | None:
    claim = one.claim
    if one.verdict != Verdict.undecided or claim.contrast is None or one.interval is None:
        return None
    contrast = found.spelt_out(claim.contrast)
    if found.judge(replace(claim, contrast=contrast)).verdict != Verdict.undecided:
        return None  # its interval would decide it: it is a condition that is not met
    spread = found.judge.spread(contrast)
    effect = effect_to_see(claim, one.interval.estimate)
    wanted = None if spread is None else needed(spread, effect)
    if spread is None or wanted is None:
        return None
    return [
        claim.text,
        figure(effect),
        "–" if math.isnan(spread.deviation) else figure(spread.deviation),
        figure(spread.item_error),
        str(spread.draws) if spread.draws else "–",
        "–" if wanted.draws is None else str(wanted.draws),
        "–" if wanted.times_items is None else f"{wanted.times_items:.1f} times",
    ]
