"""LSTM and CNN encoders: vocabulary, given vectors, states, cells, dropout; an encoder from outside."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers
from torch import nn

import tenor
from tenor.encoders.cnn.config import CnnConfig
from tenor.encoders.cnn.encoder import CnnEncoder
from tenor.encoders.cnn.from_scratch import CnnFromScratch
from tenor.encoders.embedded.word_level import WORD, write_word_level
from tenor.encoders.encoder import Encoder, States
from tenor.encoders.from_scratch import FromScratch, from_scratch_config
from tenor.encoders.lstm.config import LstmConfig
from tenor.encoders.lstm.encoder import LstmEncoder
from tenor.encoders.lstm.from_scratch import LstmFromScratch
from tenor.encoders.table import ENCODERS, EncoderType, encoder_type, register
from tenor.errors import TenorError
from tenor.layers.packed import PackedBatch
from tenor.layers.pooling import pool_max
from tenor.model.folder import read_folder
from tenor.text.tokenizer import Tokenizer
from tenor.text.words import split_words
from tenor.words import WordVectors
from tiny import WORDS

TEXTS = ["The cat sat on the mat.", "It's the old man's cat, isn't it?", "A dog ate 3.5 kg; the cat ran."]
IDS = [[3, 1, 4, 1, 5], [9], [], [2, 6, 5, 3, 5, 8]]
LSTM = {"vocab_size": 12, "embedding_size": 5, "hidden_size": 4}


@given(st.text("aSdrelv m'’ʼ.,12漢\u0301\u200d½-_\té", max_size=15))
def test_words_are_those_of_split_words(text):
    splitter = pre_tokenizers.Split(Regex(WORD), behavior="removed", invert=True)
    words = [word for word, _ in splitter.pre_tokenize_str(text)]
    expected = list(split_words(text).words)
    if words != expected:  # the one exception: a clitic after a number with a point
        assert "".join(words) == "".join(expected)
        assert any(character in text for character in "'’ʼ")
        assert any(digit in text for digit in "12")


def test_the_vocabulary_is_counted_and_limited(tmp_path):
    words = write_word_level(tmp_path, TEXTS, vocab_size=100)
    assert words[:4] == ["[PAD]", "[UNK]", "the", "cat"]
    assert "'s" in words
    assert "isn't" in words
    tokenizer = Tokenizer.load(tmp_path)
    tokens = tokenizer.tokenize(["THE cat [PAD] zebra", ""])
    assert tokens.lengths.tolist() == [6, 0]
    assert tokens.ids.tolist()[:3] == [2, 3, 1]  # no text can write a special token out
    assert tokenizer.unknown == 1
    assert tokenizer.tokenize(["a b"], words=True).words.tolist() == [0, 1]
    assert tokenizer.tokenize([["isn't", "New-York"]], words=True).words.tolist() == [0, 1, 1, 1]
    assert set(tokenizer.tokenize(["a b"], pairs=["c"]).segments) == {0}
    (tmp_path / "few").mkdir()
    assert write_word_level(tmp_path / "few", TEXTS, vocab_size=100, min_count=3) == [
        "[PAD]", "[UNK]", "the", "cat",
    ]  # fmt: skip


def test_a_cased_vocabulary(tmp_path):
    words = write_word_level(tmp_path, TEXTS, vocab_size=100, lowercase=False, further=["Zebra", "cat"])
    assert {"The", "the", "Zebra"} <= set(words)
    assert len(words) == len(set(words))


def embeddings(folder: Path) -> tuple[np.ndarray, dict[str, int]]:
    encoder = encoder_type("lstm").load(folder)
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    return encoder.embeddings.weight.detach().numpy(), vocabulary


@pytest.fixture
def vectors(tmp_path) -> WordVectors:
    made = WordVectors(["cat", "The", "zebra"], np.arange(12).reshape(3, 4))
    made.save(tmp_path / "vectors.safetensors")
    return made


def test_embeddings_begin_with_given_vectors(tmp_path, vectors):
    settings = LstmFromScratch(vectors=str(tmp_path / "vectors.safetensors"), hidden_size=3, lowercase=False)
    table, vocabulary = embeddings(settings.write(tmp_path / "new", TEXTS))
    assert table.shape == (len(vocabulary), 4)
    for word in ("cat", "The"):
        np.testing.assert_array_equal(table[vocabulary[word]], vectors[word])
    assert np.abs(table[vocabulary["mat"]]).max() < 1  # random
    assert "zebra" not in vocabulary


def test_all_words_of_the_vectors_can_be_known(tmp_path, vectors):
    settings = LstmFromScratch(
        vectors=str(tmp_path / "vectors.safetensors"), hidden_size=3, extend_vocabulary=True,
        freeze_embeddings=True, vocab_size=4,
    )  # fmt: skip
    folder = settings.write(tmp_path / "new", TEXTS)
    table, vocabulary = embeddings(folder)
    assert set(vocabulary) == {"[PAD]", "[UNK]", "the", "cat", "zebra"}
    np.testing.assert_array_equal(table[vocabulary["zebra"]], vectors["zebra"])
    frozen = encoder_type("lstm").load(folder)
    assert [name for name, each in frozen.named_parameters() if not each.requires_grad] == [
        "embeddings.weight"
    ]


def test_a_given_tokenizer(tmp_path, tiny_folder):
    folder = CnnFromScratch(tokenizer=str(tiny_folder), filters=3).write(tmp_path / "new", [])
    model = tenor.load(folder)
    assert model.tokenizer.size == Tokenizer.load(tiny_folder).size
    assert model.encode(["unhappyness", ""]).shape == (2, 9)
    assert str(model.settings.pooling) == "max"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"model_type": "lstm", "hiden_size": 3}, "no key 'hiden_size'. Did you mean 'hidden_size'"),
        ({"model_type": "lstm", "num_heads": 3}, "no key 'num_heads'"),
        ({"model_type": "lstn"}, "Did you mean 'lstm'"),
        ({"model_type": "words"}, "cannot be begun from scratch"),
        ({"model_type": "lstm", "hidden_size": 0}, "hidden_size is 0; it must be at least 1"),
        ({"model_type": "lstm", "weight_dropout": 1.5}, "weight_dropout is 1.5"),
        ({"model_type": "cnn", "kernel_sizes": ()}, "kernel_sizes"),
        ({"model_type": "cnn", "extend_vocabulary": True}, "needs vectors"),
        ({"model_type": "bert", "hidden_size": 15}, "not divisible"),
    ],
)
def test_wrong_settings_are_told(settings, told):
    with pytest.raises(TenorError, match=told):
        from_scratch_config(settings)


def test_vectors_of_another_size_are_told(tmp_path, vectors):
    settings = LstmFromScratch(vectors=str(tmp_path / "vectors.safetensors"), embedding_size=5)
    with pytest.raises(TenorError, match="embedding_size is 5, but the vectors"):
        settings.write(tmp_path / "new", TEXTS)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("bidirectional", [True, False])
def test_states_and_cells_are_those_of_torch(bidirectional):
    torch.manual_seed(0)
    encoder = LstmEncoder(LstmConfig(num_layers=2, bidirectional=bidirectional, **LSTM)).eval()
    states = encoder(PackedBatch.from_lists(IDS), all_states=True, cells=True)
    assert len(states.cells) == 2
    assert states.cells[0].shape == states.last.shape == (12, encoder.hidden_size)
    reference = nn.LSTM(5, 4, num_layers=2, bidirectional=bidirectional)
    for layer, own in enumerate(encoder.lstm.layers):
        for name, value in own.named_parameters():
            reference.get_parameter(name.replace("_l0", f"_l{layer}")).data.copy_(value.data)
    for number, ids in enumerate(IDS):
        if not ids:
            continue
        output, (_, cells) = reference(encoder.embeddings(torch.tensor(ids)))
        begin = sum(map(len, IDS[:number]))
        torch.testing.assert_close(states.last[begin : begin + len(ids)], output)
        forward = states.cells[1][begin + len(ids) - 1, :4]  # the last cell of the forward direction
        torch.testing.assert_close(forward, cells[2 if bidirectional else 1])
    assert encoder(PackedBatch.from_lists(IDS)).cells is None


@pytest.mark.parametrize(("size", "shown"), [(3, 3), (8, 8), (11, 8)])
def test_the_embeddings_are_fitted_to_the_size_of_the_states(size, shown):
    encoder = LstmEncoder(LstmConfig(**LSTM | {"embedding_size": size})).eval()
    batch = PackedBatch.from_lists(IDS)
    first = encoder(batch, all_states=True).layers[0]
    assert first.shape == (12, 8)
    torch.testing.assert_close(first[:, :shown], encoder.input_embeddings(batch)[:, :shown])
    assert not first[:, shown:].any()


def test_dropout_of_the_lstm_is_the_same_at_all_tokens():
    encoder = LstmEncoder(LstmConfig(dropout=0.5, **LSTM)).train()
    states = encoder(PackedBatch.from_lists([[1, 2, 3]])).last
    assert ((states == 0).all(dim=0) | (states != 0).all(dim=0)).all()
    encoder.set_dropout(0.25)
    assert (encoder.lstm.config.dropout, encoder.lstm.config.weight_dropout) == (0.25, 0.0)
    encoder = LstmEncoder(LstmConfig(weight_dropout=0.5, **LSTM))
    encoder.set_dropout(0.25)
    assert encoder.lstm.config.weight_dropout == 0.25


def test_dropout_of_the_cnn_is_that_of_the_pooled_vector():
    torch.manual_seed(0)
    encoder = CnnEncoder(CnnConfig(vocab_size=12, embedding_size=5, filters=50, dropout=0.5))
    batch = PackedBatch.from_lists([[3, 1, 4, 1, 5]])
    whole = pool_max(encoder.eval()(batch).last, batch.packing)
    dropped = pool_max(encoder.train()(batch).last, batch.packing)
    kept = dropped != 0
    assert 0.3 < kept[whole > 0].float().mean() < 0.7
    torch.testing.assert_close(dropped[kept], 2 * whole[kept])


def test_under_autocast_states_stay_close():
    for encoder in (
        LstmEncoder(LstmConfig(**LSTM)).train(),
        CnnEncoder(CnnConfig(vocab_size=12, embedding_size=5, filters=4)).train(),
    ):
        batch = PackedBatch.from_lists(IDS)
        exact = encoder(batch).last
        with torch.autocast("cpu", dtype=torch.bfloat16):
            rough = encoder(batch).last
        rough.float().sum().backward()
        torch.testing.assert_close(rough.float(), exact, atol=0.02, rtol=0.05)


class Sums(Encoder):
    """An encoder of one's own: running sums of embeddings."""

    model_type = "sums"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.table = nn.Embedding(len(WORDS) + 2, size)

    hidden_size = property(lambda self: self.table.embedding_dim)
    num_layers = property(lambda self: 1)

    def depth(self, parameter):
        return 0

    def forward(self, batch, *, all_states=False, pooler=False, upto=None, wanted=None):
        embedded = self.table(batch.ids)
        rows = batch.packing.from_padded(batch.packing.to_padded(embedded).cumsum(dim=1))
        return States(batch.packing, rows, (embedded, rows) if all_states else None)


