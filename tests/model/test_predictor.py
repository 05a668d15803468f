"""Predictors: probabilities of a task's labels, per row or per word, whatever the task is made of."""

import numpy as np
import pytest

import tenor
from small_tagger import tagged_rows, train_tagger
from tenor.errors import TenorError
from tenor.model.predictor import Predictor, predictor
from tenor.use.classify.classifying import classify
from tenor.use.tag.tagging import tag

TEXTS = ["the cat sat", "a bad day in the old city"]


@pytest.fixture(scope="module")
def model(tiny_folder, tmp_path_factory):
    rows = [("good day", "good"), ("bad day", "bad"), ("so so", "none")] * 4
    near = [("a cat", "a dog", 3), ("a day", "the city", 0)] * 4
    more = {"mood": {"kind": "classify", "train": rows}, "near": {"kind": "similarity", "train": near}}
    return tenor.load(train_tagger(tiny_folder, tmp_path_factory.mktemp("run") / "run", more=more))


def test_a_classifier_gives_the_probabilities_that_classify_shows(model):
    mood = predictor(model, "mood")
    assert isinstance(mood, Predictor)
    probabilities = mood.predict_proba(TEXTS)
    assert probabilities.shape == (2, 3)
    for row, answer in zip(probabilities, classify(model, TEXTS, tasks=["mood"]), strict=True):
        assert dict(zip(mood.labels, row, strict=True)) == pytest.approx(answer["mood"].probabilities)


def test_a_tagger_gives_those_of_every_word(model):
    names = predictor(model, "names")
    words, _ = tagged_rows(1, seed=4)[0]
    (found,) = names.predict_proba([words])
    assert found.shape == (len(words), len(names.labels))
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-4)
    (text,) = names.predict_proba(["the cat sat"])
    assert text.shape == (3, len(names.labels))
    assert np.isfinite(text).all()
    assert len(tag(model, ["the cat sat"], task="names")[0].words) == 3


def test_a_score_has_no_probabilities(model):
    with pytest.raises(TenorError, match="near gives no probabilities"):
        predictor(model, "near")
