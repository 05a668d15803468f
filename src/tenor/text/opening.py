"""Opening a file or standard input as bytes: unpacked when it is gzip, with its head at hand for sniffing."""

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tenor.errors import TenorError
from tenor.files import why

HEAD = 1 << 20  # bytes that are looked at before the first row is read
STDIN = "<stdin>"


@dataclass(frozen=True, slots=True)
class Opened:
    """A stream that begins at the first byte, and a copy of its first ``HEAD`` bytes."""

    name: str
    head: bytes
    stream: io.BufferedReader

    @property
    def whole(self) -> bool:
        """Whether the head is all there is."""
        return len(self.head) < HEAD


@contextmanager
def open_bytes(path: str | Path) -> Iterator[Opened]:
    """Open ``path``, or standard input for ``"-"``; gzip is known by its first two bytes, not by its name."""
    name = STDIN if str(path) == "-" else str(path)
    with _raw(path, name) as raw:
        magic = _Rejoined(name, b"", raw).read_up_to(2)
        stream: Any = _Rejoined(name, magic, raw)
        if magic == b"\x1f\x8b":
            stream = gzip.GzipFile(fileobj=stream, mode="rb")
        head = _Rejoined(name, b"", stream).read_up_to(HEAD)
        yield Opened(name, head, io.BufferedReader(_Rejoined(name, head, stream), 1 << 18))


def _raw(path: str | Path, name: str) -> Any:
    if str(path) == "-":
        buffer = getattr(sys.stdin, "buffer", None)
        if buffer is None:
            raise TenorError("Standard input cannot be read here; give a file instead of '-'.")
        return nullcontext(buffer)
    try:
        return open(path, "rb")
    except FileNotFoundError as error:
        what = " A file is expected here; texts themselves can be given by '-' as standard input."
        raise TenorError(f"{name} does not exist.{what if ' ' in name.strip() else ''}") from error
    except IsADirectoryError as error:
        raise TenorError(f"{name} is a folder; give a file.") from error
    except OSError as error:
        raise TenorError(f"Cannot read {name}: {why(error)}.") from error
    except ValueError as error:  # a NUL inside the path
        raise TenorError(f"Cannot read {name!r}: it is not a possible file name.") from error


class _Rejoined(io.RawIOBase):
    """Bytes already taken from a stream, then the rest of it; errors below become a sentence for people."""

    def __init__(self, name: str, taken: bytes, rest: IO[bytes]) -> None:
        self._name = name
        self._taken = memoryview(taken)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        chunk = self._taken[: len(view)] or self._read(len(view))
        self._taken = self._taken[len(chunk) :]
        view[: len(chunk)] = chunk
        return len(chunk)

    def read_up_to(self, count: int) -> bytes:
        """Read exactly so many bytes, fewer only at the end; a pipe gives its bytes in small portions."""
        parts: list[bytes] = []
        while count > 0 and (part := self.read(count)):
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _read(self, count: int) -> bytes:
        try:
            return self._rest.read(count) or b""
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            reason = str(error).rstrip(".").lower()
            raise TenorError(
                f"{self._name} is a damaged gzip file ({reason}); download or compress it again."
            ) from error
        except OSError as error:
            raise TenorError(f"Cannot read {self._name}: {why(error)}.") from error
