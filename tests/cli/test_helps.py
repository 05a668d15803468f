"""The help of every command fits a terminal of 80 columns and speaks to people."""

import importlib
import re

import pytest

from tenor.cli.main import COMMANDS, run

WORDS = importlib.import_module("tenor.cli.words").COMMANDS
EVERY = [(), *((name,) for name in COMMANDS), *(("words", name) for name in WORDS)]


def help_of(path, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    with pytest.raises(SystemExit, match="0"):
        run([*path, "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize("path", EVERY, ids=lambda path: "-".join(path) or "tenor")
def test_a_help_fits_and_speaks_plainly(path, monkeypatch, capsys):
    text = help_of(path, monkeypatch, capsys)
    assert text.startswith(" ".join(["Usage: tenor", *path]))
    assert [line for line in text.splitlines() if len(line) > 80] == []
    options = text.partition("\nOptions:\n")[2]
    assert not re.search(r"list\[|range>", options)  # names of types are for programs
    told = re.split(r"\n  (?=-)", options)
    for option in filter(str.strip, told):
        assert re.search(r"[a-z)][.:]?( |\n|$)", option.partition("  ")[2]), option


@pytest.mark.parametrize("path", EVERY[1:], ids="-".join)
def test_examples_are_of_the_command_and_of_options_that_exist(path, monkeypatch, capsys):
    text = help_of(path, monkeypatch, capsys)
    known = set(re.findall(r"--[a-z][\w-]*", text.partition("\nOptions:\n")[2]))
    command = " ".join(("tenor", *path))
    for line in re.findall(rf"^      ({command} .*)$", text, re.MULTILINE):
        given = set(re.findall(r"(?<= )--[a-z][\w-]*", line.partition(" #")[0]))
        if path == ("words", "postprocess"):
            given -= {"--alpha"}  # a setting of the method
        assert given <= known, line
