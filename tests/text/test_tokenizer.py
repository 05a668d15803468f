"""Tokens equal to those of `transformers`, our own rules for length, hostile files told in a sentence."""

import json
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BertTokenizerFast

from tenor.errors import TenorError
from tenor.text import ascii_pieces
from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import NOT_A_WORD
from tenor.text.words import split_words
from tiny import write_tiny_model

TEXTS = [
    "",
    " ",
    "The cat sat on the mat.",
    "UNHAPPILY he walked; she didn't!",
    "naïve café, Ünïcödé ﬁne",
    "漢字と人 mixed 漢",
    "tabs\tand\nlines\r\n here",
    "zero\0byte \u200bspace\ufeff",
    "emoji 👍🏽 and 🇫🇷",
    "हिन्दी में",
    "[SEP] inside [MASK] [cls]",
    "x" * 150,
    "a" * 1000 + " b",
    "the " * 200,
    "\u2028 \u3000 \xa0 spaces",
    "e\u0301 combining",
    "a\x1fb\x0bc\x7fd `quoted` ~{x}~ <y>|z\\",
    "[PAD][UNK]the[CLS]",
]
PAIRS = [
    ("the cat", "a dog " * 100),
    ("the cat " * 100, "a dog"),
    ("good day " * 60, "bad night " * 60),
    ("", ""),
]


@pytest.fixture(scope="module")
def reference(tiny_folder):
    return BertTokenizerFast.from_pretrained(tiny_folder)


@pytest.fixture(scope="module")
def tokenizer(tiny_folder):
    return Tokenizer.load(tiny_folder, max_tokens=40)


def rows(tokens, values=None):
    values = tokens.ids if values is None else values
    return [values[a:b].tolist() for a, b in zip(tokens.starts, tokens.starts[1:], strict=False)]


def test_ids_equal_those_of_transformers(tokenizer, reference):
    expected = reference(TEXTS, truncation=True, max_length=40)["input_ids"]
    assert rows(tokenizer.tokenize(TEXTS)) == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=80), min_size=1, max_size=4))
def test_ids_equal_those_of_transformers_on_any_text(tokenizer, reference, texts):
    assert rows(tokenizer.tokenize(texts)) == reference(texts, truncation=True, max_length=40)["input_ids"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters(max_codepoint=127), max_size=60), min_size=1, max_size=4))
def test_ids_equal_those_of_transformers_on_ascii(tokenizer, reference, texts):
    assert rows(tokenizer.tokenize(texts)) == reference(texts, truncation=True, max_length=40)["input_ids"]


def test_the_short_way_forgets_when_it_has_learnt_too_much(tiny_folder, monkeypatch):
    monkeypatch.setattr(ascii_pieces, "_MOST_WORDS", 9)
    tokenizer = Tokenizer.load(tiny_folder)
    for begin in range(0, 60, 3):
        texts = [f"the cat{n} dog{n} {'x' * n}" for n in range(begin, begin + 3)]
        expected = [tokenizer._backend.encode(text).ids for text in texts]
        assert rows(tokenizer.tokenize(texts)) == expected
        assert 0 < len(tokenizer._ascii) <= 10


@pytest.mark.parametrize("limit", [6, 7, 39, 40])
def test_pairs_equal_those_of_transformers(tiny_folder, reference, limit):
    first, second = zip(*PAIRS, *zip(TEXTS, TEXTS[::-1], strict=True), strict=True)
    tokens = Tokenizer.load(tiny_folder, max_tokens=limit).tokenize(first, pairs=second)
    expected = reference(list(first), list(second), truncation=True, max_length=limit)
    assert rows(tokens) == expected["input_ids"]
    assert rows(tokens, tokens.segments) == expected["token_type_ids"]
    whole = reference(list(first), list(second))["input_ids"]
    assert tokens.dropped.tolist() == [max(0, len(ids) - limit) for ids in whole]


@pytest.mark.parametrize(
    "config", [{}, {"do_lower_case": False}, {"strip_accents": False}, {"do_lower_case": True}]
)
def test_vocabulary_file_alone_gives_the_same_tokens(tiny_folder, tmp_path, config):
    shutil.copy(tiny_folder / "vocab.txt", tmp_path)
    special = json.loads((tiny_folder / "special_tokens_map.json").read_text())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config | special))
    reference = BertTokenizerFast(str(tmp_path / "vocab.txt"), **config)
    assert rows(Tokenizer.load(tmp_path).tokenize(TEXTS)) == reference(TEXTS)["input_ids"]


