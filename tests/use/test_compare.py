"""Comparing two texts and files of pairs: the numbers against numpy, and every kind of odd text."""

import json
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

import tenor
from tenor.errors import TenorError
from tenor.tasks.heads.in_numpy import row_cosines
from tenor.text.problems import Problems
from tenor.use.compare import comparing as module
from tenor.use.compare.comparing import CompareReport, compare, compare_file
from tenor.use.compare.scoring import fitted_task
from tenor.use.compare.similarity import level, plain_similarity

CIRCLE = np.linspace(-1, 1, 401)


@pytest.fixture(scope="module")
def tiny(tiny_folder):
    return tenor.load(tiny_folder, precision="fp32")


@pytest.fixture(scope="module")
def minilm():
    try:
        return tenor.load("minilm", precision="fp32")
    except TenorError as error:
        pytest.skip(f"the starter is not at hand: {error}")


def places(comparison):
    """The characters of each text that are in a phrase or unmatched."""
    found = comparison.explanation
    first = [*(pair.first for pair in found.phrases), *found.only_first]
    second = [*(pair.second for pair in found.phrases), *found.only_second]
    return first, second


def test_the_numbers_are_those_of_the_vectors(tiny):
    first, second = "the cat sat on the mat", "a dog ran home"
    found = compare(tiny, first, second)
    one, two = tiny.encode([first, second]).astype(np.float64)
    cosine = one @ two / np.linalg.norm(one) / np.linalg.norm(two)
    assert found.cosine == pytest.approx(cosine, abs=1e-6)
    assert found.similarity == pytest.approx(5 * max(0.0, cosine), abs=1e-5)
    assert not found.fitted
    assert "no scale fitted" in found.warnings[0]


def test_words_that_the_model_does_not_know_are_named(tiny):
    found = compare(tiny, "the \U0001f34e sat", "the \U0001f4a3 sat")
    (told,) = [each for each in found.warnings if "does not know" in each]
    assert "\U0001f34e" in told
    assert "\U0001f4a3" in told
    assert not [each for each in compare(tiny, "the cat", "a cat").warnings if "does not know" in each]


def test_swapping_the_texts_swaps_the_result(tiny):
    first, second = "the cat sat on the old mat", "a dog sat on the new mat, he had food"
    there, back = compare(tiny, first, second), compare(tiny, second, first)
    assert there.cosine == pytest.approx(back.cosine, abs=1e-6)
    assert {(j, i) for i, j in there.explanation.links} == set(back.explanation.links)


def test_identical_texts_match_whole(tiny):
    text = "the cat sat on the mat"
    found = compare(tiny, text, text)
    assert found.similarity == pytest.approx(5.0, abs=1e-4)
    assert [(pair.first.text, pair.same_words) for pair in found.explanation.phrases] == [(text, True)]
    assert found.explanation.only_first == found.explanation.only_second == ()


