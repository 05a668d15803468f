"""Set queries: "noble & metal", "french - british", "(rose | violet) - red", "~good & king".

    word        a word of the vocabulary; in double quotes if it holds signs or spaces
    a & b       intersection              a | b     union
    a - b       difference                ~a        complement

``~`` is applied first, then ``&``; ``|`` and ``-`` are read from left to right, as + and − are. A minus sign
counts as one only with a space or a parenthesis before it, so that hyphenated words stay whole. The answer is
the words nearest to the composed tuple, without those of the query.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from tenor.errors import TenorError, did_you_mean
from tenor.words.fuzzy import sets
from tenor.words.fuzzy.fuzzy_words import First, FuzzyWords, Measure, Neighbour
from tenor.words.fuzzy.sets import Floats
from tenor.words.neighbours import unit_rows
from tenor.words.vectors import WordVectors

Complement = Literal["difference", "paper"]
LONGEST = 1000  # characters: a server takes queries from strangers
DEEPEST = 50  # parentheses in parentheses

_SIGNS = re.compile(
    r'\s*(?:(?P<sign>[&|~()])|(?P<minus>(?:(?<=[\s()&|~])|^)-)|"(?P<quoted>[^"]*)"|(?P<word>[^\s&|~()"]+))'
)


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: its syntax tree and the words in it.

    >>> Query.parse("a | b & ~c - d").reading
    '((a | (b & ~c)) - d)'
    """

    tree: "Node"
    words: tuple[str, ...]

    @property
    def reading(self) -> str:
        """The query with every parenthesis written."""
        return self.tree.reading()

    @property
    def composed(self) -> bool:
        """Whether it is more than one word."""
        return bool(self.tree.parts)

    @classmethod
    def parse(cls, text: str) -> "Query":
        """Parse a query; an error says at which character it cannot be read."""
        return _Parser(text).parse()


@dataclass(frozen=True, slots=True)
class Node:
    """A word, or a sign with the parts that it joins."""

    sign: str
    parts: tuple["Node", ...] = field(default=())

    def reading(self) -> str:
        """Write it with every parenthesis."""
        if not self.parts:
            return self.sign
        if self.sign == "~":
            return f"~{self.parts[0].reading()}"
        first, second = self.parts
        return f"({first.reading()} {self.sign} {second.reading()})"


def ask(
    fuzzy: FuzzyWords,
    query: str,
    k: int = 10,
    *,
    measure: Measure = "kl",
    first: First = "target",
    rescale: bool = True,
    complement: Complement = "difference",
) -> list[Neighbour]:
    """Answer a set query with the k nearest words, nearest first.

    Probabilities over a vocabulary are about 1/V, so that ~a = 1 − a is 1 all over, and "~good & king" would
    be "king". With ``complement`` "difference" an intersection with a complement is the difference that it is
    for sets, a ∩ ¬b = a ∖ b; "paper" takes every sign literally.

    Target first, divergence and cross-entropy (the paper's choice) rank words alike; divergence is 0 for a
    perfect answer.

    >>> rows = [[3, 3, 0], [3, 0, 3], [4, 1, 1], [0, 4, 0], [2, 0, 3]]
    >>> vectors = WordVectors(["noble", "metal", "gold", "king", "lead"], rows)
    >>> [near.word for near in ask(FuzzyWords.of(vectors, axis="row"), "noble & metal", 1)]
    ['gold']
    """
    if k < 1:
        raise TenorError(f"The number of answers must be 1 or more; got {k}.")
    parsed = Query.parse(query)
    known = resolve(fuzzy.vectors, parsed)
    tree = simplified(parsed.tree) if complement == "difference" else parsed.tree
    target = evaluate(tree, lambda word: fuzzy[known[word]])
    if not target.any():
        raise TenorError(f"{parsed.reading} is empty: no feature is left, so nothing is near it.")
    return fuzzy.nearest(
        target,
        k,
        exclude=known.values(),
        measure=measure,
        first=first,
        rescale=rescale and parsed.composed,
    )


def ask_vectors(vectors: WordVectors, query: str, k: int = 10) -> list[Neighbour]:
    """Answer a query with plain vectors, for comparison: & adds, - subtracts; | and ~ have no counterpart.

    The distance is 1 − cosine.
    """
    parsed = Query.parse(query)
    known = resolve(vectors, parsed)
    target = _vector(parsed.tree, lambda word: np.asarray(vectors[known[word]], dtype=np.float64))
    exclude = vectors.indices(known.values())
    units = unit_rows(target[None].astype(np.float32))
    cosines = unit_rows(vectors.vectors) @ units[0]
    cosines[exclude] = -np.inf
    best = np.argsort(-cosines, kind="stable")[: min(k, len(vectors) - len(set(exclude.tolist())))]
    return [Neighbour(vectors.words[int(number)], 1.0 - float(cosines[number])) for number in best]


def evaluate(node: Node, tuple_of: Callable[[str], Floats]) -> Floats:
    """Compose the tuple of a query from those of its words."""
    if not node.parts:
        return tuple_of(node.sign)
    values = [evaluate(part, tuple_of) for part in node.parts]
    if node.sign == "~":
        return sets.complement(values[0])
    join = {"&": sets.intersection, "|": sets.union, "-": sets.difference}[node.sign]
    return join(*values)


