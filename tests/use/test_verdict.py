"""One verdict from similarity, paraphrase and word order: never two that contradict each other."""

import itertools
import time

import numpy as np
import pytest

import tenor
from tenor.errors import TenorError
from tenor.use.compare.verdict import reordered, verdict


def judged(similarity, paraphrase=None, fitted=True):
    return verdict("a b", "c d", similarity=similarity, paraphrase=paraphrase, fitted=fitted)


@pytest.mark.parametrize(
    ("similarity", "paraphrase", "says", "certainty"),
    [
        (4.8, 0.9, "same", "high"),
        (4.8, None, "same", "high"),
        (4.8, 0.3, "same", "low"),  # the two disagree: not certain
        (3.7, 0.64, "same", "medium"),
        (3.7, 0.3, "same", "low"),
        (3.0, 0.2, "partly", "medium"),
        (3.0, 0.7, "partly", "low"),
        (2.0, 0.1, "different", "medium"),
        (0.3, 0.01, "different", "high"),
        (0.3, 0.6, "different", "low"),
    ],
)
def test_the_verdict_follows_the_similarity_and_the_paraphrase_makes_it_sure(
    similarity, paraphrase, says, certainty
):
    found = judged(similarity, paraphrase)
    assert (found.says, found.certainty) == (says, certainty)


def test_every_pair_of_scores_has_a_sentence_and_none_without_a_fitted_scale_is_certain():
    for similarity, paraphrase in itertools.product(np.linspace(0, 5, 51), [None, 0.0, 0.3, 0.5, 0.9, 1.0]):
        assert judged(similarity, paraphrase).text.endswith(".")
        assert judged(similarity, paraphrase, fitted=False).certainty != "high"
        if paraphrase is not None and (paraphrase >= 0.5) != (similarity >= 3.5):
            assert judged(similarity, paraphrase).certainty == "low"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The dog chased the postman.", "The postman chased the dog!"),
        ("Give the book to Ann.", "Give Ann to the book."),
        ("Is Rome bigger than Paris?", "is Paris bigger than Rome"),
        ("The alarm rang before the light went out.", "The light went out before the alarm rang."),
        ("a black dog and a white cat", "a white dog and a black cat"),
        ("The dog chased the postman.", "The postman was chased by the dog."),  # the model cannot tell either
    ],
)
def test_words_that_change_places_around_others_are_seen(first, second):
    assert reordered(first, second)
    assert reordered(second, first)
    found = verdict(first, second, similarity=4.8, paraphrase=0.9)
    assert (found.says, found.certainty) == ("reordered", "low")
    # Where the texts are not called the same anyway, there is nothing to take back.
    assert verdict(first, second, similarity=2.0, paraphrase=0.1).says == "different"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Yesterday it rained.", "It rained yesterday."),
        ("bread and butter", "butter and bread"),
        ("Because it rained we left.", "We left because it rained."),
        ("The dog chased the postman.", "The dog chased the postman."),
        ("The dog chased the postman.", "The postman chased the cat."),
        ("The dog, chased!", "the dog chased"),
        ("", "..."),
    ],
)
def test_a_part_that_moved_as_a_whole_and_other_words_are_no_change_of_roles(first, second):
    assert not reordered(first, second)


def test_very_long_texts_cost_little():
    words = ["tick", "tock"] * 30_000
    begin = time.perf_counter()
    assert not reordered(" ".join(words), " ".join(words[::-1]))
    assert time.perf_counter() - begin < 2
    assert reordered("x " + "tick tock " * 140, "tock tick " * 140 + " x tick") is False  # other words


def test_the_starter_says_who_chased_whom_is_open():
    try:
        model = tenor.load("minilm", precision="fp32")
    except TenorError as error:
        pytest.skip(f"the starter is not at hand: {error}")
    first, second = "The dog chased the postman.", "The postman chased the dog."
    found = tenor.compare(first, second, model=model)
    assert found.similarity > 4  # the blind spot
    assert found.verdict.says == "reordered"
    assert found.to_json()["verdict"]["text"].startswith("They have the same words in another order")
    assert tenor.compare(first, "Bake the bread.", model=model).verdict.says == "different"


def test_numbers_of_numpy_are_judged_alike():
    plain = verdict("A dog ran.", "A dog was running.", similarity=4.7, paraphrase=0.8)
    assert verdict("A dog ran.", "A dog was running.", similarity=4.7, paraphrase=np.float64(0.8)) == plain


def test_texts_without_a_known_word_have_no_verdict():
    found = verdict("xyzzy", "plugh", similarity=4.9, paraphrase=0.9, known=False)
    assert (found.says, found.certainty) == ("unknown", "low")
    assert verdict("xyzzy", " xyzzy ", similarity=4.9, paraphrase=None, known=False).says == "same"
