"""Folders that are broken or hostile: one clear sentence each; and what saving promises."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import tenor
from tenor.errors import TenorError
from tenor.model.folder import read_folder

TEXTS = ["the cat", "", "a dog sat on the mat " * 9]


def load(folder):
    return tenor.load(folder, precision="fp32")


def change(path: Path, **values: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def module_path(folder: Path, path: object, kind: str = "sentence_transformers.models.Pooling") -> None:
    modules = json.loads((folder / "modules.json").read_text())
    modules[1] |= {"path": path, "type": kind}
    (folder / "modules.json").write_text(json.dumps(modules))


def first_weights(folder: Path, shape: tuple[int, ...]) -> None:
    tensors = load_file(folder / "model.safetensors")
    tensors["embeddings.LayerNorm.weight"] = np.zeros(shape, dtype=np.float32)
    save_file(tensors, folder / "model.safetensors")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def index(folder: Path, name: str) -> None:
    os.rename(folder / "model.safetensors", folder / "a.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"x": name}}))


def pickle_only(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    # A pickle that would create a file if it were run.
    (folder / "pytorch_model.bin").write_bytes(
        b"cos\nsystem\n(S'touch " + str(folder).encode() + b"/ran'\ntR."
    )


BROKEN = {
    "no config": (lambda f: (f / "config.json").unlink(), "config.json does not exist"),
    "config is no JSON": (lambda f: (f / "config.json").write_text("{"), "config.json is not valid JSON"),
    "config is a list": (lambda f: (f / "config.json").write_text("[]"), "must hold a JSON object"),
    "another architecture": (lambda f: change(f / "config.json", model_type="gpt2"), "No encoder has"),
    "config of another size": (lambda f: change(f / "config.json", hidden_size=64), "shape"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "holds no weights"),
    "truncated weights": (lambda f: cut(f / "model.safetensors"), "model.safetensors"),
    "empty weights": (lambda f: (f / "model.safetensors").write_bytes(b""), "model.safetensors"),
    "weights of a wrong shape": (lambda f: first_weights(f, (31,)), "shape"),
    "shard outside": (lambda f: index(f, "../a.safetensors"), "not a plain"),
    "shard missing": (lambda f: index(f, "b.safetensors"), "not in the folder"),
    "a pickle that runs code": (pickle_only, "never run"),
    "no tokenizer": (
        lambda f: [(f / name).unlink() for name in ("tokenizer.json", "vocab.txt")], "has no tokenizer"
    ),
    "truncated tokenizer": (lambda f: cut(f / "tokenizer.json"), "not a usable tokenizer"),
    "tokenizer of another model": (lambda f: change(f / "config.json", vocab_size=100), "different models"),
    "modules no JSON": (lambda f: (f / "modules.json").write_text("x"), "modules.json is not valid JSON"),
    "modules empty": (lambda f: (f / "modules.json").write_text("[]"), "must hold a list of modules"),
    "modules of strings": (lambda f: (f / "modules.json").write_text('["a"]'), "must hold a list of modules"),
    "module outside": (lambda f: module_path(f, "../../etc"), "does not lie inside"),
    "module at a root": (lambda f: module_path(f, "/etc"), "does not lie inside"),
    "module outside, other slashes": (lambda f: module_path(f, "..\\x"), "does not lie inside"),
    "module path a number": (lambda f: module_path(f, 3), "without 'type' and 'path'"),
    "module with code": (lambda f: module_path(f, "x", "evil.Module"), "neither has nor runs"),
    "module unknown": (lambda f: module_path(f, "x", "sentence_transformers.models.LSTM"), "LSTM module"),
    "pooling missing": (lambda f: (f / "1_Pooling/config.json").unlink(), "does not exist"),
    "pooling unknown": (lambda f: change(f / "1_Pooling/config.json", pooling_mode="magic"), "'magic' is"),
    "pooling a number": (lambda f: change(f / "1_Pooling/config.json", pooling_mode=3), "a name or a list"),
    "limit negative": (lambda f: change(f / "sentence_bert_config.json", max_seq_length=-5), "at least 4"),
    "limit a text": (lambda f: change(f / "sentence_bert_config.json", max_seq_length="all"), "at least 4"),
    "prompts a list": (
        lambda f: change(f / "config_sentence_transformers.json", prompts=["a"]), "not a table"
    ),
    "default prompt unknown": (
        lambda f: change(f / "config_sentence_transformers.json", default_prompt_name="x"), "no prompt of"
    ),
    "later format": (lambda f: (f / "tenor.json").write_text('{"format": 99}'), "later Tenor"),
    "format a text": (lambda f: (f / "tenor.json").write_text('{"format": "x"}'), "expected a number"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_folders_are_told_in_one_sentence(make_tiny, name):
    folder = make_tiny()
    damage, told = BROKEN[name]
    damage(folder)
    with pytest.raises(TenorError, match=told) as error:
        load(folder)
    assert "\n" not in str(error.value)
    assert not (folder / "ran").exists()


@pytest.mark.parametrize("name", ["no/such/folder", "", "nosuchname", "/etc/hostname"])
def test_names_that_lead_nowhere(name):
    with pytest.raises(TenorError):
        load(name)


def test_unknown_precision_and_device(tiny_folder):
    with pytest.raises(TenorError, match="not known; choose auto, fp32"):
        tenor.load(tiny_folder, precision="fp64")
    with pytest.raises(TenorError, match="not usable"):
        tenor.load(tiny_folder, device="quantum")


def test_a_limit_beyond_the_positions_is_cut_to_them(make_tiny):
    assert read_folder(make_tiny(limit=1_000)).max_tokens == 64


def test_saving_and_loading_changes_nothing(tiny_folder, tmp_path):
    model = load(tiny_folder)
    model.save(tmp_path / "a")
    again = load(tmp_path / "a")
    np.testing.assert_array_equal(again.encode(TEXTS), model.encode(TEXTS))
    assert again.fingerprint == model.fingerprint
    assert again.prompts == {"query": "question: "}
    for name in ("model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tiny_folder / name).read_bytes()
    again.save(tmp_path / "b")
    assert (tmp_path / "b/modules.json").read_bytes() == (tmp_path / "a/modules.json").read_bytes()


def test_a_pickled_checkpoint_is_saved_as_safetensors(make_tiny, tmp_path):
    import torch

    folder = make_tiny()
    expected = load(folder).encode(TEXTS)
    tensors = {
        name: torch.from_numpy(value) for name, value in load_file(folder / "model.safetensors").items()
    }
    torch.save(tensors, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    model = load(folder)
    model.save(tmp_path / "saved")
    assert not (tmp_path / "saved/pytorch_model.bin").exists()
    np.testing.assert_array_equal(load(tmp_path / "saved").encode(TEXTS), expected)
    np.testing.assert_array_equal(model.encode(TEXTS), expected)


def test_a_vocabulary_file_is_enough(make_tiny, tmp_path):
    folder = make_tiny()
    expected = load(folder).encode(TEXTS)
    (folder / "tokenizer.json").unlink()
    model = load(folder)
    model.save(tmp_path / "saved")
    np.testing.assert_array_equal(load(tmp_path / "saved").encode(TEXTS), expected)


def test_saving_over_something_is_refused(tiny_folder, tmp_path):
    model = load(tiny_folder)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("mine")
    for target in (tmp_path / "full", tmp_path / "full/file"):
        with pytest.raises(TenorError, match="exists already"):
            model.save(target)
    (tmp_path / "empty").mkdir()
    model.save(tmp_path / "empty")
    assert load(tmp_path / "empty").fingerprint == model.fingerprint


def test_a_failed_save_leaves_nothing(tiny_folder, tmp_path, monkeypatch):
    model = load(tiny_folder)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(TenorError, match="disk is full"):
        model.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_fingerprints_tell_models_apart(make_tiny):
    prints = {
        load(make_tiny("a")).fingerprint,
        load(make_tiny("b", seed=1)).fingerprint,
        load(make_tiny("c", pooling="cls")).fingerprint,
        load(make_tiny("d", normalize=False)).fingerprint,
        load(make_tiny("e", limit=20)).fingerprint,
    }
    assert len(prints) == 5
    assert load(make_tiny("again")).fingerprint in prints


def test_prompts_are_part_of_the_fingerprint_unless_they_are_empty(make_tiny):
    """A default prompt stands before every text, so two folders that differ in it give other vectors."""

    def told(name, **settings):
        folder = make_tiny(name)
        change(folder / "config_sentence_transformers.json", **settings)
        return load(folder).fingerprint

    plain = told("a", prompts={})
    assert told("b", prompts={"query": "", "document": ""}, default_prompt_name="query") == plain
    named = told("c", prompts={"query": "ask: "})
    assert len({plain, named, told("d", prompts={"query": "ask: "}, default_prompt_name="query")}) == 3


def test_digests_of_big_files_are_remembered_until_they_change(tmp_path, monkeypatch):
    from tenor.model import fingerprint

    monkeypatch.setenv("TENOR_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "weights"
    file.write_bytes(b"a" * (1 << 20))
    first = fingerprint._digest(file)
    monkeypatch.setattr(fingerprint, "sha256_of", lambda _: "read again")
    assert fingerprint._digest(file) == first
    file.write_bytes(b"b" * (1 << 20))
    assert fingerprint._digest(file) == "read again"


def test_a_folder_that_is_no_model_is_called_so(tmp_path):
    with pytest.raises(TenorError, match=r"is not a model folder: config\.json does not exist in it"):
        read_folder(tmp_path)
