"""Universal Dependencies: sentences with the head of each word, in gzipped CoNLL-U."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row, numbered_lines
from tenor.errors import TenorError
from tenor.text.examples import Origin

_COLUMNS = 10
_EXPECTED = "the ten columns of CoNLL-U, separated by tabs, with the number of a head in the seventh,"


@dataclass(frozen=True, slots=True)
class DependencyTree:
    """The words of a sentence, their universal parts of speech, heads (from 1; 0: the root) and relations."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    origin: Origin
    features: tuple[str, ...] = ()
    """Of each word: ``Case=Nom|Number=Sing``, or ``_``."""

    @property
    def bundles(self) -> tuple[str, ...]:
        """The part of speech of every word with its features: ``NOUN|Case=Nom|Number=Sing``."""
        pairs = zip(self.tags, self.features, strict=True)
        return tuple(tag if features == "_" else f"{tag}|{features}" for tag, features in pairs)


def read_dependencies(
    folder: Path, treebank: str, split: Literal["train", "dev", "test"]
) -> Iterator[DependencyTree]:
    """Yield the trees of a treebank, ``"en_ewt"``; multiword tokens and empty nodes are passed over."""
    path = folder / treebank / f"{treebank}-ud-{split}.conllu.gz"
    rows: list[tuple[Origin, list[str]]] = []
    any_tree = False
    for origin, line in numbered_lines(path):
        if not line.strip():
            if rows:
                yield _tree(rows)
                any_tree = True
            rows = []
        elif not line.startswith("#"):
            cells = line.split("\t")
            if len(cells) != _COLUMNS:
                raise broken_row(origin, f"{len(cells)} columns", _EXPECTED)
            if cells[0].isdigit():
                rows.append((origin, cells))
    if rows:
        yield _tree(rows)
    elif not any_tree:
        raise TenorError(f"{path} has no sentences; expected CoNLL-U.")


def _tree(rows: list[tuple[Origin, list[str]]]) -> DependencyTree:
    for origin, cells in rows:
        if not cells[6].isdigit() or int(cells[6]) > len(rows):
            raise broken_row(
                origin, f"the head {cells[6][:40]!r} in a sentence of {len(rows)} words", _EXPECTED
            )
    words, tags, features, heads, relations = (
        tuple(cells[at] for _, cells in rows) for at in (1, 3, 5, 6, 7)
    )
    return DependencyTree(words, tags, tuple(map(int, heads)), relations, rows[0][0], features)


UD_ENGLISH_EWT = Corpus(
    name="ud-english-ewt",
    folder="ud",
    about="Universal Dependencies, English Web Treebank, 16,622 sentences",
    licence="CC BY-SA 4.0",
    obtain="Get https://github.com/UniversalDependencies/UD_English-EWT, put its files into en_ewt and pack "
    "them with gzip.",
    splits={
        split: Split(
            files=(f"en_ewt/en_ewt-ud-{split}.conllu.gz",),
            read=partial(read_dependencies, treebank="en_ewt", split=split),
        )
        for split in ("train", "dev", "test")
    },
)

_TREEBANKS = ("af_afribooms", "el_gdt", "en_ewt", "hu_szeged", "lt_hse", "ta_ttb", "te_mtg", "vi_vtb")

UD = Corpus(
    name="ud",
    about="Universal Dependencies, eight treebanks of as many languages",
    licence="af, en, lt, te, vi: CC BY-SA 4.0; el, hu, ta: CC BY-NC-SA 3.0",
    obtain="Get the treebanks of https://github.com/UniversalDependencies (UD_Greek-GDT for el_gdt), put the "
    "files of each into a folder of that name and pack them with gzip.",
    splits={
        f"{treebank}-{split}": Split(
            files=(f"{treebank}/{treebank}-ud-{split}.conllu.gz",),
            read=partial(read_dependencies, treebank=treebank, split=split),
        )
        for treebank in _TREEBANKS
        for split in ("train", "dev", "test")
    },
)
