"""Connections that end in time: a client that sends half a request and falls silent is not waited for.

uvicorn bounds the time between two requests; here the time and size of a request's head are bounded as well,
from the moment of connecting or of the first byte. Bodies have their own time-out (``responses.py``), and the
system closes connections whose client does not take its response (``server.py``).
"""

import asyncio
from typing import TYPE_CHECKING, Any

from tenor.serve.limits import Limits

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Base
else:
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Base
    except ImportError:
        from uvicorn.protocols.http.h11_impl import H11Protocol as Base

_MOST_HEAD = 65_536  # bytes


def timed_protocol(limits: Limits) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol for HTTP, with bounds on a request's head."""

    class TimedProtocol(Base):  # type: ignore[misc]
        """One connection."""

        _giving_up: asyncio.TimerHandle | None = None
        _head = 0  # bytes of a head that is not complete yet

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._head += len(data)
            self._watch()
            if self._giving_up is not None and self._head > _MOST_HEAD:
                self._give_up()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_watching()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """Start the clock while a head is awaited, and stop it when a request is there."""
            if self.cycle is not None and not self.cycle.response_complete:
                self._stop_watching()
            elif self._giving_up is None:
                self._giving_up = self.loop.call_later(limits.header_seconds, self._give_up)

        def _stop_watching(self) -> None:
            self._head = 0
            if self._giving_up is not None:
                self._giving_up.cancel()
                self._giving_up = None

        def _give_up(self) -> None:
            busy = self.cycle is not None and not self.cycle.response_complete
            if not busy and not self.transport.is_closing():
                self.transport.close()

    return TimedProtocol
