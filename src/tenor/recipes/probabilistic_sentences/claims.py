"""The claims about probabilistic sentences, with the paper's own figures where it has them."""

from collections.abc import Mapping, Sequence
from typing import Any

from tenor.metrics.verdicts import Claim, Contrast
from tenor.recipes.recipe import Trivial

WLO, NO_PRIOR = "wlo", "wlo-no-prior"
WORDAVG, WORDSUM, LSTMAVG, LSTM_GAUSSIAN = "wordavg", "wordsum", "lstmavg", "lstm-gaussian"
LENGTH, CHARACTERS, IDF, RANK_SUM, RANK_MEAN = "length", "characters", "idf-sum", "rank-sum", "rank-mean"
STARTER = "starter-norm"

ENTAILMENT, REPLACED = "entailment, equal length", "modifiers replaced"
SICK, WITH_DIRECTION = "entailment, equal length (SICK)", "entailment, equal length (NLI)"
NEUTRAL, CONTRADICTION = "neutral, equal length", "contradiction, equal length"
UNEQUAL, DELETED = "entailment, any length", "modifiers deleted"
WITH_LENGTH, STS, SPREAD = "correlation with length", "STS-B", "spread of log A"
LENGTH_CANNOT_HELP = (ENTAILMENT, REPLACED)
"""The measures of specificity on which the number of words says nothing."""
TRIVIAL: Trivial = {
    **dict.fromkeys(
        (ENTAILMENT, REPLACED, SICK, WITH_DIRECTION, NEUTRAL, CONTRADICTION, UNEQUAL, DELETED), LENGTH
    ),
    STS: 0.0,
}
_NONE = "not in the paper"


def _mean(text: str, cell: str, metric: str | Sequence[str], smallest: float, **more: Any) -> Claim:
    return Claim(text=text, contrast=Contrast.mean(cell, metric=metric), smallest=smallest, **more)


def _over(
    text: str, first: str, second: str, smallest: float, *, metric: str | Sequence[str], **more: Any
) -> Claim:
    contrast = Contrast.difference(first, second, metric=metric)
    return Claim(text=text, contrast=contrast, smallest=smallest, **more)


CLAIMS = (
    _mean(
        "Of entailment pairs of equal length, the premise has the smaller entropy more often than not (WLO).",
        WLO, ENTAILMENT, 0.02, reference=0.5, paper="0.758 (SNLI, 120 pairs)", headline=True,
    ),
    _mean(
        "A sentence has a smaller entropy than itself with modifiers replaced by vague words (WLO).",
        WLO, REPLACED, 0.05, reference=0.5, paper="its labelled sets are not at hand: 0.774 on News",
        headline=True,
    ),
    _over(
        "WLO tells what is specific at least as well as the norm of WORDSUM (equal length, replaced).",
        WLO, WORDSUM, 0.01, metric=LENGTH_CANNOT_HELP, paper="+0.016 (News)", headline=True,
    ),
    _over(
        "The prior on words makes WLO better at it (equal length, replaced).",
        WLO, NO_PRIOR, 0.02, metric=LENGTH_CANNOT_HELP, paper="+0.095 (News)", headline=True,
    ),
    _over(
        "WLO is as good as WORDAVG at similarity (STS-B).",
        WLO, WORDAVG, 0.02, metric=STS, direction="same", paper=0.003, headline=True,
    ),
    _over(
        "WLO tells what is specific better than an LSTM with a Gaussian (equal length, replaced).",
        WLO, LSTM_GAUSSIAN, 0.02, metric=LENGTH_CANNOT_HELP, paper="+0.219 (News)",
    ),
    _over(
        "WLO tells what is specific better than the norm of LSTMAVG (equal length, replaced).",
        WLO, LSTMAVG, 0.02, metric=LENGTH_CANNOT_HELP, paper="+0.228 (News)",
    ),
    _over(
        "WLO is better than the norm of a pretrained encoder (equal length, replaced).",
        WLO, STARTER, 0.02, metric=LENGTH_CANNOT_HELP, paper="+0.129 (News, BERT)",
        reason="The encoder is the starter MiniLM, mean pooling.",
    ),
    _over(
        "WLO is better than the sum of inverse document frequencies (equal length, replaced).",
        WLO, IDF, 0.01, metric=LENGTH_CANNOT_HELP, paper="+0.219 over the sum of frequency ranks (News)",
    ),
    _over(
        "WLO is better than the mean rank of the words' frequencies (equal length, replaced).",
        WLO, RANK_MEAN, 0.01, metric=LENGTH_CANNOT_HELP, paper="+0.159 (News)",
    ),
    _mean(
        "It is so where hypotheses were written to follow from premises (NLI sets, equal length).",
        WLO, WITH_DIRECTION, 0.02, reference=0.5, paper="0.758 (SNLI)",
        reason="SICK gives no direction: its entailments may hold both ways.",
    ),
    Claim(
        text="Hypotheses that follow are vaguer more often than contradictions (WLO, equal length).",
        contrast=Contrast({(WLO, ENTAILMENT): 1.0, (WLO, CONTRADICTION): -1.0}),
        smallest=0.05,
        paper=0.186,
    ),
    _mean(
        "Neutral hypotheses are neither vaguer nor more specific (WLO, equal length).",
        WLO, NEUTRAL, 0.05, reference=0.5, direction="same", paper=0.547,
    ),
    _over(
        "Where lengths differ, the sum of word vectors tells premises by its norm, their mean does not.",
        WORDSUM, WORDAVG, 0.1, metric=UNEQUAL, paper="+0.212 (News)",
    ),
    _mean(
        "WLO's score goes with length (Spearman).", WLO, WITH_LENGTH, 0.2, paper=_NONE,
    ),
    _mean(
        "The norm of WORDAVG goes against length (Spearman).",
        WORDAVG, WITH_LENGTH, 0.1, direction="less", paper=_NONE,
    ),
    _over(
        "Without the prior the scales of words spread (standard deviation of log A).",
        NO_PRIOR, WLO, 0.01, metric=SPREAD, paper="said without figures",
    ),
    _mean(
        "Deleted modifiers raise the entropy (WLO), where length alone gives the answer away.",
        WLO, DELETED, 0.1, reference=0.5, paper=_NONE,
    ),
    Claim(
        text="Entropy goes with people's ratings of specificity (News, Twitter, Yelp, Movie).",
        paper="0.774 accuracy; Spearman 0.605, 0.766, 0.619",
        reason="the rated sentences are not at hand",
    ),
)  # fmt: skip

TITLES: Mapping[str, str] = {
    WLO: "word operators (WLO)",
    NO_PRIOR: "WLO without prior",
    WORDAVG: "WORDAVG, norm",
    WORDSUM: "WORDSUM, norm",
    LSTMAVG: "LSTMAVG, norm",
    LSTM_GAUSSIAN: "LSTM with a Gaussian",
    STARTER: "norm of the starter MiniLM",
    LENGTH: "number of words",
    CHARACTERS: "number of characters",
    IDF: "sum of inverse document frequencies",
    RANK_SUM: "sum of frequency ranks",
    RANK_MEAN: "mean of frequency ranks",
}
