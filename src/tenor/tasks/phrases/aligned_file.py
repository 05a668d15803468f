"""Aligned pairs of a file that is never in memory as a whole: a million pairs take some megabytes.

The file is read once, a window of pairs at a time. What the stage needs of each pair (pieces, phrases,
alignments) goes as flat arrays into a folder beside it, kept under the hash of file and tokenizer, and is
mapped into memory from there: the system loads the pages that a batch touches, and lets them go again.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import IO, Any, overload

import numpy as np
from numpy.typing import NDArray

from tenor.assets.cache import sha256_of
from tenor.errors import TenorError
from tenor.files import atomic_folder, read_json, why, write_json
from tenor.tasks.phrases.aligned_tokens import AlignedTokens
from tenor.text.alignments import AlignedPair, parse_alignment
from tenor.text.examples import Origin
from tenor.text.problems import Problems
from tenor.text.tokenizer import Tokenizer

WINDOW = 1_000
_FORMAT = 2
_GZIP, _BOM = b"\x1f\x8b", b"\xef\xbb\xbf"
# name -> type; lengths become starts by adding them up.
_ARRAYS: dict[str, Any] = {
    "ids": np.int32, "phrases": np.int32, "alignments": np.int32, "prints": np.uint64, "offsets": np.int64,
    "lines": np.int64, "starts": np.int64, "phrase_starts": np.int64, "alignment_starts": np.int64,
}  # fmt: skip


class AlignedFile(Sequence[AlignedPair]):
    """The pairs of a file of alignments, each read from the disk when it is asked for.

    ``cache`` is where the arrays are kept; a folder beside the file when left out. Lines that cannot be read
    are told to ``problems``, once, and left out, as by ``read_alignments``.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "pairs.jsonl"
    >>> _ = file.write_text('{"s": ["a"], "t": ["b"], "alignments": [[[0, 0], [0, 0]]]}\\n')
    >>> pairs = AlignedFile(file)
    >>> len(pairs), pairs[0].second
    (1, ('b',))
    """

    def __init__(
        self, path: str | Path, *, cache: str | Path | None = None, problems: Problems | None = None
    ) -> None:
        self.path = Path(path)
        self.cache = Path(cache) if cache is not None else self.path.with_name(f".{self.path.name}.arrays")
        self.problems = problems if problems is not None else Problems()
        self._told = False
        self._places: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None  # offsets, lines

    def __len__(self) -> int:
        return len(self._found()[0])

    def __iter__(self) -> Iterator[AlignedPair]:
        found = Problems(self.problems.strict)
        for _, pair in self._pairs(found):
            yield pair
        self._tell(found)

    @overload
    def __getitem__(self, place: int) -> AlignedPair: ...

    @overload
    def __getitem__(self, place: slice) -> list[AlignedPair]: ...

    def __getitem__(self, place: int | slice) -> AlignedPair | list[AlignedPair]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        offset, line = (int(each[place]) for each in self._found())
        with open(self.path, "rb") as file:
            file.seek(offset)
            return parse_alignment(file.readline().decode("utf-8"), Origin(str(self.path), line))

    def tokens(self, tokenizer: Tokenizer) -> AlignedTokens:
        """Return the arrays of all pairs, mapped from the disk; made by the first call."""
        try:
            own = sha256_of(self.path)
        except OSError as error:
            raise TenorError(f"Cannot read {self.path}: {why(error)}.") from error
        made = sha256(f"{_FORMAT} {own} {tokenizer.to_json()}".encode()).hexdigest()[:20]
        folder = self.cache / made
        if not folder.is_dir():
            self._make(folder, tokenizer)
        about = read_json(folder / "about.json")
        found = Problems()
        for line, what in about["first_problems"]:
            found.add(Origin(str(self.path), line), what)
        found.count = about["problems"]
        self._tell(found)
        arrays = {name: _mapped(folder / name, dtype) for name, dtype in _ARRAYS.items()}
        self._places = arrays.pop("offsets"), arrays.pop("lines")
        for name in ("phrases", "alignments"):
            arrays[name] = arrays[name].reshape(-1, 2)
        return AlignedTokens(tokenizer=tokenizer, **arrays, left_out=about["left_out"])

    def _make(self, folder: Path, tokenizer: Tokenizer) -> None:
        found = Problems(self.problems.strict)
        try:
            with atomic_folder(folder) as aside:
                left_out = _write_arrays(self._pairs(found), tokenizer, aside)
                about = {
                    "left_out": left_out,
                    "problems": found.count,
                    "first_problems": [[each.origin.line, each.what] for each in found.first],
                }
                write_json(aside / "about.json", about)
        except TenorError:
            if not folder.is_dir():  # else another process was faster, with the same arrays
                raise

    def _tell(self, found: Problems) -> None:
        """Tell what is wrong with the file, once, however often it is read."""
        if not self._told:
            self._told = True
            for problem in found.first:
                self.problems.add(problem.origin, problem.what)
            self.problems.count += found.count - len(found.first)

    def _found(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the place and the number of every good line."""
        if self._places is None:
            found = Problems(self.problems.strict)
            numbers = (number for at, pair in self._pairs(found) for number in (at, pair.origin.line))
            table = np.fromiter(numbers, dtype=np.int64).reshape(-1, 2)
            self._tell(found)
            self._places = table[:, 0], table[:, 1]
        return self._places

    def _pairs(self, problems: Problems) -> Iterator[tuple[int, AlignedPair]]:
        """Yield the good pairs with the places of their lines."""
        offset, found = 0, False
        try:
            with open(self.path, "rb") as file:
                for number, line in enumerate(file, start=1):
                    if number == 1 and line.startswith(_GZIP):
                        raise TenorError(
                            f"{self.path} is compressed with gzip; decompress it first (gunzip)."
                        )
                    skipped = len(_BOM) if number == 1 and line.startswith(_BOM) else 0
                    pair = _parsed(line[skipped:], Origin(str(self.path), number), problems)
                    if pair is not None:
                        found = True
                        yield offset + skipped, pair
                    offset += len(line)
        except OSError as error:
            raise TenorError(f"Cannot read {self.path}: {why(error)}.") from error
        if not found:
            wrong = f" The first problem: {problems.first[0]}." if problems.first else ""
            raise TenorError(f"{self.path} has no aligned pairs that could be read.{wrong}")


