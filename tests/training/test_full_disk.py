"""A disk that is full: a sentence, a run that goes on, and nothing left behind."""

import errno
import os
from pathlib import Path

import pytest

from small_runs import write_run
from tenor.errors import TenorError
from tenor.training.api import train
from tenor.training.run_folder import RunFolder


class FullDisk:
    """Stands in for os.fsync: from the given call on the disk is full."""

    def __init__(self, after: int) -> None:
        self.after, self.calls = after, 0

    def __call__(self, descriptor: int) -> None:
        self.calls += 1
        if self.calls > self.after:
            raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("after", [0, 2, 5, 9, 14])
def test_a_full_disk_is_told_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    run = write_run(tmp_path / "run", training="checkpoint_steps = 2")
    monkeypatch.setattr(os, "fsync", FullDisk(after))
    with pytest.raises(TenorError, match=r"Cannot write .* the disk is full") as told:
        train(run, out=tmp_path / "out")
    begun = (tmp_path / "out" / "run.toml").exists()
    assert ("run the same command again" in str(told.value)) is begun
    monkeypatch.undo()
    done = train(run, out=tmp_path / "out")
    assert done.model is not None
    left = [path for path in (tmp_path / "out").rglob(".*") if path.name != ".lock"]
    assert left == []


@pytest.mark.parametrize("begun", [True, False])
def test_what_a_kill_left_in_a_run_folder_is_removed_at_the_next_start(tmp_path: Path, begun: bool) -> None:
    folder = RunFolder(tmp_path / "out")
    if begun:
        folder.lock()
        folder.begin("seed = 1\n", {})
        folder.unlock()
    checkpoints = folder.path / "checkpoints"
    checkpoints.mkdir(parents=True, exist_ok=True)
    for left in (checkpoints / ".tmpK3xJ9q", checkpoints / ".last.safetensors.abcd_123.part",
                 folder.path / ".run.toml.abcd1234.part"):  # fmt: skip
        left.write_bytes(b"half")
    (folder.path / ".model.abcd1234.part").mkdir()
    (checkpoints / "notes.txt").write_text("of a person")
    folder.lock()
    folder.begin("seed = 1\n", {})
    folder.unlock()
    names = {path.name for path in folder.path.rglob("*") if path.name.startswith(".")}
    assert names == {".lock"}
    assert (checkpoints / "notes.txt").exists()
