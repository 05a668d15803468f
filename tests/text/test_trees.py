"""Bracketed trees: words, constituents, and what is wrong with a broken one."""

import pytest

from tenor.text.trees import read_tree


def test_words_and_constituents():
    tree = read_tree("( (S (NP-SBJ (DT The) (NN cat)) (VP (VBD sat) (NP (-NONE- *T*-1))) (. .)) )")
    assert tree.words == ("The", "cat", "sat", ".")
    assert tree.constituents == ((0, 4), (0, 2), (0, 1), (1, 2), (2, 3), (3, 4))


def test_words_beside_constituents_and_written_brackets():
    tree = read_tree("(NP the (ADJP very old) man (PRN (-LRB- -LRB-) sic (-RRB- -RRB-)))")
    assert tree.words == ("the", "very", "old", "man", "(", "sic", ")")
    assert (1, 3) in tree.constituents


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("(S (NP a)", "1 never closed"),
        ("(S a))", "after the end"),
        ("(S a) (S b)", "after the end"),
        ("no tree", "does not begin with an opening bracket"),
        ("(S (NP (-NONE- *)))", "no words"),
        ("()", "no words"),
        ("", "no words"),
    ],
)
def test_broken_trees_are_refused(text, says):
    with pytest.raises(ValueError, match=says):
        read_tree(text)


def test_deep_trees_need_no_recursion():
    depth = 50_000
    assert read_tree("(X " * depth + "(N a)" + ")" * depth).words == ("a",)
