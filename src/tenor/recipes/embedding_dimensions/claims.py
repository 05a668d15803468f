"""The claims about embedding dimensions, with the figures that the paper's tables give for them."""

from typing import Any

from tenor.metrics.verdicts import Claim, Contrast
from tenor.recipes.embedding_dimensions.sentence_tasks import TASKS
from tenor.recipes.embedding_dimensions.syntax_tasks import CHANCE
from tenor.recipes.recipe import CONSTANT, Trivial

# Nine of the thirteen similarity sets; WS-353 stands for its two parts too.
SETS = ("RG-65", "MC-30", "WS-353", "MTurk-771", "SimLex-999", "MEN", "MTurk-287", "YP-130", "Verb-143")
SPLITS = ("T", "M", "B")
# table -> the asset, and how the page names it
TABLES = {
    "glove": ("glove-300d", "GloVe"),
    "word2vec": ("word2vec-300d", "word2vec"),
    "ppmi": ("ppmi-svd", "PPMI-SVD of books"),
}
_SENTENCES, _SIMILAR = list(TASKS), list(SETS)
_NONE = "not in the paper"
# Random vectors stand for an encoder that has learned nothing.
TRIVIAL: Trivial = {**dict.fromkeys(SETS, CONSTANT), **dict.fromkeys(TASKS, "glove-random"), **CHANCE}
Cells = str | list[str]


def _sentences(text: str, first: Cells, second: Cells, **more: Any) -> Claim:
    return _claim(text, first, second, _SENTENCES, **more)


def _claim(
    text: str, first: Cells, second: Cells, metric: list[str], smallest: float = 0.002, **more: Any
) -> Claim:
    contrast = Contrast.difference(first, second, metric=metric)
    return Claim(text=text, contrast=contrast, smallest=smallest, **more)


def _dropping(table: str, paper: float | str) -> Claim:
    return _sentences(
        f"A third of the components can be dropped ({TABLES[table][1]}): 200 serve sentences as well as all.",
        f"{table}-first-200",
        f"{table}-full",
        direction="same",
        smallest=0.01,
        paper=paper,
    )


def _harm(table: str, paper: float | str) -> Claim:
    return _sentences(
        f"All-but-the-top (D = 5) hurts sentence classification ({TABLES[table][1]}).",
        f"{table}-full",
        f"{table}-ppa-5",
        paper=paper,
        headline=table != "ppmi",  # a table of our own
    )


CLAIMS = (
    _claim(
        "Similarity is saturated at 200 of 300 components (GloVe).",
        "glove-first-200",
        "glove-ppa-0",
        _SIMILAR,
        direction="same",
        smallest=0.01,
        paper="flat, a figure",
    ),
    _dropping("glove", -0.0052),
    _dropping("word2vec", -0.014),
    _dropping("ppmi", "other vectors"),
    _harm("glove", 0.0035),
    _harm("word2vec", -0.0004),
    _harm("ppmi", "other vectors"),
    _sentences(
        "All-but-the-top hurts more the more is removed: D = 10 against D = 5 (mean of three tables).",
        ["glove-ppa-5", "word2vec-ppa-5", "ppmi-ppa-5"],
        ["glove-ppa-10", "word2vec-ppa-10", "ppmi-ppa-10"],
        paper=_NONE,
    ),
    _claim(
        "All-but-the-top (D = 2) helps word similarity (GloVe).",
        "glove-ppa-2",
        "glove-full",
        _SIMILAR,
        smallest=0.005,
        paper="said, after Mu and Viswanath",
    ),
    _sentences(
        "Removing the mean alone changes next to nothing (GloVe).",
        "glove-ppa-0",
        "glove-full",
        direction="same",
        smallest=0.005,
        paper="−0.004 at most",
    ),
    _sentences(
        "Reducing to 150 by PPA-PCA costs accuracy (GloVe).", "glove-full", "glove-reduced-150", paper=0.0199
    ),
    _sentences(
        "Reducing to 150 by PPA-PCA costs accuracy (word2vec).",
        "word2vec-full",
        "word2vec-reduced-150",
        paper=0.0237,
    ),
    _sentences(
        "The components of least variance still beat random vectors (GloVe, B).",
        "glove-B",
        "glove-random",
        paper=0.0197,
        smallest=0.005,
        headline=True,
    ),
    _sentences("The middle split beats the top one (GloVe).", "glove-M", "glove-T", paper=0.0066),
    _sentences("The top split beats the middle one (word2vec).", "word2vec-T", "word2vec-M", paper=0.0326),
    *(
        Claim(
            text=f"The components of least variance know syntax ({name}): B of GloVe is above chance.",
            contrast=Contrast.mean("glove-B", metric=name),
            reference=chance,
            smallest=0.02,
            paper="26.9 and 27.1, chance 12.5 and 5.0",
        )
        for name, chance in CHANCE.items()
    ),
    *(
        Claim(
            text=f"From the 11th on, a component's rank says little of what it knows of syntax ({name}): "
            "a correlation within ±0.4.",
            contrast=Contrast.mean("glove-components", metric=f"rank and {name}"),
            direction="same",
            smallest=0.4,
            paper="no trend, a figure",
        )
        for name in CHANCE
    ),
    Claim(
        text="All-but-the-top hurts translation into English, more with larger D.",
        paper="BLEU 15.91 → 14.81, 13.88, 13.27, 13.24 (Galician, D = 1 … 4)",
        reason="waits for the sequence-to-sequence part",
    ),
)
