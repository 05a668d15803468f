"""The files of the recipe read as plain values: pairs that say the same, rows of tasks, texts to learn from.

Nothing is filtered here but what is no pair or no text at all.
"""

import gzip
import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

from tenor.recipes.minbert.sources import untokenised
from tenor.text.glue import GLUE, read_glue
from tenor.text.overlap import normalise
from tenor.text.problems import Problems

Row = dict[str, Any]
TextPair = tuple[str, str]


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text file, packed with gzip or not."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            yield line.rstrip("\r\n")


def pan(folder: Path) -> Iterator[TextPair]:
    """Yield the paraphrases among the pairs of the PAN corpus' train part."""
    sides = (lines(folder / f"pan-train{part}.gz") for part in ("_s1.txt", "_s2.txt", ".labels"))
    yield from ((first, second) for first, second, label in zip(*sides, strict=True) if label.strip() == "1")


def turk(folder: Path) -> Iterator[TextPair]:
    """Yield sentences of Wikipedia with what Simple Wikipedia and two people made of them."""
    names = [folder / f"tune.8turkers.tok.{part}" for part in ("norm", "simp", "turk.0", "turk.1")]
    for norm, *simple in zip(*map(lines, names), strict=True):
        yield from ((_brackets(norm), _brackets(each)) for each in simple)


def _brackets(text: str) -> str:
    return text.replace("-lrb-", "(").replace("-rrb-", ")").replace("``", '"').replace("''", '"')


def multimwa(folder: Path) -> Iterator[TextPair]:
    """Yield the train pairs of the two word alignment sets, without their links."""
    for part in ("mtref", "wiki"):
        for line in lines(folder / f"{part}-train.tsv.gz"):
            cells = line.split("\t")
            yield cells[1], cells[3]


def pivots(rows: Iterable[TextPair], *, fewest: int = 5) -> Iterator[TextPair]:
    """Yield English texts that have the same translation, neighbours among all of that translation.

    >>> rows = [("Go on home now, Tom.", "x"), ("Tom, go home right now.", "x"), ("Hello.", "x")]
    >>> list(pivots(rows))
    [('Go on home now, Tom.', 'Tom, go home right now.')]
    """
    by_translation: dict[str, dict[str, str]] = {}
    for english, other in rows:
        if len(english.split()) >= fewest:
            by_translation.setdefault(normalise(other), {}).setdefault(normalise(english), english)
    for same in by_translation.values():
        yield from pairwise(same.values())


def tatoeba_zip(path: Path) -> Iterator[TextPair]:
    """Yield English texts and their translations out of an archive of the Tatoeba project."""
    with zipfile.ZipFile(path) as archive:
        name = next(name for name in archive.namelist() if not name.startswith("_"))
        yield from _two_columns(archive.read(name).decode("utf-8").split("\n"))


def tatoeba_tsv(path: Path) -> Iterator[TextPair]:
    """Yield English texts and their translations out of a table whose third column names the authors."""
    return _two_columns(lines(path))


def _two_columns(rows: Iterable[str]) -> Iterator[TextPair]:
    for row in rows:
        cells = row.split("\t")
        if len(cells) > 1:
            yield cells[0], cells[1]


def mrpc(path: Path) -> Iterator[Row]:
    """Yield the pairs of a file of the Microsoft paraphrase corpus."""
    for number, line in enumerate(lines(path)):
        cells = line.removeprefix("\ufeff").split("\t")
        if number and len(cells) == 5:
            yield {"first": cells[3], "second": cells[4], "label": cells[0].strip()}


def stsb(path: Path) -> Iterator[Row]:
    """Yield the graded pairs of a file of the STS benchmark."""
    for line in lines(path):
        cells = line.split("\t")
        if len(cells) > 6:
            yield {"first": cells[5], "second": cells[6], "score": float(cells[4])}


def semeval(folder: Path) -> Iterator[TextPair]:
    """Yield all pairs of the SemEval tasks that the STS benchmark was made from."""
    for path in sorted(folder.glob("*/*.tsv")):
        for line in lines(path):
            cells = line.split("\t")
            if len(cells) > 2:
                yield cells[1], cells[2]


def glue(name: str, *paths: Path, part: Any = "train") -> Iterator[Row]:
    """Yield the rows of official files; rows of a test part have no label."""
    for path in paths:
        for example in read_glue(GLUE[name], path, part=part, problems=Problems()):
            names = ("text",) if len(example.texts) == 1 else ("first", "second")
            yield dict(zip(names, example.texts, strict=True)) | {"label": example.label}


def sst2(path: Path) -> Iterator[Row]:
    """Yield sentences with 0 or 1 before them."""
    for line in lines(path):
        label, _, text = line.partition(" ")
        yield {"text": untokenised(text), "label": label}


# Texts without labels, for pre-training ---------------------------------------------------------------------


def prose(path: Path) -> Iterator[str]:
    """Yield paragraphs that stand one in a line."""
    return (line for line in lines(path) if line.strip())


def wikitext(path: Path) -> Iterator[str]:
    """Yield paragraphs of WikiText as people write them; headings are left out."""
    for line in lines(path):
        text = re.sub(r" @([-,.])@ ", r"\1", line.strip()).replace("<unk>", "")
        if text and not text.startswith("="):
            yield text


_BODY = re.compile(r"<BODY>(.*?)</BODY>", re.DOTALL)


def reuters(path: Path) -> Iterator[str]:
    """Yield the articles of the Reuters newswire."""
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".sgm") else None
            if file is not None:
                for body in _BODY.findall(file.read().decode("latin-1")):
                    yield " ".join(unescape(body).replace("\x03", " ").split()).removesuffix(" Reuter")


_TAGGED = re.compile(r"(\S+)/[^/\s]+")


def nltk_texts(path: Path) -> Iterator[str]:
    """Yield the paragraphs of a zipped corpus of NLTK; words lose their tags."""
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            base = Path(name).name
            if name.endswith("/") or base.isupper() or base.startswith("cats") or base == "CONTENTS":
                continue
            text = archive.read(name).decode("latin-1").replace("\r\n", "\n")
            if path.stem == "brown":
                text = _TAGGED.sub(lambda match: match[1], text)
            yield from (" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip())


def packed(texts: Iterable[str], *, words: int) -> Iterator[str]:
    """Put neighbouring texts together until they have so many words: short lines teach little.

    >>> list(packed(["a b", "c", "d e f", "g"], words=3))
    ['a b c', 'd e f', 'g']
    """
    held: list[str] = []
    count = 0
    for text in texts:
        held.append(text)
        count += len(text.split())
        if count >= words:
            yield " ".join(held)
            held, count = [], 0
    if held:
        yield " ".join(held)
