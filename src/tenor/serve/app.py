"""The ASGI application: routes, page, middleware, and the lifespan of the service."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from tenor.serve.endpoints import endpoints, route
from tenor.serve.errors import HTTPError
from tenor.serve.metrics import Metrics
from tenor.serve.middleware import Access, AccessMiddleware
from tenor.serve.openapi import openapi_document
from tenor.serve.pages import page_routes
from tenor.serve.responses import error_response, json_response
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
    operations = [endpoint.operation for endpoint in table]
    document = openapi_document(operations, token=access.token is not None, known=service.known_values())
    openapi = json_response(document).body
    served = {operation.path for operation in operations}
    hints = {path: hint for path, hint in _MISSING.items() if not any(map(_within(path), served))}

    async def send_openapi(request: Request) -> Response:
        return Response(openapi, media_type="application/json")

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(service.close)

    app = Starlette(
        routes=[
            *(route(endpoint, service, metrics) for endpoint in table),
            Route("/openapi.json", send_openapi, methods=["GET"]),
            *page_routes(),
        ],
        exception_handlers={HTTPException: partial(_not_found, hints)},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    open_paths = frozenset(operation.path for operation in operations if not operation.needs_token)
    return AccessMiddleware(app, access, open_paths=open_paths)


def _within(folder: str) -> Callable[[str], bool]:
    return lambda path: path == folder or path.startswith(f"{folder}/")


async def _not_found(hints: Mapping[str, str], request: Request, error: Exception) -> Response:
    """Return the response for paths and methods that there are not."""
    assert isinstance(error, HTTPException)
    path = request.url.path
    if error.status_code == 405:
        message = f"{path[:100]} does not take {request.method}."
    else:
        message = f"There is nothing at {path[:100]!r}; /openapi.json lists what there is."
        message = next((hint for folder, hint in hints.items() if _within(folder)(path)), message)
    return error_response(HTTPError(error.status_code, message, headers=error.headers))
