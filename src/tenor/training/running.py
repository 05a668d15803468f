"""`tenor train`: from a run file to a run folder with a model in it.

A run that was stopped, by whatever, is continued by the same call; one that is finished, or another one, is
left alone.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from tenor.encoders.bert.torch_engine import find_device
from tenor.errors import TenorError
from tenor.files import atomic_file, write_json
from tenor.machine import thread_count, use_huge_pages
from tenor.model.language_folder import save_language_model
from tenor.model.torch_heads import save_trained
from tenor.report.provenance import machine, versions
from tenor.tasks.predictions import chosen
from tenor.tasks.scoring import interval_scores
from tenor.tasks.spec import labels_of
from tenor.tasks.text_task import TextTask
from tenor.training.building import Built, build_learner, build_trainer, with_found_encoder
from tenor.training.calibrating import calibrate_heads
from tenor.training.checkpoints import load_weights, read_checkpoint
from tenor.training.config import RunConfig
from tenor.training.distributed import World
from tenor.training.evaluation import MEAN, check_monitor, predict_task
from tenor.training.hooks import Hook
from tenor.training.precision import choose_precision
from tenor.training.progress import WATCHED, Progress
from tenor.training.reading import TaskExamples, read_tasks
from tenor.training.resolved import to_toml
from tenor.training.run_folder import METRICS, MODEL, PREDICTIONS, RunFolder
from tenor.training.runfile import FRESH, read_run
from tenor.training.task_learner import Objective
from tenor.training.watching import Listener, RunWatcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What a run came to."""

    folder: Path
    model: Path
    metrics: Mapping[str, Any]
    report: Path | None = None


def train(
    run_file: str | Path,
    *,
    out: str | Path,
    overrides: Sequence[str] = (),
    device: str = "auto",
    strict: bool = False,
    listener: Listener | None = None,
) -> Finished | None:
    """Train what a run file says, or go on where it stopped; None on all processes but the first.

    ``overrides`` are settings such as ``training.epochs=3`` that take the place of the file's.
    """
    run = with_found_encoder(read_run(run_file, overrides=overrides), Path(run_file).parent)
    return train_run(run, out=out, device=device, strict=strict, listener=listener)


def train_run(
    run: RunConfig,
    *,
    out: str | Path,
    device: str = "auto",
    strict: bool = False,
    listener: Listener | None = None,
    objectives: Sequence[Objective] = (),
    hooks: Sequence[Hook] = (),
) -> Finished | None:
    """Train a run that was read or made; objectives and hooks are those that no run file can name."""
    use_huge_pages()
    world, listener = World.from_environment(), listener or Listener()
    place = _device_of(device, world)
    precision = choose_precision(run.training.precision, place)
    if place.type == "cpu" and world.size == 1:
        torch.set_num_threads(thread_count())
    examples = read_tasks(run.tasks, strict=strict)
    world.join(place)
    folder = RunFolder(Path(out))
    try:
        _open(folder, run, examples, world)
        if world.first:
            notes = [note for each in examples.values() for note in each.notes]
            for note in [*notes, *filter(None, [world.note()])]:
                listener.note(note)
        begun = _with_fresh(run, folder, examples, world)
        built = build_learner(begun, examples, device=place, objectives=objectives)
        _check_watching(run, built)
        watcher = RunWatcher(folder, built.learner, settings=run.training, listener=listener, world=world)
        trainer = build_trainer(
            built.learner, run, hooks=hooks, watcher=watcher, world=world, precision=precision
        )
        if folder.last.is_file():
            trainer.load_state(read_checkpoint(folder.last), where=str(folder.last))
            if world.first:
                folder.cut_log(trainer.progress.step)
                listener.note(f"Going on with step {trainer.progress.step + 1} of {trainer.progress.steps}.")
        elif world.first:
            folder.cut_log(0)
        progress = trainer.run()
        if not world.first:
            return None
        return finish(run, folder, built, examples, progress, precision=precision, listener=listener)
    finally:
        folder.unlock()
        world.leave()


def _device_of(device: str, world: World) -> torch.device:
    found = find_device(device)
    return torch.device("cuda", world.local) if found.type == "cuda" and world.size > 1 else found


def _open(folder: RunFolder, run: RunConfig, examples: Mapping[str, TaskExamples], world: World) -> None:
    """Let the first process open the folder, and all others hear whether it could."""
    wrong = ""
    if world.first:
        try:
            folder.lock()
            folder.begin(to_toml(run), {name: each.files for name, each in examples.items()})
        except TenorError as error:
            wrong = str(error)
    if wrong := world.tell(wrong):
        raise TenorError(wrong)


def _with_fresh(
    run: RunConfig, folder: RunFolder, examples: Mapping[str, TaskExamples], world: World
) -> RunConfig:
    """Let the first process write the new encoder that a run begins with, unless it stands there already."""
    if run.fresh is None:
        return run
    place, wrong = folder.path / FRESH, ""
    if world.first and not place.is_dir():
        texts = [text for each in examples.values() for row in each.train for text in row.texts]
        try:
            run.fresh.write(place, texts, seed=run.seed)
        except TenorError as error:
            wrong = str(error)
    if wrong := world.tell(wrong):
        raise TenorError(wrong)
    return replace(run, encoder=str(place))


