"""Damaged, wrong and hostile checkpoint folders: each gets one sentence, and no code of theirs ever runs."""

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.encoders.bert.config import BertConfig
from tenor.encoders.bert.encoder import BertEncoder
from tenor.encoders.bert.weights import read_tensors
from tenor.encoders.stored import read_safetensors
from tenor.errors import TenorError

WEIGHTS = "model.safetensors"
QUERY = "encoder.layer.0.attention.self.query.weight"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    sizes = BertConfig(
        vocab_size=20,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=12,
        max_position_embeddings=16,
    )
    BertCheckpoint(BertEncoder(sizes)).save(folder)
    return folder


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "model"))


def settings_of(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def tensors_of(folder: Path, change: Callable[[dict[str, np.ndarray]], object]) -> None:
    tensors = dict(load_file(folder / WEIGHTS))
    change(tensors)
    save_file(tensors, folder / WEIGHTS)


def header_of(folder: Path, text: bytes, *, length: int | None = None) -> None:
    size = len(text) if length is None else length
    (folder / WEIGHTS).write_bytes(size.to_bytes(8, "little") + text + bytes(64))


def pickled(folder: Path, content: object) -> None:
    (folder / WEIGHTS).unlink()
    (folder / "pytorch_model.bin").write_bytes(
        content if isinstance(content, bytes) else pickle.dumps(content)
    )


def index_of(folder: Path, places: object) -> None:
    (folder / WEIGHTS).rename(folder / "part.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))


def entry(**changes: object) -> bytes:
    return json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} | changes}).encode()


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (shutil.rmtree, "does not exist|not a folder"),
    "no config": (lambda f: (f / "config.json").unlink(), "config.json does not exist"),
    "config not JSON": (lambda f: (f / "config.json").write_text("{"), "not valid JSON"),
    "config not UTF-8": (lambda f: (f / "config.json").write_bytes(b"\xff\xfe{}"), "not valid JSON"),
    "config nested without end": (lambda f: (f / "config.json").write_text("[" * 200_000), "not valid JSON"),
    "config a list": (lambda f: (f / "config.json").write_text("[]"), "not a table"),
    "roberta": (lambda f: settings_of(f, model_type="roberta"), "'roberta', which is not BERT-shaped"),
    "mpnet": (lambda f: settings_of(f, model_type="mpnet"), "'mpnet', which is not BERT-shaped"),
    "kind not a word": (lambda f: settings_of(f, model_type=["bert"]), "not BERT-shaped"),
    "relative positions": (
        lambda f: settings_of(f, position_embedding_type="relative_key"), "only 'absolute' ones"),
    "decoder": (lambda f: settings_of(f, is_decoder=True), "is_decoder"),
    "heads do not divide": (
        lambda f: settings_of(f, num_attention_heads=3), "not divisible by num_attention_heads, 3"),
    "no heads": (lambda f: settings_of(f, num_attention_heads=0), "num_attention_heads"),
    "activation": (lambda f: settings_of(f, hidden_act="swish"), "'swish'.*gelu, gelu_new, relu"),
    "activation not a word": (lambda f: settings_of(f, hidden_act=["gelu"]), "hidden_act"),
    "size a text": (lambda f: settings_of(f, hidden_size="8"), "hidden_size"),
    "size a truth": (lambda f: settings_of(f, type_vocab_size=True), "type_vocab_size"),
    "size negative": (lambda f: settings_of(f, vocab_size=-1), "vocab_size"),
    "size beyond all": (lambda f: settings_of(f, vocab_size=10**15), "vocab_size"),
    "epsilon not a number": (lambda f: settings_of(f, layer_norm_eps=float("nan")), "layer_norm_eps"),
    "layers without end": (lambda f: settings_of(f, num_hidden_layers=10**9), "num_hidden_layers"),
    "more layers asked": (lambda f: settings_of(f, num_hidden_layers=3), "lacks 32 tensors, first"),
    "fewer layers asked": (lambda f: settings_of(f, num_hidden_layers=0), "does not have"),
    "other sizes asked": (lambda f: settings_of(f, vocab_size=10_000_000), r"\[20, 8\].*\[10000000, 8\]"),
    "no weights": (lambda f: (f / WEIGHTS).unlink(), "holds no weights"),
    "weights a folder": (lambda f: ((f / WEIGHTS).unlink(), (f / WEIGHTS).mkdir()), "holds no weights"),
    "weights empty": (lambda f: (f / WEIGHTS).write_bytes(b""), "not a whole safetensors file"),
    "weights truncated": (
        lambda f: (f / WEIGHTS).write_bytes((f / WEIGHTS).read_bytes()[:-100]), "truncated or damaged"),
    "header longer than the file": (lambda f: header_of(f, b"{}", length=2**60), "not a whole safetensors"),
    "header not JSON": (lambda f: header_of(f, b"not json"), "not a whole safetensors"),
    "header beyond the data": (lambda f: header_of(f, entry(data_offsets=[0, 10**12])), "not a whole"),
    "header backwards": (lambda f: header_of(f, entry(data_offsets=[8, 0])), "not a whole"),
    "header overflows": (lambda f: header_of(f, entry(shape=[2**62, 2**62])), "not a whole"),
    "header negative": (lambda f: header_of(f, entry(shape=[-2])), "not a whole"),
    "other network": (lambda f: tensors_of(f, lambda t: t.pop("embeddings.word_embeddings.weight")),
                      "holds no BERT weights"),
    "one missing": (lambda f: tensors_of(f, lambda t: t.pop(QUERY)), f"lacks '{QUERY}'"),
    "half a pooler": (lambda f: tensors_of(f, lambda t: t.pop("pooler.dense.bias")), "lacks 'pooler"),
    "surplus inside": (
        lambda f: tensors_of(f, lambda t: t.update({"encoder.layer.1.output.dense.bias": np.zeros(8)})),
        "which a BERT of 1 layers does not have"),
    "wrong shape": (lambda f: tensors_of(f, lambda t: t.update({QUERY: t[QUERY][:4].copy()})),
                    r"shape \[4, 8\], but config.json asks for \[8, 8\]"),
    "flattened": (lambda f: tensors_of(f, lambda t: t.update({QUERY: t[QUERY].ravel()})), r"shape \[64\]"),
    "integers": (lambda f: tensors_of(f, lambda t: t.update({QUERY: t[QUERY].astype(np.int64)})), "as I64"),
    "both names": (
        lambda f: tensors_of(f, lambda t: t.update({"embeddings.LayerNorm.gamma": np.ones(8, np.float32)})),
        "twice"),
    "pickle with code": (lambda f: pickled(f, Evil(f / "ran")), "carries code, which is never run"),
    "pickle with protocol 2 code": (lambda f: pickled(f, pickle.dumps(Evil(f / "ran"), 2)), "never run"),
    "pickle of garbage": (lambda f: pickled(f, b"\x80\x04garbage"), "cannot be loaded as weights only"),
    "pickle empty": (lambda f: pickled(f, b""), "cannot be loaded"),
    "pickle of a list": (lambda f: (pickled(f, b""), torch.save([1], f / "pytorch_model.bin")), "a plain"),
    "pickle of a sparse tensor": (
        lambda f: (pickled(f, b""), torch.save({"a": torch.eye(3).to_sparse()}, f / "pytorch_model.bin")),
        "not read here"),
    "shard outside": (lambda f: index_of(f, {"a": "../part.safetensors"}), "not a plain .safetensors file"),
    "shard absolute": (lambda f: index_of(f, {"a": "/etc/passwd"}), "not a plain .safetensors file"),
    "shard of another kind": (lambda f: index_of(f, {"a": "part.bin"}), "not a plain .safetensors file"),
    "shard missing": (lambda f: index_of(f, {"a": "gone.safetensors"}), "fetch the missing part"),
    "shard not named": (lambda f: index_of(f, {"a": 3}), "no 'weight_map'"),
    "no map": (lambda f: index_of(f, []), "no 'weight_map'"),
}  # fmt: skip


