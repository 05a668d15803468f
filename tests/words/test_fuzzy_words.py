"""Fuzzy words: ranking against brute force, set queries, analogies, function words."""

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.words.fuzzy import FuzzyWords, Query, ask, ask_vectors, sets
from tenor.words.fuzzy.fuzzy_words import MEASURES
from tenor.words.fuzzy.query import simplified
from tenor.words.fuzzy.readouts import analogies, function_words
from tenor.words.vectors import WordVectors


def _vectors(words: int = 200, width: int = 12, seed: int = 0, scale: float = 1.0) -> WordVectors:
    rng = np.random.default_rng(seed)
    return WordVectors([f"w{number}" for number in range(words)], rng.normal(size=(words, width)) * scale)


@pytest.mark.parametrize("axis", ["column", "row"])
@pytest.mark.parametrize("measure", ["cross-entropy", "kl", "kl-paper"])
@pytest.mark.parametrize("first", ["target", "word"])
def test_nearest_words_equal_brute_force(axis: str, measure: str, first: str) -> None:
    fuzzy = FuzzyWords.of(_vectors(), axis=axis)
    targets = fuzzy.features[:20] * 0.5 + fuzzy.features[20:40] * 0.5
    function = MEASURES[measure]
    numbers, distances = fuzzy.nearest_many(targets, 5, measure=measure, first=first)
    for row, target in enumerate(targets):
        all_ = [
            function(target, word) if first == "target" else function(word, target) for word in fuzzy.features
        ]
        expected = np.argsort(all_, kind="stable")[:5]
        np.testing.assert_array_equal(numbers[row], expected)
        np.testing.assert_allclose(distances[row], np.asarray(all_)[expected])


def test_nearest_of_a_word_is_the_word() -> None:
    fuzzy = FuzzyWords.of(_vectors())
    numbers, distances = fuzzy.nearest_many(fuzzy.features, 1, measure="kl")
    np.testing.assert_array_equal(numbers[:, 0], np.arange(len(fuzzy)))
    np.testing.assert_allclose(distances, 0.0, atol=1e-12)


def test_the_direction_matters() -> None:
    fuzzy = FuzzyWords.of(_vectors())
    both = sets.intersection(fuzzy["w0"], fuzzy["w1"])
    assert not np.isclose(sets.kl_bernoulli(both, fuzzy["w2"]), sets.kl_bernoulli(fuzzy["w2"], both))
    there, back = (fuzzy.distances([a], [b])[0] for a, b in (("w0", "w1"), ("w1", "w0")))
    assert there != back


def _clusters(words: int, width: int = 40, groups: int = 8) -> WordVectors:
    """Words that have the features of one group; word g+h has those of two."""
    rng = np.random.default_rng(0)
    group = np.arange(words) % groups
    rows = rng.normal(size=(words, width)) * 0.3
    each = width // groups
    for number in range(words):
        rows[number, group[number] * each : (group[number] + 1) * each] += 2.0
    names = [f"g{group[number]}-{number}" for number in range(words)]
    for first, second in ((0, 1), (0, 2), (3, 4)):
        row = rng.normal(size=width) * 0.3
        row[first * each : (first + 1) * each] += 2.0
        row[second * each : (second + 1) * each] += 2.0
        rows = np.vstack([rows, row])
        names.append(f"both{first}{second}")
    return WordVectors(names, rows)


@pytest.mark.parametrize("axis", ["column", "row"])
def test_the_context_chooses_the_sense(axis: str) -> None:
    """both01 belongs to two groups: with a word of one, its neighbours are of that group."""
    fuzzy = FuzzyWords.of(_clusters(2000), axis=axis)
    for context, group in (("g0-8", "g0-"), ("g1-9", "g1-")):
        assert all(near.word.startswith((group, "both0")) for near in ask(fuzzy, f"both01 & {context}", 20))
    raw = FuzzyWords.of(_clusters(2000), axis="column")
    first, second = (ask(raw, f"both01 & {context}", 20, rescale=False) for context in ("g0-8", "g1-9"))
    same = {near.word for near in first} & {near.word for near in second}
    assert len(same) >= 18  # without rescaling the ranking hardly depends on what is asked


def test_a_question_is_answered_by_sets() -> None:
    fuzzy = FuzzyWords.of(_clusters(400))
    assert ask(fuzzy, "g0-8 & g2-10", 1)[0].word == "both02"
    assert {near.word[:3] for near in ask(fuzzy, "both01 - g0-8", 10)} == {"g1-"}
    either = {near.word[:2] for near in ask(fuzzy, "g5-5 | g6-6", 40)}
    assert {"g5", "g6"} <= either
    assert all(near.word not in ("g0-8", "g2-10") for near in ask(fuzzy, "g0-8 & g2-10", 50))
    distances = [near.distance for near in ask(fuzzy, "g0-8 & (g2-10 | g1-9)", 20)]
    assert distances == sorted(distances)
    assert len(ask(fuzzy, "~g0-8 & both01", 3)) == 3
    assert ask_vectors(fuzzy.vectors, "g0-8 & g2-10", 1)[0].word == "both02"


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("noble", "noble"),
        ("noble & metal", "(noble & metal)"),
        ("noble&metal", "(noble & metal)"),
        ("a - b - c", "((a - b) - c)"),
        ("a | b & c", "(a | (b & c))"),
        ("a & b - c", "((a & b) - c)"),
        ("a - b & c", "(a - (b & c))"),
        ("a - (b | c)", "(a - (b | c))"),
        ("~a & ~(b | c)", "(~a & ~(b | c))"),
        ("~~a", "~~a"),
        ("well-known - known", "(well-known - known)"),
        ("(a)-b", "(a - b)"),
        ('"rock & roll" & jazz', "(rock & roll & jazz)"),
        ("  a  ", "a"),
        ("fée & naïve", "(fée & naïve)"),
    ],
)
def test_reading(text: str, reading: str) -> None:
    assert Query.parse(text).reading == reading


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("a &", "missing at the end"),
        ("& a", "missing before it"),
        ("a b", "a sign"),
        ("(a & b", "not closed"),
        ("a & b)", "closes none"),
        ("()", "missing before it"),
        ('"a & b', "quotation mark is not closed"),
        ('a & ""', "no word in the quotation marks"),
        ("~", "missing at the end"),
        ("a - - b", "missing before it"),
        ("(" * 60 + "a" + ")" * 60, "within one another"),
        ("~" * 60 + "a", "within one another"),
        ("a" * 1001, "1,000 are the most"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, message: str) -> None:
    with pytest.raises(TenorError, match=message):
        Query.parse(text)


