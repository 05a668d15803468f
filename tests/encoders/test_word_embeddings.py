"""Several embeddings of a word: each against an independent computation, together, and through run files."""

import json

import numpy as np
import pytest
import torch
from torch import nn

import tenor
from small_tagger import tagged_rows
from tenor.encoders.embedded.word_embeddings.begin import begin, count_words
from tenor.encoders.embedded.word_embeddings.combined import CombinedEmbeddings
from tenor.encoders.embedded.word_embeddings.modules import CharacterNetwork, NgramTable, PieceTable
from tenor.encoders.embedded.word_embeddings.settings import word_embedding
from tenor.encoders.embedded.word_embeddings.tokenizer import SpellingTokenizer
from tenor.encoders.from_scratch import from_scratch_config
from tenor.encoders.table import encoder_type
from tenor.errors import TenorError
from tenor.layers.embedding_attention import EmbeddingAttention
from tenor.layers.packed import PackedBatch
from tenor.text.batching import distinct
from tenor.training.api import train
from tenor.training.config_dump import to_toml
from tenor.training.runfile import read_run
from tenor.words import WordVectors

TEXTS = ["the cat sat on the mat", "The dog saw the cat", "a dog and a cat sat"]
WORDS = ["cat", "Cat", "dogs", "", "zebra", "x" * 500]


def made(table, words=TEXTS):
    """Return the module of an embedding that begins on some texts."""
    begun = begin(word_embedding(table), count_words(words))
    torch.manual_seed(3)
    return CombinedEmbeddings([begun.settings], [begun.vocabulary]).parts[0]


@pytest.fixture
def vectors(tmp_path):
    file = tmp_path / "vectors.safetensors"
    WordVectors(["cat", "dog", "the", "zebra"], np.arange(12.0).reshape(4, 3)).save(file)
    return file


def test_words_are_looked_up_as_written_then_in_lower_case(vectors, tmp_path):
    cased = tmp_path / "cased.safetensors"
    WordVectors(["Cat", "cat", "dog"], np.arange(6.0).reshape(3, 2)).save(cased)
    for file, words, rows in (
        (vectors, ["cat", "CAT", "ship"], [1, 1, 0]),
        (cased, ["Cat", "cat", "CAT", "Dog"], [1, 2, 2, 3]),
    ):
        begun = begin(word_embedding({"type": "static", "vectors": str(file)}), count_words(TEXTS))
        module = CombinedEmbeddings([begun.settings], [begun.vocabulary]).parts[0]
        assert module.rows(words) == rows
        assert not module.table.weight.requires_grad
    mean, *own = begun.rows["table"][1].tolist()
    assert mean == [2.0, 3.0]
    assert own == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]


def test_rare_words_share_the_first_row():
    module = made({"type": "learned", "size": 4, "min_count": 2})
    assert module.rows(["the", "THE", "mat", "unheard"]) == [1, 1, 0, 0]
    assert 0 not in module.rows(["sat", "dog", "a"])  # twice is enough
    assert made({"type": "learned", "lowercase": False, "min_count": 1}).rows(["The"]) != [0]
    assert len(made({"type": "learned", "vocab_size": 2}).table.weight) == 3


