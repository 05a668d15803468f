"""The claims about fuzzy words, with the figures that the paper's tables give for them."""

from typing import Any

from tenor.metrics.verdicts import Claim, Contrast
from tenor.recipes.recipe import CONSTANT, Trivial

WIDTHS = (20, 50, 100, 200)
TOPS = (15, 30, 50)
_NAMES = [f"skip-gram-{width}" for width in WIDTHS]


def _within(cells: str | list[str], first: str, second: str) -> Contrast:
    """Compare two readings of the same vectors."""
    return Contrast.mean(cells, metric=first).minus(Contrast.mean(cells, metric=second))


def _similar(text: str, first: str, second: str, paper: float | str, **more: Any) -> Claim:
    contrast = _within(_NAMES, f"SimLex-999: {first}", f"SimLex-999: {second}")
    return Claim(text=text, contrast=contrast, smallest=0.005, paper=paper, **more)


def _function_words(order: str) -> Contrast:
    """The share of function words among the first 15, 30 and 50 words of an order, averaged."""
    return Contrast.mean(_NAMES, metric=[f"function words: {order}, top {top}" for top in TOPS])


CLAIMS = (
    _similar(
        "Divergence beats cosine on SimLex-999 (mean of 20 to 200 dimensions).",
        "KL",
        "cosine",
        0.0105,
        headline=True,
    ),
    _similar(
        "Cross-entropy beats cosine on SimLex-999 (mean of 20 to 200 dimensions).",
        "cross-entropy",
        "cosine",
        0.0154,
    ),
    _similar("Cross-entropy beats divergence on SimLex-999.", "cross-entropy", "KL", 0.0049),
    Claim(
        text="On unit vectors, divergence and cosine rank pairs alike (SimLex-999 and MTurk-771).",
        direction="same",
        smallest=0.02,
        paper="not in the paper",
        contrast=Contrast.mean(_NAMES, metric=["SimLex-999: KL, unit", "MTurk-771: KL, unit"]).minus(
            Contrast.mean(_NAMES, metric=["SimLex-999: cosine", "MTurk-771: cosine"])
        ),
    ),
    *(
        Claim(
            text=f"Set algebra beats vector arithmetic on analogies with {width} dimensions.",
            contrast=_within(f"skip-gram-{width}", "analogies, all: sets", "analogies, all: 3CosAdd"),
            smallest=0.01,
            paper=paper,
            headline=width == 50,
        )
        for width, paper in ((50, 0.1041), (100, 0.0439))
    ),
    Claim(
        text="Above 100 dimensions set algebra falls below vector arithmetic (200).",
        direction="less",
        contrast=_within("skip-gram-200", "analogies, all: sets", "analogies, all: 3CosAdd"),
        smallest=0.01,
        paper="said without figures",
    ),
    Claim(
        text="Of the top words, entropy finds more function words than frequency (mean of top 15, 30, 50).",
        contrast=_function_words("entropy").minus(_function_words("frequency")),
        smallest=0.02,
        paper=0.2644,
        reason="The list is that of stop words; the paper's has 176 words.",
        headline=True,
    ),
    Claim(
        text="Of the top 50 words by entropy, more are function words than of all frequent words.",
        contrast=_within(_NAMES, "function words: entropy, top 50", "function words: all frequent words"),
        smallest=0.05,
        paper="not in the paper",
    ),
    Claim(
        text="Directed similarity of head and modifier beats cosine in telling compositional compounds.",
        paper="0.4912 against 0.4646 (100 dimensions)",
        reason="the compound ratings are not among the data",
    ),
)
TRIVIAL: Trivial = {
    f"{name}: {reading}": CONSTANT
    for name in ("SimLex-999", "MTurk-771")
    for reading in ("cosine", "KL", "KL, unit", "cross-entropy")
}
