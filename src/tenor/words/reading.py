"""Reading word vectors: the format is found from the content, never from the name alone.

Read are our own safetensors file, word2vec text and binary, GloVe, fastText's .vec and .bin, the JSON of
wink-nlp (all but the first also gzipped), numpy's .npz, vocabularies of spaCy, and the assets of
the table by name.
"""

import logging
from codecs import BOM_UTF8
from pathlib import Path

import numpy as np

from tenor.errors import TenorError
from tenor.progress import Progress
from tenor.text.examples import Origin
from tenor.text.opening import Opened, open_bytes
from tenor.text.problems import Problems
from tenor.words.binary_format import read_binary
from tenor.words.fasttext_format import MAGIC, read_fasttext
from tenor.words.json_format import read_json_vectors
from tenor.words.npz_format import MAGIC as NPZ
from tenor.words.npz_format import read_npz
from tenor.words.storage import open_stored
from tenor.words.text_format import Table, is_text, parse_header, read_text, vector_size_of
from tenor.words.vectors import WordVectors
from tenor.words.vocabulary import Vocabulary, joined

_MAX_DIMENSIONS = 1 << 16
_log = logging.getLogger("tenor")


def load(
    path: str | Path,
    *,
    lowercase: bool = False,
    limit: int | None = None,
    problems: Problems | None = None,
    progress: Progress | None = None,
) -> WordVectors:
    """Read a file or an asset; see :meth:`WordVectors.load`."""
    if limit is not None and limit < 1:
        raise TenorError(f"The limit is {limit}; read at least one word.")
    collected = Problems() if problems is None else problems
    vectors = _read(Path(path), lowercase, limit, collected, progress)
    if problems is None and (summary := collected.summary()):
        _log.warning(summary)
    return vectors


def _read(
    path: Path, lowercase: bool, limit: int | None, problems: Problems, progress: Progress | None
) -> WordVectors:
    if not path.is_file():
        from tenor.words.vector_assets import read_asset

        vectors = read_asset(path, limit=limit, problems=problems, progress=progress)
        return _finished(vectors, lowercase, limit)
    with path.open("rb") as file:
        packed = file.read(len(NPZ)) == NPZ and path.suffix == ".npz"
    if packed:
        return from_table(read_npz(path, limit=limit), path.name, lowercase=lowercase, problems=problems)
    with open_bytes(path) as opened:
        if opened.head[:1] == b"{":
            table = read_json_vectors(
                opened.stream, name=opened.name, limit=limit, problems=problems, progress=progress
            )
            return from_table(table, opened.name, lowercase=lowercase, problems=problems)
        if opened.head[8:9] == b"{" and opened.head[:4] != MAGIC:
            return _finished(open_stored(path), lowercase, limit)
        if opened.head[:4] == MAGIC:
            return _finished(_from_fasttext(opened, problems), lowercase, limit)
        table = _read_lines(opened, limit, problems, progress)
        return from_table(table, opened.name, lowercase=lowercase, problems=problems)


def _read_lines(opened: Opened, limit: int | None, problems: Problems, progress: Progress | None) -> Table:
    name, head = opened.name, opened.head
    if not head.strip():
        raise TenorError(f"{name} is empty; expected word vectors.")
    first, _, rest = head.partition(b"\n")
    header = parse_header(first.removeprefix(BOM_UTF8))
    if header is not None and not _one_wide(rest):
        return _with_header(opened, header, rest, limit, problems, progress)
    vector_size = vector_size_of(head)
    if not 1 <= vector_size <= _MAX_DIMENSIONS or not any(
        is_text(line, vector_size) for line in head.split(b"\n")[:100]
    ):
        raise TenorError(
            f"{name} is no file of word vectors: its first lines are not a word and numbers (word2vec, "
            "GloVe, fastText .vec), nor is it word2vec binary, fastText .bin or safetensors."
        )
    return read_text(
        opened.stream,
        name=name,
        vector_size=vector_size,
        first=1,
        limit=limit,
        problems=problems,
        progress=progress,
    )


def _one_wide(rest: bytes) -> bool:
    """Tell whether the lines after the first are words with one number each, so that there is no header."""
    return vector_size_of(rest) == 1 and is_text(rest.partition(b"\n")[0], 1)


