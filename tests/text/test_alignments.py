"""The format of aligned pairs: what is written is read again, and nothing wrong gets in."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenor.errors import TenorError
from tenor.text.alignments import AlignedPair, parse_alignment, read_alignments
from tenor.text.examples import Origin
from tenor.text.problems import Problems

HERE = Origin("a.jsonl", 1)
GOOD = {"s": ["a", "big", "dog"], "t": ["one", "dog"], "alignments": [[[1, 2], [1, 1]]]}


@st.composite
def aligned_pairs(draw):
    word = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=4)
    sides = draw(st.lists(word, min_size=1, max_size=5)), draw(st.lists(word, min_size=1, max_size=5))
    spans = [
        st.tuples(st.integers(0, len(side)), st.integers(0, len(side))).filter(lambda span: span[0] < span[1])
        for side in sides
    ]
    links = st.tuples(*(st.integers(0, len(side) - 1) for side in sides))
    alignments = tuple(draw(st.lists(st.tuples(*spans), max_size=4, unique=True)))
    phrases = [
        tuple(dict.fromkeys([*draw(st.lists(span, max_size=3)), *(pair[number] for pair in alignments)]))
        for number, span in enumerate(spans)
    ]
    found = tuple(draw(st.lists(links, max_size=4, unique=True)))
    return AlignedPair(*map(tuple, sides), found, alignments, *phrases, HERE)


@given(aligned_pairs())
def test_what_is_written_is_read_again(pair):
    line = pair.to_line()
    assert "\n" not in line
    assert parse_alignment(line, HERE) == pair


def test_ends_are_inclusive_in_the_file_and_not_in_memory():
    pair = parse_alignment(json.dumps(GOOD), HERE)
    (one, two), *_ = pair.alignments
    assert pair.first[slice(*one)] == ("big", "dog")
    assert pair.second[slice(*two)] == ("dog",)
    assert json.loads(pair.to_line())["alignments"] == [[[1, 2], [1, 1]]]


def test_phrases_left_out_are_those_of_the_alignments_and_given_ones_are_completed():
    assert parse_alignment(json.dumps(GOOD), HERE).phrases == (((1, 3),), ((1, 2),))
    given_ = parse_alignment(json.dumps({**GOOD, "s_phrases": [[0, 0], [0, 0]], "t_phrases": []}), HERE)
    assert given_.phrases == (((0, 1), (1, 3)), ((1, 2),))
    assert given_.unaligned == (((0, 1),), ())


def test_pairs_without_alignment_are_kept():
    pair = parse_alignment('{"s": ["yes"], "t": ["no"], "alignments": []}', HERE)
    assert (pair.links, pair.alignments, pair.phrases) == ((), (), ((), ()))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"alignments": [[[1, 3], [1, 1]]]}, 'the span [1, 3] goes beyond the 3 words of "s"'),
        ({"alignments": [[[0, 0], [-1, 1]]]}, 'the span [-1, 1] goes beyond the 2 words of "t"'),
        ({"alignments": [[[2, 1], [1, 1]]]}, 'the span [2, 1] of "s" is empty'),
        ({"alignments": [[1, 2], [1, 1]]}, "alignments[0] must be a span"),
        ({"alignments": [[[1, 2]]]}, "must be two spans"),
        ({"alignments": [[[0, 1.5], [0, 0]]]}, "two whole numbers"),
        ({"alignments": [[[False, True], [0, 0]]]}, "two whole numbers"),
        ({"alignments": {}}, '"alignments" must be a list'),
        ({"alignments": None}, '"alignments" is missing'),
        ({"t_phrases": [[0, 0], [2, 2]]}, 't_phrases[1]: the span [2, 2] goes beyond the 2 words of "t"'),
        ({"links": [[0, 2]]}, 'links[0]: there is no word 2 among the 2 of "t"'),
        ({"links": [[-1, 0]]}, "there is no word -1"),
        ({"links": [[0]]}, "must be a link"),
        ({"s": "a big dog"}, '"s" must be a list of words'),
        ({"s": []}, '"s" has no words'),
        ({"t": ["one", " "]}, 'word 1 of "t" is empty'),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, change, says):
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(GOOD) + "\n\n" + json.dumps({**GOOD, **change}) + "\n")
    problems = Problems()
    assert len(list(read_alignments(file, problems=problems))) == 1
    assert problems.count == 1
    assert f"{file}:3: " in problems.summary()
    assert says in problems.summary()
    with pytest.raises(TenorError, match=":3: "):
        list(read_alignments(file, problems=Problems(strict=True)))


@pytest.mark.parametrize("line", ['{"s": [', "[1]", "7", '{"t": ["a"], "alignments": []}', "[" * 100_000])
def test_wrong_json_is_left_out_and_a_file_of_it_refused(tmp_path, line):
    file = tmp_path / "a.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(TenorError, match=r"no aligned pairs that could be read.*a\.jsonl:1"):
        list(read_alignments(file, problems=Problems()))


def test_packed_files_and_several_lines(tmp_path):
    file = tmp_path / "a.jsonl.gz"
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(GOOD) + "\n" for _ in range(3))
    found = list(read_alignments(file, problems=Problems(strict=True)))
    assert [pair.origin.line for pair in found] == [1, 2, 3]
