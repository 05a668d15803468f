"""Phrase pairs that are consistent with word links.

A block is a span of words of the first text and one of the second. It is consistent when it holds a link
and no link leaves it: every counterpart of its words lies inside. Phrases cross no punctuation.

``finest_blocks`` cuts two texts into the smallest disjoint consistent blocks that cover all links.
``merged_blocks`` joins neighbours among these, and ``extended_blocks`` adds words without a link where that
brings the two sides closer in meaning: the longest phrases that a person wants to read. Every consistent pair
of candidates, overlapping ones included, is found by ``extraction.consistent_pairs``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from tenor.use.align.words import Floats, Links, cosines, is_punctuation, stem

T = TypeVar("T")

LONGEST = 8  # Words of a phrase; longer ones say where two texts are alike, no longer why.


@dataclass(frozen=True, slots=True, order=True)
class Block:
    """The words ``first[0]:first[1]`` of one text against the words ``second[0]:second[1]`` of the other.

    >>> Block((0, 2), (3, 4)).hull(Block((2, 3), (5, 6)))
    Block(first=(0, 3), second=(3, 6))
    """

    first: tuple[int, int]
    second: tuple[int, int]

    def hull(self, other: "Block") -> "Block":
        """Return the smallest block around both."""
        sides = zip((self.first, self.second), (other.first, other.second), strict=True)
        one, two = ((min(a[0], b[0]), max(a[1], b[1])) for a, b in sides)
        return Block(one, two)

    def touches(self, other: "Block") -> bool:
        """Say whether the two have a word of either text in common."""
        sides = zip((self.first, self.second), (other.first, other.second), strict=True)
        return any(a[0] < b[1] and b[0] < a[1] for a, b in sides)

    @property
    def longer(self) -> int:
        """The number of words of the longer side."""
        return max(self.first[1] - self.first[0], self.second[1] - self.second[0])


def finest_blocks(links: Links) -> list[Block]:
    """Return the smallest disjoint consistent blocks that hold all links, in the order of the first text.

    >>> links = np.zeros((3, 3), dtype=bool)
    >>> links[0, 0] = links[1, 2] = links[2, 1] = links[2, 2] = True
    >>> finest_blocks(links)
    [Block(first=(0, 1), second=(0, 1)), Block(first=(1, 3), second=(1, 3))]
    """
    blocks: list[Block] = []
    for row, column in np.argwhere(links).tolist():
        grown = Block((row, row + 1), (column, column + 1))
        # Every block ends at words with links on all sides, so a consistent block that holds one of two that
        # touch must hold the other as well. Where none touch, no link can lead from one to another.
        while touching := [block for block in blocks if block.touches(grown)]:
            blocks = [block for block in blocks if block not in touching]
            for block in touching:
                grown = grown.hull(block)
        blocks.append(grown)
    return sorted(blocks)


def merged_blocks(
    blocks: Sequence[Block], first: Sequence[str], second: Sequence[str], *, longest: int = LONGEST
) -> list[Block]:
    """Join blocks that follow each other in both texts: forms of the same words, or other words.

    So a person reads whole phrases, and still sees where the wording differs. Phrases of the same words may
    be of any length.
    """
    merged: list[Block] = []
    for block in sorted(blocks):
        if merged and _joins(merged[-1], block, first, second, longest):
            block = merged.pop().hull(block)
        merged.append(block)
    return merged


def content_blocks(blocks: Sequence[Block], first: Sequence[str], second: Sequence[str]) -> list[Block]:
    """Leave out blocks of stop words alone that no other block follows or precedes in both texts.

    A ``the`` of one text always finds a ``the`` in another, whatever the two are about.
    """
    ends = {(block.first[1], block.second[1]) for block in blocks}
    begins = {(block.first[0], block.second[0]) for block in blocks}
    return [
        block
        for block in blocks
        if any(stem(word) for word in (*first[slice(*block.first)], *second[slice(*block.second)]))
        or (block.first[0], block.second[0]) in ends
        or (block.first[1], block.second[1]) in begins
    ]


def extended_blocks(
    blocks: Sequence[Block],
    first: Sequence[str],
    second: Sequence[str],
    vectors: tuple[Floats, Floats],
    *,
    longest: int = LONGEST,
) -> list[Block]:
    """Add spans without links to the block beside them where that brings its two sides closer.

    ``BoE`` linked to ``Bank`` becomes ``BoE`` against ``Bank of England``. Blocks in the same words stay.
    """
    blocks = list(blocks)
    while True:
        free = (
            unmatched(first, [block.first for block in blocks]),
            unmatched(second, [block.second for block in blocks]),
        )
        gains = [
            (phrase_cosine(wider, vectors) - phrase_cosine(block, vectors), number, wider)
            for number, block in enumerate(blocks)
            if not same_words(block, first, second)
            for wider in _wider(block, *free)
            if wider.longer <= longest
        ]
        gain, number, wider = max(gains, default=(0.0, 0, None))
        if wider is None or gain <= 0:
            return blocks
        blocks[number] = wider


def phrase_cosine(block: Block, vectors: tuple[Floats, Floats]) -> float:
    """Return the cosine of the mean word vectors of the two sides."""
    means = [side[slice(*span)].mean(axis=0, keepdims=True) for side, span in _sides(block, vectors)]
    return float(cosines(means[0], means[1])[0, 0])


def phrase_links(
    links: Links, scores: Floats, first: Sequence[str], second: Sequence[str], *, longest: int = LONGEST
) -> Links:
    """Return the links that phrases can be made of.

    Links of punctuation are dropped; then, as long as a block is too long or crosses punctuation, its weakest
    link is. Otherwise one wrong link would tie half of a text into one block.
    """
    punctuation = [
        np.array([is_punctuation(word) for word in words], dtype=bool) for words in (first, second)
    ]
    kept: Links = links & ~punctuation[0][:, None] & ~punctuation[1][None, :]

    def bad(block: Block) -> bool:
        return block.longer > longest or _crosses(block, punctuation)

    while wrong := [block for block in finest_blocks(kept) if bad(block)]:
        for block in wrong:
            inside = slice(*block.first), slice(*block.second)
            weakest = int(np.where(kept[inside], scores[inside], np.inf).argmin())
            row, column = divmod(weakest, block.second[1] - block.second[0])
            kept[block.first[0] + row, block.second[0] + column] = False
    return kept


def unmatched(words: Sequence[str], covered: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans of words that no given span covers; punctuation ends them.

    >>> unmatched(["Well", ",", "I", "never", "said"], [(2, 3)])
    [(0, 1), (3, 5)]
    """
    free = np.array([not is_punctuation(word) for word in words], dtype=bool)
    for begin, end in covered:
        free[begin:end] = False
    edges = np.flatnonzero(np.diff(np.concatenate([[False], free, [False]]).astype(np.int8)))
    return [(int(begin), int(end)) for begin, end in edges.reshape(-1, 2)]