@pytest.mark.parametrize("lower", [True, False])
def test_the_config_has_the_last_word_on_case(tiny_folder, tmp_path, lower):
    shutil.copytree(tiny_folder, tmp_path, dirs_exist_ok=True)
    config = json.loads((tmp_path / "tokenizer_config.json").read_text()) | {"do_lower_case": lower}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    expected = BertTokenizerFast.from_pretrained(tmp_path)(TEXTS)["input_ids"]
    assert rows(Tokenizer.load(tmp_path).tokenize(TEXTS)) == expected


def test_padding_and_truncation_of_the_file_are_ignored(tiny_folder):
    assert json.loads((tiny_folder / "tokenizer.json").read_text())["truncation"]["max_length"] == 12
    assert Tokenizer.load(tiny_folder).tokenize(["a", "the " * 100]).lengths.tolist() == [3, 102]


def test_what_is_cut_is_counted(tokenizer):
    tokens = tokenizer.tokenize(["the " * n for n in (0, 1, 37, 38, 39, 500)])
    assert tokens.lengths.tolist() == [2, 3, 39, 40, 40, 40]
    assert tokens.dropped.tolist() == [0, 0, 0, 0, 1, 462]
    assert all(row[0] == 2 and row[-1] == 3 for row in rows(tokens))


def test_no_texts(tokenizer):
    assert len(tokenizer.tokenize([])) == len(tokenizer.tokenize([], pairs=[], words=True)) == 0
    assert len(tokenizer.chunk([]).tokens) == 0


def test_one_text_instead_of_a_list_is_a_mistake(tokenizer):
    with pytest.raises(TypeError, match="list"):
        tokenizer.tokenize("a text")
    with pytest.raises(TypeError, match="strings"):
        tokenizer.tokenize(["a", ["b"]])


def test_lone_surrogates_stand_for_nothing_and_keep_places(tokenizer):
    tokens = tokenizer.tokenize(["the \ud800 cat", "the cat"], words=True)
    assert rows(tokens)[0] == rows(tokens)[1]
    assert rows(tokenizer.tokenize([["the", "\udfff", "cat"]])) == rows(tokens)[:1]


def test_a_megabyte_in_one_line(tokenizer):
    tokens = tokenizer.tokenize(["good day " * 110_000])
    assert tokens.lengths.tolist() == [40]
    assert tokens.dropped.tolist() == [220_000 - 38]


def test_many_texts_equal_the_same_texts_one_by_one(tokenizer):
    texts = [f"the cat number {n}" for n in range(5_000)]  # more than the library is given at a time
    together = tokenizer.tokenize(texts, words=True)
    some = [0, 2_047, 2_048, 4_999]
    for number in some:
        alone = tokenizer.tokenize([texts[number]], words=True)
        picked = together.take(np.array([number]))
        assert alone.ids.tolist() == picked.ids.tolist()
        assert alone.words.tolist() == picked.words.tolist()


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("aé漢 .'-s1catT\u0301\u00ad"), max_size=40))
def test_pieces_point_to_the_words_they_are_part_of(tokenizer, text):
    tokens = tokenizer.tokenize([text], words=True)
    words = split_words(text).words
    inner = tokens.words[1:-1]
    assert tokens.words[0] == tokens.words[-1] == NOT_A_WORD
    assert np.all(np.diff(inner[inner != NOT_A_WORD]) >= 0)
    for piece, word in zip(tokenizer.pieces(tokens.ids[1:-1]), inner, strict=True):
        if word != NOT_A_WORD and piece != "[UNK]":
            assert piece.removeprefix("##")[0] in _plain(words[word])


def _plain(word):
    import unicodedata

    return "".join(c for c in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(c) != "Mn")


def test_given_words_keep_their_numbers(tokenizer):
    tokens = tokenizer.tokenize([["unhappily", "don't", "", "go"], ["a"]], words=True)
    assert sorted(set(rows(tokens, tokens.words)[0])) == [-1, 0, 1, 3]
    assert rows(tokens, tokens.words)[1] == [-1, 0, -1]


