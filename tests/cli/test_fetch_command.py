import json

import pytest

from tenor.assets.table import TABLE
from tenor.cli.main import run


def call(*arguments):
    with pytest.raises(SystemExit) as caught:
        run(list(arguments))
    return caught.value.code


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path))


def test_fetch_without_a_name_lists_everything(capsys):
    assert call("fetch") == 0
    said = capsys.readouterr().out
    for asset in TABLE.values():
        line = next(line for line in said.splitlines() if line.startswith(asset.name + " "))
        assert asset.licence in line
        assert asset.sources[0].package in line
        assert f"{asset.sources[0].bytes / 1e6:.1f} MB" in line
        # Some packages may be installed beside us, whose files then need no fetching.
        assert line.endswith((" no", " installed package"))


def test_models(capsys):
    assert call("models") == 0
    said = capsys.readouterr().out
    assert "tenor fetch minilm" in said
    assert "stsb" not in said
    assert call("models", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["name"], row["dimensions"], row["layers"]) for row in rows] == [
        ("minilm", 384, 6),
        ("potion-8m", 256, 0),
    ]
    assert rows[0]["folder"] is None


def test_a_typo_is_one_sentence(capsys):
    assert call("fetch", "minlm") == 2
    assert capsys.readouterr().err == "tenor: There is no asset called 'minlm'. Did you mean 'minilm'?\n"


def test_verify_needs_no_network_for_what_is_at_hand(capsys, monkeypatch):
    monkeypatch.delenv("TENOR_CACHE")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9")
    assert call("fetch", "minilm", "--verify") == 0
    assert "intact" in capsys.readouterr().err
