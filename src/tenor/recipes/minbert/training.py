"""One trained and scored cell of the two reports.

The rows are prepared once and shared by all cells. A cell trains with the product's own `train_run`; the
checkpoint is the one with the best mean score on a validation split of train, and the
dev rows are scored once, at the end, by the model as it was saved and opened again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tenor.corpora.treebank_spelling import untokenised
from tenor.files import read_json
from tenor.metrics.outcomes import Outcome
from tenor.recipes.minbert.data import (
    COLUMNS,
    LABELS,
    prepare,
    prepare_extra,
    prepare_more,
    prepare_valence,
)
from tenor.recipes.minbert.made_up import made_up_rows
from tenor.recipes.minbert.softening import Softening
from tenor.recipes.minbert.teaching import Teachers
from tenor.recipes.recipe import CellResult, Context
from tenor.recipes.rows import Row, read_rows, write_rows
from tenor.tasks.classify.kind import ClassifyConfig
from tenor.tasks.config import TaskConfig
from tenor.tasks.table import task_config

TASKS = ("sentiment", "paraphrase", "similarity")
KINDS = {"sentiment": "classify", "paraphrase": "pair", "similarity": "similarity"}
# What is learned beside the three tasks and is not scored: the sentiment that 20 people gave a text, -4 to 4.
VALENCE = tuple(map(str, range(-4, 5)))
# The reports name no weight decay, schedule or clipping.
_PLAIN: dict[str, Any] = {"weight_decay": 0.0, "schedule": "constant", "max_grad_norm": 0.0}
MADE_UP = {"train": 96, "choose": 24, "test": 40, "extra": 32}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How a cell differs from others: settings of its tasks, of the training, its pooling, and its rows."""

    tasks: Mapping[str, Mapping[str, Any]]
    training: Mapping[str, Any] = field(default_factory=dict)
    pooling: str = "mean"
    extra: bool = False
    """Whether the extra rows of spec 01 are trained on too."""
    further: Mapping[str, int | Literal["half"]] = field(default_factory=dict)
    """Tasks that also learn from all further rows at hand, and how often their own rows count beside them:
    so many times, or as often as makes them half of all."""
    valence: Mapping[str, Any] | None = None
    """Settings of a fourth task, rated sentiment, that is learned beside the others; none without them."""
    teachers: Teachers | None = None
    """Of paraphrase."""
    graders: Teachers | None = None
    """Of similarity."""
    softening: Softening | None = None
    """Teachers of sentiment, whose soft labels are mixed into the labels of its own rows."""
    scored_on: Literal["test", "choose"] = "test"
    """Trials are scored on the validation split, so that nothing is tuned on what is reported."""
    usual_marks: bool = False
    """Whether the treebank's spelling of brackets and quotes is undone, in training and in testing."""