def test_words_of_a_pair_are_numbered_on_each_side(tokenizer):
    tokens = tokenizer.tokenize(["the cat"], pairs=["a dog ran"], words=True)
    first = tokens.words[(tokens.segments == 0) & (tokens.words != NOT_A_WORD)]
    second = tokens.words[(tokens.segments == 1) & (tokens.words != NOT_A_WORD)]
    assert first.tolist() == [0, 1]
    assert sorted(set(second.tolist())) == [0, 1, 2]


@given(st.lists(st.integers(0, 120), max_size=6))
def test_chunks_are_the_whole_text_in_order(tokenizer, sizes):
    texts = [["the", "cat", "sat", "on", "a", "mat"][n % 6] + " big" * n for n in sizes]
    whole = Tokenizer(tokenizer._backend).tokenize(texts)
    chunks = tokenizer.chunk(texts)
    joined = [[] for _ in texts]
    for row, text, weight in zip(rows(chunks.tokens), chunks.text, chunks.weights, strict=True):
        assert weight == max(1, len(row) - 2)
        joined[text] += row[1:-1]
    assert joined == [row[1:-1] for row in rows(whole)]
    assert chunks.tokens.lengths.max(initial=0) <= 40


def test_without_special_tokens(tiny_folder):
    tokens = Tokenizer.load(tiny_folder, specials=False).tokenize(["the cat", ""], pairs=["a", "b"])
    assert tokens.lengths.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("tokenizer.json", b"{", "tokenizer.json is not a usable tokenizer"),
        ("tokenizer.json", b"\xff\xfe", "tokenizer.json is not a usable tokenizer"),
        ("tokenizer.json", b"[" * 100_000, "tokenizer.json is not a usable tokenizer"),
        (
            "tokenizer.json",
            b'{"version":"1.0","model":{"type":"WordPiece","vocab":{}}}',
            "not a usable tokenizer",
        ),
        ("vocab.txt", b"a\nb\n", "has no token"),
        ("vocab.txt", b"\xff", "not a usable tokenizer"),
        ("vocab.txt", b"", "has no token"),
        ("other.txt", b"", "neither tokenizer.json nor vocab.txt"),
    ],
)
def test_hostile_files_are_told_in_one_sentence(tmp_path, name, content, told):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TenorError, match=told) as error:
        Tokenizer.load(tmp_path)
    assert "\n" not in str(error.value)


def test_a_bad_tokenizer_config_is_told(tiny_folder, tmp_path):
    shutil.copy(tiny_folder / "vocab.txt", tmp_path)
    (tmp_path / "tokenizer_config.json").write_text("[]")
    with pytest.raises(TenorError, match="must hold a JSON object"):
        Tokenizer.load(tmp_path)


def test_a_limit_without_room_for_text_is_told(tiny_folder):
    with pytest.raises(TenorError, match="no room"):
        Tokenizer.load(tiny_folder, max_tokens=3)


def test_pieces_joined_are_the_pairs_of_tokenize(tmp_path):
    tokenizer = Tokenizer.load(write_tiny_model(tmp_path / "model"), max_tokens=12)
    first = ["the cat sat", "no", "a very old man reads the old food home", "dog"]
    second = ["a dog ran home", "the unbelievable water", "cat", "the dog ran home to the water and the cat"]
    joined = tokenizer.join(tokenizer.cut(first, words=True), tokenizer.cut(second, words=True))
    wanted = tokenizer.tokenize(first, pairs=second, words=True)
    for name in ("ids", "starts", "segments", "words", "dropped"):
        np.testing.assert_array_equal(getattr(joined.tokens, name), getattr(wanted, name))
    for row, (begins, kept) in enumerate(zip(joined.begins, joined.kept, strict=True)):
        segments = wanted.segments[wanted.starts[row] : wanted.starts[row + 1]]
        words = wanted.words[wanted.starts[row] : wanted.starts[row + 1]]
        for side in range(2):
            places = np.flatnonzero((segments == side) & (words >= 0))
            assert places.tolist() == list(range(begins[side], begins[side] + kept[side]))
