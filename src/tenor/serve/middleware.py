"""What every request must pass before anything else looks at it, and what every response carries.

- *Host*: a web site can make its own name point to 127.0.0.1 and so reach a server there as if it were its
  own (DNS rebinding); a request whose Host header names neither this machine nor a name that was allowed is
  refused. An address of numbers cannot be rebound: any is taken where the server listens beyond this machine.
- *Origin*: requests that a page of another web site makes are refused, unless that site was allowed.
- *Token*: where one is set, the API wants it as a bearer token; it is compared in constant time.
- *Responses* forbid the browser to run, load or embed anything but the page's own files.
"""

import hmac
import ipaddress
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tenor.serve.errors import HTTPError
from tenor.serve.responses import error_response

LOCAL = ("127.0.0.1", "localhost", "::1")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_ALWAYS = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
_NO_STORE = (b"cache-control", b"no-store")


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use the server."""

    hosts: tuple[str, ...] = LOCAL
    any_address: bool = False  # take any Host that is an address of numbers
    origins: tuple[str, ...] = ()  # other web sites whose pages may call the API; "*" for all
    token: str | None = None


def host_name(header: str) -> str:
    """Return the host of a Host header or of an origin's last part, without port and brackets.

    >>> host_name("[::1]:8000"), host_name("LocalHost:80"), host_name("127.0.0.1")
    ('::1', 'localhost', '127.0.0.1')
    """
    name = header.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0] if name.count(":") < 2 else name


class AccessMiddleware:
    """The outermost layer of the application: checks who asks, and adds the security headers."""

    def __init__(self, app: ASGIApp, access: Access, *, open_paths: frozenset[str]) -> None:
        self._app, self._access = app, access
        self._hosts = frozenset(map(host_name, access.hosts))
        self._open = open_paths  # of the API, without a token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, then pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name: value for name, value in scope["headers"] if name in _LOOKED_AT}
        origin = headers.get(b"origin", b"").decode("latin-1")
        allowed = bool(origin) and ("*" in self._access.origins or origin in self._access.origins)

        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_ALWAYS, *_cross(origin if allowed else "")]
                if not any(name.lower() == b"cache-control" for name, _ in message["headers"]):
                    message["headers"].append(_NO_STORE)
            await send(message)

        try:
            self._check(scope, headers, origin, allowed)
        except HTTPError as error:
            await error_response(error)(scope, receive, send_secured)
            return
        if allowed and scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
            await _preflight(scope, receive, send_secured)
            return
        await self._app(scope, receive, send_secured)

    def _check(self, scope: Scope, headers: dict[bytes, bytes], origin: str, allowed: bool) -> None:
        host = headers.get(b"host", b"").decode("latin-1")
        if not self._takes(host_name(host)):
            raise HTTPError(
                421,
                f"This server does not answer for the host {host[:100]!r}. Use the address that it printed, "
                "or start it with: tenor serve --allow-host NAME",
            )
        if origin and not allowed and origin.partition("://")[2].lower() != host.lower():
            raise HTTPError(
                403,
                f"A page of {origin[:100]!r} may not use this server. To allow it, start it with: "
                "tenor serve --allow-origin ORIGIN",
            )
        if scope["method"] != "OPTIONS":
            self._check_token(scope["path"], headers)

    def _takes(self, host: str) -> bool:
        if host in self._hosts:
            return True
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return self._access.any_address

    def _check_token(self, path: str, headers: dict[bytes, bytes]) -> None:
        token = self._access.token
        guarded = path.startswith(("/api/", "/v1/", "/metrics")) and path not in self._open
        if token is None or not guarded:
            return
        kind, _, given = headers.get(b"authorization", b"").partition(b" ")
        if kind.lower() != b"bearer" or not hmac.compare_digest(given.strip(), token.encode()):
            raise HTTPError(
                401,
                "This server wants its token: send the header Authorization: Bearer TOKEN.",
                headers={"WWW-Authenticate": "Bearer"},
            )


_LOOKED_AT = frozenset((b"host", b"origin", b"authorization", b"access-control-request-method"))


def _cross(origin: str) -> list[tuple[bytes, bytes]]:
    """Return what lets the page of an allowed origin read the answer."""
    if not origin:
        return []
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", b"retry-after"),
        (b"vary", b"Origin"),
    ]


async def _preflight(scope: Scope, receive: Receive, send: Send) -> None:
    headers = [
        (b"access-control-allow-methods", b"GET, POST"),
        (b"access-control-allow-headers", b"authorization, content-type"),
        (b"access-control-max-age", b"600"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
