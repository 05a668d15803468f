"""The page's files: read into memory once, and served by a fixed table of names.

No name that a client sends is ever made into a path, so there is nothing to climb out of.
"""

from dataclasses import dataclass
from hashlib import blake2b
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
}


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page as it is sent."""

    content: bytes
    media_type: str
    etag: str


def page_files() -> dict[str, PageFile]:
    """Read the files of the page by name; those of unknown type are left out."""
    found: dict[str, PageFile] = {}
    folder = files("tenor.serve").joinpath("page")
    if not folder.is_dir():
        return found
    for file in folder.iterdir():
        kind = _TYPES.get("." + file.name.rpartition(".")[2])
        if kind is not None and file.is_file():
            content = file.read_bytes()
            digest = blake2b(content, digest_size=12).hexdigest()
            found[file.name] = PageFile(content, kind, f'"{digest}"')
    return found


def page_routes() -> list[Route]:
    """Return a route for each file of the page; ``/`` is index.html."""
    found = page_files()
    routes = [_route(f"/{name}", file) for name, file in sorted(found.items())]
    if "index.html" in found:
        routes.insert(0, _route("/", found["index.html"]))
    return routes


def _route(path: str, file: PageFile) -> Route:
    # Checked at every use: after an update of the package, no mixture of old and new files is ever seen.
    headers = {"ETag": file.etag, "Cache-Control": "no-cache"}

    async def send(request: Request) -> Response:
        if file.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(file.content, media_type=file.media_type, headers=headers)

    return Route(path, send, methods=["GET"])
