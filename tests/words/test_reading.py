"""Files of word vectors in every format, against gensim's readers and writers, and files that are broken."""

import gzip
import json
import struct

import numpy as np
import pytest
from gensim.models import FastText, KeyedVectors
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model

from tenor.errors import TenorError
from tenor.text.problems import Problems
from tenor.words import WordVectors

WORDS = ["the", "king", "fée", "漢字", "x.y-z", "'"]


@pytest.fixture
def keyed():
    vectors = KeyedVectors(5)
    vectors.add_vectors(WORDS, np.random.default_rng(0).normal(size=(6, 5)).astype(np.float32))
    return vectors


def _write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_reads_what_gensim_writes(tmp_path, keyed, binary, packed):
    path = tmp_path / "vectors"
    keyed.save_word2vec_format(str(path), binary=binary)
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    vectors = WordVectors.load(path)
    assert list(vectors.words) == WORDS
    np.testing.assert_allclose(vectors.vectors, keyed.vectors, rtol=1e-6)


@pytest.mark.parametrize("name", ["v.txt", "v.bin", "v.vec"])
def test_gensim_reads_what_is_written(tmp_path, keyed, name):
    ours = WordVectors(WORDS, keyed.vectors)
    ours.save(tmp_path / name)
    again = KeyedVectors.load_word2vec_format(str(tmp_path / name), binary=name.endswith(".bin"))
    assert again.index_to_key == WORDS
    np.testing.assert_array_equal(again.vectors, keyed.vectors)
    np.testing.assert_array_equal(WordVectors.load(tmp_path / name).vectors, keyed.vectors)


def test_our_own_format_keeps_everything(tmp_path, keyed):
    counts, contexts = np.arange(6), np.ones((6, 5))
    ours = WordVectors(WORDS, keyed.vectors, counts, contexts)
    ours.save(tmp_path / "v.safetensors")
    again = WordVectors.load(tmp_path / "v.safetensors")
    assert list(again.words) == WORDS
    assert [again.index(word) for word in WORDS] == list(range(6))
    assert again.index("iron") is None
    assert again.indices(["漢字", "iron", "the"]).tolist() == [3, -1, 0]
    np.testing.assert_array_equal(again.vectors, keyed.vectors)
    np.testing.assert_array_equal(again.counts, counts)
    np.testing.assert_array_equal(again.contexts, contexts)
    assert not again.vectors.flags.owndata  # mapped, not read


def test_glove_without_header_and_with_spaces_in_words(tmp_path):
    path = _write(tmp_path / "glove.txt", "the 1 2 3\n. . . 4 5 6\nat name@domain.com 7 8 9\n")
    vectors = WordVectors.load(path)
    assert list(vectors.words) == ["the", ". . .", "at name@domain.com"]
    assert vectors.vectors.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_line_ends_trailing_spaces_tabs_and_no_last_line_break(tmp_path):
    path = _write(tmp_path / "v", b"2 2\r\na 1 2 \r\nb\t3\t4")
    assert WordVectors.load(path).vectors.tolist() == [[1, 2], [3, 4]]


def test_one_wide_vectors_are_no_header(tmp_path):
    path = _write(tmp_path / "v", "7 5\nb 3\nc 4\n")
    assert list(WordVectors.load(path).words) == ["7", "b", "c"]


def test_limit_and_lower(tmp_path):
    path = _write(tmp_path / "v", "The 1 1\nthe 2 2\nA 3 3\nb 4 4\n")
    problems = Problems()
    lower = WordVectors.load(path, lowercase=True, problems=problems)
    assert (list(lower.words), lower["the"].tolist(), problems.count) == (["the", "a", "b"], [1, 1], 0)
    assert list(WordVectors.load(path, limit=2).words) == ["The", "the"]
    lower.save(tmp_path / "w.safetensors")
    assert list(WordVectors.load(tmp_path / "w.safetensors", limit=1).words) == ["the"]


def test_bad_lines_are_reported_with_their_numbers(tmp_path):
    text = "6 2\na 1 2\nragged 1\nlong 1 2 3\nnan nan 1\nword 1 x\ntail 1 2x\nzero 0 0\na 5 6\n\nb 3 4\n"
    path = _write(tmp_path / "v", text)
    problems = Problems()
    vectors = WordVectors.load(path, problems=problems)
    assert list(vectors.words) == ["a", "zero", "b"]
    assert vectors["a"].tolist() == [1, 2]
    assert (
        problems.count == 8
    )  # the header's promise, five lines left out, a vector of zeros, a repeated word
    told = [str(problem) for problem in problems.first]
    assert told[0].startswith(f"{path}:3: the line has 1 numbers")
    assert "not finite" in told[2]
    assert "'x' in the vector of 'word' is not a number" in told[3]
    with pytest.raises(TenorError, match=r":3: .*strict"):
        WordVectors.load(path, problems=Problems(strict=True))


