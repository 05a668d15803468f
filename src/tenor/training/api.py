"""``tenor.train``: training from objects in memory; run files and commands are front ends of it."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tenor.encoders.from_scratch import from_scratch_config
from tenor.errors import TenorError, did_you_mean
from tenor.model import Model, load
from tenor.model.network import Adapter, Network
from tenor.objectives.objective import Objective
from tenor.objectives.table import objective_config
from tenor.tasks.config import TaskConfig
from tenor.tasks.table import kind_of
from tenor.training.building import with_found_encoder
from tenor.training.callbacks import Callback
from tenor.training.config import RunConfig, TrainingConfig, UpdateConfig
from tenor.training.config_dump import to_toml
from tenor.training.distributed import DistributedContext
from tenor.training.fitting import fit, open_folder
from tenor.training.init_config import draft_run
from tenor.training.learner import Learner
from tenor.training.precision import choose_precision
from tenor.training.progress import Progress
from tenor.training.reading import TaskExamples, given_task, read_task
from tenor.training.run_folder import RunFolder
from tenor.training.runfile import FROM_SCRATCH, looks_like_run, read_run
from tenor.training.running import Finished, train_run

TaskLike = TaskConfig | Mapping[str, Any]
"""The settings of a task, as a config or as a table with ``kind``, ``train`` and perhaps ``dev``: paths,
lists of rows, or tables of pandas or pyarrow."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """What training came to."""

    folder: Path
    """The run folder; of a run without ``out`` it is removed with this object."""
    progress: Progress | None = None
    """Counters and best scores, of a learner of one's own."""
    model: Path | None = None
    """The model folder."""
    metrics: Mapping[str, Any] = field(default_factory=dict)
    report: Path | None = None
    network: Network | None = field(default=None, repr=False)
    _kept: Any = field(default=None, repr=False)

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """The dev scores of every task."""
        return {
            name: {key: each["estimate"] for key, each in task["scores"].items()}
            for name, task in self.metrics.get("tasks", {}).items()
        }

    def load(self) -> Model:
        """Open the trained model."""
        if self.model is None:
            raise TenorError("This run left no model folder: its network is in Run.network.")
        model = load(self.model)
        model.kept = self._kept  # a run without ``out`` leaves its folder with the last that needs it
        return model


def train(
    what: str | Path | Learner | None,
    tasks: Mapping[str, TaskLike] | None = None,
    *,
    objectives: Mapping[str, Any] | Sequence[Objective] = (),
    updates: Mapping[str, UpdateConfig | Mapping[str, Any]] | None = None,
    callbacks: Sequence[Callback] = (),
    adapter: Adapter | None = None,
    out: str | Path | None = None,
    pooling: str | None = None,
    seed: int = 1,
    max_tokens: int | None = None,
    from_scratch: Any = None,
    kind: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    device: str = "auto",
    strict: bool = False,
    overrides: Sequence[str] = (),
    **training: Any,
) -> Run:
    """Train a model for some tasks, a run file, or a learner of one's own.

    ``what`` is an encoder (a starter, a folder, ``hub:NAME``), to which ``tasks`` belong; the path of a run
    file, or of a labelled data file, whose ``kind``, ``columns`` and ``encoding`` are guessed if left out; or
    a :class:`Learner`, for what has no tasks. ``training`` are the settings of :class:`TrainingConfig`, such
    as ``epochs=3``. Without ``out`` the run is in a temporary folder. A run in a folder goes on where it was
    stopped.

    >>> import tenor
    >>> rows = [("a fine film", "good"), ("so very dull", "bad")] * 8
    >>> task = {"kind": "classify", "train": rows, "dev": rows[:4]}
    >>> run = tenor.train("minilm", {"mood": task}, epochs=1)      # doctest: +SKIP
    >>> run.load().predict("mood", [("what a fine film",)]).shape  # doctest: +SKIP
    (1, 2)
    """
    kept = tempfile.TemporaryDirectory(prefix="tenor-run-") if out is None else None
    place = Path(kept.name) / "run" if kept is not None else Path(str(out))
    config = {"pooling": pooling, "max_tokens": max_tokens, "from_scratch": from_scratch}
    data = {"kind": kind, "columns": columns, "encoding": encoding}
    if isinstance(what, Learner):
        config |= {"objectives": objectives, "adapter": adapter, "overrides": overrides}
        _refuse_in_learner(tasks, config | data)
        settings = _training_config(training)
        progress = train_learner(what, settings, out=place, seed=seed, callbacks=callbacks, updates=updates)
        return Run(folder=place, progress=progress, _kept=kept)
    named, built = _named_and_built(objectives)
    config |= {"updates": updates, "objectives": named}
    if tasks is None:
        _refuse("run file", config | {"seed": seed != 1})
        run, examples = _from_file(what, overrides, training, data, callbacks), None
    else:
        _refuse("table of the task", data)
        run, examples = _from_memory(what, tasks, config | {"seed": seed}, training, strict)
    finished = train_run(
        run, out=place, examples=examples, device=device, strict=strict, callbacks=callbacks,
        objectives=built, adapter=adapter,
    )  # fmt: skip
    return _run_of(finished, place, kept)


