"""The claims about encoders of low-resource languages, with the paper's figures.

Differences of encoders are means over entity F1, accuracy of parts of speech and labelled attachment; the
paper's are those of Latvian and Afrikaans together, of the models that its main table has.
"""

from collections.abc import Sequence
from typing import Any

from tenor.metrics.verdicts import Claim, Contrast
from tenor.recipes.low_resource_encoders.factors import LABELS, TEXT, coefficient_name
from tenor.recipes.recipe import Trivial

FREQUENT, RANDOM, MONO, RELATED, UNRELATED, MULTI = (
    "most-frequent-tag", "random", "mono", "related", "unrelated", "multi",
)  # fmt: skip
SMALLER, SMALL_VOCABULARY, SHORT, UNIFORM = (
    "mono-half-layers", "mono-small-vocabulary", "mono-short", "mono-uniform-masking",
)  # fmt: skip
ALL_LANGUAGES, FACTORS = "languages", "factors"
MEAN_NER, MEAN_POS, LOSS_DROP = "NER, all languages", "POS, all languages", "fall of the held-out loss"
SCORES = ("NER pcm", "POS af", "LAS af")
TRIVIAL: Trivial = dict.fromkeys(
    ("NER pcm", "NER lug", "POS af", "LAS af", "UAS af", MEAN_NER, MEAN_POS), FREQUENT
)
_NONE = "not in the paper"


def _claim(
    text: str, first: str, second: str, smallest: float, *, metric: Sequence[str] = SCORES, **more: Any
) -> Claim:
    contrast = Contrast.difference(first, second, metric=metric)
    return Claim(text=text, contrast=contrast, smallest=smallest, **more)


def _slope(text: str, task: str, model: str, factor: str, smallest: float, **more: Any) -> Claim:
    response = more.pop("response", "score")
    metric = coefficient_name(task, model, factor, response)
    return Claim(text=text, contrast=Contrast.mean(FACTORS, metric=metric), smallest=smallest, **more)


CLAIMS = (
    _claim(
        "An encoder of one low-resource language is worse than the multilingual one.",
        MULTI, MONO, 0.005, paper=0.0174, headline=True,
    ),
    _claim(
        "Pre-training with a related language beats pre-training on the language alone.",
        RELATED, MONO, 0.003, paper=0.0059, headline=True,
    ),
    _slope(
        "Over languages, entity F1 rises with the size of the text that was pre-trained on.",
        "NER", "text", TEXT, 0.005, paper="0.015 [0.007, 0.023]", headline=True,
    ),
    _slope(
        "Over languages, entity F1 rises with the number of labelled sentences.",
        "NER", "labels", LABELS, 0.01, paper="0.035 [0.029, 0.041]", headline=True,
    ),
    _slope(
        "Beside the number of labels, the size of the text has a negative coefficient (NER).",
        "NER", "joint", TEXT, 0.005, direction="less", paper="-0.014 [-0.022, -0.006]", headline=True,
        reason="In the paper's data, which are made from Wikipedia, more text is more labels; here both are "
        "drawn apart.",
    ),
    Claim(
        text="In the 30% of languages that have least text the multilingual encoder is worse than the "
        "best systems without one.",
        paper="10 points of F1 and more",
        headline=True,
        reason="the systems and the encoder of 104 languages that are compared are not at hand",
    ),
    _slope(
        "Beside the size of the text, the number of labels still has a positive coefficient (NER).",
        "NER", "joint", LABELS, 0.01, paper="0.029 [0.023, 0.035]",
    ),
    _slope(
        "Over languages, entity F1 rises with the vocabulary of the labelled sentences.",
        "NER", "vocabulary", "vocabulary", 0.007, paper="0.021 [0.017, 0.025]",
    ),
    _slope(
        "The more text, the more is gained over the most frequent tag (NER, ratio of F1).",
        "NER", "text", TEXT, 0.01, response="ratio", paper="said without figures",
    ),
    _slope(
        "Over languages, the accuracy of parts of speech rises with the number of labelled sentences.",
        "POS", "labels", LABELS, 0.005, paper=_NONE,
    ),
    _slope(
        "Over languages, the accuracy of parts of speech rises with the size of the text.",
        "POS", "text", TEXT, 0.002, paper=_NONE,
    ),
    _claim(
        "A related language helps more than an unrelated one.", RELATED, UNRELATED, 0.003, paper=_NONE,
    ),
    _claim(
        "Pre-training on the language alone beats random initialisation (NER, POS).",
        MONO, RANDOM, 0.005, metric=("NER pcm", "POS af"), paper=_NONE,
    ),
    _claim(
        "Pre-training on the language alone beats random initialisation (LAS).",
        MONO, RANDOM, 0.005, metric=("LAS af",), paper=_NONE,
    ),
    Claim(
        text="Pre-training lowers the loss of masked tokens on held-out text (from the first measure on).",
        contrast=Contrast.mean(MONO, metric=LOSS_DROP),
        smallest=0.05,
        paper=_NONE,
    ),
    _claim(
        "Half the layers are worse.", MONO, SMALLER, 0.002, paper=0.0043, reason="At the scale full.",
    ),
    _claim(
        "A vocabulary of a third of the size is worse.",
        MONO, SMALL_VOCABULARY, 0.002, paper=0.0039, reason="At the scale full.",
    ),
    _claim(
        "Sequences of half the length in larger batches are better.",
        SHORT, MONO, 0.001, paper=0.002, reason="At the scale full.",
    ),
    _claim(
        "Masking rare tokens more often beats uniform masking.",
        MONO, UNIFORM, 0.002, paper=_NONE, reason="At the scale full.",
    ),
)  # fmt: skip
