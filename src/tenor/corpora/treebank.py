"""The sample of the Penn Treebank that NLTK distributes: sentences with their parts of speech.

The archive holds bracketed trees, ``( (S (NP-SBJ (NNP Pierre) (NNP Vinken)) …))``, over several lines each;
traces (``-NONE-``) are no words.
"""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tenor.corpora.archives import zip_texts
from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row
from tenor.corpora.treebank_spelling import untokenised
from tenor.text.examples import Origin, TaggedSentence

_FILE = "treebank.zip"
_BRACKET = re.compile(r"[()]")
_LEAF = re.compile(r"\(([^\s()]+)\s+([^\s()]+)\)")
_TRACE = "-NONE-"


def read_treebank(folder: Path) -> Iterator[TaggedSentence]:
    """Yield the sentences with a part of speech for every word, such as "NNP"."""
    for file, text in zip_texts(folder / _FILE, _is_tree, encoding="latin-1"):
        for origin, tree in _trees(text, file):
            leaves = [match.groups() for match in _LEAF.finditer(tree)]
            kept = [(untokenised(word), tag) for tag, word in leaves if tag != _TRACE]
            if not kept:
                raise broken_row(origin, "a tree without words", "words with their parts of speech")
            words, tags = zip(*kept, strict=True)
            yield TaggedSentence(words, origin, tags)


def _is_tree(name: str) -> bool:
    path = PurePosixPath(name)
    return path.parent.name == "combined" and path.suffix == ".mrg"


def _trees(text: str, file: str) -> Iterator[tuple[Origin, str]]:
    """Cut a file into its trees: from a bracket that nothing holds to the one that closes it."""
    depth = begin = line = at = 0
    for match in _BRACKET.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        if match[0] == "(":
            if depth == 0:
                begin, origin = match.start(), Origin(file, line + 1)
            depth += 1
            continue
        depth -= 1
        if depth < 0:
            break
        if depth == 0:
            yield origin, text[begin : match.end()]
    if depth:
        raise broken_row(Origin(file, line + 1), "brackets that do not fit", "trees in brackets")


TREEBANK = Corpus(
    name="treebank",
    folder="nltk",
    about="a tenth of the Penn Treebank, 3,914 sentences of the Wall Street Journal with parts of speech",
    licence="from the Penn Treebank (LDC); not to be redistributed",
    obtain="Get packages/corpora/treebank.zip of https://github.com/nltk/nltk_data.",
    splits={"all": Split(files=(_FILE,), read=read_treebank)},
)
