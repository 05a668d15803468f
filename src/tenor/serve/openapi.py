"""The OpenAPI document, generated from the very table that the routes are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tenor.serve.schema import Schema, describe
from tenor.serve.shapes import ErrorAnswer
from tenor.version import VERSION

# What a status means, in the document; the sentence in the answer says more.
MEANINGS = {
    200: "The answer.",
    400: "The request cannot be understood.",
    401: "The bearer token is missing or wrong.",
    403: "The request comes from another web site.",
    404: "There is no such thing here.",
    405: "The address does not take this method.",
    408: "The body did not arrive in time.",
    413: "The request is beyond a limit, which the answer names.",
    415: "The body is not JSON.",
    421: "The Host header names another machine.",
    422: "The JSON does not have the shape that is described here, or nothing can be done with a value.",
    429: "The queue is full; Retry-After says when to come again.",
    503: "The work was not done in time, or the server is closing.",
}
_ALWAYS = (403, 421)
_READING = (400, 408, 413, 415, 422)
_WORKING = (429, 503)


@dataclass(frozen=True, slots=True)
class Described:
    """What the document says of a route."""

    method: Literal["GET", "POST"]
    path: str
    about: str
    request: type | None
    answer: type | str  # a dataclass, or the media type of an answer that is not JSON
    works: bool = False  # waits for the model: may be refused for load
    needs_token: bool = True


def document(routes: Sequence[Described], *, token: bool) -> Schema:
    """Return the OpenAPI 3.1 document of these routes."""
    components: dict[str, Schema] = {}
    describe(ErrorAnswer, components)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, components, token=token)
    described: Schema = {
        "openapi": "3.1.0",
        "info": {
            "title": "Tenor",
            "version": VERSION,
            "description": "Vectors, comparison, search and duplicates of texts, on this machine.",
        },
        "paths": paths,
        "components": {"schemas": components},
    }
    if token:
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return described


def statuses(route: Described, *, token: bool) -> tuple[int, ...]:
    """Return every status that a route can answer with."""
    found = [200, *_ALWAYS]
    if token and route.needs_token:
        found.append(401)
    if route.request is not None:
        found += _READING
    if route.works:
        found += _WORKING
    if route.path.startswith("/v1/embeddings"):
        found.append(404)
    return tuple(sorted(found))


def _operation(route: Described, components: dict[str, Schema], *, token: bool) -> Schema:
    operation: Schema = {
        "summary": route.about,
        "operationId": f"{route.method.lower()}{route.path.replace('/', '_').replace('.', '_')}",
        "responses": {
            str(status): _response(status, route, components) for status in statuses(route, token=token)
        },
    }
    if route.request is not None:
        shape = describe(route.request, components)
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": shape}}}
    if token and route.needs_token:
        operation["security"] = [{"token": []}]
    return operation


def _response(status: int, route: Described, components: dict[str, Schema]) -> Schema:
    if status != 200:
        content = {"application/json": {"schema": describe(ErrorAnswer, components)}}
    elif isinstance(route.answer, str):
        content = {route.answer: {"schema": {"type": "string"}}}
    else:
        content = {"application/json": {"schema": describe(route.answer, components)}}
    return {"description": MEANINGS[status], "content": content}
