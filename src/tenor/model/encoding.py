"""Encoding any number of texts with an engine: sorted by length, each distinct text once, in bounded memory.

Texts are taken in windows. While the engine computes one window, a thread tokenises the next (the tokenizer
works outside Python's lock). Inside a window equal texts are found, the distinct ones are sorted by length
and cut into batches of the engine's token budget, and each result is written to its rows as it comes.
Nothing of this changes a vector: what else is encoded only decides when a text is computed.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.engine import Engine, Floats, StreamingEngine
from tenor.errors import TenorError
from tenor.progress import Progress
from tenor.text.batching import distinct, plan_batches
from tenor.text.tokenizer import Chunks, Tokenizer
from tenor.text.tokens import Tokens

Long = Literal["truncate", "chunk"]

# The first window is small so that the engine starts at once; later ones are big enough to sort well.
_FIRST_WINDOW, _LARGEST_WINDOW, _GROWTH = 512, 32_768, 4
_WINDOW_CHARACTERS = 8_000_000


@dataclass(slots=True)
class _Window:
    """Texts that were tokenised together, and where their vectors go."""

    rows: slice  # of the whole result
    tokens: Tokens  # one row per text, or per chunk
    chunks: Chunks | None
    vectors: Floats  # one per row of ``tokens``
    left: int = 0  # batches still to come


@dataclass(frozen=True, slots=True)
class _Due:
    """Where the vectors of a batch go: vector i to ``rows[i]``-th rows, ``repeats[i]`` of them."""

    window: _Window
    rows: NDArray[np.int64]
    repeats: NDArray[np.int64]


def encode_texts(
    engine: Engine,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    *,
    long: Long = "truncate",
    normalize: bool = False,
    batch_size: int | None = None,
    progress: Progress | None = None,
    out: Floats | None = None,
) -> Floats:
    """Encode texts into ``out`` [n, width], which is made when not given, and return it.

    With ``long="chunk"`` a text beyond the limit is cut into windows, and its vector is their mean weighted
    by tokens, normalised again if ``normalize``. ``batch_size`` is the most texts of a batch, which the
    engine's token budget bounds in any case.
    """
    if out is None:
        out = np.empty((len(texts), engine.width), dtype=np.float32)
    if out.shape != (len(texts), engine.width):
        raise ValueError(f"out has the shape {out.shape}; expected {(len(texts), engine.width)}.")
    due: deque[_Due] = deque()
    windows = _tokenised(tokenizer, texts, long, out)
    for vectors in run(engine, _batches(windows, engine.token_budget, due, most=batch_size)):
        batch = due.popleft()
        window = batch.window
        refuse_not_finite(vectors)
        window.vectors[batch.rows] = np.repeat(vectors, batch.repeats, axis=0)
        window.left -= 1
        if window.chunks is not None and not window.left:
            out[window.rows] = _mean_of_chunks(window.chunks, window.vectors, normalize=normalize)
        if progress is not None:
            progress(_texts_done(window, batch.rows))
    return out


def refuse_not_finite(vectors: Floats) -> None:
    """Refuse what an encoder computed where it is no number: it must be neither written nor compared."""
    if not np.isfinite(vectors).all():
        raise TenorError(
            "The model gives vectors with numbers that are not finite: its weights are too large for this "
            "precision, or damaged. Try --precision fp32, else get or train the model again."
        )


def run(engine: Engine, batches: Iterable[Tokens]) -> Iterator[Floats]:
    """Encode batches one after the other, several at a time where the engine can; results keep the order."""
    if isinstance(engine, StreamingEngine):
        return iter(engine.map(batches))
    return map(engine.vectors, batches)


def _windows(texts: Sequence[str]) -> Iterator[slice]:
    """Cut the texts into windows that grow from small to large, bounded in texts and in characters."""
    begin, size = 0, _FIRST_WINDOW
    while begin < len(texts):
        end, characters = begin, 0
        while end < len(texts) and end - begin < size and characters < _WINDOW_CHARACTERS:
            characters += len(texts[end])
            end += 1
        yield slice(begin, end)
        begin, size = end, min(size * _GROWTH, _LARGEST_WINDOW)


def _tokenised(tokenizer: Tokenizer, texts: Sequence[str], long: Long, out: Floats) -> Iterator[_Window]:
    """Tokenise window after window, always one ahead of the arithmetic."""

    def tokenise(rows: slice) -> _Window:
        if long == "truncate":
            return _Window(rows, tokenizer.tokenize(texts[rows]), None, out[rows])
        chunks = tokenizer.chunk(texts[rows])
        vectors = np.empty((len(chunks.tokens), out.shape[1]), dtype=np.float32)
        return _Window(rows, chunks.tokens, chunks, vectors)

    with ThreadPoolExecutor(1, thread_name_prefix="tenor-tokenize") as thread:
        ahead: Future[_Window] | None = None
        for rows in _windows(texts):
            current, ahead = ahead, thread.submit(tokenise, rows)
            if current is not None:
                yield current.result()
        if ahead is not None:
            yield ahead.result()


def _batches(
    windows: Iterable[_Window], budget: int, due: deque[_Due], *, most: int | None = None
) -> Iterator[Tokens]:
    """Cut windows into batches; what becomes of each result is noted in ``due``, in the same order."""
    for window in windows:
        first, of = distinct(window.tokens)
        members = np.argsort(of, kind="stable")
        repeats = np.bincount(of, minlength=len(first))
        begins = np.cumsum(repeats) - repeats
        plan = plan_batches(window.tokens.lengths[first], budget)
        if most is not None:
            plan = [batch[at : at + most] for batch in plan for at in range(0, len(batch), most)]
        window.left = len(plan)
        for batch in plan:
            counts = repeats[batch]
            within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            due.append(_Due(window, members[np.repeat(begins[batch], counts) + within], counts))
            yield window.tokens.take(first[batch])


def _texts_done(window: _Window, rows: NDArray[np.int64]) -> int:
    """Count texts for the progress bar: a chunked text counts when its first chunk is done."""
    if window.chunks is None:
        return len(rows)
    text = window.chunks.text
    return int(np.sum((rows == 0) | (text[rows] != text[rows - 1])))


def _mean_of_chunks(chunks: Chunks, vectors: Floats, *, normalize: bool) -> Floats:
    firsts = np.flatnonzero(np.diff(chunks.text, prepend=-1))
    total = np.add.reduceat(chunks.weights, firsts)
    mean = np.add.reduceat(vectors * chunks.weights[:, None], firsts) / total[:, None]
    if normalize:
        mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
    # The vector of an unchunked text is exactly the one that it has with "truncate".
    whole = np.diff(firsts, append=len(vectors)) == 1
    mean[whole] = vectors[firsts[whole]]
    return np.asarray(mean, dtype=np.float32)
