"""What every encoder promises, whatever it is. A new kind of encoder adds a line to ENCODERS."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

import tenor
from tenor.encoders.encoder import Encoder
from tenor.encoders.from_scratch import from_scratch_config
from tenor.encoders.table import encoder_type
from tenor.encoders.torch_engine import TorchEngine
from tenor.errors import TenorError
from tenor.layers.packed import PackedBatch
from tenor.layers.pooling import pool
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.folder import ModelFolder, read_folder
from tenor.model.save import new_folder, write_settings
from tenor.text.tokens import Tokens
from tenor.words import WordVectors
from tiny import VOCABULARY, WORDS, write_tiny_model

CORPUS = [" ".join(np.random.default_rng(seed).choice(WORDS, 12)) + "." for seed in range(40)]
TEXTS = [
    "the cat sat on the mat", "dog", "", " ", "What does he not like?", "zebra unheard", "漢字 é 👩‍👩‍👧 ½",
    "nul\0nul", "lone \ud800", "x" * 300, "the old man and the river " * 300, "It's 3.5 km, don't run!",
]  # fmt: skip
FROM_SCRATCH = {
    "bert": {"num_layers": 2, "hidden_size": 16, "num_heads": 2, "vocab_size": 200, "max_positions": 32},
    "lstm": {
        "model_type": "lstm", "hidden_size": 9, "embedding_size": 7, "bidirectional": False, "dropout": 0.5,
    },
    "bilstm": {
        "model_type": "lstm", "hidden_size": 6, "num_layers": 2, "input_dropout": 0.2, "weight_dropout": 0.2,
        "vectors": "vectors.safetensors", "freeze_embeddings": True, "max_tokens": 40,
    },
    "operators": {"model_type": "operators", "embedding_size": 9},
    "new table": {"model_type": "static", "embedding_size": 9},
    "cnn": {"model_type": "cnn", "filters": 5, "kernel_sizes": (2, 3), "embedding_size": 20},
    "words and characters": {
        "model_type": "lstm", "hidden_size": 6, "input_dropout": 0.2, "embeddings": [
            {"type": "static", "vectors": "vectors.safetensors"},
            {"type": "characters", "size": 5, "character_size": 4, "dropout": 0.3},
            {"type": "learned", "size": 3},
        ],
    },
    "attended": {
        "model_type": "lstm", "hidden_size": 5, "combine": "attention", "attention_size": 4, "embeddings": [
            {"type": "static", "vectors": "vectors.safetensors", "freeze": False, "vocab_size": 30},
            {"type": "ngrams", "size": 6, "buckets": 40, "min_n": 2, "max_n": 3},
            {"type": "bpe", "size": 4, "vocab_size": 60, "pooling": "ends"},
            {"type": "characters", "network": "lstm", "size": 6, "character_size": 4},
        ],
    },
}  # fmt: skip
ENCODERS = [*FROM_SCRATCH, "static", "quantised", "words"]


def write(name: str, folder: Path, seed: int = 1) -> Path:
    """Write a model folder of an encoder."""
    random = np.random.default_rng(seed)
    if name == "words":
        folder.mkdir()
        word_vectors(random).save(folder / "words.safetensors")
        return folder
    if name in ("static", "quantised"):
        return write_static(folder, random, quantised=name == "quantised")
    settings = dict(FROM_SCRATCH[name])
    file = folder.parent / "vectors.safetensors"
    word_vectors(np.random.default_rng(0)).save(file)
    if "vectors" in settings:
        settings["vectors"] = str(file)
    if "embeddings" in settings:
        settings["embeddings"] = [
            {key: str(file) if key == "vectors" else value for key, value in table.items()}
            for table in settings["embeddings"]
        ]
    return from_scratch_config(settings).write(folder, CORPUS, seed=seed)


def word_vectors(random) -> WordVectors:
    words = list(dict.fromkeys(WORDS))[10:]
    return WordVectors(words, random.normal(size=(len(words), 10)))


def write_static(folder: Path, random, *, quantised: bool) -> Path:
    folder.mkdir()
    tiny = write_tiny_model(folder.parent / f"{folder.name} tiny")
    tokenizer = Tokenizer.from_file(str(tiny / "tokenizer.json"))
    tokenizer.no_truncation()  # sentence-transformers would go by it
    tokenizer.save(str(folder / "tokenizer.json"))
    rows = 20 if quantised else len(VOCABULARY)
    tensors = {"embeddings": random.normal(size=(rows, 12)).astype(np.float16 if quantised else np.float32)}
    if quantised:
        tensors["mapping"] = random.integers(0, rows, len(VOCABULARY))
        tensors["weights"] = random.uniform(0.5, 1.5, len(VOCABULARY)).astype(np.float32)
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", "normalize": quantised}))
    return folder


@pytest.fixture(scope="module", params=ENCODERS)
def folder(request, tmp_path_factory) -> Path:
    return write(request.param, tmp_path_factory.mktemp("encoder") / request.param)


@pytest.fixture(scope="module")
def settings(folder) -> ModelFolder:
    return read_folder(folder)


@pytest.fixture
def encoder(settings) -> Encoder:
    return settings.type.load(settings.encoder)


@pytest.fixture(scope="module")
def tokens(settings) -> Tokens:
    return settings.type.tokenizer(settings.encoder, max_tokens=settings.max_tokens).tokenize(TEXTS)


def weights(encoder: Encoder) -> dict[str, np.ndarray]:
    return {name: value.detach().numpy().copy() for name, value in encoder.named_parameters()}


def pooled(encoder: Encoder, tokens: Tokens, settings: ModelFolder) -> np.ndarray:
    with torch.no_grad():
        states = encoder(PackedBatch.from_tokens(tokens))
        vectors = pool(states.last, states.packing, settings.pooling.kinds[0])
        return (torch.nn.functional.normalize(vectors) if settings.normalize else vectors).numpy()


def test_the_same_seed_gives_the_same_folder(folder, tmp_path):
    one, two = (read_folder(write(folder.name, tmp_path / name)) for name in ("one", "two"))
    other = read_folder(write(folder.name, tmp_path / "other", seed=2))
    first, second, third = (weights(each.type.load(each.encoder)) for each in (one, two, other))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert not all(np.array_equal(first[name], third[name]) for name in first)


def test_sizes(encoder, tokens, settings):
    batch = PackedBatch.from_tokens(tokens)
    states = encoder(batch, all_states=True)
    assert states.last.shape == (len(tokens.ids), encoder.hidden_size)
    assert len(states.layers) == encoder.num_layers + 1
    assert all(layer.shape == states.last.shape for layer in states.layers)
    assert torch.equal(states.layers[-1], states.last)
    assert encoder(batch).layers is None
    for layer in range(encoder.num_layers + 1):
        upto = encoder(batch, upto=layer, all_states=True)
        torch.testing.assert_close(upto.last, states.layers[layer])
        assert len(upto.layers) == layer + 1
    assert encoder.model_type == settings.model_type
    assert not encoder.training


def test_no_texts_and_only_empty_ones(encoder):
    for lists in ([], [[]], [[], []]):
        states = encoder(PackedBatch.from_tokens(Tokens.from_lists(lists)), all_states=True)
        assert states.last.shape == (0, encoder.hidden_size)


def test_a_text_alone_or_among_others(encoder, tokens, settings):
    together = pooled(encoder, tokens, settings)
    assert np.isfinite(together).all()
    for number in range(len(tokens)):
        alone = pooled(encoder, tokens.take(np.array([number])), settings)
        np.testing.assert_allclose(alone[0], together[number], atol=1e-5)


def test_the_engine_gives_the_pooled_states(encoder, folder, tokens, settings):
    model = tenor.load(folder, precision="fp32", device="cpu")
    expected = pooled(encoder, tokens, settings)
    vectors = model.encode(TEXTS)
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    if encoder.num_layers == 0:  # the same sums, but for their order, which shows in very long texts
        usual = tokens.lengths < 100
        np.testing.assert_allclose(vectors[usual], expected[usual], atol=1e-6)
    torch_engine = TorchEngine(encoder, pooling=settings.pooling, normalize=settings.normalize)
    np.testing.assert_allclose(torch_engine.vectors(tokens), expected, atol=1e-6)
    assert torch_engine.layers == model.engine.layers == encoder.num_layers
    layers = range(encoder.num_layers + 1)
    for ours, theirs in zip(
        torch_engine.states(tokens, layers=layers), model.engine.states(tokens, layers=layers), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("pooling", ["max", "last_token", "mean+min"])
def test_other_poolings(folder, settings, tmp_path, pooling):
    """Whatever engine it takes, the model is saved and opened with its pooling."""
    changed = replace(settings, pooling=PoolingConfig.parse(pooling))
    saved = save(settings.type.load(settings.encoder), changed, tmp_path / "saved")
    model = tenor.load(saved, precision="fp32", device="cpu")
    assert model.settings.pooling == changed.pooling
    tokens = model.tokenizer.tokenize(TEXTS)
    engine = TorchEngine(
        settings.type.load(settings.encoder), pooling=changed.pooling, normalize=changed.normalize
    )
    np.testing.assert_allclose(model.encode(TEXTS), engine.vectors(tokens), atol=1e-5)


def test_a_limit_of_tokens_is_saved(settings, tmp_path):
    """A model that was trained with a limit has it wherever it is opened."""
    limited = replace(settings, max_tokens=9)
    saved = save(settings.type.load(settings.encoder), limited, tmp_path / "saved")
    model = tenor.load(saved, precision="fp32", device="cpu")
    assert model.max_tokens == model.settings.max_tokens == 9
    words = "cat river dog old man house tree cat book money music game team world"
    assert model.tokenizer.tokenize([words]).lengths.tolist() == [9]
    np.testing.assert_array_equal(model.encode([words]), model.encode([words + " happy sad"]))
    # The static embeddings of sentence-transformers have no limit, so that such a folder is ours alone.
    assert model.settings.opens_in_sentence_transformers == (settings.model_type == "bert")


def test_every_parameter_has_a_depth(encoder):
    depths = {name: encoder.depth(name) for name, _ in encoder.named_parameters()}
    top = encoder.num_layers + encoder.has_pooler
    assert set(depths.values()) == set(range(top + 1))
    assert all(0 < encoder.depth(name) <= encoder.num_layers for name in encoder.prunable())
    assert bool(encoder.prunable()) == (encoder.num_layers > 0)
    for name, _ in encoder.named_parameters():
        assert (encoder.depth(name) == 0) == name.startswith("embeddings")


def test_embeddings_handed_back_give_the_same_states(encoder, tokens):
    batch = PackedBatch.from_tokens(tokens)
    embedded = encoder.input_embeddings(batch)
    assert len(embedded) == len(tokens.ids)
    again = encoder(batch.with_embeddings(embedded), all_states=True)
    for ours, theirs in zip(again.layers, encoder(batch, all_states=True).layers, strict=True):
        torch.testing.assert_close(ours, theirs)
    moved = encoder(batch.with_embeddings(embedded + 0.5)).last
    assert not torch.allclose(moved, again.last)


def test_dropout_is_set_and_reaches_the_states(encoder, tokens):
    batch = PackedBatch.from_tokens(tokens)
    without = encoder(batch).last
    encoder.train()
    encoder.set_dropout(0.5)
    assert torch.equal(encoder(batch).last, encoder(batch).last) == (encoder.num_layers == 0)
    encoder.set_dropout(0.0)
    torch.testing.assert_close(encoder(batch).last, without)


def test_gradients_reach_what_is_trained(encoder, tokens):
    encoder.train()
    encoder(PackedBatch.from_tokens(tokens)).last.square().sum().backward()
    for name, parameter in encoder.named_parameters():
        has_gradient = parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)
        assert has_gradient == (parameter.requires_grad and not name.startswith("pooler.")), name


def save(encoder: Encoder, settings: ModelFolder, folder: Path) -> Path:
    """Write a trained encoder as training does."""
    width = encoder.hidden_size * len(settings.pooling.kinds)
    with new_folder(folder) as aside:
        encoder_type(encoder.model_type).save(encoder, aside, source=settings.encoder)
        write_settings(aside, settings, width=width, name=folder.name, made={}, tasks={})
    return folder


def test_trained_saved_and_loaded_it_gives_the_same(encoder, settings, tokens, folder, tmp_path):
    before = tenor.load(folder, precision="fp32", device="cpu")
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.add_(torch.linspace(-0.3, 0.3, parameter.numel()).view(parameter.shape))
    saved = save(encoder, settings, tmp_path / "saved")
    again = read_folder(saved)
    assert (again.model_type, again.pooling, again.max_tokens, again.normalize) == (
        settings.model_type, settings.pooling, settings.max_tokens, settings.normalize,
    )  # fmt: skip
    loaded = again.type.load(again.encoder)
    assert all(np.array_equal(value, weights(encoder)[name]) for name, value in weights(loaded).items())
    assert [each.requires_grad for each in loaded.parameters()] == [
        each.requires_grad for each in encoder.parameters()
    ]
    model = tenor.load(saved, precision="fp32", device="cpu")
    np.testing.assert_allclose(model.encode(TEXTS), pooled(encoder, tokens, settings), atol=1e-5)
    assert model.fingerprint != before.fingerprint
    assert model.fingerprint == json.loads((saved / "tenor.json").read_text())["fingerprint"]
    model.save(tmp_path / "twice")
    twice = tenor.load(tmp_path / "twice", precision="fp32", device="cpu")
    np.testing.assert_array_equal(twice.encode(TEXTS), model.encode(TEXTS))
    assert twice.fingerprint == model.fingerprint


def test_the_card_and_sentence_transformers(encoder, settings, tmp_path):
    """A folder that its maker says opens elsewhere does, with the same vectors; others are refused there."""
    sentence_transformers = pytest.importorskip("sentence_transformers")
    saved = save(encoder, settings, tmp_path / "saved")
    opens = json.loads((saved / "tenor.json").read_text())["opens_in_sentence_transformers"]
    assert opens == (settings.model_type in ("bert", "static"))
    assert ("also opens in sentence-transformers" in (saved / "README.md").read_text()) == opens
    if not opens:
        with pytest.raises((ImportError, AttributeError, ValueError, OSError)):
            sentence_transformers.SentenceTransformer(str(saved), device="cpu")
        return
    theirs = sentence_transformers.SentenceTransformer(str(saved), device="cpu").encode(CORPUS)
    np.testing.assert_allclose(tenor.load(saved, precision="fp32").encode(CORPUS), theirs, atol=1e-5)


def test_bf16_stays_close(folder):
    """In a process of its own: some virtual machines lack an instruction set that oneDNN believes to have."""
    code = f"""
