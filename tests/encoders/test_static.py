"""The static encoder against model2vec and sentence-transformers, on random tables and on the real one."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from tenor import TenorError
from tenor.encoders.static.engine import StaticEngine
from tenor.text.tokens import Tokens

WORDS = ["[UNK]", "[PAD]", "the", "man", "eats", "din", "##es", "fast", "."]
TEXTS = [
    "the man eats .", "", "fast", "the zebra dines", "zebra", "the " * 2000, "man man man", "   ", "THE man",
]  # fmt: skip


def vocabulary():
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def table(rows=9, width=16, dtype=np.float32, seed=0):
    values = np.random.default_rng(seed).normal(size=(rows, width))
    return (values * 40).astype(np.int8) if dtype == np.int8 else values.astype(dtype)


def write_model2vec(folder, *, normalize=True, dtype=np.float32, quantised=False):
    from model2vec import StaticModel

    extra = {}
    if quantised:
        extra["token_mapping"] = np.array([0, 1, 2, 2, 3, 1, 0, 3, 2])
        extra["weights"] = np.linspace(0.5, 1.5, len(WORDS)).astype(np.float32)
    vectors = table(4 if quantised else len(WORDS), dtype=dtype)
    StaticModel(vectors, vocabulary(), normalize=normalize, max_length=None, **extra).save_pretrained(folder)
    return folder


def tokens_of(texts, tokenizer=None):
    tokenizer = tokenizer or vocabulary()
    return Tokens.from_lists(
        [encoding.ids for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
    )


@pytest.mark.parametrize("quantised", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
@pytest.mark.parametrize("normalize", [False, True])
def test_equal_to_model2vec(tmp_path, normalize, dtype, quantised):
    from model2vec import StaticModel

    folder = write_model2vec(tmp_path / "m", normalize=normalize, dtype=dtype, quantised=quantised)
    theirs = StaticModel.from_pretrained(folder).encode(TEXTS)
    ours = StaticEngine.load(folder).vectors(tokens_of(TEXTS))
    assert ours.dtype == np.float32
    # Theirs rounds to the table's own format; and it adds 2,000 numbers in a row where we add stretches.
    np.testing.assert_allclose(ours, theirs, atol=2e-3 if dtype == np.float16 else 2e-5, rtol=1e-4)


@pytest.mark.parametrize("normalize", [False, True])
def test_equal_to_sentence_transformers(tmp_path, normalize):
    """Their own folders keep unknown tokens in the mean; of model2vec's, texts of known tokens agree."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding

    modules = [StaticEmbedding(vocabulary(), embedding_weights=table())] + [Normalize()] * normalize
    theirs = SentenceTransformer(modules=modules, device="cpu")
    theirs.save(str(tmp_path / "st"))
    folder = next(path.parent for path in (tmp_path / "st").rglob("model.safetensors"))
    ours = StaticEngine.load(folder, normalize=normalize)
    np.testing.assert_allclose(ours.vectors(tokens_of(TEXTS)), theirs.encode(TEXTS), atol=1e-5, rtol=1e-4)

    folder = write_model2vec(tmp_path / "m", normalize=normalize)
    known = [text for text in TEXTS if "zebra" not in text]
    theirs = SentenceTransformer(str(folder), device="cpu").encode(known)
    np.testing.assert_allclose(
        StaticEngine.load(folder).vectors(tokens_of(known)), theirs, atol=1e-5, rtol=1e-4
    )


@settings(deadline=None, max_examples=60)
@given(
    lengths=st.lists(st.integers(0, 700), min_size=0, max_size=12),
    seed=st.integers(0, 99),
    unknown=st.one_of(st.none(), st.integers(0, 4)),
)
def test_equal_to_the_definition_and_independent_of_the_batch(lengths, seed, unknown):
    rng = np.random.default_rng(seed)
    lists = [rng.integers(0, 20, size=length).tolist() for length in lengths]
    engine = StaticEngine(table(20), unknown=unknown)
    together = engine.vectors(Tokens.from_lists(lists))
    assert together.shape == (len(lists), 16)
    for ids, vector in zip(lists, together, strict=True):
        known = [token for token in ids if token != unknown]
        expected = engine.table[known].astype(np.float64).mean(axis=0) if known else np.zeros(16)
        np.testing.assert_allclose(vector, expected, atol=1e-5)
        np.testing.assert_array_equal(vector, engine.vectors(Tokens.from_lists([ids]))[0])


@given(arrays(np.float32, (3, 4), elements=st.floats(-100, 100, width=32)))
def test_lengths_are_one_or_zero(values):
    lengths = np.linalg.norm(
        StaticEngine(values, normalized=True).vectors(Tokens.from_lists([[0], [1], [2]])), axis=1
    )
    assert np.all((np.abs(lengths - 1) < 1e-5) | (lengths == 0) | (np.abs(values).max(axis=1) < 1e-18))


