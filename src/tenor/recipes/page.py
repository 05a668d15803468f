"""The page of a recipe, written from its results alone: the same JSON gives the same page, byte for byte.

What was run, the claims with the paper's figures beside ours (the headline claims first), every cell beside
the trivial baselines, figures, what differs from the paper. The verdicts are also written into the JSON file
beside the page, from which the overview is made.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tenor.files import atomic_file, writing
from tenor.metrics.intervals import Interval
from tenor.metrics.verdicts import Claim, Judgement, Verdict
from tenor.recipes.power import power_section
from tenor.recipes.recipe import Cell, Recipe
from tenor.recipes.results import Results, files_place, read_results, seconds_of, write_results
from tenor.recipes.trivial import TRIVIAL
from tenor.report.plots import Span, interval_plot
from tenor.report.tables import duration, figure, markdown_table, markdown_text

_LEGEND = (
    "The interval covers 95%: a bootstrap over the test items (2,000 resamples, the same for all cells that "
    "were measured on them), with the variance between seeds by Student's t. A claim *holds* when the "
    "interval lies beyond 0 (or beyond the target that is named) in the claimed direction (*small*: the "
    "estimate is below the smallest effect of interest), *fails* when it excludes the smallest effect of "
    "interest, and is *undecided* otherwise. Holm's adjustment takes all tested claims of the page "
    "together; its one-sided p-values are the shares of resamples that speak against a claim."
)
_CHANCE = (
    " A contrast is *at chance* where neither of its sides is better than the trivial baseline of its metric."
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
    kept = {**found.kept, "title": recipe.title, "claims": _verdicts(found)}
    write_results(replace(found, kept=kept), folder / f"{recipe.name}.json")
    captions = {f"{recipe.name}-{name}.svg": caption for name, (caption, _) in figures.items()}
    page = folder / f"{recipe.name}.md"
    _write(page, "\n".join(_lines(found, captions)) + "\n")
    return page


def _verdicts(found: Results) -> list[dict[str, Any]]:
    """List what became of the claims, in plain values."""
    return [
        {
            "claim": one.claim.text,
            "headline": one.claim.headline,
            "paper": one.claim.paper,
            "difference": _is_difference(one.claim),
            "verdict": one.verdict.value,
            "mark": one.mark,
            "adjusted": adjusted,
            "p": None if one.p is None else round(one.p, 6),
            "interval": None if one.interval is None else _interval_values(one.interval),
            **({} if one.earlier is None else {"earlier": _earlier_verdict(one.earlier)}),
        }
        for one, adjusted in zip(found.judgements, found.adjusted, strict=True)
    ]


def _earlier_verdict(one: Judgement) -> dict[str, Any]:
    return {"claim": one.claim.text, "verdict": one.verdict.value, "mark": one.mark}


def _interval_values(interval: Interval) -> list[float | None]:
    values = (interval.estimate, interval.low, interval.high)
    return [round(value, 6) if math.isfinite(value) else None for value in values]


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
    yield from power_section(found)
    yield from _cells(found)
    for file, caption in captions.items():
        yield from ("", f"![{markdown_text(caption)}]({file})", "", f"*{markdown_text(caption)}*")
    yield from _bullets("What differs from the paper", recipe.differs)
    yield from _bullets("Notes of the run", _notes(found))


def _what_was_run(found: Results) -> Iterator[str]:
    kept, plan = found.kept, found.recipe.plan(found.scale)
    done = sum(len(by_seed) for by_seed in found.records.values())
    wanted = sum(cell.seeds(kept["seeds"]) for cell in plan.cells)
    seconds, untimed = seconds_of(kept["cells"])
    yield f"Written by `{kept['command']} --write` from [{found.recipe.name}.json]({found.recipe.name}.json)."
    yield ""
    about = f"{found.scale}: {plan.about}" if plan.about else found.scale
    rows = [
        ["scale", about],
        ["seeds", str(kept["seeds"])],
        ["cells", f"{done} of {wanted} computed, in {duration(seconds)} altogether{_not_timed(untimed)}"],
        *_version_row(found),
        *_data_rows(kept["data"]),
        *_origin_rows(kept["origins"]),
        *_file_rows(found),
    ]
    yield markdown_table(["what", "of this run"], rows, left=2)


def _not_timed(cells: Sequence[str]) -> str:
    """Say which cells are missing from the sum: what they left was made by a run that was not timed."""
    if not cells:
        return ""
    named = ", ".join(cells[:6]) + (f" and {len(cells) - 6} more" if len(cells) > 6 else "")
    return f", without {named}, which were taken over and whose time is not known"


def _version_row(found: Results) -> Iterator[list[str]]:
    """Say where results are of another version of the recipe than that of today."""
    computed, now = found.kept["version"], found.recipe.version
    if computed != now:
        yield ["version", f"computed with version {computed} of the recipe, which is at {now}: outdated"]


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
    yield from ("", "## Claims", "", _counted(found), "")
    header = ["#", "claim", "verdict", "the paper", "ours", "smallest effect of interest", "seeds", "note"]
    judged = zip(found.judgements, found.adjusted, strict=True)
    rows = [_claim_row(number, one, adjusted) for number, (one, adjusted) in enumerate(judged, start=1)]
    noted = any(row[-1] for row in rows)
    if not noted:
        header, rows = header[:-1], [row[:-1] for row in rows]
    yield markdown_table(header, rows, left=3, last_left=noted)
    shared = _SHARED if found.recipe.draws is not None else ""
    yield from ("", _LEGEND + shared + (_CHANCE if found.recipe.trivial else ""))


def _counted(found: Results) -> str:
    """Count the verdicts, and what holds of them after Holm's adjustment."""
    verdicts = [one.verdict for one in found.judgements]
    counts = {kind: str(verdicts.count(kind)) for kind in Verdict if kind in verdicts}
    if Verdict.holds in counts:
        counts[Verdict.holds] += f" ({sum(found.adjusted)} after Holm's adjustment)"
    listed = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    headlines = sum(one.claim.headline for one in found.judgements)
    first = f" The first {headlines} are the paper's headline claims." if headlines > 1 else ""
    first = " The first is the paper's headline claim." if headlines == 1 else first
    return f"{len(verdicts)} claims: {listed}.{first}"


