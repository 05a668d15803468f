"""The page of a recipe, written from its results alone: the same JSON gives the same page, byte for byte.

What was run, the claims with the paper's figures beside ours, every cell, figures, what differs from the
paper.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tenor.files import atomic_file, writing
from tenor.metrics.verdicts import Claim, Judgement, Verdict
from tenor.recipes.recipe import Recipe
from tenor.recipes.results import Results, files_place, read_results, write_compactly
from tenor.report.plots import Span, interval_plot
from tenor.report.tables import duration, figure, markdown_table, markdown_text

_LEGEND = (
    "The interval covers 95%: test items are drawn anew 2,000 times, together for all cells that were "
    "measured on them, and the differences between seeds enter by Student's t. A claim *holds* when the "
    "interval lies beyond 0 (or beyond the mark that is named) in the claimed direction, *fails* when it "
    "excludes the smallest effect worth naming, and is *undecided* otherwise."
)
_SHARED = " Seeds that share what was drawn once for several of them are averaged first and count as one."


def write_page(recipe: Recipe, results: Path, folder: str | Path) -> Path:
    """Write a recipe's page from a file of results to a folder of pages; returns the page's path."""
    return write_page_of(read_results(recipe, results), Path(folder))


def write_page_of(found: Results, folder: Path) -> Path:
    """Write the page of results that were read back, its figures, and the results beside it."""
    recipe = found.recipe
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    figures = dict(_figures(found))
    for name, (_, drawn) in figures.items():
        _write(folder / f"{recipe.name}-{name}.svg", drawn + "\n")
    write_compactly(found.kept, folder / f"{recipe.name}.json")
    captions = {f"{recipe.name}-{name}.svg": caption for name, (caption, _) in figures.items()}
    page = folder / f"{recipe.name}.md"
    _write(page, "\n".join(_lines(found, captions)) + "\n")
    return page


def _write(path: Path, text: str) -> None:
    with atomic_file(path) as aside:
        aside.write_text(text, encoding="utf-8")


def _figures(found: Results) -> Iterator[tuple[str, tuple[str, str]]]:
    """Draw the figures: claims beside the paper's, then those of the recipe."""
    if drawn := claims_figure(found):
        yield "claims", ("Our effects with their 95% intervals, beside the paper's.", drawn)
    for figure_ in found.recipe.figures:
        drawn = figure_.draw(found)
        if drawn:
            yield figure_.name, (figure_.caption, drawn)


def claims_figure(found: Results) -> str | None:
    """Draw the intervals of all claims about differences that were run, where there are at least two."""
    spans = []
    for number, one in enumerate(found.judgements, start=1):
        if one.interval is not None and one.interval.low == one.interval.low and _is_difference(one.claim):
            mark = one.claim.paper if isinstance(one.claim.paper, int | float) else None
            name, shown = f"{number}. {one.claim.text}", one.interval
            spans.append(Span(name, shown.estimate, shown.low, shown.high, mark))
    label = "the paper's figure" if any(span.mark is not None for span in spans) else ""
    return interval_plot(spans, x_label="effect", mark_label=label) if len(spans) > 1 else None


def _lines(found: Results, captions: Mapping[str, str]) -> Iterator[str]:
    recipe = found.recipe
    yield f"# {recipe.title}"
    yield ""
    yield f"{recipe.summary} After: {recipe.paper}."
    yield ""
    yield from _what_was_run(found)
    yield from _claims(found)
    yield from _cells(found)
    for file, caption in captions.items():
        yield from ("", f"![{markdown_text(caption)}]({file})", "", f"*{markdown_text(caption)}*")
    yield from _bullets("What differs from the paper", recipe.differs)
    yield from _bullets("Notes of the run", _notes(found))


def _what_was_run(found: Results) -> Iterator[str]:
    kept, plan = found.kept, found.recipe.plan(found.scale)
    done = sum(len(by_seed) for by_seed in found.records.values())
    wanted = sum(cell.seeds(kept["seeds"]) for cell in plan.cells)
    seconds = sum(record["seconds"] for record in kept["cells"])
    yield f"Written by `{kept['command']} --write` from [{found.recipe.name}.json]({found.recipe.name}.json)."
    yield ""
    about = f"{found.scale}: {plan.about}" if plan.about else found.scale
    rows = [
        ["scale", about],
        ["seeds", str(kept["seeds"])],
        ["cells", f"{done} of {wanted} computed, in {duration(seconds)} altogether"],
        *_data_rows(kept["data"]),
        *_origin_rows(kept["origins"]),
        *_file_rows(found),
    ]
    yield markdown_table(["what", "of this run"], rows, left=2)


def _data_rows(data: Mapping[str, Mapping[str, str]]) -> Iterator[list[str]]:
    for name, files in data.items():
        shown = [f"{file} ({digest[:8]})" for file, digest in list(files.items())[:8]]
        more = f" and {len(files) - 8} more files" if len(files) > 8 else ""
        yield [f"data: {name}", ", ".join(shown) + more]


def _file_rows(found: Results) -> Iterator[list[str]]:
    """Link the files that cells have left."""
    for record in found.kept["cells"]:
        if record.get("files"):
            place = files_place(found.recipe.name, record)
            yield [f"files of {record['cell']}", f"[{place}]({place}): {len(record['files'])} files"]


