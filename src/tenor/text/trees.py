"""Bracketed trees, ``(S (NP a dog) (VP barks))``: their words and the spans of their constituents."""

import re
from dataclasses import dataclass

_PIECE = re.compile(r"[()]|[^\s()]+")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


@dataclass(frozen=True, slots=True)
class Tree:
    """The words of a tree, and its constituents as ``(begin, end)`` of words, each span once."""

    words: tuple[str, ...]
    constituents: tuple[tuple[int, int], ...]


def read_tree(text: str) -> Tree:
    """Read a bracketed tree, or raise a ValueError that says what is wrong.

    Traces (``-NONE-``) are left out, and with them what holds nothing else. The first token after an
    opening bracket is a label, never a word.

    >>> read_tree("(S (NP (DT a) (NN dog)) (VP (VBZ barks)))")
    Tree(words=('a', 'dog', 'barks'), constituents=((0, 3), (0, 2), (0, 1), (1, 2), (2, 3)))
    """
    words: list[str] = []
    open_: list[tuple[int, list[str]]] = []  # where each open bracket begins, and its own tokens so far
    spans: list[tuple[int, int]] = []
    closed = False
    for piece in _PIECE.findall(text):
        if closed:
            raise ValueError("there is text after the end of the tree")
        if piece == "(":
            open_.append((len(words), []))
        elif not open_:
            raise ValueError("it does not begin with an opening bracket")
        elif piece != ")":
            own = open_[-1][1]
            own.append(piece)
            if len(own) > 1 and own[0] != "-NONE-":
                words.append(_BRACKETS.get(piece, piece))
        else:
            begin, _ = open_.pop()
            if begin < len(words):
                spans.append((begin, len(words)))
            closed = not open_
    if open_:
        raise ValueError(f"brackets are opened and {len(open_)} never closed")
    if not words:
        raise ValueError("the tree has no words")
    return Tree(tuple(words), tuple(sorted(set(spans), key=lambda span: (span[0], -span[1]))))
