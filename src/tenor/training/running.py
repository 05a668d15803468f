"""`tenor train`: from a run to a run folder with a model in it.

A run that was stopped, by whatever, is continued by the same call; one that is finished, or another one, is
left alone.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from tenor.errors import TenorError
from tenor.files import WriteError, atomic_file, write_json
from tenor.machine import thread_count, use_huge_pages
from tenor.machine.devices import find_device
from tenor.model.network import Adapter, Network
from tenor.model.torch_heads import save_trained
from tenor.objectives.objective import Objective
from tenor.report.provenance import machine, versions
from tenor.tasks.config import TableConfig
from tenor.tasks.task import Task, TaskData
from tenor.training.automatic import AutomaticPlan, choose_settings
from tenor.training.building import Built, build_learner
from tenor.training.calibration import calibrate_heads
from tenor.training.callbacks import Callback
from tenor.training.config import RunConfig
from tenor.training.config_dump import to_toml
from tenor.training.distributed import DistributedContext
from tenor.training.evaluation import MEAN, check_monitor, predict_task
from tenor.training.fitting import fit, open_folder
from tenor.training.precision import choose_precision
from tenor.training.progress import MONITOR, Progress
from tenor.training.reading import TaskExamples, objective_files, read_tasks
from tenor.training.run_folder import METRICS, MODEL, PREDICTIONS, RunFolder
from tenor.training.runfile import FROM_SCRATCH


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Finished:
    """What a run came to."""

    folder: Path
    model: Path | None
    """The model folder; None where the model cannot be kept as one."""
    metrics: Mapping[str, Any]
    report: Path | None = None
    network: Network | None = None


def train_run(
    run: RunConfig,
    *,
    out: str | Path,
    examples: Mapping[str, TaskExamples] | None = None,
    device: str = "auto",
    strict: bool = False,
    callbacks: Sequence[Callback] = (),
    objectives: Sequence[Objective] = (),
    adapter: Adapter | None = None,
) -> Finished | None:
    """Train a run, or go on where it stopped; None on all processes but the first.

    ``examples`` are read from the files of the tasks where they are not given. Objectives, callbacks and the
    adapter are those that no run file can name.
    """
    use_huge_pages()
    world = DistributedContext.from_environment()
    place = _device_of(device, world)
    precision = choose_precision(run.training.precision, place)
    if place.type == "cpu" and world.size == 1:
        torch.set_num_threads(thread_count())
    examples = read_tasks(run.tasks, strict=strict, seed=run.seed) if examples is None else examples
    world.join(place)
    plain = adapter is None and not objectives
    plan = choose_settings(run, examples, processes=world.size, plain=plain)
    run = plan.run
    folder = RunFolder(Path(out))
    try:
        open_folder(
            folder,
            plan.comment() + to_toml(run),
            {name: each.files for name, each in examples.items()} | objective_files(run.objectives),
            world,
        )
        if world.first:
            notes = [note for each in examples.values() for note in each.notes]
            _tell(callbacks, [*notes, *plan.notes(), *filter(None, [world.note()])])
            for line in (line for each in examples.values() for line in each.bad_rows):
                for callback in callbacks:
                    callback.bad_rows(line)
        begun = _with_new_encoder(run, folder, examples, world)
        built = build_learner(begun, examples, device=place, objectives=objectives, adapter=adapter)
        _check_monitored(run, built)
        progress = fit(
            built.learner,
            run.training,
            folder=folder,
            seed=run.seed,
            callbacks=callbacks,
            world=world,
            updates=run.updates,
            learning_rates={f"heads.{name}": task.lr for name, task in run.tasks.items() if task.lr},
            encoder=built.network.encoder,
            precision=precision,
        )
        if not world.first:
            return None
        return finish(
            run, folder, built, examples, progress, precision=precision, callbacks=callbacks, plan=plan
        )
    except WriteError as error:
        again = "Fix that, then run the same command again: the run resumes from its last checkpoint."
        raise TenorError(f"{error} {again}") from error
    finally:
        folder.unlock()
        world.leave()


def _tell(callbacks: Sequence[Callback], notes: Sequence[str]) -> None:
    for note in notes:
        for callback in callbacks:
            callback.note(note)


def _device_of(device: str, world: DistributedContext) -> torch.device:
    found = find_device(device)
    return torch.device("cuda", world.local) if found.type == "cuda" and world.size > 1 else found


def _with_new_encoder(
    run: RunConfig, folder: RunFolder, examples: Mapping[str, TaskExamples], world: DistributedContext
) -> RunConfig:
    """Let the first process write the new encoder that a run begins with, unless it stands there already."""
    if run.from_scratch is None:
        return run
    place, wrong = folder.path / FROM_SCRATCH, ""
    if world.first and not place.is_dir():
        # Words that the examples give stay whole, where the new encoder has no rules of its own for them.
        whole = run.from_scratch.reads_words
        rows = [row for each in examples.values() for row in each.train]
        texts = [text for row in rows for text in (_words_of(row) if whole else row.texts)]
        try:
            run.from_scratch.write(place, texts, seed=run.seed)
        except TenorError as error:
            wrong = str(error)
    if wrong := world.tell(wrong):
        raise TenorError(wrong)
    return replace(run, encoder=str(place))


def _words_of(row: Any) -> Sequence[Any]:
    """Return the texts of an example, or the list of its words where it has one."""
    words = getattr(row, "words", None)
    return row.texts if words is None else (words,)


def _check_monitored(run: RunConfig, built: Built) -> None:
    """Say before any training which dev scores are asked for that there cannot be."""
    training, dev = run.training, built.learner.dev
    if dev:
        check_monitor(built.network, dev, training.monitor)
    elif training.monitor != MEAN or training.patience or training.schedule == "plateau":
        raise TenorError(
            "No task has a dev file, so that no score can be monitored; give one, or leave out monitor, "
            'patience and schedule = "plateau".'
        )


def finish(
    run: RunConfig,
    folder: RunFolder,
    built: Built,
    examples: Mapping[str, TaskExamples],
    progress: Progress,
    *,
    precision: str,
    callbacks: Sequence[Callback] = (),
    plan: AutomaticPlan | None = None,
) -> Finished:
    """Write the model with its best weights, its predictions and scores, and the report."""
    calibrations = calibrate_heads(built.learner, run.tasks)
    scores, tables = _write_predictions(built, folder)
    metrics = _metrics(run, built, examples, progress, scores) | {"precision": precision}
    if plan is not None and plan.choices:
        metrics["plan"] = plan.as_dict()
    for name, fitted in calibrations.items():
        metrics["tasks"][name]["calibration"] = asdict(fitted)
    for name, own in tables.items():
        if own:
            metrics["tasks"][name]["tables"] = own
    model = _save(run, folder, built, metrics, scores, callbacks)
    write_json(folder.path / METRICS, metrics)
    for path in _superseded(folder, progress):
        path.unlink(missing_ok=True)
    report = _write_report(folder, callbacks)
    return Finished(folder=folder.path, model=model, metrics=metrics, report=report, network=built.network)


def _save(
    run: RunConfig,
    folder: RunFolder,
    built: Built,
    metrics: Mapping[str, Any],
    scores: Mapping[str, Mapping[str, Mapping[str, float]]],
    callbacks: Sequence[Callback],
) -> Path | None:
    """Write the model folder, or say why there is none."""
    plain = {name: {key: each["estimate"] for key, each in own.items()} for name, own in scores.items()}
    kept = ("steps", "epochs", "tokens", "seconds", "best_step", "seed", "data")
    made = {key: metrics[key] for key in kept}
    model = folder.path / MODEL
    shutil.rmtree(model, ignore_errors=True)  # of an end of this run that was killed before its last file
    try:
        save_trained(
            built.network,
            built.settings,
            model,
            name=Path(run.encoder).name,
            scores=plain,
            made=made,
            columns={name: task.columns for name, task in run.tasks.items() if isinstance(task, TableConfig)},
        )
    except TenorError as error:
        if built.network.adapter is None:
            raise
        _tell(callbacks, [f"No model folder was written: {error}"])
        return None
    return model


def _superseded(folder: RunFolder, progress: Progress) -> list[Path]:
    """Return the checkpoints that nobody needs after the end: the model is the best one."""
    best = progress.best_steps
    same = [folder.best(name) for name in best if name != MONITOR and best[name] == best[MONITOR]]
    return [folder.last, folder.best(), *same]


def _metrics(
    run: RunConfig,
    built: Built,
    examples: Mapping[str, TaskExamples],
    progress: Progress,
    scores: Mapping[str, Mapping[str, Mapping[str, float]]],
) -> dict[str, Any]:
    best = progress.best_steps
    tasks = {
        name: {
            "metric": built.network.task(name).metric.name,
            "scores": own,
            "best_step": best.get(name),
            "rows": len(built.learner.dev[name]),
        }
        for name, own in scores.items()
    }
    return {
        "steps": progress.step,
        "epochs": progress.epoch if progress.position == 0 else progress.epoch + 1,
        "stop": progress.stop or "all epochs are done",
        "tokens": progress.tokens,
        "seconds": round(progress.seconds, 3),
        "tokens_per_second": round(progress.tokens / max(progress.seconds, 1e-9), 1),
        "seed": run.seed,
        "encoder": Path(run.encoder).name,
        "monitor": run.training.monitor,
        "best_step": best.get(MONITOR, progress.step),
        "best": progress.best.get(MONITOR),
        "tasks": tasks,
        "data": {name: _without_paths(each.files) for name, each in examples.items()},
        "machine": machine(),
        "versions": versions(),
    }


def _without_paths(files: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {part: dict(about) | {"file": Path(about["file"]).name} for part, about in files.items()}


def _write_predictions(
    built: Built, folder: RunFolder
) -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, list[dict[str, Any]]]]:
    """Write what the network says of every dev row; return all scores with their intervals, and tables."""
    scores: dict[str, dict[str, dict[str, float]]] = {}
    tables: dict[str, list[dict[str, Any]]] = {}
    with atomic_file(folder.path / PREDICTIONS) as aside, open(aside, "w", encoding="utf-8") as file:
        for name, data in built.learner.dev.items():
            task = built.network.task(name)
            predictions, _ = predict_task(built.network, name, data)
            if task.spec is None or data.targets is None:
                plain = task.score(predictions, data)
                scores[name] = {key: {"estimate": value} for key, value in plain.items()}
                continue
            intervals = task.spec.scores(predictions, data.targets)
            scores[name] = {key: asdict(interval) for key, interval in intervals.items()}
            tables[name] = [each.to_json() for each in task.spec.tables(predictions, data.targets)]
            for row in _prediction_rows(name, task, data, predictions):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return scores, tables


def _prediction_rows(name: str, task: Task, data: TaskData, predictions: Any) -> Iterator[dict[str, Any]]:
    spec = task.spec
    assert spec is not None
    if not spec.answers_rows:
        return
    for example, answer in zip(data.examples, spec.answers(predictions), strict=True):
        row = {"task": name, "kind": spec.kind, "origin": str(example.origin), "texts": list(example.texts)}
        yield row | spec.prediction_row(example, answer)


def _write_report(folder: RunFolder, callbacks: Sequence[Callback]) -> Path | None:
    """Write the page to look at; a run does not fail for want of it."""
    try:
        from tenor.report.run_report import write_report

        return write_report(folder.path)
    except (TenorError, ImportError) as error:
        _tell(callbacks, [f"No report was written: {error}"])
        return None
