"""Writing aside: what a killed process left is removed, what a living one writes is not."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tenor.errors import TenorError
from tenor.files import WriteError, atomic_file, atomic_folder, write_json

KILLED = """
import os, signal, sys
from pathlib import Path
from tenor.files import atomic_file, atomic_folder

with (atomic_folder if sys.argv[2] == "folder" else atomic_file)(sys.argv[1]) as aside:
    (aside / "half" if sys.argv[2] == "folder" else aside).write_text("half")
    if sys.argv[3] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    print("writing", flush=True)
    sys.stdin.read()
"""


def _aged(folder: Path) -> list[Path]:
    """Let the clock go on for what stands aside, and return it."""
    left = [path for path in folder.iterdir() if path.name.endswith(".part")]
    for path in left:
        os.utime(path, times=(time.time() - 3600,) * 2)
    return left


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "out"
    done = subprocess.run([sys.executable, "-c", KILLED, target, kind, "die"], check=False)
    assert done.returncode == -9
    assert len(_aged(tmp_path)) == 1
    with atomic_folder(target) if kind == "folder" else atomic_file(target) as aside:
        (aside / "whole" if kind == "folder" else aside).write_text("whole")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_living_process_writes_is_left_alone(tmp_path: Path, kind: str) -> None:
    command = [sys.executable, "-c", KILLED, tmp_path / "out", kind, "live"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "writing\n"
        left = _aged(tmp_path)
        write_json(tmp_path / "out", [1]) if kind == "file" else None
        if kind == "folder":
            with atomic_folder(tmp_path / "out2"), atomic_folder(tmp_path / "out"):
                pass
        assert left
        assert all(path.exists() for path in left)
        process.stdin.close()


def test_files_of_others_and_new_ones_are_left_alone(tmp_path: Path) -> None:
    names = [".out.part", ".out.notours.part", ".out.short.part", ".other.abcd1234.part", "out.abcd1234.part"]
    for name in names:
        (tmp_path / name).write_text("kept")
        os.utime(tmp_path / name, times=(0, 0))
    (tmp_path / ".out.abcd1234.part").write_text("new")
    write_json(tmp_path / "out", [1])
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {*names, ".out.abcd1234.part", "out"}


def test_a_link_that_looks_like_ours_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("kept")
    (tmp_path / ".out.abcd1234.part").symlink_to(tmp_path / "mine")
    os.utime(tmp_path / ".out.abcd1234.part", times=(0, 0), follow_symlinks=False)
    write_json(tmp_path / "out", [1])
    assert (tmp_path / "mine" / "file").read_text() == "kept"


def test_what_cannot_be_written_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="does not exist"):
        write_json(tmp_path / "none" / "out", [1])
    assert issubclass(WriteError, TenorError)
