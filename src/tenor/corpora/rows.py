"""Rows of published files: numbered lines, tab-separated cells, parallel files; broken ones are refused."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from math import isfinite
from pathlib import Path

from tenor.errors import TenorError
from tenor.text.examples import Origin, Row
from tenor.text.lines import read_lines
from tenor.text.opening import open_bytes
from tenor.text.problems import Problems
from tenor.text.readers import read_rows


def broken_row(origin: Origin, found: str, expected: str) -> TenorError:
    """Make the error of a row that the published file does not hold.

    >>> print(broken_row(Origin("a.tsv", 3), "2 cells", "a label and two texts"))
    a.tsv:3: 2 cells, where a label and two texts were expected. The file is damaged; get it again.
    """
    return TenorError(
        f"{origin}: {found}, where {expected} were expected. The file is damaged; get it again."
    )


def numbered_lines(path: Path) -> Iterator[tuple[Origin, str]]:
    """Yield the lines of a text file, gzipped or not, without their ends, and where each stands.

    Bytes that are not UTF-8 become U+FFFD: several published files hold a few.
    """
    with open_bytes(path) as opened:
        for number, line in read_lines(opened, encoding="utf-8-sig", problems=Problems()):
            yield Origin(opened.name, number), line.rstrip("\r")


def tab_rows(
    path: Path, columns: Sequence[str], *, header: bool = False
) -> Iterator[tuple[Origin, list[str]]]:
    """Yield the cells of a tab-separated file without quoting.

    ``columns`` name the cells for people; a row with fewer of them is refused, further ones are kept. The
    first line is left out where it is a header.
    """
    for origin, line in numbered_lines(path):
        if header and origin.line == 1:
            continue
        cells = line.split("\t")
        if len(cells) < len(columns):
            count = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
            raise broken_row(origin, count, f"{len(columns)} ({', '.join(columns)}), separated by tabs,")
        yield origin, cells


def quoted_rows(path: Path, columns: Sequence[str], *, delimiter: str = "\t") -> Iterator[Row]:
    """Yield the rows of a file with a header and with quoted cells, which must have the named columns."""
    problems = Problems(strict=True)
    for row in read_rows(path, delimiter=delimiter, quote='"', header=True, problems=problems):
        if missing := [name for name in columns if name not in row.values]:
            raise TenorError(
                f"{path}:1: there is no column {missing[0]!r}; there are {', '.join(row.values)}. "
                "The file is damaged; get it again."
            )
        yield row


def parallel_lines(*paths: Path) -> Iterator[tuple[Origin, tuple[str, ...]]]:
    """Yield the lines of files that belong together line by line, and where they stand in the first file."""
    for lines in zip_longest(*map(numbered_lines, paths)):
        here = next(line[0] for line in lines if line is not None)
        for path, line in zip(paths, lines, strict=True):
            if line is None:
                raise TenorError(
                    f"{path} ends before line {here.line}, which {here.file} has: the files do not belong "
                    "together line by line; get them again."
                )
        yield here, tuple(line for _, line in lines)


def number(text: str, origin: Origin, what: str) -> float:
    """Read a finite number, or say where none stands and what it should be."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise broken_row(origin, repr(text[:40]), f"digits ({what})")
    return value