def fnv(text):
    value = 2166136261
    for byte in text.encode():
        value = ((value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) % 2**32
    return value


def test_ngrams_are_hashed_and_averaged_as_fasttext_does():
    module = made({"type": "ngrams", "size": 5, "buckets": 97, "min_n": 3, "max_n": 4})
    for word in ("cat", "é€n", "a"):
        marked = f"<{word}>"
        ngrams = [marked[at : at + n] for n in (3, 4) for at in range(len(marked) - n + 1)]
        expected = module.buckets.weight[[fnv(ngram) % 97 for ngram in ngrams]].mean(0)
        torch.testing.assert_close(module([word])[0], expected)
    assert module([""])[0].abs().sum() == 0


def test_known_words_of_a_fasttext_file_have_their_own_vector():
    settings = word_embedding({"type": "ngrams", "size": 2, "buckets": 7})
    module = NgramTable(settings, ["cat"])
    out = module(["dog", "cat", "cats"])
    assert torch.equal(out[1], module.words.weight[0])
    torch.testing.assert_close(out[2], module(["cats"])[0])
    assert not torch.equal(out[0], out[2])


def test_pieces_are_averaged_or_their_ends_taken():
    for pooling in ("mean", "ends"):
        module = made({"type": "bpe", "size": 3, "vocab_size": 14, "pooling": pooling})
        ids = module._tokenizer.encode("catsat").ids
        assert len(ids) > 1
        rows = module.table.weight[ids]
        expected = rows.mean(0) if pooling == "mean" else torch.cat([rows[0], rows[-1]])
        torch.testing.assert_close(module(["dog", "CATSAT"])[1], expected)


def test_given_pieces_and_vectors(tmp_path, tiny_folder):
    file = tmp_path / "pieces.safetensors"
    WordVectors(["cat", "dog"], np.array([[1.0, 2.0], [3.0, 4.0]])).save(file)
    table = {"type": "bpe", "tokenizer": str(tiny_folder), "vectors": str(file), "freeze": True}
    settings = {"model_type": "lstm", "hidden_size": 3, "embeddings": [table]}
    folder = from_scratch_config(settings).write(tmp_path / "new", TEXTS)
    module = encoder_type("lstm").load(folder).embeddings.parts[0]
    assert isinstance(module, PieceTable)
    assert not module.table.weight.requires_grad
    assert module(["cat", "dog"]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert str(tmp_path) not in (folder / "config.json").read_text()


def spelled(module, word):
    known = {letter: row for row, letter in enumerate(sorted(set("".join(TEXTS).replace(" ", ""))), start=3)}
    letters = word[: module.settings.max_characters]
    return torch.tensor([1, *(known.get(letter, 0) for letter in letters), 2])


@pytest.mark.parametrize("network", ["cnn", "lstm"])
def test_characters_go_through_the_network_of_torch(network):
    module = made({"type": "characters", "network": network, "size": 6, "character_size": 4})
    out = module(WORDS)
    assert isinstance(module, CharacterNetwork)
    for word, ours in zip(WORDS, out, strict=True):
        embedded = module.characters.weight[spelled(module, word)]
        if network == "cnn":
            convolution = module.cnn.convolutions[0]
            padded = torch.cat([embedded, torch.zeros(2, 4)])  # a window may pass the end
            theirs = convolution(padded.T[None])[0].relu().amax(dim=1)
        else:
            lstm = nn.LSTM(4, 3, bidirectional=True)
            lstm.load_state_dict(module.lstm.layers[0].state_dict())
            states, _ = lstm(embedded[:, None])
            theirs = torch.cat([states[0, 0, 3:], states[-1, 0, :3]])
        torch.testing.assert_close(ours, theirs)


def test_casing_is_kept_although_word_vectors_are_lower_cased(vectors):
    tables = [
        {"type": "static", "vectors": str(vectors)},
        {"type": "characters", "network": "lstm", "size": 4},
    ]
    begun = [begin(word_embedding(table), count_words(TEXTS)) for table in tables]
    combined = CombinedEmbeddings([each.settings for each in begun], [each.vocabulary for each in begun])
    lower, upper = combined.of_words(["the", "The"])
    assert torch.equal(lower[:3], upper[:3])
    assert not torch.equal(lower[3:], upper[3:])


def test_attention_over_embeddings_is_that_of_the_equations():
    torch.manual_seed(1)
    attention = EmbeddingAttention([2, 5, 3], attention_size=4)
    embeddings = [torch.randn(6, size) for size in (2, 5, 3)]
    for word in range(6):
        projected = [
            torch.tanh(each[word] @ layer.weight.T + layer.bias)
            for each, layer in zip(embeddings, attention.projections, strict=True)
        ]
        scores = [attention.out.weight @ torch.tanh(attention.score.weight @ x) for x in projected]
        weights = torch.exp(torch.cat(scores)) / torch.exp(torch.cat(scores)).sum()
        torch.testing.assert_close(attention.weights(embeddings)[word], weights)
        expected = sum(w * x for w, x in zip(weights, projected, strict=True))
        torch.testing.assert_close(attention(embeddings)[word], expected)
    linear = EmbeddingAttention([4], nonlinear=False)
    only = torch.randn(3, 4)
    torch.testing.assert_close(linear([only]), linear.projections[0](only))


def test_weights_of_attention_can_be_read():
    tables = [{"type": "learned", "size": 3}, {"type": "characters", "size": 4}]
    begun = [begin(word_embedding(table), count_words(TEXTS)) for table in tables]
    parts = [each.settings for each in begun], [each.vocabulary for each in begun]
    weights = CombinedEmbeddings(*parts, attention_size=5).weights(["cat", "dog"])
    assert weights.shape == (2, 2)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
    assert CombinedEmbeddings(*parts).weights(["cat"]) is None


def test_words_that_are_given_stay_whole_and_others_are_cut():
    tokenizer = SpellingTokenizer()
    tokens = tokenizer.tokenize([["New-York", "", "3.5's"]], words=True)
    assert tokens.forms.tolist() == ["New-York", "", "3.5's"]
    assert tokens.words.tolist() == [0, 1, 2]
    assert tokenizer.tokenize(["New-York \ud800"]).forms.tolist() == ["New", "-", "York"]
    assert tokenizer.tokenize([["a\ud800", "👍"]]).forms.tolist() == ["a\ufffd", "👍"]
    pair = SpellingTokenizer(max_tokens=4).tokenize(["a b c d"], pairs=["e f g"])
    assert pair.forms.tolist() == ["a", "b", "e", "f"]
    known = SpellingTokenizer(known={"cat"})
    assert (known.tokenize(["cat Cat ship"]).ids == known.unknown).tolist() == [False, False, True]
    assert tokenizer.unknown is None


def test_texts_of_equal_ids_and_other_forms_are_not_the_same():
    tokens = SpellingTokenizer(known=set()).tokenize(["one", "two", "one"])
    assert set(tokens.ids.tolist()) == {0}
    assert distinct(tokens)[1].tolist() == [0, 1, 0]


def test_numbers_alone_are_refused(vectors, tmp_path):
    settings = {
        "model_type": "cnn",
        "filters": 2,
        "embeddings": [{"type": "static", "vectors": str(vectors)}],
    }
    encoder = encoder_type("cnn").load(from_scratch_config(settings).write(tmp_path / "new", TEXTS))
    assert encoder.word_embeddings is None
    with pytest.raises(TenorError, match="how words are written"):
        encoder(PackedBatch.from_lists([[1, 2]]))


@pytest.mark.parametrize("freeze", [True, False])
def test_frozen_vectors_stay_and_trained_ones_change_where_words_were_seen(tmp_path, freeze):
    rows = tagged_rows(40)
    file = tmp_path / "vectors.safetensors"
    words = ["cat", "dog", "river", "unseen"]
    WordVectors(words, np.random.default_rng(0).normal(size=(4, 6))).save(file)
    run = train(
        None,
        {"names": {"kind": "tag", "train": rows, "batch_size": 8}},
        from_scratch={
            "model_type": "lstm",
            "hidden_size": 4,
            "embeddings": [{"type": "static", "vectors": str(file), "freeze": freeze}],
        },
        out=tmp_path / "run",
        epochs=2,
        encoder_lr=1e-2,
        weight_decay=0.0,
        precision="fp32",
    )
    table = encoder_type("lstm").load(run.model).embeddings.parts[0].table.weight.detach().numpy()
    changed = (table[1:] != WordVectors.load(file).vectors).any(axis=1)
    assert changed.tolist() == [not freeze] * 3 + [False]


RUN = """
[from_scratch]
model_type = "lstm"
hidden_size = 4
combine = "attention"

[[from_scratch.embeddings]]
type = "learned"
size = 5

[[from_scratch.embeddings]]
type = "characters"
size = 6

[tasks.names]
kind = "tag"
train = "rows.conll"
"""


@pytest.fixture
def run_file(tmp_path):
    lines = ["".join(f"{word} {tag}\n" for word, tag in zip(*row, strict=True)) for row in tagged_rows(8)]
    (tmp_path / "rows.conll").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "run.toml"


def test_a_run_file_lists_embeddings_and_is_written_out_in_full(run_file):
    run_file.write_text(RUN)
    run = read_run(run_file)
    assert [each.type for each in run.from_scratch.embeddings] == ["learned", "characters"]
    again = run_file.with_name("again.toml")
    again.write_text(to_toml(run))
    assert read_run(again).from_scratch == run.from_scratch


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('type = "learned"', 'type = "learnt"', r"run.toml:8: .*Did you mean 'learned'"),
        ("size = 5", "sizes = 5", r"run.toml:9: .*no key 'sizes'. Did you mean 'size'"),
        ("size = 5", 'size = "5"', "size should be a whole number"),
        ("size = 5", "size = 0", "size is 0; expected a whole number from 1"),
        (
            "hidden_size = 4",
            "hidden_size = 4\nembedding_size = 3",
            "embedding_size is the setting of a single",
        ),
        ('"attention"', '"attend"', "combine should be one of 'concat', 'attention'"),
    ],
)
def test_wrong_tables_are_told_with_their_line(run_file, old, new, told):
    run_file.write_text(RUN.replace(old, new, 1))
    with pytest.raises(TenorError, match=told):
        read_run(run_file)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"type": "static"}, "vectors is missing"),
        ({"type": "static", "vectors": "nowhere.txt"}, "nowhere.txt"),
        ({"type": "characters", "network": "lstm", "size": 5}, "even"),
        ({"type": "characters", "dropout": 1.0}, "dropout probability"),
        ({"type": "ngrams", "min_n": 5, "max_n": 3}, "max_n is 3"),
        ({"type": "bpe", "size": True}, "size of 'bpe' is 'True'"),
        ("words", "expected tables"),
        ({}, "type is None"),
    ],
)
def test_wrong_settings_are_told(tmp_path, table, told):
    with pytest.raises(TenorError, match=told):
        from_scratch_config({"model_type": "lstm", "embeddings": [table]}).write(tmp_path / "new", TEXTS)


