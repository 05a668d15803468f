import re

import pytest

from tenor import TenorError
from tenor.assets.table import MODELS, TABLE, File, look_up

FIRST_TABLE = "minilm potion-8m glove-300d glove-50d word2vec-300d stsb movie-reviews wordnet"


def test_the_table_holds_what_was_promised():
    assert set(FIRST_TABLE.split()) <= set(TABLE)


@pytest.mark.parametrize("asset", TABLE.values(), ids=lambda asset: asset.name)
def test_every_row_is_complete(asset):
    assert asset.name == TABLE[asset.name].name
    assert asset.licence
    assert asset.description.endswith(".")
    assert asset.sources
    for source in asset.sources:
        wheel_package, wheel_version = source.file.split("-")[:2]
        assert wheel_package == re.sub(r"[-_.]+", "_", source.package)
        assert wheel_version == source.version
        assert source.file.endswith(".whl")  # a source archive would run code
        assert source.folder.endswith("/")
    for entry in (*asset.sources, *asset.files):
        assert re.fullmatch("[0-9a-f]{64}", entry.sha256)
        assert entry.bytes > 0
    assert (asset.dimensions is not None) == (asset.kind in MODELS)


def test_fingerprints_tell_rows_apart():
    assert len({asset.fingerprint for asset in TABLE.values()}) == len(TABLE)


@pytest.mark.parametrize(
    "name", ["../up", "/etc/passwd", "a/../../b", "a\\b", "c:x", "", "x\0y", "./a", "a//b"]
)
def test_a_row_cannot_list_a_file_outside_its_folder(name):
    with pytest.raises(TenorError, match="not a plain data file"):
        File(name, 1, "0" * 64)


@pytest.mark.parametrize("name", ["setup.py", "model.pkl", "weights.pickle", "a/b.so", "c.joblib"])
def test_a_row_cannot_list_code_or_pickles(name):
    with pytest.raises(TenorError, match="not a plain data file"):
        File(name, 1, "0" * 64)


@pytest.mark.parametrize(
    ("typo", "meant"), [("minlm", "minilm"), ("MiniLM", "minilm"), ("glove300", "glove-300d")]
)
def test_a_typo_gets_the_nearest_name(typo, meant):
    with pytest.raises(TenorError, match=f"Did you mean '{meant}'"):
        look_up(typo)


def test_a_strange_name_gets_the_list():
    with pytest.raises(TenorError, match="Available are: minilm, potion-8m"):
        look_up("qqqqqq")