def _check_watching(run: RunConfig, built: Built) -> None:
    """Say before any training what dev scores are asked for and cannot be had."""
    training, dev = run.training, built.learner.dev
    if dev:
        check_monitor(built.network, dev, training.monitor)
    elif training.monitor != MEAN or training.patience or training.schedule == "plateau":
        raise TenorError(
            "No task has a dev file, so that nothing can be watched; give one, or leave out monitor, "
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
    listener: Listener,
) -> Finished:
    """Take the best weights, write the model, its predictions and scores, and the report."""
    if folder.best().is_file():
        load_weights(
            built.learner.module, read_checkpoint(folder.best())["weights"], where=str(folder.best())
        )
    calibrations = calibrate_heads(built.learner, run.tasks)
    scores = _write_predictions(built, folder)
    plain = {name: {key: each["estimate"] for key, each in found.items()} for name, found in scores.items()}
    metrics = _metrics(run, built, examples, progress, scores) | {"precision": precision}
    for name, fitted in calibrations.items():
        metrics["tasks"][name]["calibration"] = asdict(fitted)
    made = {
        key: metrics[key] for key in ("steps", "epochs", "tokens", "seconds", "best_step", "seed", "data")
    }
    model = folder.path / MODEL
    shutil.rmtree(
        model, ignore_errors=True
    )  # of an earlier end of this run that was killed before its last file
    name = Path(run.encoder).name
    if len(run.tasks) == 1 and next(iter(run.tasks.values())).kind == "language":
        save_language_model(built.network, built.settings, model, name=name, made=made)
    else:
        save_trained(built.network, built.settings, model, name=name, scores=plain, made=made)
    write_json(folder.path / METRICS, metrics)
    for path in _superseded(folder, progress):
        path.unlink(missing_ok=True)
    return Finished(folder=folder.path, model=model, metrics=metrics, report=_write_report(folder, listener))


def _superseded(folder: RunFolder, progress: Progress) -> list[Path]:
    """Return the checkpoints that nobody needs after the end: the model is the best one."""
    best = progress.best_steps
    same = [folder.best(name) for name in best if name != WATCHED and best[name] == best[WATCHED]]
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
            "scores": found,
            "best_step": best.get(name),
            "rows": len(built.learner.dev[name]),
        }
        for name, found in scores.items()
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
        "best_step": best.get(WATCHED, progress.step),
        "best": progress.best.get(WATCHED),
        "tasks": tasks,
        "data": {name: _without_paths(each.files) for name, each in examples.items()},
        "machine": machine(),
        "versions": versions(),
    }


def _without_paths(files: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {part: dict(about) | {"file": Path(about["file"]).name} for part, about in files.items()}


def _write_predictions(built: Built, folder: RunFolder) -> dict[str, dict[str, dict[str, float]]]:
    """Write what the network says of every dev row, and return all scores with their intervals."""
    scores: dict[str, dict[str, dict[str, float]]] = {}
    with atomic_file(folder.path / PREDICTIONS) as aside, open(aside, "w", encoding="utf-8") as file:
        for name, data in built.learner.dev.items():
            task = built.network.task(name)
            predictions, _ = predict_task(built.network, name, data)
            if not isinstance(task, TextTask) or data.targets is None:
                told = task.score(predictions, data)
                scores[name] = {key: {"estimate": value} for key, value in told.items()}
                continue
            found = interval_scores(task.spec, predictions, data.targets)
            scores[name] = {key: asdict(interval) for key, interval in found.items()}
            for row in _prediction_rows(name, task, data.examples, predictions):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return scores


def _prediction_rows(name: str, task: TextTask, examples: Sequence[Any], predictions: Any) -> Any:
    spec = task.spec
    if spec.kind == "match":  # a match says nothing of a pair by itself
        return
    told = None if spec.kind == "similarity" else chosen(spec, predictions)
    for number, example in enumerate(examples):
        row = {"task": name, "kind": spec.kind, "origin": str(example.origin), "texts": list(example.texts)}
        if told is None:
            yield row | {"gold": example.score, "predicted": float(predictions[number])}
            continue
        shares = dict(zip(spec.labels, map(float, predictions[number]), strict=True))
        gold: Any = example.label
        if spec.separator is None:
            named: Any = spec.labels[int(told[number])]
        else:
            gold = labels_of(example, spec.separator)
            named = [label for label, given in zip(spec.labels, told[number], strict=True) if given]
        yield row | {"gold": gold, "predicted": named, "probabilities": shares}


def _write_report(folder: RunFolder, listener: Listener) -> Path | None:
    """Write the page to look at; a run does not fail for want of it."""
    try:
        from tenor.report.run_report import write_report

        return write_report(folder.path)
    except (TenorError, ImportError) as error:
        listener.note(f"No report was written: {error}")
        return None
