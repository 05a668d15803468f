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
from tenor.model.predicting import predict, predict_from_vectors, reads_vectors
from tenor.model.words import EncodedTexts
from tenor.tasks.answer import LabelAnswer
from tenor.tasks.classify.kind import ClassifySpec
from tenor.tasks.heads.in_numpy import row_cosines
from tenor.tasks.pair.kind import PairSpec
from tenor.tasks.similarity.kind import SimilaritySpec
from tenor.text.tokens import Tokens
from tenor.use.compare.similarity import MOST, plain_similarity

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class PairScores:
    """What is known of n pairs; None and nothing where the model has no such task."""

    cosines: Floats  # [n]
    similarities: NDArray[np.float64]  # [n], 0 to 5
    fitted: bool  # whether the similarity was fitted to people's scores
    paraphrases: NDArray[np.float64] | None = None  # [n], probabilities
    sentiments: tuple[LabelAnswer, ...] = ()  # of all first texts, then of all second texts


def score_pairs(
    model: Model,
    first: Sequence[str],
    second: Sequence[str],
    *,
    long: Long = "truncate",
    sentiments: bool = False,
    encoded: EncodedTexts | None = None,
) -> PairScores:
    """Compare the texts in the same rows of two lists.

    ``encoded`` holds all first texts and then all second texts, where they have been encoded already: then
    only chunks, prompts, and heads that read more than the pooled vectors need a further pass.
    """
    texts = [*first, *second]
    tasks = {"similarity": fitted_task(model), "paraphrase": _paraphrase(model)}
    feeling = _sentiment(model) if sentiments else None
    heads = [task for task in (*tasks.values(), feeling) if task is not None]
    raw = None if encoded is None or _chunked(encoded, long) else encoded.pooled
    plain = not model.settings.default_prompt and (raw is not None or long == "truncate")
    if raw is None and any(reads_vectors(model, task) for task in heads):
        raw = model.pooled(texts, long=long)
    # Prompts and means of chunks have vectors of their own; else the cosine is that of the heads' vectors.
    vectors = raw if raw is not None and plain else model.encode(texts, long=long)
    cosines = row_cosines(vectors[: len(first)], vectors[len(first) :])

    def predicted(task: TrainedTask, sides: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        if raw is not None and reads_vectors(model, task):
            pooled = np.split(raw, len(sides))
            tokens = None if encoded is None else _split(encoded.tokens, len(sides))
            found = predict_from_vectors(model, task, pooled, sides, tokens=tokens)
        else:
            found = predict(model, task, list(zip(*sides, strict=True)), long=long)
        return np.asarray(found, dtype=np.float64)

    scored, alike = tasks["similarity"], tasks["paraphrase"]
    if scored is None:
        similarities = plain_similarity(cosines)
    else:
        assert isinstance(scored.spec, SimilaritySpec)
        low, high = scored.spec.range
        similarities = np.clip(MOST * (predicted(scored, [first, second]) - low) / (high - low), 0, MOST)
    return PairScores(
        cosines=cosines,
        similarities=similarities,
        fitted=scored is not None,
        paraphrases=None if alike is None else predicted(alike, [first, second])[:, 1],
        sentiments=() if feeling is None else _labels(feeling, predicted(feeling, [texts])),
    )


def _labels(task: TrainedTask, predictions: NDArray[np.float64]) -> tuple[LabelAnswer, ...]:
    return tuple(each for each in task.spec.answers(predictions) if isinstance(each, LabelAnswer))


def _chunked(encoded: EncodedTexts, long: Long) -> bool:
    """Whether the vector of some text is a mean over chunks."""
    return long == "chunk" and any(states.cut for states in encoded.words)


def _split(tokens: Tokens, sides: int) -> list[Tokens]:
    return [tokens.take(rows) for rows in np.split(np.arange(len(tokens)), sides)]


def fitted_task(model: Model) -> TrainedTask | None:
    """Return the task ``similarity``, or the only one that scores two texts, whatever it is called."""
    if (named := model.tasks.get("similarity")) is not None:
        return named if isinstance(named.spec, SimilaritySpec) else None
    others = [task for task in model.tasks.values() if isinstance(task.spec, SimilaritySpec)]
    return others[0] if len(others) == 1 else None


def _paraphrase(model: Model) -> TrainedTask | None:
    task = model.tasks.get("paraphrase")
    if task is None or not isinstance(task.spec, PairSpec):
        return None
    return task if len(task.spec.labels) == 2 else None


def _sentiment(model: Model) -> TrainedTask | None:
    task = model.tasks.get("sentiment")
    return task if task is not None and isinstance(task.spec, ClassifySpec) else None