def damaged(folder, **changes):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda f: (f / "vocabularies.json").unlink(), "lacks vocabularies.json"),
        (lambda f: (f / "vocabularies.json").write_text("[]"), "must hold 1 lists"),
        (lambda f: (f / "vocabularies.json").write_text('[["a"]]'), "the shape"),
        (lambda f: (f / "vocabularies.json").write_text("[[1]]"), "lists of texts"),
        (lambda f: damaged(f, embeddings=[{"type": "learned"}] * 99), "expected a list of tables"),
        (
            lambda f: damaged(f, embeddings=[{"type": "learned", "size": None}]),
            "size of 'learned' is missing",
        ),
        (lambda f: damaged(f, embeddings=[{"type": "learned", "size": 9}]), "the embeddings make 9"),
        (lambda f: damaged(f, embeddings=[{"type": "learned", "evil": 9}]), "no key 'evil'"),
        (lambda f: damaged(f, attention_size=10**9), "whole number"),
    ],
)
def test_hostile_folders_are_told_in_one_sentence(tmp_path, damage, told):
    settings = {"model_type": "lstm", "hidden_size": 3, "embeddings": [{"type": "learned", "size": 4}]}
    folder = from_scratch_config(settings).write(tmp_path / "new", TEXTS)
    damage(folder)
    with pytest.raises(TenorError, match=told) as error:
        tenor.load(folder).encode(TEXTS)
    assert "\n" not in str(error.value)
