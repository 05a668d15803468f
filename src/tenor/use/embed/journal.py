"""Work that survives being killed: finished parts in a folder beside the output.

While ``vectors.npy`` is being made, ``vectors.npy.part/`` holds its files and ``state.json``, which says how
long each file was when the last window of rows was whole. The state is written after the files are on disk,
aside and then renamed, so whatever the moment of a kill, the folder is a valid beginning: what goes beyond
the recorded lengths is cut off, and the work goes on from there. The final name appears when all is whole.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

from tenor.errors import TenorError
from tenor.files import clear_parts, read_json, sync, why, write_json
from tenor.locks import exclusive_lock
from tenor.progress import Note

_FORMAT = 1
_STATE, _LOCK = "state.json", "lock"
_PARTS = ("settings", "progress", "files")


class Journal:
    """The finished part of one output; use it as a context manager, which keeps other runs off.

    ``settings`` is all that decides the output besides the rows themselves; a beginning made with other
    settings is thrown away, and ``note`` is called. ``progress`` is what the caller recorded with the last
    ``commit``, or empty.
    """

    def __init__(self, out: Path, settings: Mapping[str, Any], *, note: Note | None = None) -> None:
        self.out = out
        self.folder = out.with_name(out.name + ".part")
        self.progress: dict[str, Any] = {}
        self._settings = dict(settings)
        self._note = note or (lambda _: None)
        self._lock = ExitStack()

    def __enter__(self) -> Self:
        with self.writing():
            if self.out.is_dir():
                raise TenorError(f"Cannot write {self.out}: it is a folder.")
            self.folder.mkdir(exist_ok=True)
            busy = f"Another run is writing {self.out} at this moment; wait for it to end."
            self._lock.enter_context(exclusive_lock(self.folder / _LOCK, busy=busy))
        try:
            self._take_up()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if not self.progress and self.folder.is_dir():
            self._remove()  # nothing worth keeping
        self._lock.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn an operating-system error into one sentence that says what is kept."""
        try:
            yield
        except OSError as error:
            kept = (
                f"What was finished is kept in {self.folder}; run the same command again to resume."
                if self.progress
                else "Nothing was left under that name."
            )
            raise TenorError(f"Cannot write {self.out}: {why(error)}. {kept}") from error

    def commit(self, progress: Mapping[str, Any]) -> None:
        """Record that everything in the folder is whole up to here."""
        with self.writing():
            for name in self._files():
                sync(self.folder / name)
        self._record(progress)

    def publish(self, whole: Path) -> None:
        """Give a finished file of the folder its final name, and remove the folder."""
        with self.writing():
            sync(whole)
            os.replace(whole, self.out)
            sync(self.out.parent)
        self.progress = {}
        self._remove()

    def restart(self, reason: str) -> None:
        """Throw the beginning away, and say why."""
        self._note(f"{self.folder} holds the start of a different run ({reason}); starting over.")
        with self.writing():
            self._cut_back({})
        self._record({})

    def _take_up(self) -> None:
        clear_parts(self.folder / _STATE)  # the lock is held: a half-written record is one of a killed run
        state = self._state()
        if state is None:
            if self._files():
                raise TenorError(
                    f"{self.folder} is in the way, and this command did not create it; move it away."
                )
            self._record({})
            return
        sizes = state["files"]
        if (reason := _difference(state["settings"], self._settings)) is not None:
            self.restart(reason)
        elif any(_size(self.folder / name) < size for name, size in sizes.items()):
            self.restart("some of its files are missing or short")
        else:
            with self.writing():
                self._cut_back(sizes)
            self.progress = state["progress"]

    def _state(self) -> dict[str, Any] | None:
        if not (self.folder / _STATE).exists():
            return None
        state: dict[str, Any] = read_json(self.folder / _STATE)
        ours = isinstance(state, dict) and state.get("format") == _FORMAT
        if not ours or not all(isinstance(state.get(part), dict) for part in _PARTS):
            raise TenorError(
                f"{self.folder / _STATE} is not the state of an unfinished run; remove that folder."
            )
        return state

    def _record(self, progress: Mapping[str, Any]) -> None:
        files = {name: _size(self.folder / name) for name in self._files()}
        state = {"format": _FORMAT, "settings": self._settings, "progress": dict(progress), "files": files}
        with self.writing():
            write_json(self.folder / _STATE, state)
        self.progress = dict(progress)

    def _files(self) -> list[str]:
        with self.writing():
            return sorted(name for name in os.listdir(self.folder) if name not in (_STATE, _LOCK))

    def _cut_back(self, sizes: Mapping[str, int]) -> None:
        """Bring the folder back to the recorded files at their recorded lengths."""
        for name in self._files():
            if name not in sizes:
                (self.folder / name).unlink()
            elif _size(self.folder / name) > sizes[name]:
                os.truncate(self.folder / name, sizes[name])

    def _remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """Name the first setting in which two runs differ, or None."""
    for name, value in now.items():
        if before.get(name) != value:
            return f"{name} was {before.get(name)!r}, now {value!r}"
    return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
