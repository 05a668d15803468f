"""Benchmarks and examples are no part of the package, so that a renaming would pass them by unseen."""

import ast
import importlib
import sys
from pathlib import Path

import pytest

from tenor.assets import find
from tenor.errors import TenorError

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted([*(ROOT / "bench").glob("*.py"), *(ROOT / "examples").glob("*.py")])


def names_of(script):
    """Return the modules of ours that a script imports from, with the names that it takes."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tenor":
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_what_a_script_imports_is_there(script):
    for module, name in names_of(script):
        if not hasattr(importlib.import_module(module), name):
            importlib.import_module(f"{module}.{name}")


def test_the_page_shows_every_result_and_no_other(monkeypatch):
    try:
        find("minilm")
    except TenorError:
        pytest.skip("The shares of the arithmetic are computed from the starter, which is not here.")
    monkeypatch.setattr(sys, "path", [str(ROOT / "bench"), *sys.path])
    for script in SCRIPTS:  # folders of tests may be known under the same names
        monkeypatch.delitem(sys.modules, script.stem, raising=False)
    run = importlib.import_module("run")
    page = (ROOT / "bench" / "results" / "README.md").read_text(encoding="utf-8")
    assert page == "\n".join(run.page()) + "\n"
    words = run.json.loads((run.RESULTS / "words.json").read_text(encoding="utf-8"))
    assert set(words) == set(importlib.import_module("words").MEASURES)
