"""The doctor finds what is wrong, says what to do, and ends with code 1."""

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tenor.assets.cache import folder_of
from tenor.assets.table import TABLE, File
from tenor.extras import EXTRAS
from tenor.machine import doctor
from tenor.machine.doctor import examine_machine

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def starter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Put a small stand-in for the starter into a cache of its own; importing takes no time."""
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(doctor, "_import_error", lambda module: None)
    digest = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
    asset = replace(TABLE["minilm"], files=(File("a.txt", bytes=11, sha256=digest),), sources=())
    monkeypatch.setattr(doctor, "TABLE", {"minilm": asset})
    folder_of(asset).mkdir(parents=True)
    (folder_of(asset) / "a.txt").write_text("hello world")
    return folder_of(asset) / "a.txt"


def _of(what: str) -> doctor.Diagnosis:
    return next(diagnosis for diagnosis in examine_machine() if diagnosis.what == what)


def test_a_sound_machine_has_nothing_wrong(starter: Path, run_command: Run) -> None:
    code, shown, _ = run_command("doctor")
    assert (code, "Nothing is wrong." in shown) == (0, True), shown
    for what in ("cache", "minilm", "threads", "precision", "extra fast"):
        assert what in shown


def test_a_damaged_and_a_missing_starter_are_wrong(starter: Path, run_command: Run) -> None:
    starter.write_text("hello earth")
    code, shown, _ = run_command("doctor", "--json")
    found = {each["what"]: each for each in json.loads(shown)}
    assert code == 1
    assert found["minilm"]["state"] == "wrong"
    assert found["minilm"]["advice"] == "Get it again with: tenor fetch minilm --force"
    starter.unlink()
    starter.parent.rmdir()
    assert _of("starter").advice == "Get it with: tenor fetch minilm"


def test_a_cache_that_cannot_be_written_is_wrong(
    starter: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path / "file"))
    assert _of("cache").state == "wrong"


def test_missing_extras_are_notes_and_broken_ones_are_wrong(
    starter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "EXTRAS", {"one": ("no_such_module",), "two": ("json",)})
    assert _of("extra one").state == "note"
    assert "pip install 'tenor[one]'" in str(_of("extra one").advice)
    assert _of("extra two").state == "ok"
    monkeypatch.setattr(doctor, "_import_error", lambda module: f"Importing {module} failed.")
    assert _of("extra two").state == "wrong"


def test_a_module_that_ends_the_process_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deadly.py").write_text("import os; os.abort()")
    (tmp_path / "faulty.py").write_text("raise ImportError('libodd.so is missing')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert "ended with -6" in str(doctor._import_error("deadly"))
    assert "libodd.so is missing" in str(doctor._import_error("faulty"))
    assert doctor._import_error("json") is None


def test_the_extras_are_those_of_the_package() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    declared = tomllib.loads(text)["project"]["optional-dependencies"]
    assert set(EXTRAS) == set(declared) - {"docs", "recommended", "dev"}
