"""The application: routes, page, guards, and the life of the service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from tenor.serve.answers import answer, refused
from tenor.serve.endpoints import endpoints, route
from tenor.serve.guards import Access, Guards
from tenor.serve.metrics import Metrics
from tenor.serve.openapi import document
from tenor.serve.pages import page_routes
from tenor.serve.refusals import Refusal
from tenor.serve.service import Service

# What a server lacks that was started without: the path, and how to get it.
_MISSING = {
    "/api/search": "No index is served. Start with: tenor serve --index DIR",
    "/api/words": "No word vectors are served. Start with: tenor serve --vectors FILE",
}


def make_app(service: Service, access: Access | None = None) -> ASGIApp:
    """Return the ASGI application of a service; its end closes the service."""
    access = access or Access()
    metrics = Metrics()
    table = endpoints(service, metrics)
    described = [each.described for each in table]
    openapi = answer(document(described, token=access.token is not None)).body

    async def send_openapi(request: Request) -> Response:
        return Response(openapi, media_type="application/json")

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(service.close)

    app = Starlette(
        routes=[
            *(route(each, service, metrics) for each in table),
            Route("/openapi.json", send_openapi, methods=["GET"]),
            *page_routes(),
        ],
        exception_handlers={HTTPException: _not_served},
        lifespan=life,
    )
    app.router.redirect_slashes = False
    open_paths = frozenset(each.path for each in described if not each.needs_token)
    return Guards(app, access, open_paths=open_paths)


async def _not_served(request: Request, error: Exception) -> Response:
    """Answer for addresses and methods that there are not."""
    assert isinstance(error, HTTPException)
    path = request.url.path
    if error.status_code == 405:
        message = f"{path[:100]} does not take {request.method}."
    else:
        message = f"There is nothing at {path[:100]!r}; /openapi.json lists what there is."
        message = next((told for front, told in _MISSING.items() if path.startswith(front)), message)
    return refused(Refusal(error.status_code, message, headers=error.headers))
