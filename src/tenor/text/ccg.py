r"""Supertags of CCG: derivations of CCGbank (``.auto``), and lines of ``word|POS|category``.

A leaf of ``.auto`` is ``(<L category POS POS word predicate-argument-category>)``; lines that begin with
``ID=`` name the derivation behind them.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tenor.errors import TenorError
from tenor.text.examples import Origin, TaggedSentence
from tenor.text.lines import read_lines
from tenor.text.opening import open_bytes
from tenor.text.problems import Problems

_LEAF = re.compile(r"\(<L (\S+) (\S+) (\S+) (\S+) (\S+)>\)")
_PIPES = re.compile(r"\S+\|[^\s|]+\|[^\s|]+")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}


def looks_like_ccg(first_lines: Iterable[str]) -> bool:
    """Whether lines are those of CCGbank or of words with pipes.

    >>> looks_like_ccg(["ID=wsj_0001.1 PARSER=GOLD NUMPARSE=1"]), looks_like_ccg(["A|DT|NP/N cat|NN|N"])
    (True, True)
    """
    lines = [line.strip() for line in first_lines if line.strip()]
    if not lines:
        return False
    if re.match(r"ID=\S", lines[0]) or lines[0].startswith(("(<T ", "(<L ")):
        return all(re.match(r"ID=\S|\(<[TL] ", line) for line in lines)
    cells = [cell for line in lines for cell in line.split(" ")]
    # A table with bars between single words has no functors, and one cell a line.
    functor = any(re.search(r"[/\\]", cell.rpartition("|")[2]) for cell in cells)
    return functor and len(cells) > len(lines) and all(map(_PIPES.fullmatch, cells))


def read_ccg(path: str | Path, *, problems: Problems) -> Iterator[TaggedSentence]:
    """Yield sentences with the category of every word.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.stagged"
    >>> _ = file.write_text("George|NNP|N/N Bush|NNP|N\\n")
    >>> next(read_ccg(file, problems=Problems())).tags
    ('N/N', 'N')
    """
    any_sentence = False
    with open_bytes(path) as opened:
        for number, line in read_lines(opened, encoding="utf-8-sig", problems=problems):
            text, origin = line.strip(), Origin(opened.name, number)
            if not text or text.startswith("ID="):
                continue
            pairs = _of_derivation(text) if text.startswith("(<") else _of_pipes(text)
            if pairs is None:
                problems.add(origin, "it is neither a derivation of CCGbank nor word|POS|category; left out")
                continue
            any_sentence = True
            yield TaggedSentence(tuple(word for word, _ in pairs), origin, tuple(tag for _, tag in pairs))
    if not any_sentence:
        raise TenorError(f"{path} has no sentences of CCGbank (.auto) or of word|POS|category.")


def _of_derivation(text: str) -> list[tuple[str, str]] | None:
    leaves = _LEAF.findall(text)
    if not leaves or len(leaves) != text.count("(<L ") or not _balanced(text):
        return None
    return [(_BRACKETS.get(word, word), category) for category, _, _, word, _ in leaves]


def _balanced(text: str) -> bool:
    """Whether every node is closed: a line that was cut off is not."""
    return text.count("(<") == len(re.findall(r">\)|(?<=\s)\)", text))


def _of_pipes(text: str) -> list[tuple[str, str]] | None:
    pairs = []
    for cell in text.split():
        if _PIPES.fullmatch(cell) is None:
            return None
        word, _, category = cell.rsplit("|", 2)
        pairs.append((word, category))
    return pairs
