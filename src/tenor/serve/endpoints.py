"""The routes of the API: one table, from which the application and its OpenAPI document are made."""

import asyncio
import base64
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tenor.errors import TenorError
from tenor.serve import openai_schemas, schemas, server_schemas
from tenor.serve.errors import HTTPError, client_disconnected, timed_out
from tenor.serve.lanes import Lane
from tenor.serve.metrics import Metrics
from tenor.serve.openapi import Operation
from tenor.serve.responses import error_response, json_response, read_request
from tenor.serve.service import Service

_log = logging.getLogger("tenor")
T = TypeVar("T")
_MANY = 32  # texts from which on it is worth watching whether the client is still connected
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A route: its operation in the OpenAPI document, and what it does with a request."""

    operation: Operation
    handle: Callable[[Any], Awaitable[Response]]


def endpoints(service: Service, metrics: Metrics) -> list[Endpoint]:
    """Return the routes that this service has; the busiest stand first, as they are tried in order."""
    table = [
        _post(
            "/api/embed", "Vectors of texts.", schemas.EmbedRequest, schemas.EmbedResponse, _embed(service)
        ),
        _post(
            "/v1/embeddings",
            "Vectors of texts, in the form of OpenAI's API.",
            openai_schemas.OpenAIEmbeddingsRequest,
            openai_schemas.OpenAIEmbeddings,
            _openai(service),
        ),
        _post(
            "/api/compare",
            "How close two texts are in meaning, and which of their phrases match.",
            schemas.CompareRequest,
            schemas.CompareResponse,
            _in_lane(service.work, "/api/compare", service.compare),
        ),
        _post(
            "/api/classify",
            "What the tasks of the model say of texts or pairs: labels with probabilities, and scores.",
            schemas.ClassifyRequest,
            schemas.ClassifyResponse,
            _in_lane(service.work, "/api/classify", service.classify),
        ),
        _post(
            "/api/tag",
            "The tags of all words of texts, and the entities with their offsets.",
            schemas.TagRequest,
            schemas.TagResponse,
            _in_lane(service.work, "/api/tag", service.tag),
        ),
        _post(
            "/api/dedupe",
            "Groups of texts that say the same, the scores of all pairs, and a map.",
            schemas.DedupeRequest,
            schemas.DedupeResponse,
            _in_lane(service.work, "/api/dedupe", service.dedupe),
        ),
        _get(
            "/api/models",
            "The model, the index and the word vectors of this server.",
            server_schemas.ModelsResponse,
            lambda _: json_response(service.models()),
        ),
        _get(
            "/api/health",
            "Whether it is up.",
            server_schemas.HealthResponse,
            lambda _: json_response(service.health()),
        ),
        _get(
            "/v1/models",
            "The models, in the form of OpenAI's API.",
            openai_schemas.OpenAIModels,
            lambda _: _openai_models(service),
        ),
        _get(
            "/v1/models/{id}",
            "One model, in the form of OpenAI's API.",
            openai_schemas.OpenAIModel,
            lambda name: _openai_model(service, name or ""),
        ),
        _get("/metrics", "Counters for Prometheus.", "text/plain", lambda _: _metrics(service, metrics)),
    ]
    return table + _search_endpoints(service) + _word_endpoints(service)


def _search_endpoints(service: Service) -> list[Endpoint]:
    if service.index is None:
        return []
    index = service.index
    # By words alone no encoder is needed, so that such a search does not wait behind those that need it.
    by_words = _in_lane(service.lookups, "/api/search", index.search)
    with_model = _in_lane(service.work, "/api/search", index.search)

    async def handle(body: schemas.SearchRequest) -> Response:
        return await (by_words if body.mode == "lexical" else with_model)(body)

    summary = "The texts of the index that answer a query."
    return [_post("/api/search", summary, schemas.SearchRequest, schemas.SearchResponse, handle)]


def _word_endpoints(service: Service) -> list[Endpoint]:
    if service.words is None:
        return []
    words = service.words
    table = (
        ("/api/words/neighbours", "The nearest words.", schemas.NeighboursRequest, words.neighbours),
        ("/api/words/analogy", "What is to c as b is to a.", schemas.AnalogyRequest, words.analogy),
        ("/api/words/ask", "The words that answer a set query.", schemas.AskRequest, words.ask),
    )
    return [
        _post(path, summary, schema, schemas.WordsResponse, _in_lane(service.lookups, path, work))
        for path, summary, schema, work in table
    ]


def route(endpoint: Endpoint, service: Service, metrics: Metrics) -> Route:
    """Turn an endpoint into a route: read, work within the time allowed, respond, count."""
    operation = endpoint.operation

    async def run(request: Request) -> Response:
        began = time.perf_counter()
        try:
            response = await _respond(endpoint, request, service)
        except HTTPError as error:
            response = error_response(error)
        except TenorError as error:
            response = error_response(HTTPError(422, str(error)))
        except Exception:
            _log.exception("%s failed.", operation.path)
            response = error_response(
                HTTPError(500, "Something went wrong in the server; its log says more.")
            )
        metrics.observe(operation.path, response.status_code, time.perf_counter() - began)
        return response

    # A name may hold slashes, as those of model hubs do.
    return Route(operation.path.replace("{id}", "{id:path}"), run, methods=[operation.method])


async def _respond(endpoint: Endpoint, request: Request, service: Service) -> Response:
    schema = endpoint.operation.request
    if schema is None:
        return await endpoint.handle(request.path_params.get("id"))
    body: Any = await read_request(request, schema, service.limits)
    seconds = service.limits.work_seconds
    try:
        async with asyncio.timeout(seconds):
            if len(getattr(body, "texts", None) or ()) < _MANY:
                return await endpoint.handle(body)
            return await _while_connected(request, endpoint.handle(body))
    except TimeoutError as error:
        raise timed_out(seconds) from error


async def _while_connected(request: Request, work: Awaitable[Response]) -> Response:
    """Cancel long work when the client has disconnected."""
    doing = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait((doing, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise client_disconnected()
        return await doing
    finally:
        doing.cancel()
        leaving.cancel()


def _post(
    path: str, summary: str, request: type, response: type, handle: Callable[[Any], Awaitable[Response]]
) -> Endpoint:
    return Endpoint(Operation("POST", path, summary, request, response, runs_model=True), handle)


def _get(
    path: str, summary: str, response: type | str, respond: Callable[[str | None], Response]
) -> Endpoint:
    """Return a route without a body; ``respond`` gets the id in its path, if it has one."""

    async def handle(name: str | None) -> Response:
        return respond(name)

    operation = Operation("GET", path, summary, None, response, needs_token=path != "/api/health")
    return Endpoint(operation, handle)


def _in_lane(lane: Lane, path: str, work: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Response]]:
    async def handle(body: Any) -> Response:
        # Writing the response belongs to the work: a big one would hold up the event loop.
        return await lane.run(path, lambda: json_response(work(body)))

    return handle


def _embed(service: Service) -> Callable[[schemas.EmbedRequest], Awaitable[Response]]:
    async def handle(body: schemas.EmbedRequest) -> Response:
        encoded = await service.encode(body.texts, route="/api/embed", prompt=body.prompt)
        return await _written(
            len(body.texts),
            {
                "model": service.name,
                "dimensions": service.model.width,
                "vectors": encoded.vectors,
                "tokens": encoded.tokens,
                "cut": encoded.cut,
            },
        )

    return handle


def _openai(service: Service) -> Callable[[openai_schemas.OpenAIEmbeddingsRequest], Awaitable[Response]]:
    async def handle(body: openai_schemas.OpenAIEmbeddingsRequest) -> Response:
        texts = [body.input] if isinstance(body.input, str) else body.input
        service.check_name(body.model)
        if body.dimensions not in (None, service.model.width):
            raise HTTPError(
                422,
                f"dimensions is {body.dimensions}; {service.name!r} has vectors of {service.model.width} "
                "dimensions and was not trained to be truncated.",
            )
        encoded = await service.encode(texts, route="/v1/embeddings")
        vectors = encoded.vectors
        rows: list[Any] = list(vectors)
        if body.encoding_format == "base64":
            rows = [base64.b64encode(vector.astype("<f4").tobytes()).decode() for vector in vectors]
        data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)]
        usage = {"prompt_tokens": encoded.tokens, "total_tokens": encoded.tokens}
        content = {"object": "list", "data": data, "model": service.name, "usage": usage}
        return await _written(len(texts), content)

    return handle


async def _written(texts: int, content: Any) -> Response:
    """Return a response; one of many vectors is not written in the event loop."""
    if texts < _MANY:
        return json_response(content)
    return await asyncio.to_thread(json_response, content)


def _openai_model(service: Service, name: str) -> Response:
    service.check_name(name)
    return json_response(openai_schemas.OpenAIModel(name, "model", 0, "tenor"))


def _openai_models(service: Service) -> Response:
    names = (service.name, *service.content.aliases)
    data = [openai_schemas.OpenAIModel(name, "model", 0, "tenor") for name in names]
    return json_response(openai_schemas.OpenAIModels("list", data))


def _metrics(service: Service, metrics: Metrics) -> Response:
    return Response(metrics.text(service.batcher.counts), headers={"Content-Type": _PROMETHEUS})