def test_words_that_are_not_utf8_are_reported(tmp_path):
    path = _write(tmp_path / "v", b"caf\xe9 1 2\nb 3 4\n")
    problems = Problems()
    assert list(WordVectors.load(path, problems=problems).words) == ["caf�", "b"]
    assert problems.count == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b"one two three\nfour five six\n", "no file of word vectors"),
        (b"2 3\na 1 2\nb 3 4\n", "promises 3 dimensions, but the lines have 2"),
        (b"0 3\n", "expected at least one"),
        (b"5 99999999\nx", "expected at least one vector of 1 to"),
        (b"1000000000 300\nword \x00\x01\x02", "cut short"),
        (b"a nan nan\nb inf 1\n", "no vector that could be read"),
        (struct.pack("<ii", 793712314, 12), "cut short"),
        (struct.pack("<ii", 793712314, 77) + b"\0" * 100, "format 77"),
        (struct.pack("<ii12idiiiqq", 793712314, 12, *[10] * 12, 0.1, 9, 9, 0, 9, -1), "cut short"),
        (b"\x1f\x8bnot really gzip", "damaged gzip"),
        (struct.pack("<Q", 20) + b'{"x":1}', "safetensors"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_files_that_are_not_vectors_are_told_in_a_sentence(tmp_path, content, says):
    with pytest.raises(TenorError, match=says):
        WordVectors.load(_write(tmp_path / "v", content))


def test_our_own_format_damaged(tmp_path, keyed):
    from tenor.tensors import Stored, read_with_metadata, write_safetensors

    WordVectors(WORDS, keyed.vectors).save(tmp_path / "v.safetensors")
    tensors, metadata = read_with_metadata(tmp_path / "v.safetensors")
    bad = tmp_path / "bad.safetensors"
    falling = Stored("I64", np.array([0, 5, 3, 6, 7, 8, len(tensors["words"].bits)]))
    outside = Stored("I64", np.full(6, 99))
    for name, value in {"offsets": falling, "order": outside, "vectors": outside, "words": outside}.items():
        write_safetensors(bad, {**tensors, name: value}, metadata=metadata)
        with pytest.raises(TenorError, match=r"damaged|expected"):
            WordVectors.load(bad)
    write_safetensors(bad, tensors, metadata={"kind": "tenor words", "version": "9"})
    with pytest.raises(TenorError, match="upgrade"):
        WordVectors.load(bad)
    write_safetensors(bad, tensors)
    with pytest.raises(TenorError, match="not one of word vectors"):
        WordVectors.load(bad)


def test_nothing_that_is_not_finite_or_ambiguous_is_written(tmp_path):
    with pytest.raises(TenorError, match="not finite"):
        WordVectors(["a"], [[np.nan]]).save(tmp_path / "v.safetensors")
    with pytest.raises(TenorError, match="space"):
        WordVectors(["a b"], [[1]]).save(tmp_path / "v.txt")
    with pytest.raises(TenorError, match="ending"):
        WordVectors(["a"], [[1]]).save(tmp_path / "v.xyz")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def fasttext(tmp_path_factory):
    text = [["über", "the", "king", "rules", "漢字"], ["the", "queen", "rules", "too"]] * 30
    model = FastText(
        text, vector_size=8, min_count=1, bucket=300, min_n=2, max_n=4, sg=1, epochs=1, seed=1, workers=1
    )
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    save_facebook_model(model, str(path))
    return path


def test_fasttext_bin_gives_gensims_vectors_also_for_unknown_words(fasttext, tmp_path):
    theirs, ours = load_facebook_vectors(str(fasttext)), WordVectors.load(fasttext)
    known = ["über", "the", "king", "rules", "漢字", "queen", "too"]
    np.testing.assert_allclose(ours.rows(known, oov="error"), theirs[known], rtol=1e-5, atol=1e-7)
    unknown = ["kings", "ruler", "überall", "漢", "a"]
    np.testing.assert_allclose(ours.rows(unknown, oov="subword"), theirs[unknown], rtol=1e-5, atol=1e-7)
    assert ours.counts[ours.index("the")] == 60
    assert ours.contexts.shape == ours.vectors.shape
    ours.save(tmp_path / "v.safetensors")
    again = WordVectors.load(tmp_path / "v.safetensors").rows(unknown, oov="subword")
    np.testing.assert_array_equal(again, ours.rows(unknown, oov="subword"))


def test_fasttext_cut_anywhere_is_told(fasttext, tmp_path):
    whole = fasttext.read_bytes()
    for cut in (6, 40, 70, 90, 130, 400, 4000, len(whole) - 4):
        with pytest.raises(TenorError, match=r"cut short|damaged|no file"):
            WordVectors.load(_write(tmp_path / "v.bin", whole[:cut]))


def test_the_json_of_wink_nlp(tmp_path):
    content = {
        "dimensions": 2,
        "words": ["a"],
        "vectors": {"a": [1, 2, 9, 0], "b": [1], "c": ["x", 1], "fée": [3, 4]},
    }
    path = _write(tmp_path / "v.json", json.dumps(content))
    problems = Problems()
    vectors = WordVectors.load(path, problems=problems)
    assert (list(vectors.words), vectors.vectors.tolist()) == (["a", "fée"], [[1, 2], [3, 4]])
    assert problems.count == 2
    assert list(WordVectors.load(path, limit=1).words) == ["a"]
    for wrong in ("{", "{}", '{"dimensions": 0, "vectors": {}}', '{"dimensions": 2, "vectors": []}'):
        with pytest.raises(TenorError):
            WordVectors.load(_write(tmp_path / "w.json", wrong))


@pytest.mark.parametrize("header", ["", "3 2\n"])
def test_a_byte_order_mark_belongs_to_no_word(tmp_path, header):
    path = tmp_path / "v.vec"
    path.write_text(f"{header}sun 1 2\nsky 3 4\nsea 5 6\n", encoding="utf-8-sig")
    vectors = WordVectors.load(path, problems=Problems(strict=True))
    assert list(vectors.words) == ["sun", "sky", "sea"]
