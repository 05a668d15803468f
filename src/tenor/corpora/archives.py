"""Members of zip and tar archives as text, with errors that name the archive and the member."""

import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tenor.errors import TenorError
from tenor.files import why
from tenor.text.opening import HEAD, Opened

Wanted = Callable[[str], bool]


def zip_texts(path: Path, wanted: Wanted, *, encoding: str = "utf-8") -> Iterator[tuple[str, str]]:
    """Yield the wanted members of a zip archive, sorted by name, as ``archive/member`` and text.

    An archive without any of them is refused.
    """
    with _opened_zip(path) as archive:
        names = [name for name in sorted(archive.namelist()) if not name.endswith("/") and wanted(name)]
        if not names:
            raise TenorError(f"{path} holds none of the expected files; get the archive again.")
        for name in names:
            yield f"{path}/{name}", archive.read(name).decode(encoding, errors="replace")


def zip_member(path: Path, name: str) -> Opened:
    """Open one member of a zip archive for the readers of ``tenor.text``; it is read as a whole."""
    with _opened_zip(path) as archive:
        if name not in archive.namelist():
            raise TenorError(f"{path} holds no file {name!r}; get the archive again.")
        raw = archive.read(name)
    return Opened(f"{path}/{name}", raw[:HEAD], io.BufferedReader(io.BytesIO(raw)))


def tar_texts(path: Path, wanted: Wanted, *, encoding: str = "utf-8") -> Iterator[tuple[str, str]]:
    """Yield the wanted members of a tar archive in its order, as ``archive/member`` and text."""
    any_member = False
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                file = archive.extractfile(member) if wanted(member.name) else None
                if file is not None:
                    any_member = True
                    yield f"{path}/{member.name}", file.read().decode(encoding, errors="replace")
    except FileNotFoundError as error:
        raise TenorError(f"{path} does not exist.") from error
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise TenorError(f"{path} is a damaged tar archive ({error}); get it again.") from error
    if not any_member:
        raise TenorError(f"{path} holds none of the expected files; get the archive again.")


@contextmanager
def _opened_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except FileNotFoundError as error:
        raise TenorError(f"{path} does not exist.") from error
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise TenorError(f"{path} is a damaged zip archive ({error}); get it again.") from error
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error