import numpy as np
from tenor.encoders.torch_engine import TorchEngine
from tenor.model.folder import read_folder
settings = read_folder({str(folder)!r})
kind = settings.type
tokens = kind.tokenizer(settings.encoder, max_tokens=30).tokenize({CORPUS!r})
full, half = (
    TorchEngine(kind.load(settings.encoder), pooling=settings.pooling, normalize=True, precision=precision)
    for precision in ("fp32", "bf16")
)
cosines = (full.vectors(tokens) * half.vectors(tokens)).sum(1)
layers = kind.load(settings.encoder).num_layers
assert half.vectors(tokens).dtype == np.float32
assert 0.99 < cosines.min()
assert layers == 0 or not np.array_equal(full.vectors(tokens), half.vectors(tokens))
"""
    environment = os.environ | {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_FP16"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def change(folder: Path, **values: object) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text()) | values
    path.write_text(json.dumps({key: value for key, value in config.items() if value != "gone"}))


def damage_weights(folder: Path, how: str) -> None:
    path = folder / "model.safetensors"
    tensors = load_file(path)
    name = next(iter(tensors))
    if how == "missing":
        del tensors[name]
    elif how == "further":
        tensors["evil"] = np.zeros(3, np.float32)
    elif how == "shape":
        tensors[name] = np.ascontiguousarray(tensors[name][:-1])
    else:
        tensors[name] = tensors[name].astype(np.int64)
    save_file(tensors, path)


NAN = float("nan")
HOSTILE = {
    "no hidden size": (lambda f: change(f, hidden_size="gone", filters="gone"), "missing"),
    "no vocabulary": (lambda f: change(f, vocab_size="gone"), "missing"),
    "sizes that are no numbers": (lambda f: change(f, hidden_size=NAN, filters=NAN), "whole number"),
    "sizes that are texts": (lambda f: change(f, embedding_size="7"), "whole number"),
    "huge sizes": (lambda f: change(f, hidden_size=10**12, filters=10**12), "whole number"),
    "large sizes": (lambda f: change(f, hidden_size=60_000, filters=60_000), "the shape"),
    "a large vocabulary": (lambda f: change(f, vocab_size=9_000_000), "the shape"),
    "a small vocabulary": (lambda f: change(f, vocab_size=3), "different models"),
    "many layers": (lambda f: change(f, num_layers=10**9, kernel_sizes=[3] * 10**4), "expected"),
    "more layers": (lambda f: change(f, num_layers=3, kernel_sizes=[2, 3, 4]), "lacks the weight"),
    "dropout of 1": (lambda f: change(f, dropout=1), "dropout probability"),
    "dropout that is none": (lambda f: change(f, dropout=NAN), "dropout probability"),
    "an odd limit": (lambda f: change(f, max_tokens=-3), "at least 4"),
    "another type": (lambda f: change(f, model_type="nonsense"), "No encoder has the model_type 'nonsense'"),
    "no type": (lambda f: change(f, model_type="gone"), "expected the name"),
    "a type that is no text": (lambda f: change(f, model_type=["lstm"]), "expected the name"),
    "a weight is missing": (lambda f: damage_weights(f, "missing"), "lacks the weight"),
    "a weight too many": (lambda f: damage_weights(f, "further"), "holds the weight 'evil'"),
    "a weight of another shape": (lambda f: damage_weights(f, "shape"), "the shape"),
    "a weight of whole numbers": (lambda f: damage_weights(f, "kind"), "stored as I64"),
    "no config": (lambda f: (f / "config.json").unlink(), "config.json does not exist"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "holds no weights"),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "has no tokenizer"),
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("name", ["lstm", "cnn"])
def test_hostile_folders_are_told_in_one_sentence(tmp_path, name, what):
    folder = write(name, tmp_path / name)
    damage, told = HOSTILE[what]
    damage(folder)
    (folder / "sentence_bert_config.json").unlink(missing_ok=True)
    with pytest.raises(TenorError, match=told) as error:
        tenor.load(folder).encode(TEXTS)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500