def _named_and_built(
    objectives: Mapping[str, Any] | Sequence[Objective],
) -> tuple[Mapping[str, Any], Sequence[Objective]]:
    """Tell the settings of objectives by name, as a run file has them, from objectives of one's own."""
    return (objectives, ()) if isinstance(objectives, Mapping) else ({}, objectives)


def _run_of(finished: Finished | None, place: Path, kept: Any) -> Run:
    if finished is None:  # a process that is not the first
        return Run(folder=place, _kept=kept)
    return Run(
        folder=finished.folder,
        model=finished.model,
        metrics=finished.metrics,
        report=finished.report,
        network=finished.network,
        _kept=kept,
    )


def train_learner(
    learner: Learner,
    training: TrainingConfig,
    *,
    out: str | Path,
    seed: int = 1,
    config: str | None = None,
    data: Mapping[str, Any] | None = None,
    callbacks: Sequence[Callback] = (),
    updates: Mapping[str, UpdateConfig | Mapping[str, Any]] | None = None,
    **settings: Any,
) -> Progress:
    """Train a learner of one's own in a folder, or go on there, and give it its best weights.

    ``config`` is what tells one run from another, as TOML; ``data`` names its files and their hashes
    (``{task: {part: {"file": …, "sha256": …}}}``): a folder that was begun with others is refused. Further
    settings are those of :func:`tenor.training.fitting.make_trainer`.
    """
    folder, world = RunFolder(Path(out)), DistributedContext()
    described = to_toml(RunConfig(seed=seed, training=training)) if config is None else config
    precision = choose_precision(training.precision, next(learner.module.parameters()).device)
    try:
        open_folder(folder, described, data or {}, world)
        return fit(
            learner,
            training,
            folder=folder,
            seed=seed,
            callbacks=callbacks,
            world=world,
            precision=precision,
            updates=_updates(updates),
            **settings,
        )
    finally:
        folder.unlock()


def _refuse_in_learner(tasks: Any, given: Mapping[str, Any]) -> None:
    if tasks is not None:
        raise TenorError("A learner of your own has its tasks in it; leave out tasks.")
    _refuse("learner", given)


def _refuse(what: str, given: Mapping[str, Any]) -> None:
    """Refuse settings that would be passed over, since a run file or a learner has them in it."""
    if named := [name for name, value in given.items() if value]:
        hint = "; set it there, or by overrides" if what == "run file" else ""
        raise TenorError(f"{named[0]} belongs in the {what} itself{hint}.")


def _toml(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool | list | tuple | str) else str(value)


def _from_file(
    file: str | Path | None,
    overrides: Sequence[str],
    training: Mapping[str, Any],
    data: Mapping[str, Any],
    callbacks: Sequence[Callback],
) -> RunConfig:
    """Return the run of a run file, or one that a data file suggests; callbacks hear what was assumed.

    ``data`` is what a person says of a data file: its ``kind``, ``columns`` and ``encoding``.
    """
    if file is None:
        raise TenorError("There is nothing to train: give an encoder and tasks, or a run file.")
    more = [f"training.{name}={_toml(value)}" for name, value in training.items() if value is not None]
    if looks_like_run(file):
        _refuse("run file", data)
        return with_found_encoder(read_run(file, overrides=[*overrides, *more]), Path(file).parent)
    if not Path(file).is_file():
        raise TenorError(
            f"{file} is not a file, where a run file or a data file is expected; to train an encoder of that "
            "name, give its tasks too: tenor.train(encoder, {name: {'kind': …, 'train': …}})."
        )
    run, assumed = _drafted(file, [*overrides, *more], data)
    for callback in callbacks:
        for note in assumed:
            callback.note(note)
    return run


def _drafted(
    file: str | Path, overrides: Sequence[str], data: Mapping[str, Any]
) -> tuple[RunConfig, list[str]]:
    """Return the run that tenor init would write for a data file, and what it assumed."""
    with tempfile.TemporaryDirectory(prefix="tenor-draft-") as folder:
        draft = Path(folder) / "run.toml"
        text = draft_run(file, out=draft, **data)
        draft.write_text(text, encoding="utf-8")
        run = with_found_encoder(read_run(draft, overrides=overrides), Path.cwd())
    return run, [f"Assumed of {file}, as tenor init would write it down:", *_assumed(text)]