def _with_header(
    opened: Opened,
    header: tuple[int, int],
    rest: bytes,
    limit: int | None,
    problems: Problems,
    progress: Progress | None,
) -> Table:
    name, (promised, vector_size) = opened.name, header
    if not 1 <= vector_size <= _MAX_DIMENSIONS or promised < 1:
        raise TenorError(
            f"{name}:1: the first line promises {promised:,} vectors of {vector_size:,} dimensions; "
            f"expected at least one vector of 1 to {_MAX_DIMENSIONS:,} dimensions."
        )
    opened.stream.readline()
    lines = [line for line in rest.split(b"\n")[:100] if line.strip()]
    if not any(is_text(line, vector_size) for line in lines):
        found = vector_size_of(rest) if rest.isascii() else 0
        if found > 1 and any(is_text(line, found) for line in lines):
            raise TenorError(
                f"{name}:1: the first line promises {vector_size} dimensions, but the lines have {found}; "
                "correct the first line or remove it."
            )
        return read_binary(
            opened.stream, name=name, header=header, limit=limit, problems=problems, progress=progress
        )
    table = read_text(
        opened.stream,
        name=name,
        vector_size=vector_size,
        first=2,
        limit=limit,
        problems=problems,
        progress=progress,
    )
    if limit is None and len(table.words) != promised:
        problems.add(
            Origin(name, 1),
            f"the first line promises {promised:,} vectors, and {len(table.words):,} are there",
        )
    return table


def from_table(table: Table, name: str, *, lowercase: bool, problems: Problems) -> WordVectors:
    """Make word vectors of what a reader found; a word that comes again is reported and left out."""
    if not table.words:
        summary = problems.summary()
        raise TenorError(f"{name} holds no vector that could be read." + (f" {summary}" if summary else ""))
    vocabulary = _decoded(table, name, lowercase, problems)
    firsts, repeats = vocabulary.duplicates()
    vectors, short = table.vectors, Path(name).name
    if not len(repeats):
        return WordVectors(vocabulary, vectors, name=short)
    if not lowercase:
        for first, again in zip(firsts.tolist(), repeats.tolist(), strict=True):
            where = f"line {table.lines[first]}" if table.lines else f"number {first}"
            origin = Origin(name, table.lines[again] if table.lines else again + 1)
            problems.add(origin, f"the word {vocabulary[again]!r} was there before ({where}); it is left out")
    kept = np.delete(np.arange(len(vocabulary)), repeats)
    return WordVectors(vocabulary.take(kept), vectors[kept], name=short)


def _decoded(table: Table, name: str, lowercase: bool, problems: Problems) -> Vocabulary:
    words = [table.words[0].removeprefix(BOM_UTF8), *table.words[1:]]
    try:
        b"\n".join(words).decode()
    except UnicodeDecodeError:
        words = list(words)
        for number, word in enumerate(words):
            text = word.decode(errors="replace")
            if "\ufffd" in text and text.encode() != word:
                origin = Origin(name, table.lines[number] if table.lines else number + 1)
                problems.add(
                    origin, f"the word {text!r} is not UTF-8; it is read with replacement characters"
                )
                words[number] = text.encode()
    if lowercase:
        words = [word.decode().lower().encode() for word in words]
    return Vocabulary(*joined(words))


def _from_fasttext(opened: Opened, problems: Problems) -> WordVectors:
    found = read_fasttext(opened.stream, name=opened.name)
    table = Table(words=found.words, vectors=found.vectors)
    vectors = from_table(table, opened.name, lowercase=False, problems=problems)
    if len(vectors) != len(found.words):  # Repeated words were left out, so counts no longer fit.
        return WordVectors(vectors.words, vectors.vectors, subwords=found.subwords, name=vectors.name)
    return WordVectors(
        vectors.words,
        vectors.vectors,
        found.counts,
        found.contexts,
        subwords=found.subwords,
        name=vectors.name,
    )


def _finished(vectors: WordVectors, lowercase: bool, limit: int | None) -> WordVectors:
    """Cut to the first words and lower-case them, where the reader of a format has not."""
    if limit is not None and limit < len(vectors):
        vectors = _keeping_subwords(vectors, vectors.take(np.arange(limit)))
    if not lowercase:
        return vectors
    lowered = Vocabulary(*joined([word.lower().encode() for word in vectors.words]))
    kept = np.delete(np.arange(len(lowered)), lowered.duplicates()[1])
    cut = vectors.take(kept)
    return _keeping_subwords(
        vectors,
        WordVectors(
            lowered.take(kept),
            cut.vectors,
            cut.counts,
            cut.contexts,
            noise_exponent=cut.noise_exponent,
            name=cut.name,
        ),
    )


def _keeping_subwords(whole: WordVectors, part: WordVectors) -> WordVectors:
    part.subwords = whole.subwords
    return part
