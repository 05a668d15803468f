"""Tables of a TOML file onto frozen dataclasses, with errors that name file, line and the nearest key."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from tenor.errors import TenorError, did_you_mean
from tenor.migration import hint, value_hint

Config = TypeVar("Config")
_TABLE = re.compile(r"\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


class Source:
    """A TOML file that can say on which line a key stands.

    >>> source = Source("run.toml", 'seed = 1\\n[tasks.a]\\nkind = "pair"\\n')
    >>> source.place("tasks", "a", "kind"), source.place("training")
    ('run.toml:3', 'run.toml')
    """

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._lines: dict[tuple[str, ...], int] = {}
        table: tuple[str, ...] = ()
        for number, line in enumerate(text.splitlines(), start=1):
            if match := _TABLE.match(line):
                table = _parts(match[1])
                self._lines.setdefault(table, number)
            elif match := _KEY.match(line):
                self._lines.setdefault(table + _parts(match[1]), number)

    def place(self, *path: str) -> str:
        """Return ``file:line`` of a key, else of the nearest thing around it, else the file."""
        while path and path not in self._lines:
            path = path[:-1]
        return f"{self.file}:{self._lines[path]}" if path else self.file


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))


def build(kind: type[Config], table: Mapping[str, Any], source: Source, *path: str) -> Config:
    """Make a dataclass from a table: no unknown key, no wrong type, nothing missing."""
    if not is_dataclass(kind):
        raise TypeError(f"{kind} is not a dataclass")
    hints = get_type_hints(kind)
    known = {each.name: each for each in fields(kind)}
    for key in table:
        if key not in known:
            near = hint(key, known) or did_you_mean(key, known) or f" Known are: {', '.join(known)}."
            raise TenorError(f"{source.place(*path, key)}: {_section(path)} has no key {key!r}.{near}")
    for name, each in known.items():
        if name not in table and each.default is MISSING and each.default_factory is MISSING:
            raise TenorError(f"{source.place(*path)}: {_section(path)} lacks {name!r}.")
    values = {key: _typed(value, hints[key], source, (*path, key)) for key, value in table.items()}
    try:
        return kind(**values)
    except TenorError as error:
        word = str(error).split(maxsplit=1)[0]  # such errors begin with the field that they are about
        raise TenorError(f"{source.place(*path, word)}: in {_section(path)}, {error}") from error


def _section(path: tuple[str, ...]) -> str:
    return f"[{'.'.join(path)}]" if path else "the top of the file"


def _typed(value: Any, hint: Any, source: Source, path: tuple[str, ...]) -> Any:
    """Return the value as the type that the field wants, or say what it should have been."""
    for option in _options(hint):
        if option is NoneType:
            continue
        if option is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1e300:
            return float(value)
        if option is Path and isinstance(value, str) and value and "\0" not in value:
            return Path(value)
        if get_origin(option) is tuple and isinstance(value, list):
            return _listed(value, option, source, path)
        if hasattr(option, "chosen_by") and isinstance(value, dict):
            return _chosen(option, value, source, path)
        if _fits(value, option):
            return value
    found = "a table" if isinstance(value, dict) else repr(value)[:60]
    known = [word for option in _options(hint) if get_origin(option) is Literal for word in get_args(option)]
    near = value_hint(path[-1], value) or (did_you_mean(value, known) if isinstance(value, str) else "")
    raise TenorError(f"{source.place(*path)}: {path[-1]} should be {_said(hint)}, not {found}.{near}")


def _chosen(option: Any, table: dict[str, Any], source: Source, path: tuple[str, ...]) -> Any:
    """Build the dataclass that a table names by one of its keys."""
    try:
        kind = option.chosen(table)
    except TenorError as error:
        raise TenorError(f"{source.place(*path, option.chosen_by)}: in {_section(path)}, {error}") from error
    return build(kind, table, source, *path)


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _listed(values: list[Any], hint: Any, source: Source, path: tuple[str, ...]) -> tuple[Any, ...]:
    """Return a list as a tuple of the asked types: of any length, or of the length that the hint gives."""
    hints = get_args(hint)
    if hints[-1] is not Ellipsis and len(hints) != len(values):
        raise TenorError(f"{source.place(*path)}: {path[-1]} should have {len(hints)} values, not {values}.")
    hints = hints if hints[-1] is not Ellipsis else (hints[0],) * len(values)
    return tuple(_typed(value, each, source, path) for value, each in zip(values, hints, strict=True))


def _fits(value: Any, option: Any) -> bool:
    if get_origin(option) is Literal:
        return value in get_args(option)
    if option is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if option in (str, bool, float):
        return isinstance(value, option)
    # The one kind of table that is a field: names of columns, or their numbers.
    if hasattr(option, "chosen_by"):
        return False
    return isinstance(value, dict) and all(_is_column(cell) for cell in value.values())


def _is_column(cell: Any) -> bool:
    return isinstance(cell, str | int) and not isinstance(cell, bool)


_SAID = {
    str: "a text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    Path: "a file name in quotes",
}


def _said(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(map(repr, get_args(hint)))
    options = _options(hint)
    if get_origin(options[0]) is Literal:
        return _said(options[0])
    if hasattr(options[0], "chosen_by"):
        return f"a table with a key {options[0].chosen_by!r}"
    if get_origin(options[0]) is tuple:
        return f"a list, each {_said(get_args(options[0])[0])}"
    return _SAID.get(
        options[0], "a table of column names or numbers, such as { text = 'sentence', label = 0 }"
    )
