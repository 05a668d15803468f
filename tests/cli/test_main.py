"""What every command does alike: unknown commands, Ctrl-C, and output that cannot be written."""

import subprocess
import sys
from pathlib import Path

import pytest

import tenor.assets.listing
from tenor.cli.main import run

_COMMAND = [sys.executable, "-m", "tenor.cli.main"]


def test_a_mistyped_command_is_told_the_nearest(capsys):
    with pytest.raises(SystemExit) as end:
        run(["embd", "texts.txt"])
    assert end.value.code == 2
    assert "There is no command 'embd'. Did you mean 'embed'?" in capsys.readouterr().err


def test_ctrl_c_ends_with_the_code_of_an_interrupt_and_no_traceback(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(tenor.assets.listing, "listing", interrupted)
    with pytest.raises(SystemExit) as end:
        run(["fetch"])
    assert end.value.code == 130
    assert capsys.readouterr().err.strip() == "tenor: stopped."


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("arguments", [["--help"], ["fetch"], ["models", "--json"]])
def test_a_full_disk_behind_stdout_is_told_in_one_sentence(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*_COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (2, "tenor: Cannot go on: the disk is full.\n")


def test_a_reader_that_goes_away_is_no_reason_to_complain():
    with subprocess.Popen([*_COMMAND, "fetch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (0, 1)
