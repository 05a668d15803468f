"""What the tests of all rooms share: a tiny random model, and few threads."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tiny import write_tiny_model

# How long an example takes says nothing on a busy machine.
settings.register_profile("tenor", deadline=None)
settings.load_profile("tenor")

# Tests run two at a time on two cores; more threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder (sentence-transformers layout) of a tiny random BERT; do not write into it."""
    return write_tiny_model(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def make_tiny(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a tiny model folder: ``make_tiny("name", seed=1, pooling="cls")``."""
    return lambda name="tiny", **settings: write_tiny_model(tmp_path / name, **settings)


@pytest.fixture
def run_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command line in ``tmp_path`` and gives its exit code, stdout and stderr.

    It runs in this process, which spares importing everything again.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run_here(*arguments: object) -> tuple[int, str, str]:
        from tenor.cli.main import run

        with pytest.raises(SystemExit) as end:
            run([*map(str, arguments)])
        code = end.value.code or 0
        printed = capsys.readouterr()
        return int(code), printed.out, printed.err

    return run_here