class SumsType(EncoderType):
    model_type = "sums"

    def from_scratch(self):
        return SumsFromScratch

    def load(self, folder):
        encoder = Sums(json.loads((folder / "config.json").read_text())["size"])
        encoder.load_state_dict(torch.load(folder / "weights.bin", weights_only=True))
        return encoder.eval()

    def save(self, encoder, folder, *, source=None):
        (folder / "config.json").write_text(json.dumps({"model_type": "sums", "size": encoder.hidden_size}))
        torch.save(encoder.state_dict(), folder / "weights.bin")

    def copy(self, source, target):
        self.save(self.load(source), target)

    def digests(self, folder, digest):
        return {"weights.bin": digest(folder / "weights.bin")}


@dataclass(frozen=True, slots=True, kw_only=True)
class SumsFromScratch(FromScratch):
    model_type: Literal["sums"] = "sums"
    size: int = 3

    def write_encoder(self, folder, texts, *, seed):
        write_word_level(folder, texts, vocab_size=len(WORDS))
        encoder_type("sums").save(Sums(self.size), folder)
        return self.size


def test_an_encoder_from_outside(tmp_path):
    try:
        register(SumsType())
        folder = from_scratch_config({"model_type": "sums", "size": 4}).write(tmp_path / "new", TEXTS)
        model = tenor.load(folder)
        assert model.encode(["the cat", ""]).shape == (2, 4)
        assert model.engine.name == "torch cpu"
        assert not model.settings.opens_in_sentence_transformers
        with pytest.raises(TenorError, match="'lstm' belongs to LstmType"):
            register(type("Other", (SumsType,), {"model_type": "lstm"})())
    finally:
        ENCODERS.pop("sums", None)
    with pytest.raises(TenorError, match=r"model_type 'sums'.*process that registers it") as error:
        tenor.load(folder)
    assert "\n" not in str(error.value)
    with pytest.raises(TenorError, match="known are bert, lstm, cnn, "):
        read_folder(folder)