def _parsed(line: bytes, origin: Origin, problems: Problems) -> AlignedPair | None:
    if not line.strip():
        return None
    try:
        return parse_alignment(line.decode("utf-8"), origin)
    except UnicodeDecodeError:
        problems.add(origin, "not UTF-8; line left out")
    except ValueError as error:
        problems.add(origin, f"{error}; line left out")
    return None


def _write_arrays(pairs: Iterator[tuple[int, AlignedPair]], tokenizer: Tokenizer, folder: Path) -> int:
    """Append the arrays of window after window to one file each, and return the phrase pairs left out."""
    left_out, totals = 0, dict.fromkeys(("starts", "phrase_starts", "alignment_starts"), 0)
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {
            name: stack.enter_context(open(folder / name, "wb")) for name in _ARRAYS
        }

        def write(name: str, values: Any) -> None:
            files[name].write(np.ascontiguousarray(values, dtype=_ARRAYS[name]).tobytes())

        for name in totals:
            write(name, [0])
        while window := list(islice(pairs, WINDOW)):
            made = AlignedTokens.of([pair for _, pair in window], tokenizer)
            write("offsets", [offset for offset, _ in window])
            write("lines", [pair.origin.line for _, pair in window])
            for name in ("ids", "phrases", "alignments", "prints"):
                write(name, getattr(made, name))
            for name in totals:
                ends = getattr(made, name)[1:] + totals[name]
                write(name, ends)
                totals[name] = int(ends[-1])
            left_out += made.left_out
    return left_out


def _mapped(path: Path, dtype: Any) -> NDArray[Any]:
    # An empty file cannot be mapped.
    return np.memmap(path, dtype=dtype, mode="r") if os.path.getsize(path) else np.zeros(0, dtype=dtype)
