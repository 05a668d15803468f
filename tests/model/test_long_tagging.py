"""Very long texts: every word is tagged once, with context, in bounded stretches."""

import time
import tracemalloc

import pytest

import tenor
from small_tagger import train_tagger
from tenor.model import tagging
from tenor.model.long_tagging import CONTEXT, OWNED, joined_answers, stretches_of
from tenor.tasks.tag.answer import TagAnswer


@pytest.fixture(scope="module")
def model(tiny_folder, tmp_path_factory):
    return tenor.load(train_tagger(tiny_folder, tmp_path_factory.mktemp("long") / "run"), precision="fp32")


def test_every_word_belongs_to_one_stretch_that_ends_with_a_sentence():
    words = (["the", "cat", "sat", "on", "the", "mat", "."] * 900)[:6_001]
    stretches = stretches_of(words)
    owned = [place for stretch in stretches for place in range(stretch.first, stretch.last)]
    assert owned == list(range(len(words)))
    assert all(words[stretch.last - 1] == "." for stretch in stretches[:-1])
    for stretch in stretches:
        assert stretch.last - stretch.first <= OWNED
        assert stretch.begin == max(0, stretch.first - CONTEXT)
        assert stretch.end == min(len(words), stretch.last + CONTEXT)
    assert stretches_of([]) == [(0, 0, 0, 0)]


def test_answers_are_taken_from_the_stretch_that_owns_a_word_and_seams_are_legal():
    words = ["w"] * (OWNED + 2)
    stretches = stretches_of(words)
    first = TagAnswer(("O",) * (stretches[0].end), (0.5,) * stretches[0].end)
    second_size = stretches[1].end - stretches[1].begin
    second = TagAnswer(("O",) * (second_size - 2) + ("I-X", "I-X"), (0.9,) * second_size)
    whole = joined_answers(stretches, [first, second])
    assert len(whole.tags) == len(whole.probabilities) == len(words)
    assert whole.tags[-2:] == ("B-X", "I-X"), "an entity whose beginning was tagged otherwise begins here"
    assert whole.probabilities[OWNED - 1 : OWNED + 1] == (0.5, 0.9)


def test_a_text_in_stretches_has_nearly_the_same_tags(model, monkeypatch):
    text = "the cat was in the old city . we like the dog . " * 12
    (whole,) = model.tag([text])
    monkeypatch.setattr("tenor.model.long_tagging.OWNED", 24)
    (cut,) = model.tag([text])
    assert cut.words == whole.words
    same = [one == two for one, two in zip(cut.tags, whole.tags, strict=True)]
    assert sum(same) > 0.97 * len(same)


@pytest.mark.slow
def test_half_a_million_characters_take_bounded_time_and_memory(model):
    text = "the cat was in the old city . " * (500_000 // 30)
    begin = time.process_time()
    tracemalloc.start()
    (found,) = model.tag([text])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found.tags) == len(found.words) > 100_000
    assert sum(each.type == "PLACE" for each in found.entities) > 15_000
    assert peak < 400e6
    assert time.process_time() - begin < 120


def test_a_word_of_ten_thousand_characters_has_one_tag(model):
    text = f"the cat saw {'x' * 10_000} in the old city"
    (found,) = model.tag([text])
    assert len(found.tags) == 8
    assert found.offsets[3] == (12, 10_012)


def test_passes_hold_a_bounded_number_of_words(monkeypatch):
    monkeypatch.setattr(tagging, "_WORDS_AT_ONCE", 5)
    rows = [["a"] * 3, ["b"] * 3, ["c"], ["d"] * 9]
    assert [len(batch) for batch in tagging._batches(rows)] == [2, 2]
