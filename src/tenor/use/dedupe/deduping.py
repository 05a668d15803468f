"""Groups of texts that say the same.

Texts that are equal but for case and spaces are collapsed first. The others are compared by the cosine of
their vectors, all pairs up to 300,000 distinct texts, in blocks; above that by an inverted file, whose
recall is below 1 and is measured on a sample. A group is a centre and texts that each reach the threshold
with that centre (see ``grouping``), so that a group never drifts from one meaning to another by a chain.
Words that the model does not know count as themselves (see ``unknown``).
"""

import tempfile
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.machine import blas_threads, thread_count
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.progress import Note, StageProgress
from tenor.use.dedupe.differences import Difference, differences, tell_differences
from tenor.use.dedupe.grouping import centre_groups
from tenor.use.dedupe.inverted_file import InvertedFile
from tenor.use.dedupe.neighbours import ExactNeighbours, Floats, Neighbourhood, Rows
from tenor.use.dedupe.unknown import with_unknown_words
from tenor.use.unit_vectors import normalise

EXACT_LIMIT = 300_000

# The lowest cosine that counts as saying the same, for minilm. The best F1 lies lower; but to drop a text
# that says something else costs more than to keep one that does not, so precision was given more weight. The
# figures are in docs/dedupe.md; ``calibrate`` finds the threshold of one's own texts.
DEFAULT_THRESHOLD = 0.85

Kind = Literal["centre", "same text", "same but for case or spaces", "alike"]


@dataclass(frozen=True, slots=True)
class Member:
    """One text of a group, and why it is there."""

    row: int  # position among the texts given
    text: str
    kind: Kind
    score: float  # cosine with the centre; 1 for the same text but for case and spaces
    differences: tuple[Difference, ...] = ()  # from the centre, word by word

    @property
    def why(self) -> str:
        """Say in a few words why the text is in its group.

        >>> Member(3, "hi", "same text", 1.0).why
        'same text'
        """
        return f"alike: {tell_differences(self.differences)}" if self.kind == "alike" else self.kind


@dataclass(frozen=True, slots=True)
class Group:
    """Texts that say the same; the first member is the centre, the others follow by falling score."""

    members: tuple[Member, ...]

    @property
    def centre(self) -> Member:
        """The text that every member was compared with."""
        return self.members[0]

    def __len__(self) -> int:
        return len(self.members)


def dedupe(
    model: Model,
    texts: Sequence[str],
    *,
    threshold: float = DEFAULT_THRESHOLD,
    prompt: str | None = None,
    long: Long = "truncate",
    exact_limit: int = EXACT_LIMIT,
    progress: StageProgress | None = None,
    note: Note | None = None,
) -> list[Group]:
    """Find the groups of two and more texts that say the same, the largest first.

    Blank texts belong to no group. ``note`` is called when an approximate index takes the place of all pairs.
    """

    def encode(rows: Rows, out: Floats) -> None:
        advance = None if progress is None else lambda count: progress("Encoding", count, len(rows))
        model.encode([texts[row] for row in rows], prompt=prompt, long=long, progress=advance, out=out)

    encode_all, width = with_unknown_words(model, texts, encode)
    return group_texts(texts, encode_all, width, threshold, exact_limit, progress=progress, note=note)


def group_texts(
    texts: Sequence[str],
    encode: Callable[[Rows, Floats], None],
    dimensions: int,
    threshold: float,
    exact_limit: int,
    *,
    progress: StageProgress | None = None,
    note: Note | None = None,
) -> list[Group]:
    """Group texts by vectors that ``encode`` fills in for the rows that it is given."""
    if not 0 < threshold <= 1:
        raise TenorError(f"The threshold is {threshold:g}; expected a cosine above 0 and at most 1.")
    rows, of = distinct_texts(texts)
    with tempfile.TemporaryDirectory(prefix="tenor-dedupe-", ignore_cleanup_errors=True) as folder:
        aside = Path(folder) if len(rows) > exact_limit else None
        vectors = _room(len(rows), dimensions, aside)
        encode(rows, vectors)
        centre, scores = _group_vectors(vectors, of, threshold, aside, progress, note)
        del vectors  # before the groups are built: half a gigabyte at 300,000 texts
    return _groups(texts, rows, of, centre, scores)


