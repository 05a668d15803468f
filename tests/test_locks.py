"""Locks between processes: a second one is told, a killed one leaves nothing in the way."""

import errno
import subprocess
import sys
import time

import filelock
import pytest

from tenor.errors import TenorError
from tenor.locks import exclusive_lock, file_lock

HOLD = """
import sys, time
from pathlib import Path
from tenor.locks import file_lock
with file_lock(Path(sys.argv[1]), wait=False) as held:
    print(held, flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holder(path, seconds):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), str(seconds)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "True\n"
    return process


def test_a_second_process_is_told_so_and_a_killed_one_blocks_nobody(tmp_path):
    path = tmp_path / "new" / "lock"
    with holder(path, 60) as process:
        with (
            pytest.raises(TenorError, match=r"^Somebody is here\.$"),
            exclusive_lock(path, busy="Somebody is here."),
        ):
            raise AssertionError("the lock is held")
        process.kill()
    with exclusive_lock(path, busy="Somebody is here."):
        pass


def test_waiting_ends_when_the_other_process_lets_go(tmp_path):
    with holder(tmp_path / "lock", 0.5):
        began = time.monotonic()
        with file_lock(tmp_path / "lock", wait=True) as held:
            assert held
        assert time.monotonic() - began > 0.2


@pytest.mark.parametrize("error", [OSError(errno.ENOLCK, "No locks available"), NotImplementedError()])
def test_everybody_is_let_through_where_there_are_no_locks(tmp_path, monkeypatch, error):
    def acquire(self):
        raise error

    monkeypatch.setattr(filelock.FileLock, "acquire", acquire)
    with file_lock(tmp_path / "lock", wait=False) as held:
        assert held


def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(TenorError, match="Cannot write"),
        file_lock(tmp_path / "file" / "lock", wait=True),
    ):
        raise AssertionError("there is no such folder")
