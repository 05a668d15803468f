"""``tenor.dedupe``: groups of texts that say the same, in memory or in a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import overload

from tenor.model.encoding import Long
from tenor.model.given import ModelLike, given_model
from tenor.text.given_texts import given_texts
from tenor.use.dedupe.deduping import DEFAULT_THRESHOLD, Group
from tenor.use.dedupe.deduping import dedupe as dedupe_with
from tenor.use.dedupe.file import Deduped, dedupe_file
from tenor.use.notes import log_note, log_problems


@overload
def dedupe(
    texts: Sequence[str],
    *,
    model: ModelLike = ...,
    threshold: float = ...,
    prompt: str | None = ...,
    long: Long = ...,
) -> list[Group]: ...


@overload
def dedupe(
    texts: Path,
    *,
    model: ModelLike = ...,
    threshold: float = ...,
    prompt: str | None = ...,
    long: Long = ...,
    column: str | int | None = ...,
    strict: bool = ...,
) -> Deduped: ...


def dedupe(
    texts: Sequence[str] | Path,
    *,
    model: ModelLike = "minilm",
    threshold: float = DEFAULT_THRESHOLD,
    prompt: str | None = None,
    long: Long = "truncate",
    column: str | int | None = None,
    strict: bool = False,
) -> list[Group] | Deduped:
    """Find the groups of texts that say the same, the largest first; ``threshold`` is a cosine.

    A ``Path`` is a file, whose :class:`~tenor.use.dedupe.Deduped` also knows the lines and what to keep.

    >>> import tenor
    >>> texts = ["How do I learn Python?", "Where is Paris?", "What is the best way to learn Python?"]
    >>> [[member.row for member in group.members] for group in tenor.dedupe(texts)]
    [[0, 2]]
    """
    if isinstance(texts, str):
        raise TypeError("dedupe takes a list of texts, or the Path of a file.")
    encoder = given_model(model)
    if not isinstance(texts, Path):
        texts = given_texts(texts, what="dedupe")
        return dedupe_with(encoder, texts, threshold=threshold, prompt=prompt, long=long, note=log_note)
    found = dedupe_file(
        encoder,
        texts,
        column=column,
        threshold=threshold,
        prompt=prompt,
        long=long,
        strict=strict,
        note=log_note,
    )
    log_problems(found.problems)
    return found
