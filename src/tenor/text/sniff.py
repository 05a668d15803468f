"""What kind of file is this? Decided by its content first, then by its extension.

The head of the file (1 MiB) is parsed under each hypothesis. A tab or comma is the delimiter when it gives
rows of one length; quoting is on when quoted cells hold what only quoting explains (the delimiter, a line
break, a doubled quote), and off when taking quotes seriously breaks rows, as in most TSV corpora.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal, get_args

from tenor.errors import TenorError
from tenor.text.delimited import Layout, parse
from tenor.text.excel import is_excel
from tenor.text.header import has_header, is_header, unique_names
from tenor.text.json_array import is_json_array
from tenor.text.lines import choose_encoding
from tenor.text.opening import Opened
from tenor.text.problems import Problems

Kind = Literal["csv", "tsv", "jsonl", "json", "parquet", "xlsx", "lines"]
_DELIMITERS = ("\t", ",", ";", "|")  # a tab first: commas are also part of texts, tabs hardly ever
_ONE_COLUMN = "\x1f"  # occurs in no text, so that commas of a file with a single column are text
_FEW = 500  # lines are enough to choose a delimiter; quoting and row lengths are settled on the whole head
_NAMES = {",": "comma-separated", "\t": "tab-separated", ";": "semicolon-separated", "|": "bar-separated"}
_BINARY: dict[Kind, str] = {"parquet": "Parquet", "xlsx": "Excel"}
_PLAIN: dict[Kind, str] = {"jsonl": "JSON lines", "json": "a JSON array", "lines": "plain lines"}
_EXTENSIONS: dict[str, Kind] = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Format:
    """What was found out about a file; ``layout`` is set for csv and tsv only."""

    kind: Kind
    encoding: str = "utf-8"
    layout: Layout | None = None

    def describe(self) -> str:
        """Say it in words, for a report.

        >>> Format("tsv", layout=Layout("\\t", "", ("text", "label"))).describe()
        'tab-separated, quotes are text, header, utf-8'
        """
        if self.kind in _BINARY:
            return _BINARY[self.kind]
        if self.layout is None:
            return f"{_PLAIN[self.kind]}, {self.encoding}"
        other = (
            "one column"
            if self.layout.delimiter == _ONE_COLUMN
            else f"separated by {self.layout.delimiter!r}"
        )
        separated = _NAMES.get(self.layout.delimiter, other)
        quoting = f"quoted with {self.layout.quote}" if self.layout.quote else "quotes are text"
        header = "no header" if self.layout.names is None else "header"
        return f"{separated}, {quoting}, {header}, {self.encoding}"


@dataclass(frozen=True, slots=True)
class Asked:
    """Options of reading that were given; None leaves it to the content of the file."""

    format: Kind | None = None
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in get_args(Kind):
            raise TenorError(f"There is no format {self.format!r}; there are {', '.join(get_args(Kind))}.")
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in "\r\n\"'\0"):
            raise TenorError(
                f"A delimiter is one character such as a comma or a tab, not {self.delimiter!r}."
            )
        if self.quote is not None and (
            len(self.quote) > 1 or self.quote in ("\r", "\n", " ", self.delimiter)
        ):
            raise TenorError(
                f"A quote is one character, or '' where there is no quoting, not {self.quote!r}."
            )


def sniff(opened: Opened, asked: Asked | None = None, *, named: Collection[str] = ()) -> Format:
    """Find out how to read an opened file; what was asked for is taken as given.

    ``named`` are columns that were asked for by their names.
    """
    asked = asked or Asked()
    if not opened.head:
        raise TenorError(f"{opened.name} is empty.")
    if asked.format == "parquet" or (asked.format is None and opened.head.startswith(b"PAR1")):
        return Format("parquet", encoding="")
    if asked.format == "xlsx" or (asked.format is None and is_excel(opened.head)):
        return Format("xlsx", encoding="")
    encoding = choose_encoding(opened, asked.encoding)
    lines = _head_lines(opened, encoding)
    if asked.format in _PLAIN:
        return Format(asked.format, encoding)
    by_name = _EXTENSIONS.get(_suffix(opened.name))
    if asked.format is None and asked.delimiter is None:
        json_named = _suffix(opened.name) == ".json"
        if is_json_array("\n".join(lines[:_FEW]), named=json_named):
            return Format("json", encoding)
        if _is_jsonl(lines) or by_name == "jsonl":
            return Format("jsonl", encoding)
        if json_named:  # read as an array, it is refused with a reason
            return Format("json", encoding)
    layout = _layout(lines, asked, asked.format or by_name, named)
    if layout is None:
        return Format("lines", encoding)
    return Format("tsv" if layout.delimiter == "\t" else "csv", encoding, layout)


def _suffix(name: str) -> str:
    suffixes = [suffix.lower() for suffix in PurePath(name).suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in (".gz", ".gzip")), "")


def _head_lines(opened: Opened, encoding: str) -> list[str]:
    try:
        text = opened.head.decode(encoding, errors="replace").removeprefix("\ufeff").replace("\0", "\ufffd")
    except UnicodeError as error:
        raise TenorError(f"{opened.name} cannot be read as {encoding}.") from error
    lines = text.split("\n" if "\n" in text else "\r")
    if len(lines) > (1 if opened.whole else 2) and (not opened.whole or not lines[-1]):
        lines.pop()  # cut off in the middle, or the nothing behind the last line end
    return lines


def _is_jsonl(lines: Sequence[str]) -> bool:
    filled = [line for line in lines[:10] if line.strip()][:2]
    return bool(filled) and all(line.lstrip().startswith("{") and _is_object(line) for line in filled)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _layout(lines: list[str], asked: Asked, hint: Kind | None, named: Collection[str]) -> Layout | None:
    """Choose the delimiter; None when the file is best read as plain lines."""
    lines = [line.removesuffix("\r") for line in lines if line.strip()]
    candidates = (asked.delimiter,) if asked.delimiter else ("\t",) if hint == "tsv" else _DELIMITERS
    trials = [_Trial(lines[:_FEW], delimiter, asked.quote) for delimiter in candidates]
    best = max(trials, key=lambda trial: trial.evidence)
    if asked.delimiter is None and hint is None and not best.convinces():
        return None
    one_column = asked.delimiter is None and hint == "csv" and best.cells == 1
    return _Trial(lines, _ONE_COLUMN if one_column else best.delimiter, asked.quote).layout(
        asked.header, named
    )


@dataclass(slots=True)
class _Trial:
    """The head of a file parsed with one delimiter."""

    lines: list[str]
    delimiter: str
    asked_quote: str | None
    quote: str = ""
    rows: list[list[str]] = field(default_factory=list)
    cells: int = 1  # the commonest number of cells of a row
    share: float = 0.0  # fraction of the rows that have it

    def __post_init__(self) -> None:
        self.quote = self._quoting() if self.asked_quote is None else self.asked_quote
        self.rows, _ = self._parsed(self.quote)
        self.cells = _commonest_length(self.rows)
        self.share = sum(len(row) == self.cells for row in self.rows) / max(1, len(self.rows))

    @property
    def evidence(self) -> float:
        """How well this delimiter explains the head; rows of one cell explain nothing."""
        # Where quoting is usual, quotes that do not fit speak against the delimiter.
        odd = self.delimiter in ",;" and not self.quote and self.asked_quote is None
        return round(self.share - 0.5 * odd, 2) if self.cells > 1 else 0.0

    def convinces(self) -> bool:
        """Whether a file of unknown kind is delimited by this, rather than made of plain lines."""
        if self.cells < 2:
            return False
        if self.delimiter == "\t":
            return self.share >= 0.5 and sum(len(row) > 1 for row in self.rows) >= 0.9 * len(self.rows)
        spaced = any(cell.startswith(" ") for cell in self.rows[0])
        return len(self.rows) > 1 and self.share == 1 and not spaced and has_header(self.rows)

    def layout(self, header: bool | None, named: Collection[str]) -> Layout:
        """Settle header and row lengths; a first row that names a column that was asked for is a header."""
        if header is None:
            header = is_header(self.rows, named)
        if header and self.rows:
            names = unique_names(self.rows[0])
            return Layout(self.delimiter, self.quote, names, len(names), len(names))
        wider = [len(row) for row in self.rows if len(row) > self.cells]
        varies = len(wider) > 0.01 * len(self.rows)  # otherwise wide rows are faults
        return Layout(self.delimiter, self.quote, None, self.cells, max(wider) if varies else self.cells)

    def _parsed(self, quote: str) -> tuple[list[list[str]], int]:
        """Parse the head; also count the records whose quotes do not balance."""
        layout = Layout(self.delimiter, quote)
        if quote:  # a second time, now that it is known how many cells a record should have
            cells = _commonest_length(self._records(layout)[0])
            layout = Layout(self.delimiter, quote, least=cells, most=cells)
        return self._records(layout)

    def _records(self, layout: Layout) -> tuple[list[list[str]], int]:
        problems = Problems()
        records = list(parse(enumerate(self.lines, 1), layout, file="", problems=problems))
        faults = sum(bool(fault) for _, _, fault in records)
        return [cells for _, cells, _ in records], problems.count + faults

    def _quoting(self) -> str:
        """Decide whether the double quote quotes; where nothing speaks for either, it does so in CSV only."""
        usual = "" if self.delimiter in "\t|" else '"'
        if not any('"' in line for line in self.lines):
            return usual
        rows, broken = self._parsed('"')
        # Cells that could not have been written without quotes.
        needed = sum(self.delimiter in cell or "\n" in cell for row in rows for cell in row)
        needed += sum(len(self._doubled.findall(line)) for line in self.lines)
        if needed > 2 * broken or (usual and needed >= broken):
            return '"'
        return "" if broken else usual or ('"' if self._always_quoted() else "")

    @property
    def _doubled(self) -> re.Pattern[str]:
        """Matches a quoted cell with a doubled quote inside."""
        end = re.escape(self.delimiter)
        return re.compile(f'(?:^|{end})"(?:[^"{end}]*"")+[^"{end}]*"(?={end}|$)')

    def _always_quoted(self) -> bool:
        """Whether some column stands in quotes in every row, as writers do that quote all text."""
        raw = [line.split(self.delimiter) for line in self.lines]
        columns = zip(*raw[1:] or raw, strict=False)  # the header itself may stand without
        return any(all(len(c) > 1 and c[0] == c[-1] == '"' for c in column) for column in columns)


def _commonest_length(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of cells that most rows have; of two equally common ones, the larger."""
    lengths = Counter(map(len, rows))
    return max(lengths, key=lambda length: (lengths[length], length), default=1)
