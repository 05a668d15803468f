"""Reading the JSON of requests and writing that of responses."""

import asyncio
import json
from typing import Any, NoReturn, TypeVar

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from tenor.errors import TenorError
from tenor.serve.errors import HTTPError, client_disconnected, too_many_items
from tenor.serve.limits import Limits
from tenor.serve.schema import read

T = TypeVar("T")

_JSON = "application/json"
_LARGE = 65_536  # bytes of a body that is not parsed in the event loop
_DRAINED = 64_000_000  # bytes of a body that is too long which are read and dropped before the response
_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_SERIALIZE_DATACLASS | orjson.OPT_NON_STR_KEYS


def json_response(content: Any, *, status: int = 200) -> Response:
    """Return a response; dataclasses and arrays of numbers are written as they are."""
    return Response(orjson.dumps(content, option=_OPTIONS), status_code=status, media_type=_JSON)


def error_response(error: HTTPError) -> Response:
    """Return the response of a request that is not served."""
    body = orjson.dumps(error.to_json())
    return Response(body, status_code=error.status, headers=error.headers, media_type=_JSON)


async def read_request(request: Request, schema: type[T], limits: Limits) -> T:
    """Read a body of JSON into a dataclass, or raise an error that says what is wrong with it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON:
        # Also what keeps other web sites out: a browser sends JSON across sites only where that was allowed.
        raise HTTPError(415, f"The body is {kind[:60] or 'of no type'!r}; expected Content-Type: {_JSON}.")
    body = await _read_body(request, limits)
    if len(body) > _LARGE:  # not in the event loop, where everybody else would wait
        return await asyncio.to_thread(_read_json, body, schema, limits)
    return _read_json(body, schema, limits)


def _read_json(body: bytes, schema: type[T], limits: Limits) -> T:
    """Read a body; a list beyond the limit is refused before all of its items are looked at."""
    value = parse_json(body)
    fields = value if isinstance(value, dict) else {}
    long = {
        name: part for name, part in fields.items() if isinstance(part, list) and len(part) > limits.texts
    }
    try:
        made = read(schema, value | {name: part[:1] for name, part in long.items()} if long else value)
    except TenorError as error:
        raise HTTPError(422, str(error)) from error
    for name, part in long.items():
        raise too_many_items(name[:100], len(part), limits.texts)
    return made


def parse_json(body: bytes) -> Any:
    """Parse JSON, or say where it is broken.

    >>> parse_json(b'{"k": 1}')
    {'k': 1}
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    try:
        # The slower parser takes what the other does not: lone surrogates, which are mended later.
        return json.loads(body.decode(), parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise HTTPError(400, f"The body is not JSON: {error.msg} at {where}.") from error
    except UnicodeDecodeError as error:
        raise HTTPError(400, f"The body is not UTF-8: byte {error.start} cannot be read.") from error
    except (ValueError, RecursionError) as error:
        raise HTTPError(
            400, "The body is not JSON that can be used: too deep, or a number too long."
        ) from error


def _no_constant(name: str) -> NoReturn:
    raise HTTPError(400, f"The body is not JSON: it holds {name}, which JSON does not have.")


async def _read_body(request: Request, limits: Limits) -> bytes:
    most = limits.body_bytes
    declared = request.headers.get("content-length", "")
    too_long = declared.isdigit() and int(declared) > most
    if too_long and ("expect" in request.headers or int(declared) > _DRAINED):
        raise _too_long(most, close=True)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for part in request.stream():
                size += len(part)
                if size > _DRAINED:
                    raise _too_long(most, close=True)
                parts.append(part)
                if size > most:
                    # Many clients read a response only when they have sent everything: the rest is dropped.
                    parts.clear()
    except TimeoutError as error:
        message = f"The body did not arrive within {limits.body_seconds:g} s."
        raise HTTPError(408, message, headers={"Connection": "close"}) from error
    except ClientDisconnect as error:
        raise client_disconnected() from error
    if size > most:
        raise _too_long(most, close=False)
    return b"".join(parts)


def _too_long(most: int, *, close: bool) -> HTTPError:
    headers = {"Connection": "close"} if close else {}
    return HTTPError(413, f"The body is too long; at most {most:,} bytes are taken.", headers=headers)
