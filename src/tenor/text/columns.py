"""Which column is which: found by the name asked for, or guessed from names and content."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tenor.errors import TenorError, did_you_mean
from tenor.text.examples import Row
from tenor.text.header import as_number, is_number
from tenor.text.names import IDENTITY, LABEL, SCORE, TEXT, pairs_of_sides, plain

_WORD = re.compile(r"\S*[^\W\d_]\S*")  # at least one letter: numbers and dates are no words
_ENOUGH = 1000  # rows to judge columns by,
_FAR_LONGER = 2.5  # times as many words: a title and a body rather than two texts to compare
_ENOUGH_TEXT = 1 << 22  # or so many characters, whichever comes first


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What the cells of a column look like, over some rows."""

    name: str
    filled: float  # fraction of the rows
    distinct: int
    repeated: float  # mean number of times that a value occurs
    words: float  # mean number per filled cell
    numeric: float  # fraction of the filled cells
    whole: float  # fraction of the filled cells that are integers

    @property
    def is_text(self) -> bool:
        """Whether the cells read like texts: several words, or a name that says so."""
        by_name = plain(self.name).rstrip("0123456789") in TEXT
        return (
            self.filled > 0.2 and self.numeric < 0.5 and (self.words >= 2.5 or (by_name and self.words >= 1))
        )

    @property
    def is_identity(self) -> bool:
        """Whether the column numbers or names the rows."""
        name = plain(self.name)
        return name in IDENTITY or (name.endswith("id") and not self.is_text)

    @property
    def is_label(self) -> bool:
        """Whether the cells are a few values that come again and again."""
        if self.is_identity or self.filled < 0.5 or self.is_score_like:
            return False
        if plain(self.name) in LABEL:
            return self.filled >= 0.9 or not self.is_text  # of several labels a row may have none
        return self.filled >= 0.9 and 2 <= self.distinct <= 100 and self.repeated >= 4 and self.words < 2.5

    @property
    def is_score_like(self) -> bool:
        """Whether the cells are numbers on a scale, not codes of classes."""
        return self.numeric == 1 and self.whole < 1 and self.distinct > 2

    @property
    def is_score(self) -> bool:
        """Whether the column is a score, by name or by content."""
        if self.is_identity or self.numeric < 0.95 or self.filled < 0.5:
            return False
        return plain(self.name) in SCORE or self.is_score_like


@dataclass(frozen=True, slots=True)
class Roles:
    """What the columns seem to be for; None where it cannot be guessed."""

    texts: tuple[str, ...] = ()
    text: str | None = None
    pair: tuple[str, str] | None = None
    label: str | None = None
    score: str | None = None
    labels: tuple[str, ...] = ()
    """All columns that could be the label, the likeliest first."""

    @property
    def other_labels(self) -> tuple[str, ...]:
        """What else could be the label, where its name does not say that it is one."""
        return () if self.label is None or plain(self.label) in LABEL else self.labels[1:]


def take_head(rows: Iterator[Row]) -> list[Row]:
    """Take as many rows as it needs to judge the columns, in bounded memory."""
    head: list[Row] = []
    size = 0
    for row in rows:
        head.append(row)
        size += sum(map(len, row.values.values()))
        if len(head) >= _ENOUGH or size >= _ENOUGH_TEXT:
            break
    return head


def column_names(rows: Sequence[Row]) -> list[str]:
    """Return all columns of some rows, in the order in which they first appear."""
    return list(dict.fromkeys(name for row in rows for name in row.values))


def profile_column(rows: Sequence[Row], name: str, *, comma: bool = False) -> ColumnProfile:
    """Describe one column by its cells in some rows; with ``comma``, numbers may have a decimal comma."""
    cells = [cell.strip() for row in rows if (cell := row.values.get(name, ""))]
    cells = [cell for cell in cells if cell]
    count = max(1, len(cells))
    read = as_number if comma else _plain_number
    numbers = [number for cell in cells if (number := read(cell)) is not None]
    return ColumnProfile(
        name,
        filled=len(cells) / max(1, len(rows)),
        distinct=len(set(cells)),
        repeated=len(cells) / max(1, len(set(cells))),
        words=sum(_words(cell) for cell in cells) / count,
        numeric=len(numbers) / count,
        whole=sum(number.is_integer() for number in numbers) / count,
    )


def _plain_number(cell: str) -> float | None:
    return float(cell) if is_number(cell) else None