def _assumed(text: str) -> list[str]:
    """Return the lines of a drafted run file that say something of the data."""
    lines = text.partition("[training]")[0].splitlines()
    return ["  " + line for line in lines if line and not line.startswith(("#", "seed", "train ="))]


def _from_memory(
    encoder: str | Path | None,
    tasks: Mapping[str, TaskLike],
    config: Mapping[str, Any],
    training: Mapping[str, Any],
    strict: bool,
) -> tuple[RunConfig, dict[str, TaskExamples]]:
    """Return the run that ``config`` (settings beside tasks and training) describes, and its examples."""
    if not isinstance(tasks, Mapping):
        raise TenorError("tasks are given by name, such as {'mood': {'kind': 'classify', 'train': rows}}.")
    if not tasks:
        raise TenorError("There is no task to train; give at least one.")
    new = config["from_scratch"]
    if new is not None and encoder not in (None, "None", FROM_SCRATCH):
        raise TenorError(
            f"The run begins with {str(encoder)!r} or with a new encoder (from_scratch), not with both; give "
            "None as the encoder of a new one."
        )
    read = {name: _task(name, task, strict, config["seed"]) for name, task in tasks.items()}
    run = RunConfig(
        encoder=str(encoder) if new is None else FROM_SCRATCH,
        pooling=config["pooling"],
        seed=config["seed"],
        max_tokens=config["max_tokens"],
        from_scratch=from_scratch_config(new) if isinstance(new, Mapping) else new,
        tasks={name: task for name, (task, _) in read.items()},
        objectives=_objectives(config["objectives"]),
        updates=_updates(config["updates"]),
        training=_training_config(training),
        given=_given(tasks, config, training),
    )
    return run, {name: examples for name, (_, examples) in read.items()}


def _given(
    tasks: Mapping[str, TaskLike], config: Mapping[str, Any], training: Mapping[str, Any]
) -> frozenset[str]:
    """Name the settings that were given; those of a finished config are all."""
    named = {f"training.{key}" for key in training}
    for name, task in tasks.items():
        keys = task if isinstance(task, Mapping) else [each.name for each in fields(task)]
        named |= {f"tasks.{name}.{key}" for key in keys}
    return frozenset(named | {key for key in ("objectives", "updates") if config[key]})


def _task(name: str, task: TaskLike, strict: bool, seed: int) -> tuple[TaskConfig, TaskExamples]:
    """Return the settings of a task and its examples, from files or from memory."""
    if isinstance(task, TaskConfig):
        if task.train is None:
            raise TenorError(f"Task {name}: train is missing; give a path, or rows in a table of settings.")
        return task, read_task(name, task, strict=strict, seed=seed)
    settings = dict(task)
    kind = kind_of(settings.pop("kind", None))
    parts = {part: settings.pop(part, None) for part in ("train", "dev")}
    if parts["train"] is None:
        raise TenorError(f"Task {name}: train is missing; give rows, or a path.")
    known = [each.name for each in fields(kind.config)]
    for key in settings:
        if key not in known:
            near = did_you_mean(key, known) or f" Known are: {', '.join(known)}."
            raise TenorError(f"Task {name}: a {kind.name!r} task has no setting {key!r}.{near}")
    kept = {"dev": parts.pop("dev")} if isinstance(parts["dev"], float) else {}
    paths = {part: Path(rows) for part, rows in parts.items() if isinstance(rows, str | Path)}
    try:
        config = kind.config(**settings | paths | kept | {"kind": kind.name})
    except TenorError as error:
        raise TenorError(f"Task {name}: {error}") from error
    if len(paths) == sum(rows is not None for rows in parts.values()):
        return config, read_task(name, config, strict=strict, seed=seed)
    if paths:
        raise TenorError(f"Task {name}: train and dev must both be paths, or both be rows.")
    return config, given_task(name, config, parts["train"], parts.get("dev"), seed=seed)


def _objectives(objectives: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of objectives by name, given as they are or as tables with their ``method``."""
    return {
        name: objective_config(each.get("method"))(**{key: each[key] for key in each if key != "method"})
        if isinstance(each, Mapping)
        else each
        for name, each in objectives.items()
    }


def _updates(
    updates: Mapping[str, UpdateConfig | Mapping[str, Any]] | None,
) -> dict[str, UpdateConfig]:
    return {
        name: each if isinstance(each, UpdateConfig) else UpdateConfig(**each)
        for name, each in (updates or {}).items()
    }


def _training_config(settings: Mapping[str, Any]) -> TrainingConfig:
    known = [each.name for each in fields(TrainingConfig)]
    for key in settings:
        if key not in known:
            from tenor.migration import hint

            near = hint(key, known) or did_you_mean(key, known) or f" Known are: {', '.join(known)}."
            raise TenorError(f"There is no setting {key!r} of training.{near}")
    return TrainingConfig(**settings)
