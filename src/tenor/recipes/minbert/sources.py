"""The files of the multi-task reports, read as examples: sentiment, paraphrase, similarity, and their extras.

Each function yields rows of plain values for one kind of task: ``{"text", "label"}`` or ``{"first", "second",
"label" | "score"}``. Nothing is filtered here but rows without a label.
"""

import gzip
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenor.text.problems import Problems
from tenor.text.readers import read_rows

Example = dict[str, Any]


def _cells(path: Path) -> Iterator[dict[str, str]]:
    for row in read_rows(path, delimiter="\t", quote='"', header=True, problems=Problems()):
        yield dict(row.values)


def sentiment(path: Path) -> Iterator[Example]:
    """Yield the sentences of a course file with their class 0 to 4; None where there is no label."""
    for cells in _cells(path):
        yield {"text": cells["sentence"].strip(), "label": cells.get("sentiment")}


def quora(path: Path) -> Iterator[Example]:
    """Yield the labelled question pairs of a course file, 1 for the same question."""
    for cells in _cells(path):
        if cells["is_duplicate"].strip():
            label = str(int(float(cells["is_duplicate"])))
            yield {"first": cells["sentence1"], "second": cells["sentence2"], "label": label}


def similarity(path: Path) -> Iterator[Example]:
    """Yield the graded pairs of a course file, 0 to 5; the score is None where the file has none."""
    for cells in _cells(path):
        graded = cells.get("similarity")
        score = float(graded) if graded else None
        yield {"first": cells["sentence1"], "second": cells["sentence2"], "score": score}


def more_quora(path: Path) -> Iterator[Example]:
    """Yield the 10,000 further Quora pairs: label, two questions, number, with no header and no quoting."""
    with gzip.open(path, "rt", encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            label, first, second, *_ = line.rstrip("\n").split("\t")
            yield {"first": first, "second": second, "label": label}


def sick(path: Path) -> Iterator[Example]:
    """Yield SICK's pairs, their relatedness of 1 to 5 stretched to 0 to 5."""
    for cells in _cells(path):
        score = (float(cells["relatedness_score"]) - 1) * 5 / 4
        yield {"first": cells["sentence_A"], "second": cells["sentence_B"], "score": score}


def semeval(path: Path) -> Iterator[Example]:
    """Yield the graded pairs of a file of the SemEval tasks of 2012 to 2014: score, two texts; unscored ones
    are left out.
    """
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            score, first, second, *_ = [*line.rstrip("\r\n").split("\t"), "", ""]
            if score.strip():
                yield {"first": first.strip(), "second": second.strip(), "score": float(score)}


_STRENGTH = re.compile(r"\[([+-]\d)\]")


def product_reviews(path: Path) -> Iterator[Example]:
    """Yield sentences of Amazon product reviews, graded by the mean strength, -3 to 3, of their opinions.

    The corpus (Hu and Liu, 2004) writes ``camera[+2], size[-1]##the sentence``; a sentence with no opinion is
    left out, since most of those are merely about nothing in particular.
    """
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith(".txt") or "README" in name:
                continue
            for line in archive.read(name).decode("latin-1").splitlines():
                tags, found, text = line.partition("##")
                strengths = [int(strength) for strength in _STRENGTH.findall(tags)]
                if found and strengths and text.strip():
                    mean = sum(strengths) / len(strengths)
                    yield {"text": text.strip(), "label": str(round((mean + 3) * 4 / 6))}


_TREE = re.compile(r"\(|\)|[^\s()]+")


def tree_phrases(path: Path) -> Iterator[list[Example]]:
    """Yield, for each tree of the sentiment treebank, its phrases with their classes; the sentence is the
    last.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "trees.txt"
    >>> _ = file.write_text("(3 (2 A) (4 (3 fine) (2 film)))")
    >>> [(phrase["text"], phrase["label"]) for phrase in next(tree_phrases(file))]
    [('A', '2'), ('fine', '3'), ('film', '2'), ('fine film', '4'), ('A fine film', '3')]
    """
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield _phrases(_TREE.findall(line))


def _phrases(tokens: list[str]) -> list[Example]:
    phrases: list[Example] = []
    words: list[str] = []
    opened: list[tuple[str, int]] = []  # the label of each open node, and the words before it
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token == "(":
            opened.append((tokens[place + 1], len(words)))
            place += 1
        elif token == ")":
            label, begin = opened.pop()
            phrases.append({"text": " ".join(words[begin:]), "label": label})
        else:
            words.append(token)
        place += 1
    return phrases


def untokenised(text: str) -> str:
    """Undo the treebank's spelling of brackets, slashes and quotes, which no other text has.

    >>> untokenised("a `` fine '' film -LRB- and\\\\/or not -RRB-")
    'a " fine " film ( and/or not )'
    """
    for theirs, usual in (("-LRB-", "("), ("-RRB-", ")"), ("``", '"'), ("''", '"'), ("\\/", "/")):
        text = text.replace(theirs, usual)
    return text


def valence(path: Path) -> Iterator[Example]:
    """Yield the texts of a file of the asset "valence" with the mean of their ratings, rounded: -4 to 4."""
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        next(file)  # id, sentiment, text
        for line in file:
            _, mean, text = line.rstrip("\r\n").split("\t", 2)
            yield {"text": text.strip(), "label": str(round(float(mean)))}
