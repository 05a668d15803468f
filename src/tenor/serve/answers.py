"""Reading the JSON of requests and writing that of answers."""

import asyncio
import json
from typing import Any, NoReturn, TypeVar

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from tenor.errors import TenorError
from tenor.serve.limits import Limits
from tenor.serve.refusals import Refusal, gone
from tenor.serve.schema import read

T = TypeVar("T")

_JSON = "application/json"
_DRAINED = 64_000_000  # bytes of a body that is too long which are read and dropped before the answer
_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_SERIALIZE_DATACLASS | orjson.OPT_NON_STR_KEYS


def answer(content: Any, *, status: int = 200) -> Response:
    """Return an answer; dataclasses and arrays of numbers are written as they are."""
    return Response(orjson.dumps(content, option=_OPTIONS), status_code=status, media_type=_JSON)


def refused(refusal: Refusal) -> Response:
    """Return the answer to a request that is not served."""
    body = orjson.dumps(refusal.to_json())
    return Response(body, status_code=refusal.status, headers=refusal.headers, media_type=_JSON)


async def read_request(request: Request, shape: type[T], limits: Limits) -> T:
    """Read a body of JSON into a dataclass, or refuse it with a sentence."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON:
        # Also what keeps other web sites out: a browser sends JSON across sites only where that was allowed.
        raise Refusal(415, f"The body is {kind[:60] or 'of no type'!r}; expected Content-Type: {_JSON}.")
    body = await _read_body(request, limits)
    try:
        return read(shape, parse(body))
    except TenorError as error:
        raise Refusal(422, str(error)) from error


def parse(body: bytes) -> Any:
    """Parse JSON, or say where it is broken.

    >>> parse(b'{"k": 1}')
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
        raise Refusal(400, f"The body is not JSON: {error.msg} at {where}.") from error
    except UnicodeDecodeError as error:
        raise Refusal(400, f"The body is not UTF-8: byte {error.start} cannot be read.") from error
    except (ValueError, RecursionError) as error:
        raise Refusal(
            400, "The body is not JSON that can be used: too deep, or a number too long."
        ) from error


def _no_constant(name: str) -> NoReturn:
    raise Refusal(400, f"The body is not JSON: it holds {name}, which JSON does not have.")


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
                    # Many clients read an answer only when they have sent everything: the rest is dropped.
                    parts.clear()
    except TimeoutError as error:
        message = f"The body did not arrive within {limits.body_seconds:g} s."
        raise Refusal(408, message, headers={"Connection": "close"}) from error
    except ClientDisconnect as error:
        raise gone() from error
    if size > most:
        raise _too_long(most, close=False)
    return b"".join(parts)


def _too_long(most: int, *, close: bool) -> Refusal:
    headers = {"Connection": "close"} if close else {}
    return Refusal(413, f"The body is too long; at most {most:,} bytes are taken.", headers=headers)
