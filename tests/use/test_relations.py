"""Matched phrases judged by a model's phrasal classifier."""

import json

import numpy as np
import pytest

import tenor
from phrase_classifier import with_classifier
from small_runs import tenor as command
from tenor.tasks.phrases.spec import BINARY
from tenor.use.compare import compare
from tiny import write_tiny_model

FIRST, SECOND = "the cat sat", "the dog sat"


def test_phrases_have_a_class_and_its_probability(tmp_path):
    model = tenor.load(with_classifier(tmp_path / "model"), precision="fp32")
    found = compare(model, FIRST, SECOND)
    assert len(found.relations) == len(found.explanation.phrases) > 0
    softmax = np.exp([0, 2, 0]) / np.exp([0, 2, 0]).sum()
    for relation in found.relations:
        assert relation.name == "unrelated"
        assert relation.probability == pytest.approx(softmax[1], abs=1e-5)
        assert sum(relation.probabilities.values()) == pytest.approx(1)
        assert set(relation.probabilities) == {"paraphrase", "related", "unrelated"}
    told = json.loads(json.dumps(found.to_json()))
    assert told["phrases"][0]["relation"] == "unrelated"
    assert "relations" not in told
    assert [stretch["text"] for stretch in told["only_first"]] == [
        stretch.text for stretch in found.explanation.only_first
    ]


def test_two_classes_know_nothing_unrelated(tmp_path):
    model = tenor.load(with_classifier(tmp_path / "model", BINARY, bias=(0, 1)), precision="fp32")
    assert {relation.name for relation in compare(model, FIRST, SECOND).relations} == {"related"}


def test_the_words_of_a_phrase_are_found_in_the_text(tmp_path, monkeypatch):
    seen = []

    def judge(model, classifier, pairs):
        seen.extend(pairs)
        return [np.full((len(pairs[0].alignments), 3), np.nan, dtype=np.float32)]

    monkeypatch.setattr("tenor.use.compare.relations.judge_phrases", judge)
    model = tenor.load(with_classifier(tmp_path / "model"), precision="fp32")
    found = compare(model, "  the cat, sat!", "sat the cat")
    assert all(relation is None for relation in found.relations)
    assert found.to_json()["phrases"][0]["relation"] is None
    (pair,) = seen
    for (one, two), phrase in zip(pair.alignments, found.explanation.phrases, strict=True):
        told = "".join("".join(pair.first[slice(*one)]).split())
        assert told == "".join(phrase.first.text.split())
        assert "".join(pair.second[slice(*two)]) == "".join(phrase.second.text.split())


def test_without_a_classifier_nothing_is_said_of_relations(tmp_path):
    write_tiny_model(tmp_path / "model")
    found = compare(tenor.load(tmp_path / "model", precision="fp32"), FIRST, SECOND)
    assert found.relations == ()
    assert found.to_json()["phrases"][0]["relation"] is None


def test_the_command_shows_them_or_not(tmp_path):
    folder = with_classifier(tmp_path / "model")
    shown = command("compare", FIRST, SECOND, "--model", folder, "--explain")
    assert shown.returncode == 0
    assert "unrelated (79%)" in shown.stdout
    short = command("compare", FIRST, SECOND, "--model", folder, "--no-explain")
    assert "unrelated (" not in short.stdout
    assert "similarity" in short.stdout