def _origin_rows(origins: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Name each machine, set of versions and commit once, however many sittings there were."""
    yield from (
        ["machine", one] for one in dict.fromkeys(_machine(one.get("machine", {})) for one in origins)
    )
    told = (
        ", ".join(f"{name} {one}" for name, one in origin.get("versions", {}).items()) for origin in origins
    )
    yield from (["versions", one] for one in dict.fromkeys(told) if one)
    commits = list(dict.fromkeys(origin["commit"] for origin in origins if origin.get("commit")))
    if commits:
        more = f" and {len(commits) - 6} more" if len(commits) > 6 else ""
        changed = "; + marks changes since" if any(one.endswith("+") for one in commits) else ""
        yield ["commits", ", ".join(commits[:6]) + more + changed]


def _machine(where: Mapping[str, Any]) -> str:
    return (
        f"{where.get('cpu', 'unknown')}, {where.get('cores', '?')} cores, {where.get('memory_gb', '?')} GB, "
        f"{where.get('system', '')}, Python {where.get('python', '?')}"
    )


def _claims(found: Results) -> Iterator[str]:
    if not found.judgements:
        return
    verdicts = [one.verdict for one in found.judgements]
    counts = ", ".join(f"{kind} {verdicts.count(kind)}" for kind in Verdict if kind in verdicts)
    yield from ("", "## Claims", "", f"{len(verdicts)} claims: {counts}.", "")
    header = ["#", "claim", "verdict", "the paper", "ours", "worth naming", "seeds", "note"]
    rows = [_claim_row(number, one) for number, one in enumerate(found.judgements, start=1)]
    noted = any(row[-1] for row in rows)
    if not noted:
        header, rows = header[:-1], [row[:-1] for row in rows]
    yield markdown_table(header, rows, left=3, last_left=noted)
    yield from ("", _LEGEND + (_SHARED if found.recipe.draws is not None else ""))


def _claim_row(number: int, one: Judgement) -> list[str]:
    claim = one.claim
    paper = claim.paper if isinstance(claim.paper, str) else figure(claim.paper, signed=_is_difference(claim))
    ours, signed = "–", _is_difference(claim)
    if one.interval is not None:
        low, high = figure(one.interval.low, signed=signed), figure(one.interval.high, signed=signed)
        ours = f"{figure(one.interval.estimate, signed=signed)} [{low}, {high}]"
    beside = "; ".join(dict.fromkeys(note for note in (one.note, claim.reason) if note))
    seeds = "–" if one.seeds == 0 else str(one.seeds)
    return [str(number), claim.text, one.verdict.value, paper, ours, _worth_naming(claim), seeds, beside]


def _worth_naming(claim: Claim) -> str:
    if claim.contrast is None:
        return "–"
    if claim.direction == "same":
        return f"within ±{figure(claim.smallest)}"
    sign, mark = (">", "≥") if claim.direction == "greater" else ("<", "≤")
    if claim.reference:
        return f"{sign} {figure(claim.reference)}"
    return f"{mark} {'+' if claim.direction == 'greater' else '−'}{figure(claim.smallest)}"


def _is_difference(claim: Claim) -> bool:
    """Whether a contrast compares sides; then its sign is shown."""
    return claim.contrast is not None and abs(sum(claim.contrast.weights.values())) < 1e-9


def _cells(found: Results) -> Iterator[str]:
    metrics = found.metrics
    yield from ("", "## All cells", "", "Means over seeds ± their standard deviation.", "")
    rows = []
    for cell in found.cells:
        scores = {metric: found.scores(cell.name, metric) for metric in metrics}
        count = max((len(values) for values in scores.values()), default=0)
        rows.append(
            [cell.label, *(spread(values) for values in scores.values()), _seeds(found, cell.name, count)]
        )
    yield markdown_table(["cell", *(markdown_text(metric) for metric in metrics), "seeds"], rows)


def spread(scores: list[float]) -> str:
    """Show scores of several seeds as mean ± standard deviation.

    >>> spread([0.5, 0.6, 0.7]), spread([0.5]), spread([])
    ('0.600 ± 0.100', '0.500', '–')
    """
    if not scores:
        return "–"
    mean = sum(scores) / len(scores)
    if len(scores) == 1:
        return figure(mean)
    deviation = (sum((score - mean) ** 2 for score in scores) / (len(scores) - 1)) ** 0.5
    return f"{figure(mean)} ± {figure(deviation)}"


def _seeds(found: Results, cell: str, count: int) -> str:
    if lacking := found.kept["lacking"].get(cell):
        return f"not run: needs {', '.join(lacking)}"
    failures = sum(one["cell"] == cell for one in found.kept["failed"])
    if None in found.records.get(cell, {}):
        return "none needed"
    shown = str(count) if count else "not run"
    return f"{shown}, {failures} failed" if failures else shown


def _notes(found: Results) -> Iterator[str]:
    told: dict[str, list[str]] = {}
    for record in found.kept["cells"]:
        for note in record["notes"]:
            told.setdefault(note, []).append(record["cell"])
    every = len({cell for cells in told.values() for cell in cells})
    for note, cells in told.items():
        named = list(dict.fromkeys(cells))
        yield note if len(named) == every and every > 1 else f"{', '.join(named[:6])}: {note}"
    for one in found.kept["failed"]:
        seed = "" if one["seed"] is None else f", seed {one['seed']}"
        yield f"Failed: {one['cell']}{seed}: {one['error']}"


def _bullets(title: str, sentences: Any) -> Iterator[str]:
    listed = list(sentences)
    if listed:
        yield from ("", f"## {title}", "")
        yield from (f"- {markdown_text(sentence)}" for sentence in listed)