def train_and_score(context: Context, setup: Setup) -> CellResult:
    """Train what the set-up says and score it on the dev rows."""
    import tenor
    from tenor.recipes.fixed_training import fixed_training
    from tenor.training.callbacks import StepProgress
    from tenor.training.config import RunConfig
    from tenor.training.running import train_run

    rows = rows_folder(context)
    notes: tuple[str, ...] = ()
    own: dict[str, Path] = {}
    if setup.softening is not None:
        files = (_marked(context, rows, f"sentiment.{part}.jsonl", setup) for part in ("train", "choose"))
        own["sentiment"], note = setup.softening.soften(context, *files, encoder=_encoder(context, rows))
        notes += (note,)
    tasks = {name: _task(context, rows, name, setup, own.get(name)) for name in TASKS}
    folders = [rows]
    folders += [_further(context, rows)] if setup.further else []
    if setup.valence is not None:
        folders += [rated := _rated(context, rows)]
        tasks["valence"] = _task_of_valence(rated / "valence.train.jsonl", setup.valence)
    if setup.teachers is not None:
        labelled = (rows / "paraphrase.train.jsonl", _further(context, rows) / "paraphrase.more.jsonl")
        taught = setup.teachers.teach(
            context, labelled, rows / "paraphrase.choose.jsonl", encoder=_encoder(context, rows),
            callback=StepProgress(context.progress),
        )  # fmt: skip
        tasks["taught"] = setup.teachers.student_task(taught.file)
        notes += (taught.note,)
    if setup.graders is not None:
        labelled = (rows / "similarity.train.jsonl", _further(context, rows) / "similarity.more.jsonl")
        graded = setup.graders.teach(
            context, labelled, rows / "similarity.choose.jsonl", encoder=_encoder(context, rows),
            callback=StepProgress(context.progress),
        )  # fmt: skip
        tasks["graded"] = setup.graders.student_task(graded.file)
        notes += (graded.note,)
    shared = {key: context.settings[key] for key in ("epochs", "encoder_lr") if key in context.settings}
    run = RunConfig(
        encoder=_encoder(context, rows),
        pooling=setup.pooling,
        seed=context.seed,
        max_tokens=context.settings.get("max_tokens"),
        tasks=tasks,
        training=fixed_training(**_PLAIN | shared | dict(setup.training)),
    )
    folder = context.work / "run"
    if not (folder / "metrics.json").is_file():  # else it was stopped between training and scoring
        train_run(run, out=folder, callbacks=[StepProgress(context.progress)])
    model = tenor.load(folder / "model", precision="fp32")
    metrics = read_json(folder / "metrics.json")
    outcomes: dict[str, Outcome] = {}
    extras: dict[str, Any] = {"tokens": metrics["tokens"], "best_step": metrics["best_step"]}
    for name in TASKS:
        file = _marked(context, rows, f"{name}.{setup.scored_on}.jsonl", setup)
        shown = name if setup.scored_on == "test" else f"{name} (validation)"
        outcomes[shown], extras[shown] = _scored(
            model, name, file, "dev" if setup.scored_on == "test" else "validation"
        )
    notes = (*(note for each in folders for note in _notes(each)), *notes)
    return CellResult(outcomes=outcomes, notes=notes, extras=extras, series=_curves(folder, metrics["tasks"]))


def _task(context: Context, rows: Path, name: str, setup: Setup, own: Path | None = None) -> TaskConfig:
    config: TaskConfig = task_config(
        KINDS[name],
        train=_train_file(context, rows, name, setup, own),
        dev=_marked(context, rows, f"{name}.choose.jsonl", setup),
        columns=COLUMNS[name],
        **({"labels": LABELS[name]} if name in LABELS else {}),
        **{"batch_size": context.settings["batch_size"]} | dict(setup.tasks[name]),
    )
    return config


def _task_of_valence(file: Path, settings: Mapping[str, Any]) -> TaskConfig:
    return ClassifyConfig(train=file, columns=COLUMNS["sentiment"], labels=VALENCE, **settings)


def rows_folder(context: Context) -> Path:
    """Return the folder of prepared rows, made by the first cell that asks."""
    if context.data is None:
        return context.shared("made-up", _make_up, settings={"rows": MADE_UP})
    return context.shared("rows", lambda folder: prepare(context, folder), settings={})


def _make_up(folder: Path) -> None:
    generator = np.random.default_rng(0)
    for name in TASKS:
        for part, count in MADE_UP.items():
            write_rows(folder / f"{name}.{part}.jsonl", made_up_rows(name, count, generator))


def _train_file(context: Context, rows: Path, name: str, setup: Setup, own: Path | None = None) -> Path:
    """Return the rows to train on, ``own`` in place of the task's own; with extra or further ones, a file
    that holds both."""
    own = own or _marked(context, rows, f"{name}.train.jsonl", setup)
    if name in setup.further:
        more = _further(context, rows) / f"{name}.more.jsonl"
        times = _times(setup.further[name], own, more)
    elif setup.extra and name != "paraphrase":
        folder = rows
        if context.data is not None:
            folder = context.shared("extra", lambda to: prepare_extra(context, rows, to), settings={})
        more, times = folder / f"{name}.extra.jsonl", 1
    else:
        return own
    both = context.work / f"{name}.jsonl"
    both.write_bytes(own.read_bytes() * times + more.read_bytes())
    return both


