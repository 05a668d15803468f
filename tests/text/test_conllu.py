"""CoNLL-U for its trees: what is read, what is passed over, and what goes wrong."""

import time

import pytest

from small_parser import conllu, parsed_rows
from tenor.text.conllu import read_trees, why_no_tree
from tenor.text.problems import Problems

GOOD = "1\tAda\t_\tX\t_\t_\t2\tnsubj\t_\t_\n2\tslept\t_\tX\t_\t_\t0\troot\t_\t_\n"


def test_trees_are_read_without_ranges_and_empty_nodes(tmp_path):
    rows = parsed_rows(5)
    file = tmp_path / "a.conllu"
    file.write_text(conllu(rows), encoding="utf-8")
    read = list(read_trees(file, problems=Problems(strict=True)))
    assert [(list(each.words), list(each.heads), list(each.tags)) for each in read] == rows
    assert read[0].origin.line == 2


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("1\tx\t_\t_\t0\troot\n", "6 columns, where CoNLL-U has 10"),
        ("1\tx\t_\tX\t_\t_\t_\troot\t_\t_\n", "the head is '_', not a number"),
        ("1\tx\t_\tX\t_\t_\t7\troot\t_\t_\n", "a head is 7, but the sentence has 1 words"),
        ("1\tx\t_\tX\t_\t_\t1\tdep\t_\t_\n", "no word is the root"),
        (GOOD.replace("\t2\t", "\t0\t"), "2 words are roots"),
        # Ids that leave one out: the head was taken for the word at that position, another one.
        (GOOD.replace("2\tslept", "3\tslept"), "the id is '3', but it is word 2 of its sentence"),
        (GOOD.replace("2\tslept", "1\tslept"), "the id is '1', but it is word 2 of its sentence"),
        (GOOD.replace("2\tslept", "²\tslept"), "the id is '²', but it is word 2 of its sentence"),
    ],
)
def test_sentences_without_a_tree_are_told_and_left_out(tmp_path, line, told):
    file = tmp_path / "a.conllu"
    file.write_text(line + "\n" + GOOD, encoding="utf-8")
    problems = Problems()
    assert len(list(read_trees(file, problems=problems))) == 1
    assert told in str(problems.first[0])
    assert problems.count == 1


def test_circles():
    assert "circle" in why_no_tree([2, 1, 0])
    assert why_no_tree([0]) is None
    assert why_no_tree([]) is None
    assert "circle" in why_no_tree([0, 1, 2, 5, 4, 1])
    assert why_no_tree([0, 1, 2, 3, 2, 5]) is None


def test_a_sentence_of_very_many_words_takes_time_by_its_length():
    """A chain was followed from every word to the root: 200,000 words took hours."""
    count = 200_000
    began = time.process_time()
    assert why_no_tree(list(range(count))) is None
    assert why_no_tree([0, 1, *range(4, count + 1), 3]).startswith("the heads go round in a circle")
    assert time.process_time() - began < 5