def test_states_are_the_rows():
    engine = StaticEngine(table(), unknown=0, weights=np.arange(9, dtype=np.float32))
    states = engine.states(Tokens.from_lists([[2, 0], [3]]), layers=[0])[0]
    np.testing.assert_allclose(states, [2 * table()[2], np.zeros(16), 3 * table()[3]])
    with pytest.raises(TenorError, match="no layers above"):
        engine.states(Tokens.from_lists([[2]]), layers=[1])
    vectors, (again,) = engine.vectors_and_states(Tokens.from_lists([[2, 0], [3]]), layers=[0])
    np.testing.assert_array_equal(again, states)
    np.testing.assert_array_equal(vectors, engine.vectors(Tokens.from_lists([[2, 0], [3]])))


def test_the_table_is_mapped_not_copied(tmp_path):
    engine = StaticEngine.load(write_model2vec(tmp_path / "m"))
    base = engine.table
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    assert not engine.table.flags.writeable


def test_what_the_engine_says_of_itself(tmp_path):
    engine = StaticEngine.load(write_model2vec(tmp_path / "m"))
    assert (engine.name, engine.precision, engine.width, engine.layers) == ("static", "fp32", 16, 0)
    assert engine.unknown == 0
    assert engine.normalized
    assert not StaticEngine.load(tmp_path / "m", normalize=False).normalized


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({"other": table()}, "holds no table"),
        ({"embeddings": table(8)}, "vectors for 8 tokens, but tokenizer.json knows 9"),
        ({"embeddings": table()[0]}, "has the shape"),
        ({"embeddings": table()[:, :0]}, "has the shape"),
        ({"embeddings": np.zeros((9, 2), dtype=np.int64)}, "stored as I64"),
        ({"embeddings": table(), "mapping": np.arange(1, 10)}, "leads outside"),
        ({"embeddings": table(), "mapping": np.arange(-1, 8)}, "leads outside"),
        ({"embeddings": table(), "mapping": np.arange(8)}, "vectors for 8 tokens"),
        ({"embeddings": table(), "mapping": np.zeros(9, np.float32)}, "must be one row number"),
        ({"embeddings": table(), "weights": np.ones(5, np.float32)}, "vectors for 5 tokens"),
        ({"embeddings": table(), "weights": np.ones((9, 1), np.float32)}, "'weights' has the shape"),
    ],
)  # fmt: skip
def test_hostile_tables_are_refused(tmp_path, tensors, said):
    folder = write_model2vec(tmp_path / "m")
    save_file(
        {name: np.ascontiguousarray(value) for name, value in tensors.items()}, folder / "model.safetensors"
    )
    with pytest.raises(TenorError, match=said):
        StaticEngine.load(folder)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"model": {"vocab": 3}, "added_tokens": []}', "nonsense"]
)
def test_hostile_tokenizers_are_refused(tmp_path, content):
    folder = write_model2vec(tmp_path / "m")
    (folder / "tokenizer.json").write_text(content)
    with pytest.raises(TenorError, match=r"tokenizer\.json"):
        StaticEngine.load(folder)


def test_truncated_and_missing_files(tmp_path):
    folder = write_model2vec(tmp_path / "m")
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-10])
    with pytest.raises(TenorError, match=r"model\.safetensors"):
        StaticEngine.load(folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(TenorError, match=r"model\.safetensors"):
        StaticEngine.load(folder)


def test_a_unigram_vocabulary_knows_its_unknown_token(tmp_path):
    folder = write_model2vec(tmp_path / "m")
    content = {"model": {"type": "Unigram", "unk_id": 3, "vocab": [["a", -1.0]] * 9}, "added_tokens": []}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    assert StaticEngine.load(folder).unknown == 3


@pytest.fixture(scope="module")
def potion():
    from tenor.assets import find

    try:
        return find("potion-8m")
    except TenorError as error:
        pytest.skip(str(error))


REAL = [
    "A man is eating.",
    "Somebody dines.",
    "",
    "naïve café 🙂 日本",
    "[SEP] as text",
    "word " * 3000,
    "Straße №5",
]


def test_the_real_model_equals_model2vec_and_sentence_transformers(potion):
    from model2vec import StaticModel
    from sentence_transformers import SentenceTransformer

    import tenor

    ours = tenor.load("potion-8m").encode(REAL)
    np.testing.assert_allclose(
        ours, StaticModel.from_pretrained(potion, max_length=None).encode(REAL), atol=2e-5
    )
    tokenizer = Tokenizer.from_file(str(potion / "tokenizer.json"))
    known = [text for text in REAL if "[UNK]" not in tokenizer.encode(text, add_special_tokens=False).tokens]
    assert 4 < len(known) < len(REAL)
    theirs = SentenceTransformer(str(potion), device="cpu").encode(known)
    np.testing.assert_allclose(ours[[REAL.index(text) for text in known]], theirs, atol=2e-5)


def test_the_real_model_knows_paraphrases(potion):
    import tenor

    first, second, other = tenor.load(potion).encode(
        ["A man is eating.", "Somebody has dinner.", "Stocks fell today."]
    )
    assert first @ second > first @ other + 0.1
