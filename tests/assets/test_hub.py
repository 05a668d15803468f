"""The hub, played by a stand-in for `huggingface_hub`: the tests have no network."""

import sys
from fnmatch import fnmatch
from types import ModuleType, SimpleNamespace

import pytest

from tenor import TenorError
from tenor.assets import fetch, find, verify
from tenor.assets.listing import listed_models


class GatedRepoError(Exception):
    pass


class RepositoryNotFoundError(Exception):
    pass


class FakeHub(ModuleType):
    def __init__(self, folder):
        super().__init__("huggingface_hub")
        self.folder, self.calls, self.error = folder, [], None
        self.files = [
            "config.json",
            "model.safetensors",
            "pytorch_model.bin",
            "vocab.txt",
            "code.py",
            "onnx/model.json",
        ]
        self.constants = SimpleNamespace(HF_HUB_OFFLINE=False)
        self.errors = SimpleNamespace(
            GatedRepoError=GatedRepoError, RepositoryNotFoundError=RepositoryNotFoundError
        )

    def HfApi(self):
        return self

    def model_info(self, name, *, timeout):
        self.calls.append("info")
        assert timeout <= 10
        if self.error:
            raise self.error
        return SimpleNamespace(
            sha="c0ffee", siblings=[SimpleNamespace(rfilename=file) for file in self.files]
        )

    def snapshot_download(self, name, *, revision, allow_patterns, ignore_patterns, etag_timeout):
        self.calls.append(f"download {name}@{revision}")
        self.taken = {
            file
            for file in self.files
            if any(fnmatch(file, pattern) for pattern in allow_patterns)
            and not any(fnmatch(file, pattern) for pattern in ignore_patterns)
        }
        self.folder.mkdir(exist_ok=True)
        return str(self.folder)


@pytest.fixture
def hub(tmp_path, monkeypatch, cache):
    fake = FakeHub(tmp_path / "snapshot")
    monkeypatch.setitem(sys.modules, "huggingface_hub", fake)
    monkeypatch.setitem(sys.modules, "huggingface_hub.constants", fake.constants)
    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", fake.errors)
    return fake


def test_only_data_is_taken(hub):
    assert find("hub:owner/model") == hub.folder
    assert hub.taken == {"config.json", "model.safetensors", "vocab.txt"}
    assert hub.calls == ["info", "download owner/model@c0ffee"]


def test_old_weights_only_where_there_are_no_others(hub):
    hub.files.remove("model.safetensors")
    find("hub:owner/model")
    assert hub.taken == {"config.json", "pytorch_model.bin", "vocab.txt"}


def test_what_is_at_hand_is_not_asked_for_again(hub):
    find("hub:owner/model")
    hub.error = OSError("no network")
    hub.calls.clear()
    assert find("hub:owner/model") == hub.folder
    assert hub.calls == []
    assert [row.name for row in listed_models() if row.where][-1:] == ["hub:owner/model"]
    with pytest.raises(TenorError):
        fetch("hub:owner/model", force=True)
    hub.folder.rmdir()  # its files were removed
    with pytest.raises(TenorError):
        find("hub:owner/model")


@pytest.mark.parametrize("content", ["", "[]", '{"folder": 3}', "{"])
def test_a_damaged_record_only_means_another_download(hub, cache, content):
    find("hub:owner/model")
    (cache / "hub" / "owner--model.json").write_text(content)
    assert not any(row.name.startswith("hub:") for row in listed_models())
    assert find("hub:owner/model") == hub.folder
    assert len(hub.calls) == 4


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError("[Errno -2] Name or service not known\nmore"),
            "hub did not answer .*not known.*Check the network",
        ),
        (GatedRepoError("…"), "accept its terms"),
        (RepositoryNotFoundError("…"), "does not exist on the hub"),
        (OSError(28, "No space left on device"), "the disk is full"),
    ],
)
def test_failures_are_one_sentence(hub, error, said):
    hub.error = error
    with pytest.raises(TenorError, match=said) as caught:
        find("hub:owner/model")
    assert "\n" not in str(caught.value)
    assert list(listed_models())  # and nothing half-done is listed
    assert not any(row.name.startswith("hub:") for row in listed_models())


def test_offline_mode_is_named(hub):
    hub.constants.HF_HUB_OFFLINE = True
    with pytest.raises(TenorError, match="HF_HUB_OFFLINE is set"):
        find("hub:owner/model")
    assert hub.calls == []


@pytest.mark.parametrize("name", ["", "../x", "a/b/c", "/a", "a b", "a/../b", "-x"])
def test_strange_names_are_refused(hub, name):
    with pytest.raises(TenorError, match="not a name of a hub model"):
        find(f"hub:{name}")
    assert hub.calls == []


def test_the_hub_is_never_tried_without_the_prefix(hub):
    for name in ("bert-base-uncased", "owner/model", "minlm"):
        with pytest.raises(TenorError):
            find(name)
    assert hub.calls == []


def test_without_the_package(monkeypatch, cache):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(TenorError, match=r"pip install 'tenor\[hub\]'"):
        find("hub:owner/model")


def test_hub_models_cannot_be_verified(cache):
    with pytest.raises(TenorError, match="nothing to verify"):
        verify("hub:owner/model")


def test_the_real_package_offline(monkeypatch, cache):
    """The names that we use exist in the real package, and no minutes of retries follow."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(TenorError, match="the hub did not answer"):
        find("hub:owner/model")
