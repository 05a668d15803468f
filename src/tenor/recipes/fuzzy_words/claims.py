"""The claims about fuzzy words, with the figures that the paper's tables give for them."""

from tenor.metrics.verdicts import Claim, Contrast

WIDTHS = (20, 50, 100, 200)
_NAMES = [f"skip-gram-{width}" for width in WIDTHS]


def _within(cells: str | list[str], first: str, second: str) -> Contrast:
    """Compare two readings of the same vectors."""
    return Contrast.mean(cells, metric=first).minus(Contrast.mean(cells, metric=second))


def _similar(text: str, first: str, second: str, paper: float | str) -> Claim:
    contrast = _within(_NAMES, f"SimLex-999: {first}", f"SimLex-999: {second}")
    return Claim(text=text, contrast=contrast, smallest=0.005, paper=paper)


CLAIMS = (
    _similar("Divergence beats cosine on SimLex-999 (mean of 20 to 200 dimensions).", "KL", "cosine", 0.0105),
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
    *(
        Claim(
            text=f"Of the top {top} words, entropy finds more function words than frequency.",
            contrast=_within(
                _NAMES, f"function words: entropy, top {top}", f"function words: frequency, top {top}"
            ),
            smallest=0.02,
            paper=paper,
            reason="The list is that of stop-words; the paper's has 176 words.",
        )
        for top, paper in ((15, 0.3333), (30, 0.3), (50, 0.16))
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