def distinct_texts(texts: Sequence[str]) -> tuple[Rows, Rows]:
    """Give the first row of each distinct text [u], and for every text its distinct one [n], -1 if blank."""
    seen: dict[str, int] = {}
    rows: list[int] = []
    of = np.full(len(texts), -1, dtype=np.int64)
    for row, text in enumerate(texts):
        # Only spellings that look the same are made one: NFKC would turn 10⁵ into 105.
        plain = " ".join(unicodedata.normalize("NFC", text).casefold().split())
        if plain:
            number = seen.setdefault(plain, len(rows))
            if number == len(rows):
                rows.append(row)
            of[row] = number
    return np.array(rows, dtype=np.int64), of


def _room(rows: int, dimensions: int, aside: Path | None) -> Floats:
    """Give an array for the vectors, in memory or, when there are too many, mapped from a file."""
    if aside is None or rows == 0:
        return np.empty((rows, dimensions), dtype=np.float32)
    return np.memmap(aside / "vectors", np.float32, "w+", shape=(rows, dimensions))


def _group_vectors(
    vectors: Floats,
    of: Rows,
    threshold: float,
    aside: Path | None,
    progress: StageProgress | None,
    note: Note | None,
) -> tuple[Rows, NDArray[np.float64]]:
    """Give the centre of each distinct text [u], as another distinct text, and its score with it [u]."""
    normalise(vectors)
    kept, which = _collapse(vectors)
    vectors = vectors[: len(kept)]
    weights = np.bincount(which[of[of >= 0]], minlength=len(kept))
    total = len(kept) if aside else len(kept) * (len(kept) + 1) // 2
    with blas_threads(thread_count()):
        near = _neighbourhood(vectors, threshold, aside, note)
        if progress is None:
            centre = centre_groups(near, weights)
        else:
            centre = centre_groups(
                near,
                weights,
                counting=lambda count: progress("Comparing", count, total),
                settling=lambda count, all_: progress("Grouping", count, all_),
            )
    scores = np.where(centre == np.arange(len(kept)), 1.0, near.scores(np.arange(len(kept)), centre))
    return kept[centre[which]], np.minimum(scores, 1.0)[which]


def _neighbourhood(vectors: Floats, threshold: float, aside: Path | None, note: Note | None) -> Neighbourhood:
    if aside is None:
        return ExactNeighbours(vectors, threshold)
    index = InvertedFile(vectors, threshold, file=aside / "sorted")
    if note is not None:
        note(
            f"{len(vectors):,} distinct texts are too many to compare all pairs; an approximate index is "
            f"used, which finds {index.recall():.1%} of the pairs that reach the threshold (measured on 500 "
            "texts)."
        )
    return index


def _collapse(vectors: Floats) -> tuple[Rows, Rows]:
    """Move the distinct vectors to the front; give their old rows [k], and for each old row its vector [u].

    Vectors are the same bit for bit when a model sees no difference between two spellings. Zeros, which a
    model gives to texts that it cannot read, say nothing and stay apart.
    """
    seen: dict[bytes, int] = {}
    kept: list[int] = []
    which = np.empty(len(vectors), dtype=np.int64)
    for row, vector in enumerate(vectors):
        key = blake2b(vector.tobytes(), digest_size=16).digest() if vector.any() else b"%d" % row
        number = seen.setdefault(key, len(kept))
        if number == len(kept):
            vectors[number] = vector
            kept.append(row)
        which[row] = number
    return np.array(kept, dtype=np.int64), which


def _groups(
    texts: Sequence[str], rows: Rows, of: Rows, centre: Rows, scores: NDArray[np.float64]
) -> list[Group]:
    filled = np.flatnonzero(of >= 0)
    centres = centre[of[filled]]
    sizes = np.bincount(centres, minlength=len(rows))
    members: dict[int, list[Member]] = {}
    for row, at in zip(filled.tolist(), centres.tolist(), strict=True):
        if sizes[at] > 1:
            middle = int(rows[at])
            score = float(scores[of[row]])
            members.setdefault(at, []).append(_member(row, texts, middle, of[row] == at, score))
    groups = [Group(tuple(sorted(each, key=_by_kind))) for each in members.values()]
    return sorted(groups, key=lambda group: (-len(group), group.centre.row))


def _member(row: int, texts: Sequence[str], middle: int, same: bool, score: float) -> Member:
    text, other = texts[row], texts[middle]
    if row == middle:
        return Member(row, text, "centre", 1.0)
    if same:
        return Member(row, text, "same text" if text == other else "same but for case or spaces", 1.0)
    return Member(row, text, "alike", score, differences(text, other))


def _by_kind(member: Member) -> tuple[bool, float, int]:
    return member.kind != "centre", -member.score, member.row
