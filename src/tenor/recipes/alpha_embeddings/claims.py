"""The claims of the paper on alpha embeddings, and the curves over α."""

from typing import Any

from tenor.metrics.verdicts import Claim, Contrast
from tenor.recipes.results import Results
from tenor.report.plots import line_plot


def _claim(text: str, first: str, second: str, metric: str = "similarity", **more: Any) -> Claim:
    """Compare two cells; the smallest effect of interest is a point, or the paper's where that is less."""
    contrast = Contrast.difference(first, second, metric=metric)
    return Claim(text=text, contrast=contrast, **{"smallest": 0.01} | more)


def _catches_up(metric: str) -> Contrast:
    wide = Contrast.difference("LE-150-0-F", "U+V-150", metric=metric)
    return wide.minus(Contrast.difference("LE-50-0-F", "U+V-50", metric=metric))


def _gain(width: int) -> Contrast:
    terms = (("ag", "AG News"), ("mr", "MR"))
    weights = {
        (f"{cell}-{width}-{way}", metric): sign
        for cell, metric in terms
        for way, sign in (("ud", 0.5), ("U+V", -0.5))
    }
    return Contrast(weights)


CLAIMS = (
    _claim(
        "The limit embedding (ud, F) beats U+V on similarity.",
        "LE-150-ud-F",
        "U+V-150",
        paper="0.075 (enwiki), 0.115 (geb), all pairs pooled",
        headline=True,
    ),
    _claim(
        "The limit embedding (0, I) beats U+V on similarity.",
        "LE-150-0-I",
        "U+V-150",
        paper="0.066 (enwiki), 0.098 (geb)",
    ),
    _claim("U+V beats U on similarity.", "U+V-150", "U-150", paper="0.015 (enwiki), 0.018 (geb)"),
    _claim(
        "For ud and F, an α below 1 is far better: −1 against 1 (50 dimensions).",
        "E-50-ud-F-a-1",
        "E-50-ud-F-a1",
        paper="a figure only",
    ),
    _claim(
        "For ud and F, −1 against 1 (150 dimensions).",
        "E-150-ud-F-a-1",
        "E-150-ud-F-a1",
        paper="a figure only",
    ),
    _claim(
        "For u and F, −1 against 1 (50 dimensions).", "E-50-u-F-a-1", "E-50-u-F-a1", paper="a figure only"
    ),
    _claim(
        "An α chosen on other sets beats α = 1 on similarity (0, I; 150).",
        "E-150-0-I-tuned",
        "E-150-0-I-a1",
        paper="a figure only",
    ),
    _claim(
        "An α chosen on other sets beats α = 1 on similarity (ud, F; 150).",
        "E-150-ud-F-tuned",
        "E-150-ud-F-a1",
        paper="a figure only",
    ),
    _claim(
        "An α chosen on other questions beats U+V on analogies (0, I; 150).",
        "E-150-0-I-tuned",
        "U+V-150",
        "Google",
        paper="0.035 (enwiki and geb)",
        headline=True,
    ),
    _claim(
        "… on semantic analogies.",
        "E-150-0-I-tuned",
        "U+V-150",
        "Google semantic",
        paper="0.036 (enwiki), 0.038 (geb)",
    ),
    _claim(
        "… on syntactic analogies.",
        "E-150-0-I-tuned",
        "U+V-150",
        "Google syntactic",
        paper="0.039 (enwiki), 0.037 (geb)",
    ),
    Claim(
        text="The limit embedding catches up with U+V as dimensions grow (0, F; similarity).",
        contrast=_catches_up("similarity"),
        smallest=0.01,
        paper="not in the paper",
    ),
    _claim(
        "Purity gains by a chosen α (0, F; 50 dimensions).",
        "E-50-0-F-tuned",
        "E-50-0-F-a1",
        "purity",
        paper="a figure only",
    ),
    _claim(
        "Weighting three contexts beats the best alone (ud, F; 150; similarity).",
        "LE-150-ud-F-t3-w",
        "LE-150-ud-F",
        paper="not in the paper",
    ),
    _claim(
        "Skip-gram: for ud and F, −1 against 1 (50 dimensions).",
        "sg-E-50-ud-F-a-1",
        "sg-E-50-ud-F-a1",
        paper="GloVe only",
    ),
    _claim("Skip-gram: the limit (ud, F) beats U+V (50).", "sg-LE-50-ud-F", "sg-U+V-50", paper="GloVe only"),
    _claim(
        "Topics (AG News): a chosen α (ud, F) beats U+V, 50 dimensions.",
        "ag-50-ud",
        "ag-50-U+V",
        "AG News",
        paper="0.0018 (20 Newsgroups, 300 dimensions)",
        smallest=0.0018,
    ),
    _claim(
        "Topics: the same, 150 dimensions.",
        "ag-150-ud",
        "ag-150-U+V",
        "AG News",
        paper="0.0018 (300 dimensions)",
        smallest=0.0018,
    ),
    _claim(
        "Topics: a chosen α (0, F) beats U+V, 150 dimensions.",
        "ag-150-0",
        "ag-150-U+V",
        "AG News",
        paper="0.008 (300 dimensions)",
        smallest=0.008,
    ),
    _claim(
        "Sentiment (MR), linear: a chosen α (ud, F) beats U+V, 50 dimensions.",
        "mr-50-ud",
        "mr-50-U+V",
        "MR",
        paper="0.0047 (IMDB, 300 dimensions)",
        smallest=0.0047,
    ),
    _claim(
        "Sentiment, linear: the same, 150 dimensions.",
        "mr-150-ud",
        "mr-150-U+V",
        "MR",
        paper="0.0047 (300 dimensions)",
        smallest=0.0047,
    ),
    _claim(
        "Sentiment, linear: the limit (ud, F) beats U+V, 150 dimensions.",
        "mr-150-LE",
        "mr-150-U+V",
        "MR",
        paper="0.0024 (300 dimensions)",
        smallest=0.0024,
    ),
    Claim(
        text="A chosen α gains more at 50 dimensions than at 150 (ud, F; both document sets).",
        contrast=_gain(50).minus(_gain(150)),
        smallest=0.005,
        paper="a figure only (50 and 300)",
    ),
    _claim(
        "Sentiment, BiLSTM: a chosen α (ud, F) beats U+V.",
        "mr-lstm-150-ud",
        "mr-lstm-150-U+V",
        "MR, BiLSTM",
        paper=0.0048,
        smallest=0.0048,
    ),
    _claim(
        "Sentiment, BiLSTM: the limit (ud, F) beats U+V.",
        "mr-lstm-150-LE",
        "mr-lstm-150-U+V",
        "MR, BiLSTM",
        paper=0.0049,
        smallest=0.0049,
    ),
)


def curves(results: Results, task: str, width: int) -> str | None:
    """Draw a task's score over α for each reference and metric, the mean over seeds, with its limit."""
    drawn = {}
    metric = {"analogies": "Google"}.get(task, task)
    for how in ("0-I", "0-F", "u-F", "ud-F", "u-I", "ud-I"):
        found = results.series(f"E-{width}-{how}-tuned", "curve")
        if not found:
            continue
        alphas = list(found[0]["α"])
        means = [sum(one[task][place] for one in found) / len(found) for place in range(len(alphas))]
        drawn[f"E-{how}"] = (alphas, means)
        limit = results.mean(f"LE-{width}-{how}", metric)
        if limit == limit:
            drawn[f"LE-{how}"] = ([alphas[0], alphas[-1]], [limit, limit])
    return line_plot(drawn, x_label="α", y_label=task) if drawn else None
