"""From the types of a dataclass to both of its uses: reading JSON that a client sends, and describing it.

The same annotations give the JSON Schema of the OpenAPI document and the reader that checks a request, so the
document cannot say something else than the server does. Known are str, int, float, bool, None, Any, Literal,
``list``, ``dict[str, …]``, fixed tuples, unions, and dataclasses; ``Annotated[…, Rule(…)]`` adds bounds.
"""

import math
import re
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from tenor.errors import TenorError, did_you_mean

Schema = dict[str, Any]
Reader = Callable[[Any, str], Any]
T = TypeVar("T")

_SURROGATES = re.compile("[\ud800-\udfff]")
_NAMES = {str: "a string", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value must keep to beyond its type, and what it is, for people."""

    about: str = ""
    least: float | None = None
    most: float | None = None
    min_items: int | None = None
    min_length: int | None = None

    def schema(self) -> Schema:
        """Return the keywords of JSON Schema."""
        said = {
            "description": self.about or None,
            "minimum": self.least,
            "maximum": self.most,
            "minItems": self.min_items,
            "minLength": self.min_length,
        }
        return {name: value for name, value in said.items() if value is not None}

    def check(self, value: Any, at: str) -> None:
        """Refuse a value out of bounds."""
        if isinstance(value, int | float):
            if self.least is not None and value < self.least:
                raise TenorError(f"{at} is {value}; expected at least {self.least:g}.")
            if self.most is not None and value > self.most:
                raise TenorError(f"{at} is {value}; expected at most {self.most:g}.")
        if isinstance(value, list) and len(value) < (self.min_items or 0):
            raise TenorError(f"{at} is empty; expected at least {self.min_items}.")
        if isinstance(value, str) and len(value) < (self.min_length or 0):
            raise TenorError(f"{at} is empty; expected some text.")


def read(shape: type[T], value: Any) -> T:
    """Read a JSON value into a dataclass, or say in a sentence where it differs from what is expected.

    >>> @dataclass(frozen=True)
    ... class Point:
    ...     x: float
    ...     tag: Literal["a", "b"] = "a"
    >>> read(Point, {"x": 2})
    Point(x=2.0, tag='a')
    >>> read(Point, {"x": 2, "tag": "c"})
    Traceback (most recent call last):
      ...
    tenor.errors.TenorError: tag is 'c'; expected one of 'a', 'b'.
    """
    wanted: Any = shape
    made: T = _reader(wanted)(value, "")
    return made


def describe(shape: Any, components: dict[str, Schema]) -> Schema:
    """Return the JSON Schema of a type; dataclasses are put into ``components`` and referred to.

    >>> describe(list[int] | None, {})
    {'anyOf': [{'type': 'array', 'items': {'type': 'integer'}}, {'type': 'null'}]}
    """
    bare, rules = _bare(shape)
    schema = _describe(bare, components)
    for rule in rules:
        schema = schema | rule.schema()
    return schema


def _describe(shape: Any, components: dict[str, Schema]) -> Schema:
    if shape is Any:
        return {}
    if shape in _TYPES:
        return {"type": _TYPES[shape]}
    origin, inner = get_origin(shape), get_args(shape)
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (Union, UnionType):
        return {"anyOf": [describe(each, components) for each in inner]}
    if origin is list:
        return {"type": "array", "items": describe(inner[0], components)}
    if origin is tuple:
        parts = [describe(each, components) for each in inner]
        return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
    if origin is dict:
        return {"type": "object", "additionalProperties": describe(inner[1], components)}
    if is_dataclass(shape) and isinstance(shape, type):
        return _component(shape, components)
    raise TypeError(f"No JSON Schema for {shape!r}.")


def _component(shape: type, components: dict[str, Schema]) -> Schema:
    name = shape.__name__
    if name not in components:
        components[name] = {}  # holds the place, should a shape contain itself
        hints = get_type_hints(shape, include_extras=True)
        own = fields(shape)
        properties = {}
        for field in own:
            properties[field.name] = describe(hints[field.name], components)
            if field.default is not MISSING:
                properties[field.name]["default"] = field.default
        components[name] = {
            "type": "object",
            "description": (shape.__doc__ or "").partition("\n")[0],
            "properties": properties,
            "required": [field.name for field in own if _required(field)],
        }
        if not _is_open(shape):
            components[name]["additionalProperties"] = False
    return {"$ref": f"#/components/schemas/{name}"}


def _required(field: "Field[Any]") -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _is_open(shape: type) -> bool:
    """Whether unknown fields are passed over instead of refused."""
    return bool(getattr(shape, "__open__", False))


def _bare(shape: Any) -> tuple[Any, tuple[Rule, ...]]:
    """Take the rules off a type."""
    if get_origin(shape) is Annotated:
        inner, *extra = get_args(shape)
        return inner, tuple(each for each in extra if isinstance(each, Rule))
    return shape, ()


@cache
def _reader(shape: Any) -> Reader:
    bare, rules = _bare(shape)
    basic = _basic_reader(bare)
    if not rules:
        return basic

    def checked(value: Any, at: str) -> Any:
        made = basic(value, at)
        for rule in rules:
            rule.check(made, at)
        return made

    return checked


def _basic_reader(shape: Any) -> Reader:
    origin, inner = get_origin(shape), get_args(shape)
    if shape is Any:
        return lambda value, at: value
    if shape in _TYPES:
        return lambda value, at: _scalar(shape, value, at)
    if origin is Literal:
        return lambda value, at: _one_of(inner, value, at)
    if origin in (Union, UnionType):
        return _union_reader(inner)
    if origin is list:
        return _list_reader(_reader(inner[0]), _plural(inner[0]))
    if is_dataclass(shape) and isinstance(shape, type):
        return _object_reader(shape)
    raise TypeError(f"No reader for {shape!r}: it is used in answers only.")


def _scalar(shape: type, value: Any, at: str) -> Any:
    if shape is str and isinstance(value, str):
        # Half a surrogate pair is no character and cannot be sent back; U+FFFD takes its place.
        return _SURROGATES.sub("\ufffd", value) if not value.isascii() else value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if shape is float and number and abs(value) < 1e300 and math.isfinite(value):
        return float(value)
    if shape is int and number and (isinstance(value, int) or value.is_integer()):
        return int(value)
    if shape in (bool, NoneType) and isinstance(value, shape):
        return value
    raise TenorError(f"{at or 'The body'} is {_shown(value)}; expected {_NAMES[shape]}.")


def _one_of(known: tuple[Any, ...], value: Any, at: str) -> Any:
    if isinstance(value, str) and value in known:
        return value
    names = ", ".join(map(repr, known))
    hint = did_you_mean(value, known) if isinstance(value, str) else ""
    raise TenorError(f"{at} is {_shown(value)}; expected one of {names}.{hint}")


def _union_reader(members: tuple[Any, ...]) -> Reader:
    readers = [_reader(each) for each in members]
    expected = " or ".join(_told(each) for each in members)

    def pick(value: Any, at: str) -> Any:
        reasons: list[TenorError] = []
        for member, reader in zip(members, readers, strict=True):
            try:
                return reader(value, at)
            except TenorError as error:
                if _same_kind(_bare(member)[0], value):
                    reasons.append(error)
        if len(reasons) == 1:
            raise reasons[0]  # the only member of the value's own kind knows best what is wrong with it
        raise TenorError(f"{at or 'The body'} is {_shown(value)}; expected {expected}.")

    return pick


def _list_reader(item: Reader, things: str) -> Reader:
    def each(value: Any, at: str) -> list[Any]:
        if not isinstance(value, list):
            raise TenorError(f"{at or 'The body'} is {_shown(value)}; expected a list of {things}.")
        return [item(part, f"{at}[{place}]") for place, part in enumerate(value)]

    return each


def _object_reader(shape: type) -> Reader:
    hints = get_type_hints(shape, include_extras=True)
    readers = {field.name: _reader(hints[field.name]) for field in fields(shape)}
    required = [field.name for field in fields(shape) if _required(field)]

    def whole(value: Any, at: str) -> Any:
        front = f"{at}." if at else ""
        if not isinstance(value, dict):
            raise TenorError(f"{at or 'The body'} is {_shown(value)}; expected an object.")
        for name in required:
            if name not in value:
                raise TenorError(f"{front}{name} is missing. Expected are {', '.join(readers)}.")
        for name in value:
            if name not in readers and not _is_open(shape):
                hint = did_you_mean(name, readers) or f" There are {', '.join(readers)}."
                raise TenorError(f"There is no field {front + name[:60]!r}.{hint}")
        known = {name: part for name, part in value.items() if name in readers}
        return shape(**{name: readers[name](part, front + name) for name, part in known.items()})

    return whole


def _same_kind(shape: Any, value: Any) -> bool:
    kind = get_origin(shape) or shape
    return isinstance(kind, type) and isinstance(value, dict if is_dataclass(kind) else kind)


def _told(shape: Any) -> str:
    bare, _ = _bare(shape)
    if get_origin(bare) is list:
        return f"a list of {_plural(get_args(bare)[0])}"
    if get_origin(bare) is Literal:
        return " or ".join(map(repr, get_args(bare)))
    return _NAMES.get(bare, "an object")


def _plural(shape: Any) -> str:
    told = _told(shape)
    return told.replace("a ", "", 1).replace("list", "lists", 1) + ("" if "list" in told else "s")


def _shown(value: Any) -> str:
    """Show a value of the client's, cut to size."""
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:57] + "…")
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return f"{value!r:.40}"