def test_unknown_words_and_empty_sets_are_told() -> None:
    vectors = WordVectors(["french", "british", "Paris"], np.eye(3) * 3)
    fuzzy = FuzzyWords.of(vectors)
    with pytest.raises(TenorError, match="french - british"):
        ask(fuzzy, "french-british")
    with pytest.raises(TenorError, match="Did you mean 'french'"):
        ask(fuzzy, "frenhc & british")
    with pytest.raises(TenorError, match="is empty"):
        ask(fuzzy, "french - french")
    with pytest.raises(TenorError, match="1 or more"):
        ask(fuzzy, "french", 0)
    with pytest.raises(TenorError, match="no union"):
        ask_vectors(vectors, "french | british")
    assert [near.word for near in ask(fuzzy, "FRENCH & british")] == ["Paris"]
    assert len(ask(fuzzy, "paris", 5)) == 2


def test_analogies_follow_the_formula() -> None:
    fuzzy = FuzzyWords.of(_vectors())
    questions = np.array([[0, 1, 2], [5, 6, 7]])
    numbers, _ = analogies(fuzzy, questions, 3)
    for row, (a, b, x) in enumerate(questions):
        target = np.minimum(1, fuzzy.features[b] + fuzzy.features[x])
        target = target - np.minimum(target, fuzzy.features[a])
        target = target * fuzzy.size / target.sum()
        distances = sets.cross_entropy(target, fuzzy.features)
        distances[[a, b, x]] = np.inf
        np.testing.assert_array_equal(numbers[row], np.argsort(distances)[:3])


def test_words_of_small_vectors_are_told_by_row_entropy() -> None:
    vectors = _vectors(100)
    rows = vectors.vectors.copy()
    rows[[3, 7]] *= 0.01  # like function words: a little of everything
    counts = np.arange(200, 300)
    counts[5] = 1
    fuzzy = FuzzyWords.of(WordVectors(list(vectors.words), rows, counts), axis="row")
    found = function_words(fuzzy, 2)
    assert set(found.by_entropy) == {"w3", "w7"}
    assert found.by_frequency == ("w99", "w98")
    assert found.candidates == 99
    with pytest.raises(TenorError, match="no counts"):
        function_words(FuzzyWords.of(vectors))
    with pytest.raises(TenorError, match="occurs 299"):
        function_words(fuzzy, min_count=1000)


def test_extreme_vectors_give_finite_distances() -> None:
    fuzzy = FuzzyWords.of(_vectors(scale=200.0), axis="row")
    numbers, distances = fuzzy.nearest_many(sets.difference(fuzzy.features[:9], fuzzy.features[9:18]), 3)
    assert np.isfinite(distances).all()
    assert (numbers >= 0).all()
    assert np.isfinite(fuzzy.entropies).all()


@pytest.mark.parametrize(
    ("query", "reading"),
    [
        ("~b & a", "(a - b)"),
        ("a & ~b", "(a - b)"),
        ("a & ~b & ~c", "((a - b) - c)"),
        ("~a & ~b & c", "(c - (a | b))"),
        ("a & ~~b", "(a & b)"),
        ("a - ~b", "(a & b)"),
        ("a | ~b", "(a | ~b)"),
        ("~(a & ~b)", "~(a - b)"),
        ('"~" & ~b', "(~ - b)"),
    ],
)
def test_complements_become_differences_where_sets_allow_it(query: str, reading: str) -> None:
    assert simplified(Query.parse(query).tree).reading() == reading


def test_a_complement_takes_features_away() -> None:
    rng = np.random.default_rng(0)
    vectors = WordVectors([f"w{number}" for number in range(400)], rng.normal(size=(400, 30)))
    fuzzy = FuzzyWords.of(vectors)
    answers = {query: ask(fuzzy, query, 20) for query in ("w1", "~w2 & w1", "w1 - w2")}
    assert answers["~w2 & w1"] == answers["w1 - w2"]
    names = [[near.word for near in some] for some in answers.values()]
    assert [word for word in names[0] if word != "w2"][:15] != names[1][:15]
    literal = ask(fuzzy, "~w2 & w1", 20, complement="paper")
    assert literal != answers["~w2 & w1"]