def _times(asked: int | Literal["half"], own: Path, more: Path) -> int:
    """Return how often own rows count, at least once."""
    if asked != "half":
        return asked
    return max(1, round(more.read_bytes().count(b"\n") / max(1, own.read_bytes().count(b"\n"))))


def _further(context: Context, rows: Path) -> Path:
    def make(folder: Path) -> None:
        if context.data is not None:
            prepare_more(context, rows, folder)
            return
        for name in TASKS:
            (folder / f"{name}.more.jsonl").write_bytes((rows / f"{name}.extra.jsonl").read_bytes())

    return context.shared("further", make, settings={})


def _rated(context: Context, rows: Path) -> Path:
    def make(folder: Path) -> None:
        if context.data is not None:
            prepare_valence(context, rows, folder)
            return
        made_up = read_rows(rows / "sentiment.extra.jsonl")
        for row in made_up:
            row["label"] = VALENCE[2 * int(row["label"])]
        write_rows(folder / "valence.train.jsonl", made_up)

    return context.shared("rated", make, settings={})


def _marked(context: Context, rows: Path, name: str, setup: Setup) -> Path:
    """Return a file of rows, with marks as other texts have them where that is asked for."""
    if not (setup.usual_marks and name.startswith("sentiment")):
        return rows / name
    file = context.work / name
    write_rows(file, [row | {"text": untokenised(row["text"])} for row in read_rows(rows / name)])
    return file


def _encoder(context: Context, rows: Path) -> str:
    """Return the encoder's name, or the folder of a new small one at the tiny scale."""
    encoder: str = context.settings["encoder"]
    if encoder != "new":
        return encoder

    def make(folder: Path) -> None:
        from tenor.encoders.from_scratch import from_scratch_config

        files = sorted(rows.glob("*.train.jsonl"))
        texts = [text for file in files for row in read_rows(file) for text in _texts(row)]
        sizes = {"vocab_size": 300, "hidden_size": 32, "num_layers": 2, "num_heads": 2, "max_positions": 32}
        from_scratch_config(sizes).write(folder / "encoder", texts, seed=1)

    return str(context.shared("encoder", make, settings={}) / "encoder")


def _texts(row: Row) -> list[str]:
    return [row[key] for key in ("text", "first", "second") if key in row]


def _scored(model: Any, name: str, file: Path, part: str) -> tuple[Outcome, dict[str, Any]]:
    from tenor.model.predicting import predict

    rows, task = read_rows(file), model.tasks[name]
    predicted = predict(model, task, [_texts(row) for row in rows])
    if name == "similarity":
        gold = np.array([row["score"] for row in rows])
        slope, offset = np.polyfit(gold, predicted, 1)
        told = {
            "slope": float(slope),
            "offset": float(offset),
            "mean_error": float((predicted - gold).mean()),
        }
        return Outcome.of("pearson", gold, predicted, items=f"similarity {part}"), told
    truth = np.array([task.spec.labels.index(row["label"]) for row in rows])
    chosen = predicted.argmax(axis=1)
    table = np.zeros((len(task.spec.labels),) * 2, dtype=int)
    np.add.at(table, (truth, chosen), 1)
    return Outcome.of("mean", chosen == truth, items=f"{name} {part}"), {"confusion": table.tolist()}


def _curves(run: Path, tasks: Mapping[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Return the main scores on the validation split after each epoch."""
    from tenor.report.run_log import read_log

    scores = read_log(run / "log.jsonl").scores
    found = {name: scores.get((name, task["metric"]), ([], [])) for name, task in tasks.items()}
    return {f"{name} while training": {"step": x, "score": y} for name, (x, y) in found.items() if x}


def _notes(rows: Path) -> tuple[str, ...]:
    if not (rows / "dropped.json").is_file():
        return ()
    dropped = read_json(rows / "dropped.json")
    told = [f"{source} {count:,}" for sources in dropped.values() for source, count in sources.items()]
    return (f"Rows that the overlap filter took out of what is trained on: {'; '.join(told)}.",)
