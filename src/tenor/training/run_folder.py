"""The folder of a run: what was asked for, what happened, where it stands, what came out.

run.toml            the run as resolved, with nothing left to guess
data.json           the files it learns from and is measured by, with their hashes
log.jsonl           a line for every step and every evaluation
checkpoints/        last.safetensors, best.safetensors, best-TASK.safetensors
model/              the model, once the run is finished
metrics.json        scores and what it took; it is there only when the run is finished
predictions.jsonl   what the best model says of every dev row
report.html         all of it to look at
"""

import json
import re
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.files import atomic_file, read_json, remove, write_json, writing
from tenor.locks import exclusive_lock
from tenor.training.checkpoints import LAST
from tenor.training.config_dump import difference
from tenor.training.runfile import FROM_SCRATCH

RUN, DATA, LOG, METRICS = "run.toml", "data.json", "log.jsonl", "metrics.json"
PREDICTIONS, MODEL, CHECKPOINTS = "predictions.jsonl", "model", "checkpoints"
_LOCK = ".lock"
# What is not whole yet, of ours and of the safetensors library, which wrote checkpoints before.
_HALF = re.compile(r"\..+\.[a-z0-9_]{8}\.part|\.tmp[A-Za-z0-9]{6}")


class RunFolder:
    """One run's folder: ``lock`` it, then ``begin``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = ExitStack()

    def begin(self, run: str, data: Mapping[str, Any]) -> None:
        """Begin a run in a new or empty folder, or continue the one that was begun there, if it is the same.

        ``run`` is the resolved run as TOML, ``data`` says which file each part (train, dev) of a task is.
        """
        resumes = self._begun and self._started
        if resumes:
            self._check(run, data)
        elif self._begun:  # it failed before its first step: there is nothing to lose
            remove(self.path / FROM_SCRATCH)
        for left in self._left_behind():
            remove(left)
        if resumes:
            return
        with writing(self.path):
            (self.path / CHECKPOINTS).mkdir(exist_ok=True)
        write_json(self.path / DATA, data)
        with atomic_file(self.path / RUN) as aside:  # last: it says that the folder is a run's
            aside.write_text(run, encoding="utf-8")

    @property
    def _begun(self) -> bool:
        return (self.path / RUN).is_file() and (self.path / DATA).is_file()

    def _left_behind(self) -> list[Path]:
        """List what a killed process left half-written; while the lock is held no other is at work here."""
        return [
            path
            for folder in (self.path, self.path / CHECKPOINTS)
            for path in (folder.iterdir() if folder.is_dir() else ())
            if _HALF.fullmatch(path.name)
        ]

    @property
    def _started(self) -> bool:
        """Whether any step or evaluation was made."""
        return (self.path / LOG).is_file() or (self.path / METRICS).is_file() or self.last.is_file()

    def _check(self, run: str, data: Mapping[str, Any]) -> None:
        kept = (self.path / RUN).read_text(encoding="utf-8")
        if (changed := difference(kept, run)) is not None:
            raise TenorError(
                f"{self.path} holds another run: {changed}. Choose another --out, or delete the folder to "
                "start over."
            )
        if (self.path / METRICS).is_file():
            raise TenorError(
                f"The run in {self.path} is finished; its model is in {self.path / MODEL}. Choose another "
                "--out, or delete the folder to start over."
            )
        before = read_json(self.path / DATA)
        for name, parts in data.items():
            for part, about in parts.items():
                known = before.get(name, {}).get(part, {}) if isinstance(before, dict) else {}
                if known.get("sha256") != about["sha256"]:
                    raise TenorError(
                        f"{about['file']} has changed since the run in {self.path} began, so that it cannot "
                        "be continued. Choose another --out, or delete the folder to start over."
                    )

    @property
    def last(self) -> Path:
        """The checkpoint to continue from."""
        return self.path / CHECKPOINTS / LAST

    def best(self, task: str | None = None) -> Path:
        """The best weights so far, by what is watched or by one task's own score."""
        name = "best" if task is None else f"best-{_file_name(task)}"
        return self.path / CHECKPOINTS / f"{name}.safetensors"

    def cut_log(self, step: int) -> None:
        """Drop what the log says of steps beyond a checkpoint, and a line that a kill left half."""
        log = self.path / LOG
        if not log.is_file():
            return
        kept = []
        for line in log.read_bytes().splitlines(keepends=True):
            try:
                if not line.endswith(b"\n") or json.loads(line)["step"] > step:
                    break
            except (ValueError, KeyError, TypeError):
                break
            kept.append(line)
        with atomic_file(log) as aside:
            aside.write_bytes(b"".join(kept))

    def log(self, line: Mapping[str, Any]) -> None:
        """Write one line of the log."""
        with writing(self.path / LOG), open(self.path / LOG, "ab") as file:
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")

    def lock(self) -> None:
        """Make the folder, and keep a second process from training in it for as long as this one lives."""
        if self.path.exists() and not self.path.is_dir():
            raise TenorError(f"{self.path} is a file; a run needs a folder. Choose another --out.")
        with writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        if not self._begun and any(
            each.name not in (_LOCK, DATA, CHECKPOINTS) and not _HALF.fullmatch(each.name)
            for each in self.path.iterdir()
        ):
            raise TenorError(
                f"{self.path} holds files that are not a run's; choose a folder that is new or empty."
            )
        busy = f"Another process is training in {self.path}; wait for it, or choose another --out."
        self._lock.enter_context(exclusive_lock(self.path / _LOCK, busy=busy))

    def unlock(self) -> None:
        """Let others in again."""
        self._lock.close()


def _file_name(task: str) -> str:
    """Return a name that every file system takes, different for different tasks."""
    plain = "".join(
        letter if (letter.isalnum() and letter.isascii()) or letter in "-_" else "_" for letter in task
    )
    return plain if plain == task else f"{plain}-{sum(map(ord, task)):x}"