def simplified(node: Node) -> Node:
    """Replace complements by differences where sets allow it.

    >>> [simplified(Query.parse(text).tree).reading() for text in ("~a & b", "~a & ~b", "a - ~b")]
    ['(b - a)', '~(a | b)', '(a & b)']
    """
    if not node.parts:
        return node
    parts = tuple(simplified(part) for part in node.parts)
    if node.sign == "~":
        return parts[0].parts[0] if parts[0].sign == "~" and parts[0].parts else Node("~", parts)
    first, second = parts
    without = tuple(part.parts[0] if part.sign == "~" and part.parts else None for part in parts)
    if node.sign == "-" and without[1] is not None:
        return simplified(Node("&", (first, without[1])))
    if node.sign == "&":
        if without[0] is not None and without[1] is not None:
            return Node("~", (Node("|", (without[0], without[1])),))
        if without[1] is not None:
            return Node("-", (first, without[1]))
        if without[0] is not None:
            return Node("-", (second, without[0]))
    return Node(node.sign, parts)


def resolve(vectors: WordVectors, query: Query) -> dict[str, str]:
    """Find each word of a query in the vocabulary, in lower case if need be; an unknown word is an error."""
    known: dict[str, str] = {}
    for word in query.words:
        spelt = next((form for form in (word, word.lower(), word.capitalize()) if form in vectors), None)
        if spelt is None:
            raise TenorError(f"{word!r} is not among the {len(vectors):,} words.{_near(vectors, word)}")
        known[word] = spelt
    return known


def _near(vectors: WordVectors, word: str) -> str:
    """Name a word that was probably meant; a hyphen may have been meant as a minus sign."""
    left, _, right = word.partition("-")
    if left in vectors and right in vectors:
        return f" To take {right} away from {left}, put spaces around the sign: {left} - {right}."
    return did_you_mean(word, [known for known in vectors.words[:100_000] if known[:2] == word[:2]])


def _vector(node: Node, vector_of: Callable[[str], Floats]) -> Floats:
    if not node.parts:
        return vector_of(node.sign)
    if node.sign in "|~":
        meaning = "union" if node.sign == "|" else "complement"
        raise TenorError(f"Plain vectors have no {meaning} ({node.sign}): only & and - can be compared.")
    first, second = (_vector(part, vector_of) for part in node.parts)
    return first + second if node.sign == "&" else first - second


class _Parser:
    """Parses a query from left to right: sum = product (| or - product)…, product = factor (& factor)…"""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise TenorError(f"The query has {len(text):,} characters; {LONGEST:,} are the most.")
        self.text = text
        self.tokens = list(self._read())
        self.at, self.depth = 0, 0
        self.words: dict[str, None] = {}

    def parse(self) -> Query:
        if not self.tokens:
            raise TenorError('The query is empty; ask for example "noble & metal" or "french - british".')
        tree = self._sum()
        if self.at < len(self.tokens):
            sign, position = self.tokens[self.at]
            if sign == ")":
                raise self._error("this parenthesis closes none", position)
            raise self._error("a sign (& | -) is missing before it", position)
        return Query(tree, tuple(self.words))

    def _sum(self) -> Node:
        node = self._product()
        while self._next() in ("|", "-"):
            node = Node(self._take(), (node, self._product()))
        return node

    def _product(self) -> Node:
        node = self._factor()
        while self._next() == "&":
            node = Node(self._take(), (node, self._factor()))
        return node

    def _factor(self) -> Node:
        sign = self._next()
        position = self.tokens[self.at][1] if sign is not None else len(self.text)
        if sign is None:
            raise self._error("a word is missing at the end", position)
        if sign in ("&", "|", "-", ")"):
            raise self._error("a word is missing before it", position)
        if sign == "~":
            self._take()
            return Node("~", (self._deeper(self._factor, position),))
        if sign == "(":
            self._take()
            node = self._deeper(self._sum, position)
            if self._next() != ")":
                raise self._error("this parenthesis is not closed", position)
            self._take()
            return node
        self.at += 1
        word = sign[1:]
        self.words[word] = None
        return Node(word)

    def _deeper(self, read: Callable[[], Node], position: int) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._error(f"more than {DEEPEST} signs within one another", position)
        node = read()
        self.depth -= 1
        return node

    def _read(self) -> list[tuple[str, int]]:
        """Cut the text into signs and words; a word begins with a space, to tell "-" from the sign."""
        tokens, at = [], 0
        end = len(self.text.rstrip())
        while at < end:
            match = _SIGNS.match(self.text, at)
            if match is None:
                raise self._error("this quotation mark is not closed", self.text.index('"', at))
            kind = str(match.lastgroup)
            found = match.group(kind)
            if kind == "quoted" and not found.strip():
                raise self._error("there is no word in the quotation marks", match.start(kind) - 1)
            tokens.append((found if kind in ("sign", "minus") else " " + found, match.start(kind)))
            at = match.end()
        return tokens

    def _next(self) -> str | None:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def _take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][0]

    def _error(self, what: str, position: int) -> TenorError:
        rest = self.text[position : position + 20].strip()
        where = f"at {rest!r} (character {position + 1})" if rest else "at its end"
        return TenorError(
            f"The query {self.text.strip()!r} cannot be parsed {where}: {what}. "
            "Words are joined by & (and), | (or), - (without); ~ before a word means not."
        )
