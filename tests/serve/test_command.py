"""The command's options, and what it says where the packages are missing."""

import inspect
import subprocess
import sys

import pytest

from tenor.cli.serve import serve as command
from tenor.errors import TenorError
from tenor.serve.limits import Limits
from tenor.serve.server import DEFAULT_PORT, Settings, serve


def test_defaults_of_the_command_are_those_of_the_library():
    given = {name: each.default for name, each in inspect.signature(command).parameters.items()}
    limits, settings = Limits(), Settings()
    assert (given["max_texts"], given["max_characters"], given["max_tokens"], given["queue"]) == (
        limits.texts,
        limits.characters,
        limits.tokens,
        limits.waiting_texts,
    )
    assert (given["host"], given["port"], given["model"]) == (settings.host, DEFAULT_PORT, settings.model)


@pytest.mark.parametrize("package", ["uvicorn", "starlette", "orjson"])
def test_a_missing_package_is_named_with_its_extra(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(TenorError, match=rf"{package}.*tenor\[serve\]"):
        serve(Settings(port=0), ready=lambda url: None, note=lambda text: None)


def test_help_imports_no_server():
    code = (
        "import sys; sys.argv = ['tenor', 'serve', '--help']\n"
        "from tenor.cli.main import run\n"
        "try: run()\n"
        "except SystemExit: pass\n"
        "assert not {'torch', 'uvicorn', 'starlette', 'openvino'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--allow-origin" in done.stdout
