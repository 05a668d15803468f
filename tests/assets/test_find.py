import sys
from pathlib import Path

import pytest
from wheels import PAYLOAD, asset_of, source_of, write_wheel

from tenor import TenorError, assets
from tenor.assets.cache import cache_folder, folder_of
from tenor.assets.find import at_hand, find
from tenor.assets.listing import listed_models, listing


@pytest.fixture
def tiny(index):
    return index.serve()


def put(asset, folder):
    for name, content in PAYLOAD.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_the_cache_is_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "own"
    monkeypatch.delenv("TENOR_CACHE")
    assert cache_folder() == tmp_path / "xdg" / "tenor"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == tmp_path / "home" / ".cache" / "tenor"


def test_a_folder_comes_before_a_name(tiny, tmp_path, monkeypatch):
    put(tiny, folder_of(tiny))
    monkeypatch.chdir(tmp_path)
    assert find("tiny") == folder_of(tiny)
    (tmp_path / "tiny").mkdir()
    assert find("tiny") == Path("tiny")
    assert find(tmp_path / "tiny") == tmp_path / "tiny"


def test_an_installed_package_is_found_but_not_imported(index, tmp_path, monkeypatch):
    import zipfile

    asset = index.register(asset_of(source_of(write_wheel(tmp_path))))
    site = tmp_path / "site"
    zipfile.ZipFile(tmp_path / asset.sources[0].file).extractall(site)  # its __init__ would exit
    monkeypatch.syspath_prepend(site)
    assert find("tiny") == site / "inner"
    assert "inner" not in sys.modules
    assert at_hand(asset).where == "installed package"
    put(asset, folder_of(asset))  # the cache comes first
    assert find("tiny") == folder_of(asset)


def test_what_is_not_at_hand_is_not_fetched(tiny, left):
    with pytest.raises(TenorError, match="Get it with: tenor fetch tiny"):
        find("tiny")
    assert left() == []


def test_a_short_file_is_noticed(tiny):
    put(tiny, folder_of(tiny))
    (folder_of(tiny) / "config.json").write_bytes(b"{}")
    with pytest.raises(
        TenorError, match=r"config\.json has 2 bytes where 12 are expected.*tenor fetch tiny --force"
    ):
        find("tiny")
    (folder_of(tiny) / "config.json").unlink()
    with pytest.raises(TenorError, match=r"config\.json is missing"):
        find("tiny")


def test_kinds_that_the_caller_cannot_use_are_refused(tiny):
    with pytest.raises(TenorError, match="'stsb' is data, where a model or static model is expected"):
        find("stsb", kinds=assets.MODELS)


@pytest.mark.parametrize("path", ["./nowhere", "/no/where", "a/b/c", "~/models", "", "../x"])
def test_a_path_that_leads_nowhere_is_no_typo(path, cache):
    with pytest.raises(TenorError, match="There is no folder"):
        find(path)


def test_a_hub_name_without_prefix_gets_a_hint(cache):
    with pytest.raises(TenorError, match="write hub:owner/model"):
        find("owner/model")


def test_a_file_is_not_a_folder(tmp_path, cache):
    (tmp_path / "f.txt").write_text("x")
    with pytest.raises(TenorError, match="is a file"):
        find(tmp_path / "f.txt")


def test_a_typo_gets_the_nearest_name(cache):
    with pytest.raises(TenorError, match="Did you mean 'minilm'"):
        find("minlm")


def test_the_list_says_what_is_at_hand(tiny):
    rows = {row.name: row for row in listing()}
    assert rows["tiny"].folder is None
    assert rows["minilm"].download_bytes == 83_506_384
    put(tiny, folder_of(tiny))
    assert {row.name: row.where for row in listing()}["tiny"] == "cache"
    (folder_of(tiny) / "config.json").unlink()
    assert {row.name: row.damage for row in listing()}["tiny"]
    assert {row.name for row in listed_models()} == {"minilm", "potion-8m", "tiny"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nosuch", "no model called 'nosuch'.* Give a starter \\(minilm, potion-8m\\), the path"),
        ("minilmm", "Did you mean 'minilm'"),
        ("runs/mine/model", "no folder or file 'runs/mine/model'"),
    ],
)
def test_a_model_that_is_missing_is_not_answered_with_data_sets(name, said):
    with pytest.raises(TenorError, match=said) as error:
        find(name, kinds=assets.MODELS)
    assert "movie-reviews" not in str(error.value)


def _flip(path):
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)


def test_one_flipped_byte_of_a_cached_asset_is_noticed(tiny):
    folder = put(tiny, folder_of(tiny))
    assert find("tiny") == folder
    _flip(folder / tiny.files[0].name)
    for _ in range(2):  # also when it is asked again
        with pytest.raises(TenorError, match=r"tiny is damaged: .* other contents.* --force"):
            find("tiny")


def test_digests_are_taken_once_and_again_when_a_file_was_touched(tiny, monkeypatch, caplog):
    folder = put(tiny, folder_of(tiny))
    taken = []
    real = assets.cache.sha256_of
    monkeypatch.setattr(assets.cache, "sha256_of", lambda path: taken.append(path) or real(path))
    find("tiny")
    count = len(taken)
    assert count == len(tiny.files)
    find("tiny")
    assert len(taken) == count
    assert not caplog.records
    (folder / tiny.files[0].name).touch()
    find("tiny")
    assert len(taken) == 2 * count
    assert "tiny was touched" in caplog.text
