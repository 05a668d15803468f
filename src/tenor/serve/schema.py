"""From the types of a dataclass to both of its uses: reading JSON that a client sends, and describing it.

The same annotations give the JSON Schema of the OpenAPI document and the reader that checks a request, so the
document cannot say something else than the server does. Known are str, int, float, bool, None, Any, Literal,
``list``, ``dict[str, …]``, fixed tuples, unions, and dataclasses; ``Annotated[…, Meta(…)]`` adds bounds.

msgspec would do the same but for the messages, which lack the value that was found and the name that was
perhaps meant; it also rejects lone surrogates, which texts of the web hold (docs/serving.md).
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

_SHOWN = 60  # characters of a client's value that a message repeats
_SURROGATES = re.compile("[\ud800-\udfff]")
_NAMES = {str: "a string", int: "an integer", float: "a number", bool: "true or false", NoneType: "null"}
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


@dataclass(frozen=True, slots=True)
class Meta:
    """The description of a value and its bounds beyond its type, by the keywords of JSON Schema."""

    description: str = ""
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None  # the value must be greater
    min_items: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    instead: str = ""  # said in place of "expected …" where a list holds something else than strings

    def schema(self) -> Schema:
        """Return the keywords of JSON Schema that are set."""
        keywords = {
            "description": self.description or None,
            "minimum": self.minimum,
            "maximum": self.maximum,
            "exclusiveMinimum": self.above,
            "minItems": self.min_items,
            "minLength": self.min_length,
            "maxLength": self.max_length,
        }
        return {name: value for name, value in keywords.items() if value is not None}

    def check(self, value: Any, at: str) -> None:
        """Raise an error for a value out of bounds."""
        if isinstance(value, int | float):
            if self.above is not None and value <= self.above:
                raise TenorError(f"{at} is {value}; expected more than {self.above:g}.")
            if self.minimum is not None and value < self.minimum:
                raise TenorError(f"{at} is {value}; expected at least {self.minimum:g}.")
            if self.maximum is not None and value > self.maximum:
                raise TenorError(f"{at} is {value}; expected at most {self.maximum:g}.")
        if isinstance(value, list) and len(value) < (self.min_items or 0):
            raise TenorError(f"{at} is empty; expected at least {self.min_items}.")
        if isinstance(value, str) and len(value) < (self.min_length or 0):
            raise TenorError(f"{at} is empty; expected some text.")
        if isinstance(value, str) and self.max_length is not None and len(value) > self.max_length:
            raise TenorError(f"{at} has {len(value):,} characters; expected at most {self.max_length:,}.")


def read(annotation: type[T], value: Any) -> T:
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
    wanted: Any = annotation
    made: T = _reader(wanted)(value, "")
    return made


def describe(annotation: Any, components: dict[str, Schema]) -> Schema:
    """Return the JSON Schema of a type; dataclasses are put into ``components`` and referred to.

    >>> describe(list[int] | None, {})
    {'anyOf': [{'type': 'array', 'items': {'type': 'integer'}}, {'type': 'null'}]}
    """
    bare, metas = _bare(annotation)
    schema = _describe(bare, components)
    for meta in metas:
        schema = schema | meta.schema()
    return schema


def _describe(annotation: Any, components: dict[str, Schema]) -> Schema:
    if annotation is Any:
        return {}
    if annotation in _TYPES:
        return {"type": _TYPES[annotation]}
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (Union, UnionType):
        return {"anyOf": [describe(member, components) for member in inner]}
    if origin is list:
        return {"type": "array", "items": describe(inner[0], components)}
    if origin is tuple:
        parts = [describe(member, components) for member in inner]
        return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
    if origin is dict:
        return {"type": "object", "additionalProperties": describe(inner[1], components)}
    if is_dataclass(annotation) and isinstance(annotation, type):
        return _component(annotation, components)
    raise TypeError(f"No JSON Schema for {annotation!r}.")


def _component(annotation: type, components: dict[str, Schema]) -> Schema:
    name = annotation.__name__
    if name not in components:
        components[name] = {}  # a placeholder, should a dataclass contain itself
        hints = get_type_hints(annotation, include_extras=True)
        own = fields(annotation)
        properties = {}
        for field in own:
            properties[field.name] = describe(hints[field.name], components)
            if field.default is not MISSING:
                properties[field.name]["default"] = field.default
        components[name] = {
            "type": "object",
            "description": (annotation.__doc__ or "").partition("\n")[0],
            "properties": properties,
            "required": [field.name for field in own if _required(field)],
        }
        if not _is_open(annotation):
            components[name]["additionalProperties"] = False
        if _either(annotation):
            components[name]["oneOf"] = [
                {"required": [one], "properties": {one: {"type": "array"}}} for one in _either(annotation)
            ]
    return {"$ref": f"#/components/schemas/{name}"}


def _required(field: "Field[Any]") -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _is_open(annotation: type) -> bool:
    """Whether unknown fields are ignored instead of being an error."""
    return bool(getattr(annotation, "__open__", False))


def _either(annotation: type) -> tuple[str, ...]:
    """Return the fields, all of them lists, of which exactly one must be given."""
    return tuple(getattr(annotation, "__either__", ()))


def _bare(annotation: Any) -> tuple[Any, tuple[Meta, ...]]:
    """Return a type without its metadata, and the metadata."""
    if get_origin(annotation) is Annotated:
        inner, *extra = get_args(annotation)
        return inner, tuple(item for item in extra if isinstance(item, Meta))
    return annotation, ()


@cache
def _reader(annotation: Any) -> Reader:
    bare, metas = _bare(annotation)
    basic = _basic_reader(bare)
    if not metas:
        return basic

    instead = next((meta.instead for meta in metas if meta.instead), "")

    def checked(value: Any, at: str) -> Any:
        if instead and isinstance(value, list) and value and not isinstance(value[0], str):
            raise TenorError(f"{at} {instead}")
        made = basic(value, at)
        for meta in metas:
            meta.check(made, at)
        return made

    return checked


def _basic_reader(annotation: Any) -> Reader:
    origin, inner = get_origin(annotation), get_args(annotation)
    if annotation is Any:
        return lambda value, at: value
    if annotation in _TYPES:
        return lambda value, at: _scalar(annotation, value, at)
    if origin is Literal:
        return lambda value, at: _one_of(inner, value, at)
    if origin in (Union, UnionType):
        return _union_reader(inner)
    if origin is list:
        return _list_reader(_reader(inner[0]), _plural(inner[0]))
    if is_dataclass(annotation) and isinstance(annotation, type):
        return _object_reader(annotation)
    raise TypeError(f"No reader for {annotation!r}: it is used in responses only.")


def _scalar(annotation: type, value: Any, at: str) -> Any:
    if annotation is str and isinstance(value, str):
        # Half a surrogate pair is no character and cannot be sent back; U+FFFD takes its place.
        return _SURROGATES.sub("\ufffd", value) if not value.isascii() else value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if annotation is float and number and abs(value) < 1e300 and math.isfinite(value):
        return float(value)
    if annotation is int and number and (isinstance(value, int) or value.is_integer()):
        return int(value)
    if annotation in (bool, NoneType) and isinstance(value, annotation):
        return value
    raise TenorError(f"{at or 'The body'} is {_shown(value)}; expected {_NAMES[annotation]}.")


def _one_of(known: tuple[Any, ...], value: Any, at: str) -> Any:
    if isinstance(value, str) and value in known:
        return value
    names = ", ".join(map(repr, known))
    hint = did_you_mean(value[:_SHOWN], known) if isinstance(value, str) else ""
    raise TenorError(f"{at} is {_shown(value)}; expected one of {names}.{hint}")


def _union_reader(members: tuple[Any, ...]) -> Reader:
    readers = [_reader(member) for member in members]
    expected = " or ".join(_expected(member) for member in members)

    def read_union(value: Any, at: str) -> Any:
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

    return read_union


def _list_reader(item: Reader, things: str) -> Reader:
    def read_list(value: Any, at: str) -> list[Any]:
        if not isinstance(value, list):
            raise TenorError(f"{at or 'The body'} is {_shown(value)}; expected a list of {things}.")
        return [item(part, f"{at}[{index}]") for index, part in enumerate(value)]

    return read_list


def _object_reader(annotation: type) -> Reader:
    hints = get_type_hints(annotation, include_extras=True)
    readers = {field.name: _reader(hints[field.name]) for field in fields(annotation)}
    required = [field.name for field in fields(annotation) if _required(field)]

    def read_object(value: Any, at: str) -> Any:
        front = f"{at}." if at else ""
        if not isinstance(value, dict):
            raise TenorError(f"{at or 'The body'} is {_shown(value)}; expected an object.")
        for name in required:
            if name not in value:
                raise TenorError(f"{front}{name} is missing. Expected are {', '.join(readers)}.")
        for name in value:
            if name not in readers and not _is_open(annotation):
                hint = did_you_mean(name[:_SHOWN], readers) or f" There are {', '.join(readers)}."
                raise TenorError(f"There is no field {front + name[:_SHOWN]!r}.{hint}")
        known = {name: part for name, part in value.items() if name in readers}
        given = [name for name in _either(annotation) if known.get(name) is not None]
        if _either(annotation) and len(given) != 1:
            raise TenorError(f"Give {', or else '.join(_either(annotation))}: one of them, and not both.")
        return annotation(**{name: readers[name](part, front + name) for name, part in known.items()})

    return read_object


def _same_kind(annotation: Any, value: Any) -> bool:
    kind = get_origin(annotation) or annotation
    return isinstance(kind, type) and isinstance(value, dict if is_dataclass(kind) else kind)


def _expected(annotation: Any) -> str:
    bare, _ = _bare(annotation)
    if get_origin(bare) is list:
        return f"a list of {_plural(get_args(bare)[0])}"
    if get_origin(bare) is Literal:
        return " or ".join(map(repr, get_args(bare)))
    return _NAMES.get(bare, "an object")


def _plural(annotation: Any) -> str:
    expected = _expected(annotation)
    return expected.removeprefix("a ").removeprefix("an ").replace("list", "lists", 1) + (
        "" if "list" in expected else "s"
    )


def _shown(value: Any) -> str:
    """Show a value of the client's, cut to size."""
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN else value[: _SHOWN - 3] + "…")
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return f"{value!r:.40}"
