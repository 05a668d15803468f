"""Files of word pairs with a score, in the shapes that people have them.

The cells of a line are separated by tabs, commas, semicolons or spaces; a header, quotation marks, an index
before the words and further columns (part of speech, single raters) are allowed for. The words are the first
two columns that are no numbers; the score is the column that the header calls so, else the first column of
numbers after the words, else one before them that is no running index.
"""

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tenor.errors import TenorError
from tenor.words.evaluate.sets import SimilaritySet

_DELIMITERS = ("\t", ",", ";", " ")
_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon", " ": "space"}
_SCORE = re.compile(
    r"similarity|score|rating|relatedness|human|gold|mean|average|avg|sim|simlex ?-?999|wordsim ?-?353", re.I
)
_WORD = re.compile(r"(word|w|term|token)[ _-]?[12ab]|(first|second)([ _-]word)?", re.I)
_PART_OF_SPEECH = re.compile(r"-[nvja]$")
_FEWEST = 3  # pairs of a file without header, and cells of a line
_NUMERIC = 0.6  # share of a column's cells from which on it is one of numbers


@dataclass(frozen=True, slots=True)
class PairFile:
    """The pairs of a file, and a sentence on the lines that hold none (empty where there are no such)."""

    test: SimilaritySet
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class _Columns:
    first: int
    second: int
    score: int

    @property
    def width(self) -> int:
        return max(self.first, self.second, self.score) + 1


def read_pair_file(path: Path, lines: Sequence[tuple[int, str]]) -> PairFile:
    """Read the numbered lines of a file as pairs of words with a score, or say why they are none."""
    delimiter, rows = _split(path, lines)
    header = rows[0][1] if _is_header(rows) else None
    body = rows[1:] if header is not None else rows
    columns = _columns(path, header, [row for _, row in body], delimiter)
    pairs, scores, wrong = [], [], []
    for number, row in body:
        score = _number(row[columns.score], delimiter) if len(row) >= columns.width else None
        words = (row[columns.first], row[columns.second]) if len(row) >= columns.width else ("", "")
        if score is None or not all(words):
            wrong.append(number)
        else:
            pairs.append(words)
            scores.append(score)
    if len(pairs) < max(_FEWEST if header is None else 1, len(body) // 2):
        raise TenorError(_no_pairs(path, f"only {len(pairs)} of its {len(body)} lines hold that"))
    if all(_PART_OF_SPEECH.search(word) for pair in pairs for word in pair):
        pairs = [(first[:-2], second[:-2]) for first, second in pairs]  # MEN marks nouns, verbs, adjectives
    return PairFile(SimilaritySet(_stem(path), pairs, scores), _left_out(wrong))


def _left_out(lines: Sequence[int]) -> str:
    if not lines:
        return ""
    if len(lines) == 1:
        return f"line {lines[0]} holds no pair with a score"
    return f"{len(lines)} lines hold no pair with a score, the first of them line {lines[0]}"


def _split(path: Path, lines: Sequence[tuple[int, str]]) -> tuple[str, list[tuple[int, list[str]]]]:
    """Split lines by the delimiter with which most of them have the same number of cells, three or more."""
    if not lines:
        raise TenorError(f"{path} is empty; expected pairs of words with a score.")
    best: tuple[int, str, list[tuple[int, list[str]]]] = (0, "", [])
    for delimiter in _DELIMITERS:
        rows = [(number, _cells(line, delimiter)) for number, line in lines]
        widths = [len(row) for _, row in rows if len(row) >= _FEWEST]
        alike = max((widths.count(width) for width in set(widths)), default=0)
        if alike > best[0]:
            best = (alike, delimiter, rows)
    if best[0] < max(min(2, len(lines)), len(lines) // 2):
        raise TenorError(_no_pairs(path, f"its first line is {lines[0][1][:60]!r}"))
    return best[1], best[2]


def _cells(line: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return line.split()
    try:
        cells = next(csv.reader([line], delimiter=delimiter))
    except (csv.Error, StopIteration):
        cells = line.split(delimiter)
    return [cell.strip() for cell in cells]


def _is_header(rows: Sequence[tuple[int, list[str]]]) -> bool:
    """Tell whether the first row names the columns: it has no number, and the rows below have some."""
    first = rows[0][1]
    named = any(_WORD.fullmatch(cell) for cell in first)
    return named or not any(_number(cell, ";") is not None for cell in first)


def _columns(path: Path, header: Sequence[str] | None, body: Sequence[list[str]], delimiter: str) -> _Columns:
    if not body:
        raise TenorError(f"{path} has a header and no pair of words below it.")
    width = max(len(row) for row in body)
    numeric = [_is_numeric([row[place] for row in body if place < len(row)], delimiter)
               for place in range(width)]  # fmt: skip
    texts = [place for place in range(width) if not numeric[place]]
    if header is not None:
        named = [place for place in range(min(len(header), width)) if _WORD.fullmatch(header[place])]
        texts = named if len(named) >= 2 else texts
    if len(texts) < 2:
        raise TenorError(_no_pairs(path, f"it has {len(texts)} columns of words"))
    first, second = texts[:2]
    numbers = [place for place in range(width) if numeric[place]]
    score = _score_column(header, body, numbers, second)
    if score is None:
        raise TenorError(_no_pairs(path, "it has no column of scores"))
    return _Columns(first, second, score)


def _score_column(
    header: Sequence[str] | None, body: Sequence[list[str]], numbers: Sequence[int], second: int
) -> int | None:
    if header is not None:
        named = [place for place in numbers if place < len(header) and _SCORE.search(header[place])]
        exact = [place for place in named if _SCORE.fullmatch(header[place])]
        if named:
            return (exact or named)[0]
    after = [place for place in numbers if place > second]
    before = [place for place in numbers if place < second and not _is_index(body, place)]
    return next(iter((*after, *before)), None)


def _is_index(body: Sequence[list[str]], place: int) -> bool:
    """Tell whether a column merely counts the rows."""
    cells = [row[place] for row in body if place < len(row)]
    whole = all(cell.isdecimal() for cell in cells)
    return whole and len(set(cells)) == len(cells) and [*map(int, cells)] == sorted(map(int, cells))


def _is_numeric(cells: Sequence[str], delimiter: str) -> bool:
    found = sum(_number(cell, delimiter) is not None for cell in cells)
    return found > 0 and found >= _NUMERIC * sum(bool(cell) for cell in cells)


def _number(text: str, delimiter: str) -> float | None:
    """Read a finite number; its decimals may follow a comma where commas do not separate the cells."""
    try:
        value = float(text if delimiter == "," else text.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _stem(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).stem


def _no_pairs(path: Path, why: str) -> str:
    names = ", ".join(_NAMES[delimiter] for delimiter in _DELIMITERS[:-1])
    return (
        f"{path} holds no pairs of words with a score: {why}; expected word, word and number on a line, "
        f"separated by {names} or space."
    )
