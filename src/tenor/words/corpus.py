"""A text as word indices, for training vectors on it: read once, kept as one flat array.

A line of the file is a sentence. Words are split at punctuation (which is left out) or at
spaces only, lower-cased or not. Rare words are dropped from the sentences before context windows are taken,
as in word2vec.
"""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.text.opening import open_bytes
from tenor.text.words import split_words

Split = Literal["words", "spaces"]
_MAX_SENTENCE = 10_000  # words: gensim silently drops the rest of longer sentences
_PROGRESS_EVERY = 1000  # lines between two calls of `progress`


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The vocabulary of a text by falling frequency, and the text as indices into it.

    Sentence i is ``ids[starts[i]:starts[i + 1]]``.
    """

    words: list[str]
    counts: NDArray[np.int64]  # [words]
    ids: NDArray[np.int32]  # [tokens]
    starts: NDArray[np.int64]  # [sentences + 1]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def sentences(self) -> Iterator[list[str]]:
        """Yield every sentence as its words."""
        words = self.words
        starts = self.starts.tolist()
        for number in range(len(self)):
            yield [words[position] for position in self.ids[starts[number] : starts[number + 1]].tolist()]


def read_corpus(
    path: str | Path,
    *,
    lowercase: bool = True,
    split: Split = "words",
    min_count: int = 5,
    max_final_vocab: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Corpus:
    """Read a text file (plain or gzip): words with at least ``min_count`` occurrences, the
    ``max_final_vocab`` most frequent of them.

    ``progress`` is called with the number of lines just read.
    """
    numbers: dict[str, int] = {}
    ids, lengths = array("i"), array("q")
    tokenize = _tokenizer(split)
    with open_bytes(path) as opened:
        line_number = 0
        for line_number, line in enumerate(opened.stream, 1):
            text = line.decode(errors="replace")
            words = tokenize(text.lower() if lowercase else text)
            for begin in range(0, len(words), _MAX_SENTENCE):
                some = words[begin : begin + _MAX_SENTENCE]
                ids.extend([numbers.setdefault(word, len(numbers)) for word in some])
                lengths.append(len(some))
            if progress is not None and line_number % _PROGRESS_EVERY == 0:
                progress(_PROGRESS_EVERY)
        if progress is not None:
            progress(line_number % _PROGRESS_EVERY)
    return _ranked(list(numbers), ids, lengths, min_count, max_final_vocab, str(path))


def _tokenizer(split: Split) -> Callable[[str], list[str]]:
    if split == "spaces":
        return str.split
    return lambda text: [word for word in split_words(text).words if any(map(str.isalnum, word))]


def _ranked(
    words: list[str],
    ids: "array[int]",
    lengths: "array[int]",
    min_count: int,
    max_final_vocab: int | None,
    name: str,
) -> Corpus:
    """Index the words by falling frequency and drop the rare ones from the sentences."""
    flat = np.frombuffer(ids, dtype=np.int32) if ids else np.empty(0, dtype=np.int32)
    counts = np.bincount(flat, minlength=len(words))
    order = np.argsort(-counts, kind="stable")  # of equally frequent words the one that came first
    kept = order[counts[order] >= min_count][:max_final_vocab]
    if not len(kept):
        raise TenorError(
            f"{name} has {len(flat):,} tokens, and no word occurs {min_count} times or more; "
            "give more text or a lower --min-count."
        )
    rank = np.full(len(words), -1, dtype=np.int32)
    rank[kept] = np.arange(len(kept), dtype=np.int32)
    ranked = rank[flat]
    inside = ranked >= 0
    ends = np.concatenate([[0], np.cumsum(np.frombuffer(lengths, dtype=np.int64))])
    starts = np.concatenate([[0], np.cumsum(inside)])[ends]
    return Corpus([words[position] for position in kept.tolist()], counts[kept], ranked[inside], starts)
