"""Starting and ending a server: the address, the model, the signals."""

import contextlib
import errno
import gc
import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tenor.encoders.engine import Precision
from tenor.errors import TenorError
from tenor.extras import require
from tenor.files import why
from tenor.machine import use_one_blas_thread
from tenor.model import load
from tenor.progress import Note
from tenor.serve.limits import Limits

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from tenor.serve.middleware import Access

DEFAULT_PORT = 8421
_SWITCH_SECONDS = 0.001
_TAKEN_SECONDS = 120  # that a client may leave its response untaken


@dataclass(frozen=True, slots=True)
class Settings:
    """How to serve: what, where, to whom."""

    model: str = "minilm"
    precision: Precision | Literal["auto"] = "auto"
    device: str = "auto"
    index: Path | None = None
    vectors: str | None = None
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str | None = None
    allow_origins: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)


def serve(settings: Settings, *, ready: Callable[[str], None], note: Note) -> None:
    """Serve until the process is told to end; ``ready`` gets the address once requests are answered."""
    for package in ("uvicorn", "starlette", "orjson"):
        require(package, extra="serve", purpose="Serving")
    _check(settings)
    # Before the model is loaded, so that a port in use is reported at once.
    with contextlib.closing(listen(settings.host, settings.port)) as listener:
        _allow_many_connections()
        _run(settings, listener, ready, note)


def _run(settings: Settings, listener: socket.socket, ready: Callable[[str], None], note: Note) -> None:
    from tenor.serve.app import make_app
    from tenor.serve.service import Content, Service

    if not _is_loopback(settings.host) and settings.token is None:
        note(f"Anybody who reaches {settings.host} can use this server; --token TOKEN asks for a token.")
    model = load(settings.model, precision=settings.precision, device=settings.device)
    content = Content(model, settings.index, _load_vectors(settings.vectors), settings.aliases)
    service = Service(content, settings.limits)
    service.warm_up()
    app = make_app(service, access_of(settings))
    settle()
    with _quiet_signals():
        make_server(app, settings.limits, lambda: ready(address(listener))).run(sockets=[listener])


def settle() -> None:
    """Set this process up for many short pieces of work at a time, once all that stays is loaded."""
    use_one_blas_thread()
    # A thread that computes hands over to the event loop and to look-ups sooner than after Python's 5 ms.
    sys.setswitchinterval(_SWITCH_SECONDS)
    # Looking for garbage among all the modules stops every thread, a tenth of a second each time.
    gc.collect()
    gc.freeze()


def access_of(settings: Settings) -> "Access":
    """Return who may use a server with these settings."""
    from tenor.serve.middleware import LOCAL, Access

    return Access(
        hosts=(*LOCAL, settings.host, *settings.allow_hosts),
        any_address=not _is_loopback(settings.host),
        origins=settings.allow_origins,
        token=settings.token,
    )


def make_server(app: "ASGIApp", limits: Limits, ready: Callable[[], None]) -> Any:
    """Return a uvicorn server for the application, which calls ``ready`` once it answers."""
    import uvicorn

    from tenor.serve.connections import timed_protocol

    class Announcing(uvicorn.Server):  # type: ignore[misc]
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            ready()

    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    config = uvicorn.Config(
        app,
        http=timed_protocol(limits),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=int(limits.idle_seconds),
        timeout_graceful_shutdown=int(limits.closing_seconds),
    )
    return Announcing(config)


def address(listener: socket.socket) -> str:
    """Return the address for a browser."""
    host, port = listener.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """Open a port, or say why it cannot be had."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise TenorError(f"--host {host} is no address of this machine: {error}.") from error
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # Taken over by every connection: one that does not take its response is closed by the system.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _TAKEN_SECONDS * 1000)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise _cannot_listen(host, port, error) from error
    return listener


def _cannot_listen(host: str, port: int, error: OSError) -> TenorError:
    if error.errno == errno.EADDRINUSE:
        return TenorError(
            f"Port {port} of {host} is in use, perhaps by another `tenor serve`. "
            "Choose another one with --port, or any free one with --port 0."
        )
    if error.errno == errno.EACCES:
        return TenorError(f"Port {port} may not be used by this user; choose one above 1023 with --port.")
    return TenorError(f"Cannot listen at {host}, port {port}: {why(error)}.")


def _check(settings: Settings) -> None:
    if not 0 <= settings.port <= 65_535:
        raise TenorError(f"--port is {settings.port}; expected 1 to 65535, or 0 for any free port.")
    if settings.token is not None and not (settings.token.isascii() and settings.token.isprintable()):
        raise TenorError("The token has characters that no header can carry; use letters and digits.")
    if settings.token == "":
        raise TenorError("The token is empty; leave it out, or give some letters and digits.")
    for origin in settings.allow_origins:
        if origin != "*" and (not origin.startswith(("http://", "https://")) or origin.count("/") != 2):
            raise TenorError(f"--allow-origin is {origin!r}; expected for example https://example.org or *.")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _load_vectors(name: str | None) -> Any:
    if name is None:
        return None
    from tenor.words.vectors import WordVectors

    return WordVectors.load(name)


def _allow_many_connections() -> None:
    """Raise the number of open files to what the system lets this process have."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 65_536 if most == resource.RLIM_INFINITY else min(most, 65_536)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


@contextlib.contextmanager
def _quiet_signals(signals: Sequence[int] = (signal.SIGINT, signal.SIGTERM)) -> Any:
    """End quietly: uvicorn raises the signal that ended it once more, when everything is done."""
    before = {each: signal.signal(each, lambda *_: None) for each in signals}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
