"""The numbers for pairs of texts: cosine, similarity, and what a model's tasks say of them.

A model's task ``similarity`` gives the similarity, put on 0 to 5; a model without one has the plain scale, 5
times the cosine and not below 0. One pass over the texts serves the cosine and all heads that read the
model's vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.model import Model
from tenor.model.encoding import Long
from tenor.model.heads import TrainedTask
from tenor.model.predicting import predict, predict_from_vectors
from tenor.tasks.heads.in_numpy import row_cosines
from tenor.use.classify.classifying import Answer, answers_of
from tenor.use.compare.similarity import MOST, plain_similarity

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What is known of n pairs; None and nothing where the model has no such task."""

    cosines: Floats  # [n]
    similarities: NDArray[np.float64]  # [n], 0 to 5
    fitted: bool  # whether the similarity was fitted to people's scores
    paraphrases: NDArray[np.float64] | None = None  # [n], probabilities
    sentiments: tuple[Answer, ...] = ()  # of all first texts, then of all second texts


def judge(
    model: Model,
    first: Sequence[str],
    second: Sequence[str],
    *,
    long: Long = "truncate",
    sentiments: bool = False,
) -> Judgement:
    """Compare the texts in the same rows of two lists."""
    texts = [*first, *second]
    tasks = {"similarity": fitted_task(model), "paraphrase": _paraphrase(model)}
    feeling = _sentiment(model) if sentiments else None
    heads = [task for task in (*tasks.values(), feeling) if task is not None]
    raw = model.pooled(texts, long=long) if any(_shares_pass(model, task) for task in heads) else None
    # Prompts and chunks have vectors of their own; otherwise the cosine is that of the heads' vectors.
    plain = raw is not None and not model.settings.default_prompt and long == "truncate"
    vectors = raw if raw is not None and plain else model.encode(texts, long=long)
    cosines = row_cosines(vectors[: len(first)], vectors[len(first) :])

    def told(task: TrainedTask, sides: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        if raw is not None and _shares_pass(model, task):
            found = predict_from_vectors(model, task, np.split(raw, 2) if len(sides) == 2 else [raw], sides)
        else:
            found = predict(model, task, list(zip(*sides, strict=True)), long=long)
        return np.asarray(found, dtype=np.float64)

    scored, alike = tasks["similarity"], tasks["paraphrase"]
    if scored is None:
        similarities = plain_similarity(cosines)
    else:
        low, high = scored.spec.range
        similarities = np.clip(MOST * (told(scored, [first, second]) - low) / (high - low), 0, MOST)
    return Judgement(
        cosines=cosines,
        similarities=similarities,
        fitted=scored is not None,
        paraphrases=None if alike is None else told(alike, [first, second])[:, 1],
        sentiments=() if feeling is None else tuple(answers_of(feeling, told(feeling, [texts]))),
    )


def fitted_task(model: Model) -> TrainedTask | None:
    """Return the model's task that scores the similarity of two texts, if it has one."""
    return _named(model, "similarity", "similarity")


def _paraphrase(model: Model) -> TrainedTask | None:
    task = _named(model, "paraphrase", "pair")
    return task if task is not None and len(task.spec.labels) == 2 else None


def _sentiment(model: Model) -> TrainedTask | None:
    return _named(model, "sentiment", "classify")


def _named(model: Model, name: str, kind: str) -> TrainedTask | None:
    """Return the task of that name; or the only one of the kind, for similarity, whatever it is called."""
    task = model.tasks.get(name)
    if task is None and kind == "similarity":
        others = [each for each in model.tasks.values() if each.spec.kind == kind]
        task = others[0] if len(others) == 1 else None
    return task if task is not None and task.spec.kind == kind else None


def _shares_pass(model: Model, task: TrainedTask) -> bool:
    return task.spec.reads_default(model.settings.pooling)
