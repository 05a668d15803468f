"""Tagging texts: entities land on the characters of the text, whatever the text, with every head."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tenor
from small_tagger import tagged_rows, train_tagger
from tenor.errors import TenorError
from tenor.text.problems import Problems
from tenor.use.classify.classifying import classify
from tenor.use.evaluate.evaluating import evaluate
from tenor.use.tag import tag, tag_file
from tenor.use.tag import tagging as module

HEADS = {
    "crf": {},
    "softmax": {"head": "softmax"},
    "bioes, mean of pieces": {"scheme": "bioes", "subwords": "mean"},
    "mix of layers": {"layers": "mix"},
}


@pytest.fixture(scope="module")
def folders(tiny_folder, tmp_path_factory):
    """The folders of taggers by name, each trained when it is first asked for."""
    made = {}

    def folder(name, **settings):
        if name not in made:
            made[name] = train_tagger(tiny_folder, tmp_path_factory.mktemp("tagger") / "run", **settings)
        return made[name]

    return folder


@pytest.fixture(scope="module", params=HEADS)
def model(request, folders):
    return tenor.load(folders(request.param, **HEADS[request.param]), precision="fp32")


@pytest.fixture(scope="module")
def crf(folders):
    return tenor.load(folders("crf"), precision="fp32")


@pytest.fixture(scope="module")
def plain(folders):
    """A tagger whose tags are no spans."""
    return tenor.load(folders("plain", spans=False), precision="fp32")


def entities(tagged):
    return [(each.type, each.begin, each.end) for each in tagged.entities]


def check(tagged, text):
    """Everything that holds for any text: stretches are of the text, in order, and numbers are chances."""
    assert tagged.text == text
    assert len(tagged.words) == len(tagged.offsets) == len(tagged.tags) == len(tagged.probabilities)
    assert [text[begin:end] for begin, end in tagged.offsets] == list(tagged.words)
    assert all(one[1] <= two[0] for one, two in pairwise(tagged.offsets))
    assert all(0 <= each <= 1 for each in tagged.probabilities)
    begins, ends = ({place[side] for place in tagged.offsets} for side in range(2))
    for each in tagged.entities:
        assert text[each.begin : each.end] == each.text
        assert each.begin in begins
        assert each.end in ends
        inside = [
            probability
            for probability, (begin, end) in zip(tagged.probabilities, tagged.offsets, strict=True)
            if each.begin <= begin and end <= each.end
        ]
        assert each.probability == min(inside)
    json.dumps(tagged.to_json())


PLACES = {
    "the cat was in the old city .": [("ANIMAL", 4, 7), ("PLACE", 19, 27)],
    "The Cat, the DOG!": [("ANIMAL", 4, 7), ("ANIMAL", 13, 16)],
    "  \t the\n\n cat": [("ANIMAL", 10, 13)],
    "👩‍👩‍👧 the cat 😀 the dog": [("ANIMAL", 10, 13), ("ANIMAL", 20, 23)],
    "😀in the old river 😀": [("PLACE", 8, 17)],
    "the c\u00e0t was": [("ANIMAL", 4, 7)],
    "the ca\u0300t was": [("ANIMAL", 4, 8)],
    "the o\u0301ld rive\u0301r\u0301\u0301 .": [("PLACE", 4, 17)],
    "the \u200bcat": [("ANIMAL", 5, 8)],
    "漢字 was a cat": [("ANIMAL", 9, 12)],
    "\ufeffthe cat": [("ANIMAL", 5, 8)],
}


@pytest.mark.parametrize("text", PLACES)
def test_entities_land_on_the_characters_of_the_text(model, text):
    (found,) = tag(model, [text])
    check(found, text)
    assert [each for each in entities(found) if each in PLACES[text]] == PLACES[text]


def test_it_tags_what_it_was_taught(model):
    rows = tagged_rows(30, seed=5)
    found = tag(model, [words for words, _ in rows])
    right = total = 0
    for each, (words, tags) in zip(found, rows, strict=True):
        check(each, " ".join(words))
        gold = [
            ("B" if name[0] in "BS" else "I" if name[0] in "IE" else "O") + name[1:] for name in each.tags
        ]
        right, total = right + sum(a == b for a, b in zip(gold, tags, strict=True)), total + len(tags)
    assert right > 0.95 * total


def test_answers_are_those_of_predict(model):
    words = ["the", "old", "city", "is", "good"]
    (found,) = tag(model, [words])
    (table,) = model.predict("names", [words])
    labels = model.tasks["names"].spec.labels
    assert found.tags == tuple(labels[int(number)] for number in table[:, 0])
    assert found.probabilities == pytest.approx([row[1 + int(row[0])] for row in table], abs=1e-6)
    np.testing.assert_allclose(table[:, 1:].sum(axis=1), 1, atol=1e-4)


def test_a_text_says_the_same_alone_and_among_others(model):
    texts = ["the cat", "", "we like the old house and the dog " * 20, "a red river .", " ", "the cat"]
    together = tag(model, texts)
    for text, found in zip(texts, together, strict=True):
        (alone,) = tag(model, [text])
        assert alone.tags == found.tags
        assert found.probabilities == pytest.approx(alone.probabilities, abs=1e-4)


@pytest.mark.parametrize("empty", ["", "   ", "\n\t", "\x00", "\u200b"])
def test_nothing_to_tag_is_no_error(crf, empty):
    (found, cat) = tag(crf, [empty, "the cat"])
    check(found, empty)
    assert found.words == found.tags == found.entities == ()
    assert entities(cat) == [("ANIMAL", 4, 7)]
    assert [each.words for each in tag(crf, [empty])] == [()]


def test_no_texts_and_no_words(crf):
    assert tag(crf, []) == []
    (found,) = tag(crf, [[]])
    assert (found.text, found.words, found.entities) == ("", (), ())


def test_every_word_of_a_very_long_text_is_tagged(model):
    text = "we see the cat in the old river . " * 1500
    (found,) = tag(model, [text])
    check(found, text)
    assert len(found.words) == 9 * 1500
    cats = [(34 * n + 11, 34 * n + 14) for n in range(1500)]
    found_cats = [(begin, end) for kind, begin, end in entities(found) if kind == "ANIMAL"]
    assert len(set(cats) & set(found_cats)) > 0.95 * len(cats)


def test_a_word_longer_than_the_encoder_reads_is_one_word(model):
    text = "the cat " + "z" * 10_000 + " the dog"
    (found,) = tag(model, [text])
    check(found, text)
    assert len(found.words) == 5
    assert next(each.text for each in found.entities if each.type == "ANIMAL") == "cat"
    assert found.entities[-1].text == "dog"


def test_given_words_are_taken_as_they_are(crf):
    words = ["the", "old", "house", "☂.☂", "good bad", "cat"]
    (found,) = tag(crf, [words])
    assert list(found.words) == words
    check(found, "the old house ☂.☂ good bad cat")
    assert ("PLACE", 4, 13) in entities(found)
    assert ("ANIMAL", 27, 30) in entities(found)
    (same,) = tag(crf, [tuple(words)])
    assert same == found
    texts, lists = tag(crf, ["the cat", ["the", "cat"]])
    assert texts == lists


def test_words_without_any_piece_keep_their_place(crf):
    (found,) = tag(crf, [["the", "", "cat", "\u200b", "dog"]])
    check(found, "the  cat \u200b dog")
    assert {("ANIMAL", 5, 8), ("ANIMAL", 11, 14)} <= set(entities(found))


@given(st.lists(st.text(max_size=40), max_size=4))
def test_any_texts_are_tagged(crf, texts):
    for text, found in zip(texts, tag(crf, texts), strict=True):
        check(found, text)


@given(st.lists(st.lists(st.text(max_size=8), max_size=6), max_size=3))
def test_any_words_are_tagged(crf, lists):
    for words, found in zip(lists, tag(crf, lists), strict=True):
        assert list(found.words) == words
        check(found, " ".join(words))


def test_spans_are_legal_in_their_scheme(folders):
    model = tenor.load(folders("softmax", head="softmax"), precision="fp32")
    random = np.random.default_rng(0)
    texts = ["".join(map(chr, random.integers(32, 0x2FF, size=80))) for _ in range(20)]
    for found in tag(model, texts):
        for before, after in pairwise(("O", *found.tags)):
            assert not after.startswith("I-") or before[1:] == after[1:]


def test_plain_tags_are_no_entities(plain):
    (found,) = tag(plain, ["the old city is good"])
    check(found, "the old city is good")
    assert found.tags == ("OTHER", "PLACE", "PLACE", "OTHER", "OTHER")
    assert found.entities == ()


def test_json_has_words_and_entities(crf):
    (found,) = tag(crf, ["the cat"])
    told = json.loads(json.dumps(found.to_json()))
    assert told["text"] == "the cat"
    (the, cat), (animal,) = told["words"], told["entities"]
    assert (the["word"], the["begin"], the["end"], the["tag"]) == ("the", 0, 3, "O")
    assert cat["tag"] == "B-ANIMAL"
    assert animal == {
        "type": "ANIMAL", "text": "cat", "begin": 4, "end": 7, "probability": cat["probability"]
    }  # fmt: skip
    assert "line" not in told


def test_wrong_ones_are_told_what_to_do(crf, tiny_folder):
    with pytest.raises(TypeError, match="a single text goes in a list"):
        tag(crf, "the cat")
    with pytest.raises(TenorError, match="nams"):
        tag(crf, ["the cat"], task="nams")
    with pytest.raises(TenorError, match=r"no task that tags words\. Train one: tenor init"):
        tag(tenor.load(tiny_folder, precision="fp32"), ["the cat"])


def test_among_several_tasks_taggers_are_told_from_others(tiny_folder, tmp_path):
    moods = [("the cat is good", "fine"), ("a bad dog", "poor")] * 4
    more = {
        "kinds": {"kind": "tag", "train": tagged_rows(8, spans=False)},
        "mood": {"kind": "classify", "train": moods, "dev": moods[:2]},
    }
    model = tenor.load(train_tagger(tiny_folder, tmp_path / "run", more=more), precision="fp32")
    with pytest.raises(TenorError, match="several taggers; choose one of names, kinds"):
        tag(model, ["the cat"])
    with pytest.raises(TenorError, match="mood does not tag words: use tenor classify"):
        tag(model, ["the cat"], task="mood")
    assert tag(model, ["the cat"], task="kinds")[0].entities == ()
    assert set(tag(model, ["the cat"], task="kinds")[0].tags) <= {"OTHER", "ANIMAL", "PLACE"}


def test_a_file_is_read_in_windows_and_gives_the_same(crf, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "WINDOW_TEXTS", 2)
    texts = ["the cat", "we see the old river", "😀 a dog", "good", "the house ."]
    (tmp_path / "a.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    done = []
    found = list(tag_file(crf, tmp_path / "a.txt", problems=Problems(), progress=done.append))
    assert sum(done) == len(texts)
    assert [each.origin.line for each in found] == [1, 2, 3, 4, 5]
    for each, other in zip(found, tag(crf, texts), strict=True):
        assert (each.text, each.tags, each.offsets) == (other.text, other.tags, other.offsets)
        assert entities(each) == entities(other)
    assert found[0].to_json()["line"] == 1


def test_a_file_of_conll_columns_is_read_for_its_words(crf, tmp_path):
    (tmp_path / "a.conll").write_text("the O\nold B-PLACE\ncity I-PLACE\n\na O\ndon't O\ncat B-ANIMAL\n\n")
    found = list(tag_file(crf, tmp_path / "a.conll", problems=Problems()))
    assert [each.words for each in found] == [("the", "old", "city"), ("a", "don't", "cat")]
    assert [entities(each)[-1] for each in found] == [("PLACE", 4, 12), ("ANIMAL", 8, 11)]


def test_other_uses_of_a_model_that_only_tags(crf, tmp_path):
    (tmp_path / "a.conll").write_text("the O\nold B-PLACE\ncity I-PLACE\n\na O\ncat B-ANIMAL\n\n")
    scores = evaluate(crf, tmp_path / "a.conll", problems=Problems(), repeats=2)
    assert (scores.task, scores.kind, scores.rows) == ("names", "tag", 2)
    assert scores.scores["f1"].estimate == 1
    with pytest.raises(TenorError, match="use tenor tag"):
        classify(crf, ["the cat"])


def test_a_model_tags_by_itself(model):
    assert model.tag(["the cat"]) == tag(model, ["the cat"])