def _words(cell: str) -> float:
    """Count words, or what stands for them in scripts that write none."""
    wide = sum("\u3040" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7af" for letter in cell[:200])
    return len(_WORD.findall(cell)) + wide / 2


def guess_roles(rows: Sequence[Row]) -> Roles:
    """Guess the text, pair, label and score columns from names and content.

    >>> from tenor.text.examples import Origin
    >>> cells = [("I like it a lot.", "good"), ("It is so very dull.", "bad")] * 4
    >>> roles = guess_roles([Row({"0": text, "1": mood}, Origin("a.tsv", 1)) for text, mood in cells])
    >>> roles.text, roles.label
    ('0', '1')
    """
    profiles = [profile_column(rows, name) for name in column_names(rows)]
    texts = _texts(profiles)
    pair = _pair(texts)
    taken = {each.name for each in texts}
    others = [each for each in profiles if each.name not in taken]
    if pair is not None:  # elsewhere "1,2" may be two labels
        others = [_with_decimal_commas(rows, each) for each in others]
    score = next(iter(_likeliest([each for each in others if each.is_score], SCORE)), None)
    labels = _likeliest([each for each in others if each.is_label and each is not score], LABEL)
    return Roles(
        texts=tuple(each.name for each in texts),
        text=_only_text(texts, pair),
        pair=pair,
        label=labels[0].name if labels else None,
        score=score.name if score else None,
        labels=tuple(each.name for each in labels),
    )


def _with_decimal_commas(rows: Sequence[Row], profile: ColumnProfile) -> ColumnProfile:
    """Describe a column of numbers anew, if all of them are some only with a decimal comma."""
    if profile.numeric >= 0.95:
        return profile
    anew = profile_column(rows, profile.name, comma=True)
    return anew if anew.numeric >= 0.95 else profile


def _texts(profiles: list[ColumnProfile]) -> list[ColumnProfile]:
    texts = [each for each in profiles if each.is_text and not each.is_identity]
    if texts:
        return texts
    # Lists of words: short cells that hardly ever repeat, and are not numbers.
    return [
        p for p in profiles if p.numeric < 0.5 and p.filled > 0.5 and p.repeated < 4 and not p.is_identity
    ]


def _pair(texts: list[ColumnProfile]) -> tuple[str, str] | None:
    names = [each.name for each in texts]
    profiles = {each.name: each for each in texts}
    stems = Counter(_stem(name) for name in names)
    sides = [
        (one, two)
        for one, two in pairs_of_sides(names)
        # One of three or more that are numbered is a choice, such as answer0 to answer3.
        if not (_stem(one) and stems[_stem(one)] > 2)
        # Numbers of columns name nothing.
        and not (one.isdigit() and _title_and_body(profiles[one], profiles[two]))
    ]
    if sides:  # the shortest names: sentence1, not sentence1_parse
        return min(sides, key=lambda side: len(side[0]))
    full = [each for each in texts if each.filled > 0.9]
    if len(full) != 2 or _title_and_body(full[0], full[1]):
        return None
    return full[0].name, full[1].name


def _stem(name: str) -> str:
    """Return the name of a numbered column without its number, and nothing for one that has no number."""
    whole = plain(name)
    stem = whole.rstrip("0123456789")
    return "" if stem == whole else stem


def _title_and_body(first: ColumnProfile, second: ColumnProfile) -> bool:
    """Whether two texts are of such different lengths that one is hardly about the other."""
    shorter, longer = sorted((first.words, second.words))
    return longer > _FAR_LONGER * shorter


def _only_text(texts: list[ColumnProfile], pair: tuple[str, str] | None) -> str | None:
    if len(texts) == 1:
        return texts[0].name
    named = [each.name for each in texts if plain(each.name) in ("text", "sentence")]
    if len(named) == 1 and pair is None:
        return named[0]
    # A title and a body: the body says more.
    both = pair is None and len(texts) == 2 and _title_and_body(texts[0], texts[1])
    return max(texts, key=lambda each: each.words).name if both else None


def _likeliest(candidates: list[ColumnProfile], known: frozenset[str]) -> list[ColumnProfile]:
    """Sort columns: first well-known names, then the fewest values; columns further right break ties."""
    return sorted(reversed(candidates), key=lambda each: (plain(each.name) not in known, each.distinct))


def resolve(wanted: str | int, columns: Sequence[str], file: str) -> str:
    """Find a column by name, or by its 0-based number; say which there are when there is none.

    A name in other capitals will do where only one column can be meant.

    >>> resolve("1", ["id", "sentence"], "a.csv"), resolve("text", ["ID", "Text"], "a.csv")
    ('sentence', 'Text')
    """
    name = str(wanted)
    if name in columns:
        return name
    alike = [column for column in columns if column.strip().casefold() == name.strip().casefold()]
    if len(alike) == 1:
        return alike[0]
    if name.isascii() and name.isdigit() and int(name[:9]) < len(columns):
        return columns[int(name[:9])]
    fields = [column for column in columns if column.startswith(f"{name}.")]
    if fields:
        raise TenorError(
            f"{file}: {name!r} is an object with fields of its own. Name one of them: {_shown(fields)}."
        )
    if alike:
        raise TenorError(f"{file} has no column {name!r}, but {' and '.join(map(repr, alike))}: name one.")
    near = did_you_mean(name, columns[:200])
    raise TenorError(f"{file} has no column {name!r}. The columns are: {_shown(columns)}.{near}")


def _shown(columns: Sequence[str]) -> str:
    return ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")


def resolve_all(wanted: Mapping[str, str | int], columns: Sequence[str], file: str) -> dict[str, str]:
    """Find the column of every role."""
    return {role: resolve(name, columns, file) for role, name in wanted.items()}