def same_words(block: Block, first: Sequence[str], second: Sequence[str]) -> bool:
    """Say whether both sides of a block have the same words, whatever their case."""
    sides = [
        [word.casefold() for word in words[slice(*span)]] for words, span in _sides(block, (first, second))
    ]
    return sides[0] == sides[1]


def _joins(left: Block, right: Block, first: Sequence[str], second: Sequence[str], longest: int) -> bool:
    if left.first[1] != right.first[0] or left.second[1] != right.second[0]:
        return False
    alike = _alike(left, first, second)
    return alike == _alike(right, first, second) and (alike or left.hull(right).longer <= longest)


def _alike(block: Block, first: Sequence[str], second: Sequence[str]) -> bool:
    """Say whether both sides have forms of the same words."""
    sides = [
        [stem(word) or word.casefold() for word in words[slice(*span)]]
        for words, span in _sides(block, (first, second))
    ]
    return sides[0] == sides[1]


def _sides(block: Block, texts: tuple[T, T]) -> Iterator[tuple[T, tuple[int, int]]]:
    yield texts[0], block.first
    yield texts[1], block.second


def _crosses(block: Block, punctuation: Sequence[Links]) -> bool:
    return bool(punctuation[0][slice(*block.first)].any() or punctuation[1][slice(*block.second)].any())


def _wider(
    block: Block, first: Sequence[tuple[int, int]], second: Sequence[tuple[int, int]]
) -> Iterator[Block]:
    """Yield the block with each free span that touches it."""
    for begin, end in first:
        if end == block.first[0] or begin == block.first[1]:
            yield block.hull(Block((begin, end), block.second))
    for begin, end in second:
        if end == block.second[0] or begin == block.second[1]:
            yield block.hull(Block(block.first, (begin, end)))
