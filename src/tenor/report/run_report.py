"""The report of a training run: one HTML file that shows how it went and what the model gets right and wrong.

It is made from the files of the run folder alone (``run.toml``, ``log.jsonl``, ``metrics.json``,
``predictions.jsonl``); whatever is missing, as in a run that was stopped, is left out. Its size is bounded:
long curves are averaged, of many points a sample is drawn, of examples the most telling are shown.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.files import atomic_file, read_json
from tenor.report import html
from tenor.report.plots import line_plot, matrix_plot, scatter_plot
from tenor.report.predicted import Row, TaskPredictions, read_predictions
from tenor.report.run_log import RunLog, read_log
from tenor.report.tables import duration, figure, html_table

_SETTINGS_SHOWN = 20_000
# The folders of a path from the root or a drive on; not of what an address or a fraction has after a slash.
_ABSOLUTE = re.compile(r"""(?<![\w./:\\])(?:/(?:[^/\s"']+/)+|[A-Za-z]:[\\/]+(?:[^\\/\s"']+[\\/]+)*)""")
# Narrow enough that the letters of a plot can still be read on a phone.
_WIDE = 470


@dataclass(frozen=True, slots=True)
class _Run:
    """What the files of a run folder say."""

    name: str
    settings: Mapping[str, Any]
    settings_text: str
    log: RunLog
    metrics: Mapping[str, Any]
    tasks: Mapping[str, TaskPredictions]

    def task_metrics(self, task: str) -> Mapping[str, Any]:
        return _table(_table(self.metrics.get("tasks")).get(task))


def write_report(run_folder: str | Path) -> Path:
    """Write ``report.html`` into a run folder and return its path."""
    folder = Path(run_folder)
    if not folder.is_dir():
        raise TenorError(f"{folder} is no folder; a report is written into the folder of a run.")
    run = _read(folder)
    if not (run.settings or run.log.steps or run.metrics or run.tasks):
        raise TenorError(
            f"{folder} holds no run: neither run.toml nor log.jsonl, metrics.json or predictions.jsonl."
        )
    text = html.page(f"{run.name}: training report", _parts(run))
    with atomic_file(folder / "report.html") as aside:
        aside.write_text(text, encoding="utf-8", errors="replace")
    return folder / "report.html"


def _read(folder: Path) -> _Run:
    settings_text, settings = _read_settings(folder / "run.toml")
    metrics = read_json(folder / "metrics.json") if (folder / "metrics.json").is_file() else {}
    return _Run(
        folder.resolve().name,
        settings,
        settings_text,
        read_log(folder / "log.jsonl"),
        _table(metrics),
        read_predictions(folder / "predictions.jsonl"),
    )


def _read_settings(path: Path) -> tuple[str, Mapping[str, Any]]:
    if not path.is_file():
        return "", {}
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TenorError(f"{path} is not valid TOML ({error}).") from error


def _parts(run: _Run) -> Iterator[str]:
    yield html.heading(run.name, 1)
    yield html.paragraph(_summary(run), soft=True)
    yield html.tiles(_tiles(run))
    yield from _curves(run)
    for name in run.tasks or _table(run.metrics.get("tasks")):
        yield from _task(run, name)
    yield from _training(run)


def _summary(run: _Run) -> str:
    encoder = run.metrics.get("encoder") or run.settings.get("encoder")
    told = [f"from {Path(str(encoder)).name}"] if encoder else []
    log = run.log
    if log.steps:
        tokens = f", {log.tokens:,} tokens" if log.tokens else ""
        epochs = f"{log.epochs} epoch{'' if log.epochs == 1 else 's'}"
        told.append(f"{log.steps:,} steps, {epochs}{tokens}, {duration(log.seconds)} of training")
    if "best_step" in run.metrics:
        told.append(f"the model is that of step {run.metrics['best_step']:,}")
    if not run.metrics:
        told.append("not finished yet")
    return "Trained " + "; ".join(told) + "." if told else ""


def _tiles(run: _Run) -> Iterator[tuple[str, str, str]]:
    for name, task in _table(run.metrics.get("tasks")).items():
        metric = str(_table(task).get("metric", ""))
        estimate, low, high = _interval(_table(_table(task).get("scores")).get(metric))
        below = f"{metric} [{figure(low)}, {figure(high)}]" if low is not None else metric
        yield str(name), figure(estimate), below
    if run.metrics:
        return
    for (task, metric), (_, values) in run.log.scores.items():
        yield f"{task}: {metric}", figure(values[-1]), "so far"


def _curves(run: _Run) -> Iterator[str]:
    log = run.log
    if not log.train and not log.scores:
        return
    yield html.heading("How it learned")
    shown = []
    names = [*log.train, *(task for task in log.dev if task not in log.train)]
    for name in names[:12]:
        curves = {"train": log.train[name]} if name in log.train else {}
        dev = log.dev.get(name) or log.dev.get(name.partition(".")[0])
        curves |= {"dev": dev} if dev else {}
        drawn = line_plot(
            curves,
            x_label="step",
            y_label="loss",
            label=f"loss of {name} by step",
            include=[0.0],
            width=_WIDE,
            height=270,
        )
        shown.append(html.framed(drawn, f"{name}: loss"))
    for task in dict.fromkeys(task for task, _ in log.scores):
        curves = _scores_of(run, task)
        name = next(iter(curves)) if len(curves) == 1 else "score"
        drawn = line_plot(
            curves,
            x_label="step",
            y_label=name,
            label=f"scores of {task}",
            include=_whole_scale(curves),
            width=_WIDE,
            height=270,
        )
        shown.append(html.framed(drawn, f"{task}: scores on dev"))
    yield html.side_by_side(shown)


def _whole_scale(curves: Mapping[str, tuple[list[float], list[float]]]) -> list[float]:
    """Return the ends of a score's scale where its values lie within it: 0 and 1, or only 0."""
    values = [value for _, ys in curves.values() for value in ys]
    return [0.0, 1.0] if values and min(values) >= 0 and max(values) <= 1 else [0.0]


def _scores_of(run: _Run, task: str) -> dict[str, tuple[list[float], list[float]]]:
    """Choose the score that the task is judged by, and up to three others that are not the same."""
    found = {name: curve for (one, name), curve in run.log.scores.items() if one == task}
    main = str(run.task_metrics(task).get("metric", ""))
    chosen: dict[str, tuple[list[float], list[float]]] = {}
    for name in sorted(found, key=lambda name: name != main):
        if found[name] not in chosen.values() and len(chosen) < 4:
            chosen[name] = found[name]
    return chosen


def _task(run: _Run, name: str) -> Iterator[str]:
    predicted, metrics = run.tasks.get(name), run.task_metrics(name)
    yield html.heading(f"Task {name}")
    rows = predicted.rows if predicted else metrics.get("rows")
    kind = _table(_table(run.settings.get("tasks")).get(name)).get("kind") or (predicted and predicted.kind)
    told = f"{kind or 'task'}, measured on {rows or 0:,} dev rows."
    if "calibration" in metrics:
        told += " The head was calibrated on these very rows, so its scores on them are slightly optimistic."
    yield html.paragraph(told, soft=True)
    scores, beside = _table(metrics.get("scores")), list(_pictures(predicted)) if predicted else []
    if scores:
        header, rows_shown = _score_rows(run, name, scores, predicted)
        beside.append(html_table(header, rows_shown, label=f"scores of {name}"))
    yield html.side_by_side(beside)
    for table in metrics.get("tables") or ():
        yield html.heading(str(table["title"]), 3)
        yield html_table(table["columns"], table["rows"], label=f"{table['title']} of {name}")
    if predicted is not None:
        yield from _examples(predicted)


def _score_rows(
    run: _Run, task: str, scores: Mapping[str, Any], predicted: TaskPredictions | None
) -> tuple[list[str], list[list[str]]]:
    """Return the table of scores, beside them those of the majority label and of the first evaluation."""
    constant = predicted.constant_scores() if predicted else {}
    firsts = {name: curve for (one, name), curve in run.log.scores.items() if one == task and curve[0]}
    step = min((steps[0] for steps, _ in firsts.values()), default=None)
    begun = "" if step is None else _beginning(run) if step == 0 else f"at step {step:g}"
    header = ["score", "on dev", "95% interval", *(["majority"] if constant else [])]
    rows = []
    for name, found in scores.items():
        estimate, low, high = _interval(found)
        row = [str(name), figure(estimate), "–" if low is None else f"{figure(low)} to {figure(high)}"]
        row += [figure(constant.get(str(name)))] if constant else []
        row += [figure(firsts[name][1][0]) if name in firsts else "–"] if begun else []
        rows.append(row)
    return [*header, *([begun] if begun else [])], rows


def _beginning(run: _Run) -> str:
    """Name the scores before the first step: those of heads that were fitted are no scores of chance."""
    fitted = _table(run.settings.get("training")).get("fit_heads", "never") != "never"
    return "before training, heads fitted" if fitted else "before training"


def _pictures(task: TaskPredictions) -> Iterator[str]:
    if task.graded:
        xs, ys = [gold for gold, _ in task.points], [told for _, told in task.points]
        drawn = scatter_plot(
            xs,
            ys,
            x_label="gold",
            y_label="predicted",
            label=f"{task.name}: predicted by gold",
            width=_WIDE,
            height=360,
        )
        sample = f" A sample of {len(xs):,} of {task.rows:,} rows." if len(xs) < task.rows else ""
        note = f"Predicted against gold; dashed: where all would lie if every prediction were exact.{sample}"
        yield html.framed(drawn, note)
    elif task.confusion and len(task.labels) > 1:
        labels = task.labels
        counts = [[task.confusion[gold, told] for told in labels] for gold in labels]
        drawn = matrix_plot(counts, rows=labels, columns=labels, label=f"confusion matrix of {task.name}")
        rest = sum(task.confusion.values()) - sum(map(sum, counts))
        beyond = f" {rest:,} rows with rarer labels are not shown." if rest else ""
        yield html.framed(drawn, f"Rows are gold, columns predicted; shades by row.{beyond}", kind="matrix")


def _examples(task: TaskPredictions) -> Iterator[str]:
    wrong = "Furthest from gold" if task.graded else "Wrong, the most confident first"
    right = "Nearest to gold" if task.graded else "Right, drawn at random"
    columns = [
        _column(title, rows, task) for title, rows in ((wrong, task.wrong), (right, task.good)) if rows
    ]
    if columns:
        yield html.side_by_side(columns)


def _column(title: str, rows: list[Row], task: TaskPredictions) -> str:
    shown = "".join(_example(row, wrong=rows is task.wrong) for row in rows)
    return f"<section>{html.heading(title, 3)}{shown}</section>"


def _example(row: Row, *, wrong: bool) -> str:
    texts = "".join(f"<q>{escape(text)}</q>" for text in row.texts)
    origin = f" · {_without_folders(row.origin)}" if row.origin else ""
    kind = "example wrong" if wrong else "example"
    return f'<div class="{kind}">{texts}<div class="told">{escape(row.told + origin)}</div></div>'


def _training(run: _Run) -> Iterator[str]:
    yield html.heading("What was trained on what")
    rows = [
        _data_row(run, str(name), _table(task)) for name, task in _table(run.settings.get("tasks")).items()
    ]
    if rows:
        header = ["task", "kind", "train", "dev", "rows", "dev rows", "batch", "weight"]
        yield html_table(header, rows, left=4, label="tasks and their data")
    facts = [[name, value] for name, value in _facts(run) if value]
    if facts:
        yield html_table(["setting", "value"], facts, left=2, label="settings and machine")
    if run.settings_text:
        shown = _without_folders(run.settings_text[:_SETTINGS_SHOWN])
        yield html.folded("The run file as resolved", shown + ("\n…" if shown != run.settings_text else ""))


def _data_row(run: _Run, name: str, task: Mapping[str, Any]) -> list[str]:
    data = _table(_table(run.metrics.get("data")).get(name))
    train, dev = _table(data.get("train")), _table(data.get("dev"))
    return [
        name,
        str(task.get("kind", "")),
        _file(train.get("file") or task.get("train")),
        _file(dev.get("file") or task.get("dev")),
        _count(train.get("rows")),
        _count(dev.get("rows") or run.task_metrics(name).get("rows")),
        _count(task.get("batch")),
        "" if task.get("weight") is None else f"{task['weight']:g}",
    ]


def _facts(run: _Run) -> Iterator[tuple[str, str]]:
    settings, metrics = run.settings, run.metrics
    training = _table(settings.get("training"))
    machine, versions = _table(metrics.get("machine")), _table(metrics.get("versions"))
    yield "encoder", _without_folders(str(metrics.get("encoder") or settings.get("encoder") or ""))
    yield "pooling", str(settings.get("pooling") or "")
    yield "seed", str(settings.get("seed", ""))
    yield (
        "learning rates",
        " and ".join(
            f"{training[key]:g} ({key.removesuffix('_lr')})"
            for key in ("encoder_lr", "head_lr")
            if key in training
        ),
    )
    yield "ended because", str(metrics.get("stop") or "")
    yield "precision", str(metrics.get("precision") or "")
    speed = metrics.get("tokens_per_second")
    yield "speed", f"{speed:,.0f} tokens/s" if isinstance(speed, int | float) else ""
    parts = (("cpu", ""), ("cores", " cores"), ("memory_gb", " GB"), ("system", ""))
    yield "machine", ", ".join(f"{machine[key]}{unit}" for key, unit in parts if machine.get(key))
    yield "versions", ", ".join(f"{name} {version}" for name, version in versions.items())


def _without_folders(text: str) -> str:
    """Leave out the folders of absolute paths: a report is passed on, and they say whose machine it was.

    >>> _without_folders('train = "/home/ann/data/train.tsv"')
    'train = "…/train.tsv"'
    """
    return _ABSOLUTE.sub("…/", text)


def _interval(found: Any) -> tuple[float | None, float | None, float | None]:
    """Read a score that is a number, or an estimate with its interval."""
    if isinstance(found, Mapping):
        return found.get("estimate"), found.get("low"), found.get("high")
    return (float(found), None, None) if isinstance(found, int | float) else (None, None, None)


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _file(name: Any) -> str:
    return Path(str(name)).name if name else "–"


def _count(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else "–"
