"""What every command does alike: unknown commands, Ctrl-C, and output that cannot be written."""

import signal
import subprocess
import sys
import time
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
    assert (done.returncode, done.stderr) == (2, "tenor: Cannot continue: the disk is full.\n")


def test_a_reader_that_goes_away_is_no_reason_to_complain():
    with subprocess.Popen([*_COMMAND, "fetch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (0, 1)


@pytest.fixture
def broken(monkeypatch, tmp_path):
    """Make `tenor fetch` fail with an error that nobody foresaw; reports go to ``tmp_path``."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("TENOR_DEBUG", raising=False)

    def fail_with(error):
        def listing():
            raise error

        monkeypatch.setattr(tenor.assets.listing, "listing", listing)

    return fail_with


def test_what_nobody_foresaw_is_a_sentence_and_a_file_to_attach(broken, capsys, tmp_path):
    broken(ZeroDivisionError("by a \x1b[31m hostile\nname"))
    with pytest.raises(SystemExit) as end:
        run(["fetch"])
    assert end.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("tenor: Something went wrong")
    assert told.count("\n") == 1
    assert "Traceback" not in told
    assert "\x1b" not in told
    (report,) = tmp_path.glob("tenor-report-*.txt")
    assert str(report) in told
    assert "in listing\n    raise error" in report.read_text()
    assert f"tenor {tenor.__version__}" in report.read_text()


def test_panics_of_libraries_are_caught_too(broken, capsys):
    broken(type("PanicException", (BaseException,), {})("index out of bounds"))
    with pytest.raises(SystemExit) as end:
        run(["fetch"])
    assert end.value.code == 2
    assert "index out of bounds" in capsys.readouterr().err


def test_debug_shows_the_trace(broken, monkeypatch):
    broken(ZeroDivisionError("zero"))
    monkeypatch.setenv("TENOR_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run(["fetch"])


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried 4 bytes")]
)
def test_too_little_memory_is_told_with_what_to_do(broken, capsys, tmp_path, error):
    broken(error)
    with pytest.raises(SystemExit) as end:
        run(["fetch"])
    assert end.value.code == 2
    assert "not enough memory" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
@pytest.mark.parametrize("megabytes", [300, 500, 800, 1200])
def test_a_limit_of_addresses_is_a_sentence_whatever_it_stops(tiny_folder, megabytes):
    code = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({megabytes} << 20,) * 2)
from tenor.__main__ import run
sys.argv = ["tenor", "compare", "a cat", "the dog", "--model", {str(tiny_folder)!r}]
run()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    # OpenBLAS ends the process by itself, with a sentence of its own, where its threads get no memory.
    assert done.returncode in (0, 2) or "OpenBLAS error" in done.stderr, done.stderr[-800:]
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("milliseconds", range(50, 650, 30))
def test_ctrl_c_at_any_moment_of_the_start_leaves_no_traceback(tiny_folder, milliseconds):
    command = [sys.executable, "-m", "tenor", "compare", "a cat", "the dog", "--model", tiny_folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(milliseconds / 1000)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
    if "tenor" not in told:
        pytest.skip("Python itself was not there yet, or all was done")
    assert "Traceback" not in told, told[-600:]
    # -SIGINT before Python hears it. 2 was seen once: a library that swallows the interrupt hides it from us.
    assert process.returncode in (0, 130, -signal.SIGINT, 2)


def test_an_error_that_ctrl_c_led_to_is_ctrl_c(broken):
    error = ImportError("half imported")
    error.__context__ = KeyboardInterrupt()
    broken(error)
    with pytest.raises(SystemExit) as end:
        run(["fetch"])
    assert end.value.code == 130
