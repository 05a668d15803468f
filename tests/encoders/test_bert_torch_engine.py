"""The torch engine: pooled vectors and states, alone or among others, in both precisions."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertModel

from tenor.encoders.engine import Engine
from tenor.encoders.table import encoder_type
from tenor.encoders.torch_engine import TorchEngine
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.text.tokens import Tokens
from tiny import LAYERS, WIDTH

IDS = [[2, 9, 30, 14, 3], [2, 3], [2, *range(5, 40), 3], [2, 11, 3], [2, 9, 30, 14, 8, 3]]
TOKENS = Tokens.from_lists(IDS)


def load(folder: Path, pooling: str = "mean", **given: object) -> TorchEngine:
    encoder = encoder_type("bert").load(folder)
    return TorchEngine(encoder, pooling=PoolingConfig.parse(pooling), **{"normalize": False} | given)


@pytest.fixture(scope="module")
def their_layers(tiny_folder) -> list[torch.Tensor]:
    """All layers of each text, by transformers, one text at a time: [text][layers, l, d]."""
    model = BertModel.from_pretrained(tiny_folder, local_files_only=True).eval()
    with torch.no_grad():
        outs = [model(torch.tensor([ids]), output_hidden_states=True) for ids in IDS]
    return [torch.cat(out.hidden_states) for out in outs]


REDUCE = {
    "cls": lambda layers: layers[-1, 0],
    "mean": lambda layers: layers[-1].mean(0),
    "max": lambda layers: layers[-1].amax(0),
    "min": lambda layers: layers[-1].amin(0),
    "sum": lambda layers: layers[-1].sum(0),
    "token:1": lambda layers: layers[-1, 1],
    "mean@last_four": lambda layers: layers[-4:].mean(0).mean(0),
    "cls+mean": lambda layers: torch.cat([layers[-1, 0], layers[-1].mean(0)]),
}


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("pooling", REDUCE)
def test_vectors(pooling, normalize, tiny_folder, their_layers):
    engine: Engine = load(tiny_folder, pooling, normalize=normalize)
    vectors = engine.vectors(TOKENS)
    expected = torch.stack([REDUCE[pooling](layers) for layers in their_layers])
    if normalize:
        expected = expected / expected.norm(dim=-1, keepdim=True)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(IDS), engine.width)
    np.testing.assert_allclose(vectors, expected, rtol=0, atol=1e-5)


def test_pooler(tiny_folder):
    model = BertModel.from_pretrained(tiny_folder, local_files_only=True).eval()
    vectors = load(tiny_folder, "pooler").vectors(TOKENS)
    for vector, ids in zip(vectors, IDS, strict=True):
        expected = model(torch.tensor([ids])).pooler_output[0].detach()
        np.testing.assert_allclose(vector, expected, rtol=0, atol=1e-5)


def test_states(tiny_folder, their_layers):
    asked = [*range(LAYERS + 1), 0]
    found = load(tiny_folder).states(TOKENS, layers=asked)
    for layer, states in zip(asked, found, strict=True):
        expected = torch.cat([layers[layer] for layers in their_layers])
        np.testing.assert_allclose(states, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "mean+pooler", "mean@last_four"])
def test_vectors_and_states_are_those_of_two_passes(pooling, tiny_folder):
    engine = load(tiny_folder, pooling)
    vectors, states = engine.vectors_and_states(TOKENS, layers=[1, 0])
    np.testing.assert_array_equal(vectors, engine.vectors(TOKENS))
    for both, alone in zip(states, engine.states(TOKENS, layers=[1, 0]), strict=True):
        np.testing.assert_array_equal(both, alone)
    with pytest.raises(TenorError, match="no layer 9"):
        engine.vectors_and_states(TOKENS, layers=[9])


def test_a_text_alone_or_among_others(tiny_folder):
    engine = load(tiny_folder)
    together = engine.vectors(TOKENS)
    for number in range(len(IDS)):
        alone = engine.vectors(TOKENS.take(np.array([number])))
        np.testing.assert_allclose(alone[0], together[number], rtol=0, atol=1e-5)
    backwards = engine.vectors(TOKENS.take(np.arange(len(IDS))[::-1].copy()))
    np.testing.assert_allclose(backwards[::-1], together, rtol=0, atol=1e-5)


def test_what_it_says_of_itself(tiny_folder):
    engine = load(tiny_folder)
    assert (engine.name, engine.precision, engine.width, engine.layers) == (
        "torch cpu",
        "fp32",
        WIDTH,
        LAYERS,
    )
    assert engine.token_budget > 0
    assert load(tiny_folder, device="auto").device.type in ("cpu", "cuda")


def test_no_texts(tiny_folder):
    assert load(tiny_folder).vectors(Tokens.from_lists([])).shape == (0, WIDTH)


def test_results_carry_no_gradient_and_no_dropout(tiny_folder):
    engine = load(tiny_folder)
    assert np.array_equal(engine.vectors(TOKENS), engine.vectors(TOKENS))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"precision": "int8"}, "no int8"),
        ({"device": "nonsense"}, "'nonsense' is not usable"),
        ({"device": "cuda:99"}, "'cuda:99' is not usable"),
        ({"pooling": "mean@mix"}, "weights of its own"),
    ],
)
def test_what_it_cannot_do_is_told(given, message, tiny_folder):
    with pytest.raises(TenorError, match=message):
        load(tiny_folder, **given)


def test_no_pooler_is_told(tmp_path, tiny_folder):
    from safetensors.numpy import load_file, save_file

    tensors = {
        name: value
        for name, value in load_file(tiny_folder / "model.safetensors").items()
        if "pooler" not in name
    }
    save_file(tensors, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_bytes((tiny_folder / "config.json").read_bytes())
    with pytest.raises(TenorError, match="no pooler"):
        load(tmp_path, "pooler")


def test_layers_beyond_the_encoder_are_told(tiny_folder):
    with pytest.raises(TenorError, match="no layer 9"):
        load(tiny_folder).states(TOKENS, layers=[9])


def test_bfloat16_stays_close(tiny_folder):
    """In a process of its own: some virtual machines lack an instruction set that oneDNN believes to have."""
    code = f"""
import numpy as np
from tenor.encoders.table import encoder_type
from tenor.encoders.torch_engine import TorchEngine
from tenor.layers.pooling_config import PoolingConfig
from tenor.text.tokens import Tokens
tokens = Tokens.from_lists({IDS!r})
load = encoder_type("bert").load
full, half = (TorchEngine(load({str(tiny_folder)!r}), pooling=PoolingConfig(), normalize=True, precision=p)
              for p in ("fp32", "bf16"))
cosines = (full.vectors(tokens) * half.vectors(tokens)).sum(1)
assert half.precision == "bf16" and half.vectors(tokens).dtype == np.float32
assert 0.99 < cosines.min() < 0.9999999 and 0.999 < cosines.mean(), cosines
"""
    environment = os.environ | {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_FP16"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
