"""Which factors a score goes with, over languages: least squares on the sizes of text, labels and vocabulary.

All factors are logarithms to base 2, so that a coefficient is what a doubling adds: text is the compressed
size of what the encoder was pre-trained on (WikiSize without rounding), labels the number of training
sentences, vocabulary the number of different words in them.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tenor.metrics.outcomes import Outcome
from tenor.metrics.regression import Regression, least_squares, likelihood_ratio

TEXT, LABELS, VOCABULARY = "text", "labels", "vocabulary"
MODELS: Mapping[str, tuple[str, ...]] = {
    "labels": (LABELS,),
    "vocabulary": (VOCABULARY,),
    "text": (TEXT,),
    "joint": (LABELS, TEXT),
}
Point = Mapping[str, Any]
"""A language: its task, sentences, words, text, score and baseline."""


def coefficient_name(task: str, model: str, factor: str, response: str = "score") -> str:
    """Return the metric of a coefficient.

    >>> coefficient_name("NER", "joint", "text"), coefficient_name("NER", "text", "text")
    ('NER ~ labels + text: text', 'NER ~ text')
    """
    left = f"{task} ratio" if response == "ratio" else task
    right = " + ".join(MODELS[model])
    return f"{left} ~ {right}" + (f": {factor}" if len(MODELS[model]) > 1 else "")


def factors_of(points: Sequence[Point]) -> dict[str, list[float]]:
    """Return the factors of languages, as logarithms."""
    return {
        TEXT: [float(point["text"]) for point in points],
        LABELS: [math.log2(point["sentences"]) for point in points],
        VOCABULARY: [math.log2(point["words"]) for point in points],
    }


def fits(points: Sequence[Point], *, response: str = "score") -> dict[str, Regression]:
    """Fit every model to languages; the response is the score, or its ratio to the baseline."""
    y = [point["score"] / (point["baseline"] if response == "ratio" else 1.0) for point in points]
    factors = factors_of(points)
    return {name: least_squares({key: factors[key] for key in keys}, y) for name, keys in MODELS.items()}


def vocabulary_test(points: Sequence[Point]) -> tuple[float, float]:
    """Return statistic and p-value of the likelihood-ratio test that vocabulary adds to labels."""
    factors, y = factors_of(points), [point["score"] for point in points]
    one, two = (
        least_squares({key: factors[key] for key in keys}, y) for keys in ((LABELS,), (LABELS, VOCABULARY))
    )
    return likelihood_ratio(one, two)


def factor_outcomes(points: Sequence[Point]) -> tuple[dict[str, Outcome], list[dict[str, Any]]]:
    """Return every coefficient as a metric, and the rows of the table of fits."""
    outcomes: dict[str, Outcome] = {}
    rows: list[dict[str, Any]] = []
    for task in dict.fromkeys(point["task"] for point in points):
        chosen = [point for point in points if point["task"] == task]
        for response in ("score", "ratio"):
            for model, fit in fits(chosen, response=response).items():
                for factor in MODELS[model]:
                    found = fit.coefficients[factor]
                    name = coefficient_name(task, model, factor, response)
                    outcomes[name] = Outcome.number(found.interval.estimate)
                    rows.append(
                        {"name": name, "estimate": found.interval.estimate, "low": found.interval.low,
                         "high": found.interval.high, "p": found.p, "r_squared": fit.r_squared}
                    )  # fmt: skip
        statistic, p = vocabulary_test(chosen)
        outcomes[f"{task}: p that vocabulary adds nothing to labels"] = Outcome.number(p)
        rows.append({"name": f"{task} likelihood ratio", "statistic": statistic, "p": p})
    return outcomes, rows