ODD = {
    "one word": ("cat", "dog"),
    "punctuation only": ("?!", "..."),
    "punctuation against words": ("?!", "the cat sat"),
    "no common word": ("the cat sat", "money will work"),
    "NUL": ("the cat\x00 sat", "\x00the dog"),
    "right to left": ("שלום עולם", "مرحبا بالعالم"),
    "emoji": ("👩‍👩‍👧 🙂", "🙂🙂 good"),
    "combining marks": ("é e\u0301", "e\u0301\u0301\u0301"),
    "lone surrogate": ("\ud800 cat", "cat"),
    "many spaces": ("   the \t\n cat ", "cat"),
    "control characters": ("\x1b[31mred\x1b[0m", "red"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_texts_are_compared(tiny, name):
    first, second = ODD[name]
    found = compare(tiny, first, second)
    assert 0 <= found.similarity <= 5
    assert -1 <= found.cosine <= 1
    for text, stretches in zip((first, second), places(found), strict=True):
        assert all(text[one.begin : one.end] == one.text for one in stretches)
        ordered = sorted(stretches, key=lambda one: one.begin)
        assert all(a.end <= b.begin for a, b in pairwise(ordered))
    for i, j in found.explanation.links:
        assert 0 <= i < len(found.explanation.words[0])
        assert 0 <= j < len(found.explanation.words[1])
    json.dumps(found.to_json())


@pytest.mark.parametrize("empty", ["", "  \n", "\x00", "\u200b"])
def test_empty_texts_are_refused_in_a_sentence(tiny, empty):
    with pytest.raises(TenorError, match="The first text"):
        compare(tiny, empty, "cat")
    with pytest.raises(TenorError, match="The second text"):
        compare(tiny, "cat", empty)


def test_a_megabyte_is_cut_and_told(tiny):
    found = compare(tiny, "the cat sat " * 90_000, "the cat sat")
    assert found.cut == (270_000 - 38, 0)
    assert "the first text by 269,962 tokens" in found.warnings[0]
    assert len(found.explanation.words[0]) == 38
    chunked = compare(tiny, "the cat sat " * 20 + "money " * 200, "money", long="chunk")
    assert chunked.cosine != compare(tiny, "the cat sat " * 20, "money").cosine
    assert "the phrases cover only what is within it." in chunked.warnings[0]


def test_json_has_everything_flat(tiny):
    found = compare(tiny, "the cat sat", "the dog sat").to_json()
    assert json.loads(json.dumps(found))["phrases"][0]["first"] == {"text": "the", "begin": 0, "end": 3}
    expected = {
        "similarity",
        "level",
        "cosine",
        "cut",
        "phrases",
        "only_first",
        "only_second",
        "links",
        "words",
    }
    assert expected <= set(found)


def test_a_file_gives_the_scores_of_its_pairs(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "WINDOW_PAIRS", 3)
    texts = ["the cat sat", "a dog ran", "money", "time for food", "we walk home"]
    pairs = [(one, other) for one in texts for other in texts]
    file = tmp_path / "pairs.tsv"
    file.write_text(
        "sentence1\tsentence2\n" + "".join(f"{one}\t{other}\n" for one, other in pairs), encoding="utf-8"
    )
    report, problems, steps = CompareReport(), Problems(), []
    found = list(compare_file(tiny, file, problems=problems, report=report, progress=steps.append))
    assert [one.pair.texts for one in found] == pairs
    assert [one.pair.origin.line for one in found] == list(range(2, 27))
    assert sum(steps) == report.pairs == 25
    for one in found[:7]:
        alone = compare(tiny, *one.pair.texts)
        assert one.cosine == pytest.approx(alone.cosine, abs=1e-5)
        assert one.similarity == pytest.approx(alone.similarity, abs=1e-4)


def test_bad_rows_of_a_file_are_reported_and_strict_stops(tiny, tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("sentence1,sentence2\nthe cat,a dog\n,a dog\nmoney,\nthe tree,a house\n")
    problems, report = Problems(), CompareReport()
    found = list(compare_file(tiny, file, problems=problems, report=report))
    assert [one.pair.origin.line for one in found] == [2, 5]
    assert [str(problem.origin) for problem in problems.first] == [f"{file}:3", f"{file}:4"]
    with pytest.raises(TenorError, match=r"pairs.csv:3: .*empty"):
        list(compare_file(tiny, file, problems=Problems(strict=True), report=CompareReport()))


def test_memory_does_not_grow_with_the_file(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "WINDOW_PAIRS", 200)
    peaks = []
    for rows in (400, 4000):
        file = tmp_path / f"{rows}.tsv"
        lines = (f"the cat {n} sat\ta dog {n} ran\n" for n in range(rows))
        file.write_text("sentence1\tsentence2\n" + "".join(lines))
        tracemalloc.start()
        for _ in compare_file(tiny, file, problems=Problems(), report=CompareReport()):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0] + 1_000_000


def test_long_texts_of_a_file_are_counted(tiny, tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("sentence1\tsentence2\nthe cat\ta dog\n" + "the cat " * 50 + "\ta dog\n")
    report = CompareReport()
    list(compare_file(tiny, file, problems=Problems(), report=report))
    assert report.beyond_limit == 1
    assert report.warnings(tiny, long="truncate")[0].startswith("1 text is longer")


def test_row_cosines_against_numpy():
    random = np.random.default_rng(3)
    first, second = random.normal(size=(2, 9, 5)).astype(np.float32)
    second[4] = 0
    norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    expected = [one @ two / norm if norm else 0 for one, two, norm in zip(first, second, norms, strict=True)]
    np.testing.assert_allclose(row_cosines(first, second), expected, atol=1e-6)


def test_the_starters_scale_is_monotone_and_ends_at_five(minilm):
    spec = fitted_task(minilm).spec
    for line in (spec.predictions(CIRCLE[:, None]), plain_similarity(CIRCLE)):
        assert (np.diff(line) >= 0).all()
        assert line[0] < 0.1
        assert line[-1] == 5.0


def test_levels_cover_the_scale():
    words = [level(value) for value in np.arange(0, 5.01, 0.1)]
    assert words[0] == "unrelated"
    assert words[-1] == "the same meaning"
    assert len(set(words)) == 6


def test_the_starter_says_what_its_tasks_think(minilm):
    found = compare(minilm, "This film is a wonderful delight.", "What a dreadful, boring mess of a film.")
    assert found.fitted
    assert found.paraphrase < 0.5
    assert [answer.label for answer in found.sentiments] == ["positive", "negative"]
    same = compare(minilm, "How do I learn Python?", "How can I learn Python?")
    assert same.paraphrase > 0.7
    told = same.to_json()
    assert told["paraphrase"] == pytest.approx(same.paraphrase, abs=1e-4)
    assert [each["label"] for each in told["sentiment"]] == [each.label for each in same.sentiments]


def test_a_model_without_tasks_says_nothing_of_them(tiny):
    found = compare(tiny, "the cat", "the dog")
    assert found.paraphrase is None
    assert found.sentiments == ()
    assert found.to_json()["sentiment"] is None


def test_the_starter_sees_what_matches(minilm):
    found = compare(minilm, "A man is playing a guitar on stage.", "Someone on stage plays the guitar.")
    matches = {(pair.first.text, pair.second.text) for pair in found.explanation.phrases}
    assert {("guitar", "guitar"), ("on stage", "on stage")} <= matches
    assert found.similarity > 3.5
    assert found.warnings == ()


def test_the_starter_finds_nothing_common_in_unrelated_texts(minilm):
    found = compare(minilm, "I love pizza.", "The stock market fell sharply on Monday.")
    assert found.similarity < 0.5
    assert found.explanation.phrases == ()
    assert [one.text for one in found.explanation.only_first] == ["I love pizza"]


def test_the_starter_warns_once_of_other_languages(minilm):
    found = compare(minilm, "Der Hund schläft auf dem Sofa.", "Le chien dort sur le vieux canapé.")
    assert len(found.warnings) == 1
    assert "2 of 2 texts are probably not English" in found.warnings[0]


def test_what_is_no_text_is_told(tiny_folder):
    with pytest.raises(TypeError, match="the second is None"):
        tenor.compare("a cat", None, model=tenor.load(tiny_folder))
