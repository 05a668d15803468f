"""``tenor.Index``: an index of texts as one object to build, change and search."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.model.given import ModelLike
from tenor.use.notes import log_note, log_problems
from tenor.use.search.card import read_card
from tenor.use.search.index import add_to_index, build_index, remove_from_index
from tenor.use.search.index_job import Report
from tenor.use.search.searching import Hit, Mode, Searcher

Texts = str | Path | Sequence[str] | Sequence[Mapping[str, Any]]
"""The path of a file, or texts in memory: strings, or rows with further columns, which filters can name."""


class Index:
    """A folder of texts, their vectors and their columns, searched by words, by meaning, or by both.

    >>> import tempfile, tenor
    >>> folder = tempfile.mkdtemp()
    >>> texts = ["A ship in a storm.", "Boil the eggs for six minutes."]
    >>> index = tenor.Index.build(texts, folder)
    >>> index.search("how to cook", k=1)[0].text
    'Boil the eggs for six minutes.'
    >>> index.add(["The train to Vienna leaves at night."]).added
    1
    >>> index.remove(["1"]).removed
    1
    >>> len(tenor.Index(folder))
    2
    """

    def __init__(self, folder: str | Path, *, model: ModelLike | None = None) -> None:
        """Open an index; ``model`` says where its model is, if it was moved."""
        self.folder = Path(folder)
        self._model = _named(model)
        self._searcher = Searcher(self.folder, model=self._model, note=log_note)

    def __len__(self) -> int:
        return read_card(self.folder).rows

    def __repr__(self) -> str:
        return f"<Index {str(self.folder)!r}: {len(self):,} texts, model {self._searcher.card.model}>"

    @classmethod
    def build(
        cls,
        texts: Texts,
        folder: str | Path,
        *,
        model: ModelLike = "minilm",
        column: str | None = None,
        id_column: str | None = None,
        long: Long = "truncate",
        strict: bool = False,
    ) -> "Index":
        """Index texts in a new folder; without ``id_column`` their ids are their numbers from 1."""
        with _file(texts, "text") as source:
            report = build_index(
                source,
                folder,
                model=_named(model) or "minilm",
                column=column,
                id_column=id_column,
                long=long,
                strict=strict,
                note=log_note,
            )
        log_problems(report.problems)
        return cls(folder, model=model)

    def add(self, texts: Texts, *, strict: bool = False) -> Report:
        """Add texts; one whose id is in the index already takes the place of the old text."""
        card = read_card(self.folder)
        with _file(texts, card.text_column, card.id_column) as source:
            report = add_to_index(source, self.folder, model=self._model, strict=strict, note=log_note)
        log_problems(report.problems)
        return report

    def remove(self, ids: Sequence[str] = (), *, where: str | None = None) -> Report:
        """Remove the texts with these ids, or those that a filter names."""
        if isinstance(ids, str):
            raise TypeError("remove takes a list of ids; a single one goes in a list of its own.")
        return remove_from_index(self.folder, ids=ids, where=where, note=log_note)

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        mode: Mode | str = Mode.hybrid,
        where: str | None = None,
        exact: bool = False,
    ) -> list[Hit]:
        """Return the best ``k`` hits, best first; ``where`` is a filter such as ``"year > 1900"``."""
        return self._searcher.search(query, k=k, mode=mode, where=where, exact=exact)


def _named(model: ModelLike | None) -> str | Model | None:
    return str(model) if isinstance(model, Path) else model


@contextmanager
def _file(texts: Texts, text_column: str, id_column: str | None = None) -> Iterator[str | Path]:
    """Yield the path of the texts: that given, or a file that holds them meanwhile."""
    if isinstance(texts, str | Path):
        yield texts
        return
    rows = [{text_column: row} if isinstance(row, str) else dict(row) for row in texts]
    if id_column is not None and any(id_column not in row for row in rows):
        raise TenorError(f"The index has its ids in the column {id_column!r}: give rows that have it too.")
    with tempfile.TemporaryDirectory(prefix="tenor-") as folder:
        file = Path(folder) / "texts.jsonl"
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        file.write_text("".join(lines), encoding="utf-8")
        yield file