class Evil:
    """Unpickled carelessly, it leaves a file behind."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("read", [read_tensors, BertCheckpoint.load], ids=["numpy", "torch"])
def test_one_clear_sentence(damage, read, folder):
    break_it, message = DAMAGES[damage]
    break_it(folder)
    with pytest.raises(TenorError, match=message) as caught:
        read(folder)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 600
    assert not (folder / "ran").exists()


def test_the_evil_pickle_would_have_run(folder):
    """The test above can fail: loaded with trust, the same bytes do leave their mark."""
    pickle.loads(pickle.dumps(Evil(folder / "ran")))
    assert (folder / "ran").exists()


def test_unreadable_weights(folder):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (folder / WEIGHTS).chmod(0)
    with pytest.raises(TenorError, match="permission is denied"):
        read_tensors(folder)


def read_or_sentence(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except TenorError as error:
        return str(error)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_to_the_header_is_told_or_harmless(data, good, tmp_path):
    """Flip or cut bytes: it either still reads as a table of tensors or is refused in a sentence."""
    content = bytearray((good / WEIGHTS).read_bytes())
    header = 8 + int.from_bytes(content[:8], "little")
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, header - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.none(), st.integers(0, len(content))))
    path = tmp_path / "fuzzed.safetensors"
    path.write_bytes(content[:cut])
    tensors = read_or_sentence(lambda: read_safetensors(path))
    if isinstance(tensors, str):
        assert "\n" not in tensors
    else:
        assert all(isinstance(tensor.bits, np.ndarray) for tensor in tensors.values())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


@settings(max_examples=150, deadline=None)
@given(key=st.sampled_from(sorted(BertConfig().to_json())), value=json_values)
def test_any_setting_is_taken_or_told(key, value):
    config = read_or_sentence(lambda: BertConfig.from_json(BertConfig().to_json() | {key: value}))
    if isinstance(config, str):
        assert "\n" not in config
    else:
        assert config.hidden_size % config.num_attention_heads == 0
