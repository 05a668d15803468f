"""What `tenor check` says of tagged words."""

import pytest

from tenor.tasks.tag.survey import TagSurvey
from tenor.text.examples import Origin, TaggedSentence
from tenor.training.check import check


def survey(train, dev=()):
    seen = TagSurvey()
    for part, rows in (("train", train), ("dev", dev)):
        for number, (words, tags) in enumerate(rows, start=1):
            seen.add(TaggedSentence(tuple(words.split()), Origin(part, number), tuple(tags.split())), part)
    return seen


def test_illegal_tags_are_counted_with_the_first_place():
    seen = survey([("a b", "B-X O"), ("a b", "O I-X"), ("a b", "O I-X"), ("a b c", "B-X O B-X")])
    assert seen.scheme == "bio"
    assert seen.errors() == (2, 2, Origin("train", 2))
    assert any("2 tags are illegal in bio (2 sentences, first train:2)" in told for _, told in seen.lines())


def test_iob1_is_a_scheme_and_no_error():
    seen = survey([("Ann Bo ran", "I-PER B-PER O"), ("Rome", "I-LOC")])
    assert seen.scheme == "iob1"
    assert seen.errors()[0] == 0


def test_mixed_schemes_are_shown_as_errors_of_the_one_that_is_found():
    seen = survey([("a", "S-X"), ("a b", "B-X E-X"), ("a b", "B-X I-X")])
    assert seen.scheme == "bioes"
    assert seen.errors()[:2] == (1, 1)


def test_entities_and_labels_that_dev_has_new():
    seen = survey(
        [("Ann saw Rome", "B-PER O B-LOC")],
        [("ann saw Bo", "B-PER O B-PER"), ("Rome Inc", "B-ORG I-ORG"), ("Rome", "B-PER")],
    )
    assert seen.unseen() == (3, 4), "Bo, Rome Inc, and Rome as a person; ann is seen whatever its case"
    assert seen.new_labels() == ["B-ORG", "I-ORG"]
    assert "3 of 4 entities of dev (75%)" in dict(seen.lines()[::-1])["unseen"] or any(
        "3 of 4 entities of dev (75%)" in told for _, told in seen.lines()
    )
    assert seen.to_json()["entities_unseen"] == 3


def test_plain_tags_have_labels_and_no_spans():
    seen = survey([("a cat", "DET NOUN")], [("cats", "NOUN"), ("ran", "VERB")])
    assert seen.lines() == [("scheme", "plain"), ("unseen", "labels of dev that train never has: VERB")]
    assert seen.errors() == (0, 0, None)
    assert TagSurvey().lines() == []


@pytest.mark.parametrize("tags", ["B-PER X O", "B-PER ? O"])
def test_tags_that_are_none_of_spans_are_named(tags):
    seen = survey([("Ann saw it", tags)] + [("Ann saw it all day", "B-PER O O O O")] * 5)
    assert seen.scheme == "bio"
    assert any(told.startswith("no tags of spans, read as O") for _, told in seen.lines())


def test_it_reaches_check_of_files_and_of_runs(tmp_path):
    (tmp_path / "a.conll").write_text("Ann B-PER\nran O\n\nBo O\nLee I-PER\n\nCy B-PER\n")
    report = check(tmp_path / "a.conll")
    assert ("scheme", "bio") in report.details.lines()
    assert report.as_dict()["illegal_tags"] == 1
    (tmp_path / "run.toml").write_text(
        '[tasks.x]\nkind = "tag"\ntrain = "a.conll"\ndev = "a.conll"\n', encoding="utf-8"
    )
    task = check(tmp_path / "run.toml").tasks[0]
    assert task.as_dict()["entities_unseen"] == 0
    assert task.shared == 3
