"""With --queries every query of a file is searched for; --out writes a row for every hit (a table) or query
(JSON), with the columns of the queries beside it.

Filters compare columns with values: = != < <= > >=, in (…), like '%…%', between … and …, is null.

\b
    tenor search books "ships in a storm"
    tenor search books "Moby-Dick" --mode lexical
    tenor search books "poor youth" --where "year > 1900 and lang = 'en'" -k 5
    tenor search books --queries questions.csv --out hits.csv
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenor.cli.console import notes, one_line, out, print_notes, print_problems, progress_bar
from tenor.cli.options import Column, Encoding, Json, Precision, PrecisionChoice, Quiet, RowsOut, Strict
from tenor.errors import TenorError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tenor.use.search.searching import FoundFor, Hit

_SHOWN = 300  # characters of a text

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="An index made by `tenor index`.")]
Query = Annotated[
    str | None, typer.Argument(metavar="QUERY", help="Words, a question, or a text.", show_default=False)
]
Queries = Annotated[
    str | None, typer.Option("--queries", metavar="FILE", help="A file of queries; - is standard input.")
]
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
    query: Query = None,
    queries: Queries = None,
    column: Column = None,
    out_: RowsOut = None,
    k: K = 10,
    mode: ModeName = "hybrid",
    where: Where = None,
    model: Name = None,
    precision: Precision = PrecisionChoice.auto,
    encoding: Encoding = None,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the texts of an index that answer a query."""
    from tenor.text.problems import Problems
    from tenor.use.row_files import STDOUT, check_out
    from tenor.use.search.searching import Searcher, search_file
    from tenor.use.search.searching import search as find

    if (query is None) == (queries is None):
        raise TenorError("Give either a query or --queries with a file of them.")
    if query is not None:
        if column is not None or out_ is not None or encoding is not None:
            raise TenorError("--column, --encoding and --out are for a file of queries; give --queries.")
        note = (lambda text: None) if quiet else notes.print
        asked: dict[str, Any] = {"k": k, "mode": mode, "where": where}
        hits = find(folder, query, **asked, model=model, precision=precision.value, note=note)
        if json_:
            result = {"query": query, "mode": mode, "where": where, "hits": [asdict(hit) for hit in hits]}
            out.print(json.dumps(result, ensure_ascii=False, indent=2))
        else:
            _print(hits)
        return
    assert queries is not None
    check_out(out_, queries)
    problems = Problems(strict)
    searcher = Searcher(folder, model=model, precision=precision.value)
    with progress_bar("Searching", quiet=quiet) as bar:
        found = search_file(
            searcher,
            queries,
            column=column,
            k=k,
            mode=mode,
            where=where,
            encoding=encoding,
            problems=problems,
            progress=bar.advance,
        )
        count = _print_all(found) if out_ is None and not json_ else _write(found, out_ or STDOUT, json_)
    print_problems(problems, quiet=quiet)
    print_notes((searcher.warning(),), quiet=quiet)
    if out_ not in (None, STDOUT):
        out.print(f"The hits of {count:,} {'query' if count == 1 else 'queries'} are in {out_}.")


def _print_all(found: "Iterable[FoundFor]") -> int:
    count = 0
    for one in found:
        count += 1
        out.print(f"{one.query.origin.line}: {one_line(one.query.text, _SHOWN)}")
        _print(one.hits)
    return count


def _write(found: "Iterable[FoundFor]", path: Path, as_json: bool) -> int:
    """Write the hits with the columns of the queries; a query without any keeps one row."""
    from tenor.use.row_files import row_file

    count = 0
    with row_file(path, as_json=as_json) as rows:
        for one in found:
            count += 1
            line = {"line": one.query.origin.line}
            if rows.nested:
                rows.write(one.query.row, {**line, "hits": [asdict(hit) for hit in one.hits]})
                continue
            for rank, hit in enumerate(one.hits, start=1):
                rows.write(one.query.row, {**line, "rank": rank, **_cells(hit)})
            if not one.hits:
                rows.write(one.query.row, line)
    return count


def _cells(hit: "Hit") -> dict[str, Any]:
    """Return a hit as cells: its id and text, its scores, and its columns in the index."""
    from tenor.use.row_files import free_name

    number = "hit_number" if "id" in hit.columns else "hit_id"  # as in what is printed
    cells = {number: hit.id, "hit_text": hit.text, "score": _rounded(hit.score)}
    cells |= {"cosine": _rounded(hit.cosine), "bm25": _rounded(hit.bm25)}
    for name, value in hit.columns.items():
        cells[free_name(f"hit_{name}", list(cells))] = value
    return cells


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 6)


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
