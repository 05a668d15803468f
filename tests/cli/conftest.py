"""What the tests of commands share."""

import pytest

from tenor.cli.main import run


@pytest.fixture
def on_tiny(tiny_folder, tmp_path, monkeypatch, capsys):
    """Return a function that runs a command on the tiny model, in this process and a folder of its own.

    It returns the exit code, stdout and stderr. No process is started, which spares importing everything.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run_here(*arguments):
        try:
            run([*map(str, arguments), "--model", str(tiny_folder), "--precision", "fp32"])
            code = 0
        except SystemExit as end:
            code = end.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run_here
