"""Filters compare columns with values: = != < <= > >=, in (…), like '%…%', between … and …, is null.

\b
    tenor search books "ships in a storm"
    tenor search books "Moby-Dick" --mode lexical
    tenor search books "poor youth" --where "year > 1900 and lang = 'en'" -k 5
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import notes, one_line, out
from tenor.cli.options import Json, Precision, PrecisionChoice

if TYPE_CHECKING:
    from tenor.use.search.searching import Hit

_SHOWN = 300  # characters of a text

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="An index made by `tenor index`.")]
Query = Annotated[str, typer.Argument(metavar="QUERY", help="Words, a question, or a text.")]
K = Annotated[int, typer.Option("--k", "-k", help="How many hits.")]
ModeName = Annotated[
    str,
    typer.Option("--mode", help="hybrid (both), vector (meaning, by cosine) or lexical (words, by BM25)."),
]
Where = Annotated[str | None, typer.Option(metavar="FILTER", help="Only texts that meet this filter.")]
Name = Annotated[
    str | None, typer.Option("--model", "-m", help="Where the index's model is, if it was moved.")
]


def search(
    folder: Folder,
    query: Query,
    k: K = 10,
    mode: ModeName = "hybrid",
    where: Where = None,
    model: Name = None,
    precision: Precision = PrecisionChoice.auto,
    json_: Json = False,
) -> None:
    """Find the texts of an index that answer a query."""
    from tenor.use.search.searching import search as find

    hits = find(
        folder, query, k=k, mode=mode, where=where, model=model, precision=precision.value, note=notes.print
    )
    if json_:
        result = {"query": query, "mode": mode, "where": where, "hits": [asdict(hit) for hit in hits]}
        out.print(json.dumps(result, ensure_ascii=False, indent=2))
    else:
        _print(hits)


def _print(hits: "Sequence[Hit]") -> None:
    if not hits:
        out.print("Nothing was found.")
    for rank, hit in enumerate(hits, 1):
        out.print(f"{rank:>3}. {hit.score:7.4f}  {one_line(hit.text, _SHOWN)}")
        # Beside a column of the file that is called id, the number that --remove takes needs another name.
        details = [f"{'number' if 'id' in hit.columns else 'id'} {hit.id}"]
        if hit.cosine is not None:
            details.append(f"cosine {hit.cosine:.3f}")
        if hit.bm25 is not None:
            details.append(f"bm25 {hit.bm25:.2f}")
        details += [f"{name} {value}" for name, value in hit.columns.items() if value is not None]
        out.print(" " * 14 + one_line(" · ".join(details), _SHOWN))
