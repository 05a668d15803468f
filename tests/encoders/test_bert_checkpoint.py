"""Checkpoint folders both ways: every form that is found in the wild, written back unchanged."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig as TheirConfig
from transformers import BertForPreTraining, BertModel

from tenor.encoders.bert.checkpoint import BertCheckpoint, named_weights
from tenor.encoders.bert.config import BertConfig
from tenor.encoders.bert.encoder import BertEncoder
from tenor.encoders.bert.weights import read_tensors
from tenor.encoders.stored import Stored, read_safetensors, write_safetensors
from tenor.layers.packed import PackedBatch

CONFIG = TheirConfig(
    vocab_size=61, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24,
    max_position_embeddings=32,
)  # fmt: skip


@pytest.fixture(scope="module")
def state() -> dict[str, torch.Tensor]:
    """The tensors of a pre-training checkpoint: prefix, pooler, MLM and NSP heads."""
    torch.manual_seed(0)
    tensors = BertForPreTraining(CONFIG).state_dict()
    return {name: (tensor + 0.1 * torch.randn_like(tensor)).clone() for name, tensor in tensors.items()}


def bare(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name.removeprefix("bert."): value for name, value in state.items() if name.startswith("bert.")}


def old_names(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): value
        for name, value in state.items()
    }


def with_buffers(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return state | {"bert.embeddings.position_ids": torch.arange(32)[None]}


def without_pooler(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: value for name, value in state.items() if "pooler" not in name}


def with_task_head(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return state | {
        "classifier.weight": torch.randn(3, 16),
        "flags": torch.tensor([True]),
        "n": torch.tensor(7),
    }


FORMS = {
    "prefix and heads": lambda state: state,
    "no prefix": bare,
    "gamma and beta": old_names,
    "buffers": with_buffers,
    "no pooler": without_pooler,
    "task head": with_task_head,
    "half": lambda state: {name: value.half() for name, value in state.items()},
    "bfloat16": lambda state: {name: value.bfloat16() for name, value in state.items()},
    "some half": lambda state: {
        name: value.half() if "query" in name else value for name, value in state.items()
    },
}


def write_folder(folder: Path, tensors: dict[str, torch.Tensor], storage: str = "safetensors") -> Path:
    folder.mkdir(exist_ok=True)
    CONFIG.save_pretrained(folder)
    if storage == "safetensors":
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    elif storage == "bin":
        torch.save(tensors, folder / "pytorch_model.bin")
    elif storage == "old bin":
        torch.save(tensors, folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)
    else:
        write_shards(folder, tensors, storage)
    return folder


def write_shards(folder: Path, tensors: dict[str, torch.Tensor], storage: str) -> None:
    stem, ending = ("model", "safetensors") if storage == "shards" else ("pytorch_model", "bin")
    save = save_file if storage == "shards" else torch.save
    names = sorted(tensors)
    places = {}
    for part, chosen in enumerate((names[::2], names[1::2]), start=1):
        file = f"{stem}-0000{part}-of-00002.{ending}"
        save({name: tensors[name] for name in chosen}, folder / file)
        places |= dict.fromkeys(chosen, file)
    (folder / f"{stem}.{ending}.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))


def assert_same_bytes(ours: dict[str, torch.Tensor], theirs: dict[str, torch.Tensor]) -> None:
    assert ours.keys() == theirs.keys()
    for name, tensor in theirs.items():
        assert ours[name].dtype == tensor.dtype, name
        assert ours[name].shape == tensor.shape, name
        bits = [value.contiguous().view(-1).view(torch.uint8) for value in (ours[name], tensor)]
        assert torch.equal(*bits), name


@pytest.mark.parametrize("form", FORMS)
def test_written_back_unchanged(form, state, tmp_path):
    tensors = FORMS[form](state)
    checkpoint = BertCheckpoint.load(write_folder(tmp_path / "in", tensors))
    assert all(parameter.dtype == torch.float32 for parameter in checkpoint.encoder.parameters())
    (tmp_path / "out").mkdir()
    checkpoint.save(tmp_path / "out")
    assert_same_bytes(load_file(tmp_path / "out/model.safetensors"), tensors)
    configs = [json.loads((tmp_path / side / "config.json").read_text()) for side in ("in", "out")]
    assert configs[0] == configs[1]


@pytest.mark.parametrize("storage", ["safetensors", "shards", "bin", "bin shards", "old bin"])
def test_every_storage_gives_the_same(storage, state, tmp_path):
    folder = write_folder(tmp_path / "in", state, storage)
    checkpoint = BertCheckpoint.load(folder)
    for name, weight in named_weights(checkpoint.encoder).items():
        assert torch.equal(weight, state["bert." + name])
    arrays = read_tensors(folder)
    assert arrays.keys() == named_weights(checkpoint.encoder).keys()
    assert all(np.array_equal(array, state["bert." + name].numpy()) for name, array in arrays.items())
    (tmp_path / "out").mkdir()
    checkpoint.save(tmp_path / "out")
    assert_same_bytes(load_file(tmp_path / "out/model.safetensors"), state)


@pytest.mark.parametrize("form", FORMS)
def test_transformers_opens_what_we_write(form, state, tmp_path):
    checkpoint = BertCheckpoint.load(write_folder(tmp_path / "in", FORMS[form](state)))
    (tmp_path / "out").mkdir()
    checkpoint.save(tmp_path / "out")
    theirs = BertModel.from_pretrained(tmp_path / "out", local_files_only=True, dtype=torch.float32).eval()
    ids = torch.tensor([[1, 5, 9, 2]])
    ours = checkpoint.encoder(PackedBatch.from_lists(ids.tolist())).last
    torch.testing.assert_close(theirs(ids).last_hidden_state[0], ours, rtol=0, atol=1e-5)


def test_bfloat16_is_up_cast_as_torch_does(state, tmp_path):
    tensors = FORMS["bfloat16"](state)
    arrays = read_tensors(write_folder(tmp_path / "in", tensors))
    for name, array in arrays.items():
        assert torch.equal(torch.from_numpy(array), tensors["bert." + name].float())


def test_trained_weights_are_written_and_the_tied_decoder_follows(state, tmp_path):
    tied = state | {"cls.predictions.decoder.weight": state["bert.embeddings.word_embeddings.weight"].clone()}
    checkpoint = BertCheckpoint.load(write_folder(tmp_path / "in", tied))
    with torch.no_grad():
        for parameter in checkpoint.encoder.parameters():
            parameter.add_(0.5)
    (tmp_path / "out").mkdir()
    checkpoint.save(tmp_path / "out")
    written = load_file(tmp_path / "out/model.safetensors")
    query = "bert.encoder.layer.1.attention.self.query.weight"
    assert torch.equal(written[query], state[query] + 0.5)
    decoder = written["cls.predictions.decoder.weight"]
    assert torch.equal(decoder, written["bert.embeddings.word_embeddings.weight"])
    assert torch.equal(written["cls.predictions.bias"], state["cls.predictions.bias"])


def test_trained_half_weights_can_be_written_in_full(state, tmp_path):
    checkpoint = BertCheckpoint.load(write_folder(tmp_path / "in", FORMS["half"](state)))
    with torch.no_grad():
        checkpoint.encoder.embeddings.words.weight.mul_(1 + 1e-5)
    (tmp_path / "out").mkdir()
    checkpoint.save(tmp_path / "out", keep_formats=False)
    written = load_file(tmp_path / "out/model.safetensors")["bert.embeddings.word_embeddings.weight"]
    assert torch.equal(written, checkpoint.encoder.embeddings.words.weight)


def test_a_new_encoder_is_saved_and_loaded(tmp_path):
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=20,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=12,
        max_position_embeddings=16,
    )
    encoder = BertEncoder(config, pooler=False)
    BertCheckpoint(encoder).save(tmp_path)
    loaded = BertCheckpoint.load(tmp_path).encoder
    assert loaded.config == config
    assert loaded.pooler is None
    for name, weight in named_weights(loaded).items():
        assert torch.equal(weight, named_weights(encoder)[name])
    BertModel.from_pretrained(tmp_path, local_files_only=True)


def test_saving_over_the_folder_it_was_read_from(state, tmp_path):
    tensors = with_task_head(state)
    folder = write_folder(tmp_path / "in", tensors)
    BertCheckpoint.load(folder).save(folder)  # the kept tensors are still views of the replaced file
    assert_same_bytes(load_file(folder / "model.safetensors"), tensors)


def test_safetensors_written_by_us_and_by_the_library_are_the_same_bytes(state, tmp_path):
    save_file(state, tmp_path / "theirs.safetensors", metadata={"format": "pt"})
    write_safetensors(tmp_path / "ours.safetensors", read_safetensors(tmp_path / "theirs.safetensors"))
    assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / "theirs.safetensors").read_bytes()


def test_unaligned_files_are_read(tmp_path):
    text = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    text += b" " * ((3 - len(text)) % 8)  # data begins at an odd address
    values = np.array([1.5, -2.0], dtype="<f4")
    (tmp_path / "odd.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + values.tobytes())
    stored = read_safetensors(tmp_path / "odd.safetensors")["a"]
    assert stored.to_float32().tolist() == [1.5, -2.0]
    assert stored.bits.flags.aligned


def test_empty_tensors_and_scalars_survive(tmp_path):
    tensors = {
        "none": Stored("F32", np.zeros((0, 3), dtype="<f4")),
        "one": Stored("I64", np.array(7, dtype="<i8")),
    }
    write_safetensors(tmp_path / "a.safetensors", tensors)
    back = read_safetensors(tmp_path / "a.safetensors")
    assert back["none"].shape == (0, 3)
    assert back["one"].shape == ()
    assert back["one"].bits == 7


def test_reading_safetensors_does_not_import_torch(state, tmp_path):
    folder = write_folder(tmp_path / "in", state)
    code = (
        "import sys; from tenor.encoders.bert.weights import read_tensors; "
        f"assert read_tensors({str(folder)!r}); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