def _claim_row(number: int, one: Judgement, adjusted: bool) -> list[str]:
    claim = one.claim
    paper = claim.paper if isinstance(claim.paper, str) else figure(claim.paper, signed=_is_difference(claim))
    ours, signed = "–", _is_difference(claim)
    if one.interval is not None:
        low, high = figure(one.interval.low, signed=signed), figure(one.interval.high, signed=signed)
        ours = f"{figure(one.interval.estimate, signed=signed)} [{low}, {high}]"
    unadjusted = "not after Holm's adjustment" if one.verdict == Verdict.holds and not adjusted else ""
    notes = (one.note, _before(one), unadjusted, claim.reason)
    beside = "; ".join(dict.fromkeys(note for note in notes if note))
    seeds = "–" if one.seeds == 0 else str(one.seeds)
    text = f"**{claim.text}**" if claim.headline else claim.text
    return [str(number), text, one.label, paper, ours, _smallest_effect(claim), seeds, beside]


def _before(one: Judgement) -> str:
    """Say what becomes of a claim as it was set before; its figures where they are others."""
    before = one.earlier
    if before is None:
        return ""
    told = f"{before.claim.text}: {before.label}"
    if before.interval is None or before.claim.contrast == one.claim.contrast:
        return told
    signed = _is_difference(before.claim)
    ours, low, high = (
        figure(value, signed=signed)
        for value in (before.interval.estimate, before.interval.low, before.interval.high)
    )
    return f"{told}, {ours} [{low}, {high}]"


def _smallest_effect(claim: Claim) -> str:
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
    rows = list(_trivial_rows(found))
    for cell in found.cells:
        scores = {metric: found.scores(cell.name, metric) for metric in metrics}
        count = max((len(values) for values in scores.values()), default=0)
        shown = [spread(values) for values in scores.values()]
        rows.append([_label(found, cell), *shown, _seeds(found, cell.name, count)])
    yield markdown_table(["cell", *(markdown_text(metric) for metric in metrics), "seeds"], rows)


def _trivial_rows(found: Results) -> Iterator[list[str]]:
    """Show the trivial baselines that are no cells, where a metric that was measured has one."""
    scores = [found.trivial_score(metric) for metric in found.metrics]
    if any(score is not None for score in scores):
        yield [f"*{TRIVIAL}*", *("–" if score is None else figure(score) for score in scores), "none needed"]


def _label(found: Results, cell: Cell) -> str:
    return f"{cell.label} (*{TRIVIAL}*)" if cell.name in found.recipe.trivial.values() else cell.label


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
    notes: dict[str, list[str]] = {}
    for record in found.kept["cells"]:
        for note in record["notes"]:
            notes.setdefault(note, []).append(record["cell"])
    every = len({cell for cells in notes.values() for cell in cells})
    for note, cells in notes.items():
        named = list(dict.fromkeys(cells))
        yield note if len(named) == every and every > 1 else f"{', '.join(named[:6])}: {note}"
    for failure in found.kept["failed"]:
        seed = "" if failure["seed"] is None else f", seed {failure['seed']}"
        yield f"Failed: {failure['cell']}{seed}: {failure['error']}"


def _bullets(title: str, sentences: Any) -> Iterator[str]:
    listed = list(sentences)
    if listed:
        yield from ("", f"## {title}", "")
        yield from (f"- {markdown_text(sentence)}" for sentence in listed)
