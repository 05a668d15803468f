"""Duplicates of a small list, with all that a page needs to group anew while a slider is moved."""

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.engine import Floats
from tenor.serve.batched_model import BatchedModel
from tenor.serve.projection import project
from tenor.serve.schemas import DedupeRequest, DedupeResponse, GroupMember
from tenor.use.dedupe.deduping import DEFAULT_THRESHOLD, EXACT_LIMIT, Group, distinct_texts, group_texts
from tenor.use.dedupe.unknown import with_unknown_words
from tenor.use.limits import count_beyond_limit, tell_beyond_limit
from tenor.use.unit_vectors import normalise

# The strongest pairs that are sent: some megabytes of JSON.
_MOST_PAIRS = 100_000


def find_duplicates(model: BatchedModel, request: DedupeRequest) -> DedupeResponse:
    """Group the texts at the threshold, and return the scores of all pairs above the floor and a map."""
    texts = request.texts
    rows, of = distinct_texts(texts)
    vectors = normalise(model.encode([texts[row] for row in rows]))
    threshold = DEFAULT_THRESHOLD if request.threshold is None else request.threshold

    def encode(wanted: NDArray[np.int64], out: Floats) -> None:
        out[:] = vectors

    encode_all, width = with_unknown_words(model, texts, encode)
    groups = group_texts(texts, encode_all, width, threshold, EXACT_LIMIT)
    pairs, floor = _pairs(vectors, rows, request.floor)
    points = np.zeros((len(texts), 2))
    points[of >= 0] = project(vectors)[of[of >= 0]]
    note = tell_beyond_limit(count_beyond_limit(model, texts), "truncate")
    return DedupeResponse(
        threshold=threshold,
        groups=[_members(group) for group in groups],
        floor=floor,
        pairs=pairs,
        same=np.where(of >= 0, rows[of] if len(rows) else -1, -1).tolist(),
        points=[(x, y) for x, y in points.round(4).tolist()],
        notes=[] if note is None else [note],
    )


def _members(group: Group) -> list[GroupMember]:
    return [GroupMember(member.row, round(member.score, 4), member.why) for member in group.members]


def _pairs(
    vectors: Floats, rows: NDArray[np.int64], floor: float
) -> tuple[list[tuple[int, int, float]], float]:
    """Return the pairs that reach the floor, best first, and the floor, which rises where they are many."""
    cosines = vectors @ vectors.T
    first, second = np.triu_indices(len(vectors), k=1)
    scores = np.minimum(cosines[first, second], 1.0)
    kept = np.flatnonzero(scores >= floor)
    kept = kept[np.argsort(-scores[kept], kind="stable")]
    if len(kept) > _MOST_PAIRS:
        # Cut between two scores: what is sent holds every pair from the new floor up.
        floor = float(np.ceil(scores[kept[_MOST_PAIRS]] * 1e4 + 1) / 1e4)
        kept = kept[scores[kept] >= floor]
    pairs = zip(rows[first[kept]].tolist(), rows[second[kept]].tolist(), scores[kept].tolist(), strict=True)
    return [(row, other, round(score, 5)) for row, other, score in pairs], floor
