"""The OpenAPI document, generated from the very table that the routes are made of."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tenor.serve.schema import Schema, describe
from tenor.serve.server_schemas import ErrorResponse
from tenor.version import VERSION

Known = Mapping[tuple[str, str], Schema]

# What a status means, in the document; the message in the response says more.
MEANINGS = {
    200: "The response.",
    400: "The request cannot be understood.",
    401: "The bearer token is missing or wrong.",
    403: "The request comes from another web site.",
    404: "There is no such thing here.",
    405: "The address does not take this method.",
    408: "The body did not arrive in time.",
    413: "The request is beyond a limit, which the message names.",
    415: "The body is not JSON.",
    421: "The Host header names another machine.",
    422: "The JSON does not match the schema that is described here, or nothing can be done with a value.",
    429: "The queue is full; Retry-After says when to come again.",
    503: "The work was not done in time, or the server is closing.",
}
_ALWAYS = (403, 421)
_READING = (400, 408, 413, 415, 422)
_WORKING = (429, 503)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the OpenAPI document: a method on a path."""

    method: Literal["GET", "POST"]
    path: str
    summary: str
    request: type | None
    response: type | str  # a dataclass, or the media type of a response that is not JSON
    runs_model: bool = False  # waits in the queue of the model, which may be full
    needs_token: bool = True


def openapi_document(operations: Sequence[Operation], *, token: bool, known: Known | None = None) -> Schema:
    """Return the OpenAPI 3.1 document of these operations.

    ``known`` narrows fields of requests, by name of dataclass and field, to what this server has: the names
    of its model and tasks, which the types cannot say.
    """
    components: dict[str, Schema] = {}
    describe(ErrorResponse, components)
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        described = _operation(operation, components, token=token)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    for (schema, field), keywords in (known or {}).items():
        if schema in components:
            components[schema]["properties"][field] |= keywords
    document: Schema = {
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
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return document


def statuses(operation: Operation, *, token: bool) -> tuple[int, ...]:
    """Return every status that an operation can respond with."""
    codes = [200, *_ALWAYS]
    if token and operation.needs_token:
        codes.append(401)
    if operation.request is not None:
        codes += _READING
    if operation.runs_model:
        codes += _WORKING
    if operation.path in ("/v1/embeddings", "/v1/models/{id}"):
        codes.append(404)
    return tuple(sorted(codes))


def _operation(operation: Operation, components: dict[str, Schema], *, token: bool) -> Schema:
    described: Schema = {
        "summary": operation.summary,
        "operationId": operation.method.lower() + re.sub("[^a-z0-9]+", "_", operation.path).rstrip("_"),
        "responses": {
            str(status): _response(status, operation, components)
            for status in statuses(operation, token=token)
        },
    }
    if "{id}" in operation.path:
        name = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        described["parameters"] = [name]
    if operation.request is not None:
        schema = describe(operation.request, components)
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    if token and operation.needs_token:
        described["security"] = [{"token": []}]
    return described


def _response(status: int, operation: Operation, components: dict[str, Schema]) -> Schema:
    if status != 200:
        content = {"application/json": {"schema": describe(ErrorResponse, components)}}
    elif isinstance(operation.response, str):
        content = {operation.response: {"schema": {"type": "string"}}}
    else:
        content = {"application/json": {"schema": describe(operation.response, components)}}
    return {"description": MEANINGS[status], "content": content}
