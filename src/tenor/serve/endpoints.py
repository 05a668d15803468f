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
from tenor.serve import shapes
from tenor.serve.answers import answer, read_request, refused
from tenor.serve.metrics import Metrics
from tenor.serve.openapi import Described
from tenor.serve.refusals import Refusal, gone, too_slow
from tenor.serve.service import Service

_log = logging.getLogger("tenor")
T = TypeVar("T")
_MANY = 32  # texts from which on it is worth watching whether the client is still there
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A route: what the document says of it, and what it does with a request."""

    described: Described
    handle: Callable[[Any], Awaitable[Response]]


def endpoints(service: Service, metrics: Metrics) -> list[Endpoint]:
    """Return the routes that this service has; the busiest stand first, as they are tried in order."""
    found = [
        _works("/api/embed", "Vectors of texts.", shapes.EmbedRequest, shapes.EmbedAnswer, _embed(service)),
        _works(
            "/v1/embeddings",
            "Vectors of texts, in the form of OpenAI's API.",
            shapes.OpenAIRequest,
            shapes.OpenAIAnswer,
            _openai(service),
        ),
        _works(
            "/api/compare",
            "How close two texts are in meaning, and which of their phrases match.",
            shapes.CompareRequest,
            shapes.CompareAnswer,
            _in_thread(service, service.compare),
        ),
        _works(
            "/api/classify",
            "What the tasks of the model say of texts or pairs: labels with probabilities, and scores.",
            shapes.ClassifyRequest,
            shapes.ClassifyAnswer,
            _in_thread(service, service.classify),
        ),
        _works(
            "/api/dedupe",
            "Groups of texts that say the same, the scores of all pairs, and a map.",
            shapes.DedupeRequest,
            shapes.DedupeAnswer,
            _in_thread(service, service.dedupe),
        ),
        _plain("/api/models", "What this server has.", shapes.ModelsAnswer, lambda: answer(service.models())),
        _plain("/api/health", "Whether it is up.", shapes.HealthAnswer, lambda: answer(service.health())),
        _plain("/v1/models", "The models, as OpenAI.", shapes.OpenAIModels, lambda: _openai_models(service)),
        _plain("/metrics", "Counters for Prometheus.", "text/plain", lambda: _metrics(service, metrics)),
    ]
    return found + _search_endpoints(service) + _word_endpoints(service)


def _search_endpoints(service: Service) -> list[Endpoint]:
    if service.index is None:
        return []
    handle = _in_thread(service, service.index.search)
    about = "The texts of the index that answer a query."
    return [_works("/api/search", about, shapes.SearchRequest, shapes.SearchAnswer, handle)]


def _word_endpoints(service: Service) -> list[Endpoint]:
    if service.words is None:
        return []
    words = service.words
    table = (
        ("neighbours", "The nearest words of a word.", shapes.NeighboursRequest, words.neighbours),
        ("analogy", "What is to c as b is to a.", shapes.AnalogyRequest, words.analogy),
        ("ask", "The words that answer a set query.", shapes.AskRequest, words.ask),
    )
    return [
        _works(f"/api/words/{name}", about, shape, shapes.WordsAnswer, _in_thread(service, work))
        for name, about, shape, work in table
    ]


def route(endpoint: Endpoint, service: Service, metrics: Metrics) -> Route:
    """Turn an endpoint into a route: read, work within the time allowed, answer, count."""
    described = endpoint.described

    async def run(request: Request) -> Response:
        began = time.perf_counter()
        try:
            response = await _served(endpoint, request, service)
        except Refusal as refusal:
            response = refused(refusal)
        except TenorError as error:
            response = refused(Refusal(422, str(error)))
        except Exception:
            _log.exception("%s failed.", described.path)
            response = refused(Refusal(500, "Something went wrong in the server; its log says more."))
        metrics.observe(described.path, response.status_code, time.perf_counter() - began)
        return response

    return Route(described.path, run, methods=[described.method])


async def _served(endpoint: Endpoint, request: Request, service: Service) -> Response:
    shape = endpoint.described.request
    if shape is None:
        return await endpoint.handle(None)
    asked: Any = await read_request(request, shape, service.limits)
    seconds = service.limits.work_seconds
    try:
        async with asyncio.timeout(seconds):
            if len(getattr(asked, "texts", None) or ()) < _MANY:
                return await endpoint.handle(asked)
            return await _while_connected(request, endpoint.handle(asked))
    except TimeoutError as error:
        raise too_slow(seconds) from error


async def _while_connected(request: Request, work: Awaitable[Response]) -> Response:
    """Give up long work when the client has gone."""
    doing = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait((doing, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise gone()
        return await doing
    finally:
        doing.cancel()
        leaving.cancel()


def _works(
    path: str, about: str, request: type, made: type, handle: Callable[[Any], Awaitable[Response]]
) -> Endpoint:
    return Endpoint(Described("POST", path, about, request, made, works=True), handle)


def _plain(path: str, about: str, made: type | str, respond: Callable[[], Response]) -> Endpoint:
    async def handle(_: None) -> Response:
        return respond()

    described = Described("GET", path, about, None, made, needs_token=path != "/api/health")
    return Endpoint(described, handle)


def _in_thread(service: Service, work: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Response]]:
    async def handle(asked: Any) -> Response:
        # Writing the answer belongs to the work: a big one would hold up the event loop.
        return await service.in_thread(lambda: answer(work(asked)))

    return handle


def _embed(service: Service) -> Callable[[shapes.EmbedRequest], Awaitable[Response]]:
    async def handle(asked: shapes.EmbedRequest) -> Response:
        encoded = await service.encode(asked.texts, prompt=asked.prompt)
        return answer(
            {
                "model": service.name,
                "width": service.model.width,
                "vectors": encoded.vectors,
                "tokens": encoded.tokens,
                "cut": encoded.cut,
            }
        )

    return handle


def _openai(service: Service) -> Callable[[shapes.OpenAIRequest], Awaitable[Response]]:
    async def handle(asked: shapes.OpenAIRequest) -> Response:
        texts = _texts(asked)
        service.check_name(asked.model)
        if asked.dimensions not in (None, service.model.width):
            raise Refusal(
                422,
                f"dimensions is {asked.dimensions}; {service.name!r} has vectors of {service.model.width} "
                "numbers and was not trained to be cut short.",
            )
        encoded = await service.encode(texts)
        vectors = encoded.vectors
        rows: list[Any] = list(vectors)
        if asked.encoding_format == "base64":
            rows = [base64.b64encode(vector.astype("<f4").tobytes()).decode() for vector in vectors]
        data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        usage = {"prompt_tokens": encoded.tokens, "total_tokens": encoded.tokens}
        return answer({"object": "list", "data": data, "model": service.name, "usage": usage})

    return handle


def _texts(asked: shapes.OpenAIRequest) -> list[str]:
    texts = [asked.input] if isinstance(asked.input, str) else asked.input
    if not texts:
        raise Refusal(422, "input is empty; expected a text or a list of texts.")
    if not all(isinstance(text, str) for text in texts):
        raise Refusal(
            422,
            "input holds token numbers; expected texts. Tokens are those of another model's vocabulary: "
            "switch off that the client tokenises by itself (LangChain: check_embedding_ctx_length=False).",
        )
    return [text for text in texts if isinstance(text, str)]


def _openai_models(service: Service) -> Response:
    names = (service.name, *service.content.aliases)
    data = [shapes.OpenAIModel(name, "model", 0, "tenor") for name in names]
    return answer(shapes.OpenAIModels("list", data))


def _metrics(service: Service, metrics: Metrics) -> Response:
    return Response(metrics.text(service.batcher.counts), headers={"Content-Type": _PROMETHEUS})
