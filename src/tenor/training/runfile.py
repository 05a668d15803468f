"""Run files: TOML in which each section is the frozen dataclass of the room that owns it."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tenor.encoders.from_scratch import FromScratch
from tenor.encoders.table import DEFAULT, encoder_type
from tenor.errors import TenorError
from tenor.files import why
from tenor.layers.pooling_config import PoolingConfig
from tenor.objectives.table import objective_config
from tenor.tasks.config import TaskConfig
from tenor.tasks.table import kind_of
from tenor.training.config import RunConfig, TrainingConfig, UpdateConfig
from tenor.training.sections import Source, build

_LARGEST = 1 << 20
FROM_SCRATCH = "from_scratch"  # what a new encoder is called, and where it stands in a run folder


def read_run(path: str | Path, *, overrides: Sequence[str] = ()) -> RunConfig:
    """Read a run file; the files it names are looked for from its own folder.

    ``overrides`` are settings such as ``training.epochs=3`` that take the place of the file's.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.csv").write_text("text,mood\\nFine.,good\\n")
    >>> _ = (folder / "run.toml").write_text('''[tasks.mood]
    ... kind = "classify"
    ... train = "a.csv"
    ... columns = { text = "text", label = "mood" }
    ... ''')
    >>> run = read_run(folder / "run.toml")
    >>> run.encoder, run.tasks["mood"].kind, run.training.epochs
    ('minilm', 'classify', 10)
    """
    text = _read(path)
    source = Source(str(path), text)
    top = _parse(text, str(path))
    if "given" in top:
        raise TenorError(f"{source.place('given')}: the top of the file has no key 'given'.")
    for override in overrides:
        _override(top, override)
    if "fresh" in top:
        raise TenorError(f"{source.place('fresh')}: the section [fresh] is called [from_scratch] now.")
    fresh = top.pop("from_scratch", None)
    sections = {name: top.pop(name, {}) for name in ("tasks", "objectives", "updates", "training")}
    for name, table in sections.items():
        if not isinstance(table, dict):
            raise TenorError(f"{source.place(name)}: {name} should be a section [{name}], not {table!r}.")
    tasks = {name: _task(name, table, source, Path(path).parent) for name, table in sections["tasks"].items()}
    if not tasks:
        raise TenorError(f"{path} has no task; it needs at least one section [tasks.NAME].")
    training = build(TrainingConfig, sections["training"], source, "training")
    objectives = {
        name: _objective(name, table, source, Path(path).parent)
        for name, table in sections["objectives"].items()
    }
    updates = {
        name: build(UpdateConfig, _section("updates", name, table, source), source, "updates", name)
        for name, table in sections["updates"].items()
    }
    run = replace(
        build(RunConfig, top, source),
        tasks=tasks,
        objectives=objectives,
        updates=updates,
        training=training,
        given=_given(sections),
    )
    if fresh is not None:
        run = replace(run, encoder=FROM_SCRATCH, from_scratch=_from_scratch(fresh, top, source))
    _check_top(run, source)
    return run


def _given(sections: Mapping[str, Any]) -> frozenset[str]:
    """Name the settings that a run file gives, so that only the others are chosen automatically."""
    named = {f"training.{key}" for key in sections["training"]}
    named |= {f"tasks.{name}.{key}" for name, table in sections["tasks"].items() for key in table}
    return frozenset(named | {name for name in ("objectives", "updates") if sections[name]})


def _from_scratch(table: Any, top: dict[str, Any], source: Source) -> FromScratch:
    if not isinstance(table, dict):
        raise TenorError(
            f"{source.place('from_scratch')}: from_scratch should be a section [from_scratch], not {table!r}."
        )
    if top.get("encoder", FROM_SCRATCH) != FROM_SCRATCH:
        raise TenorError(
            f"{source.place('encoder')}: the run begins with {top['encoder']!r} or with a new encoder "
            "([from_scratch]), not with both; leave one of them out."
        )
    try:
        kind = encoder_type(table.get("model_type", DEFAULT)).from_scratch()
    except TenorError as error:
        raise TenorError(f"{source.place('from_scratch', 'model_type')}: {error}") from error
    config: FromScratch = build(kind, table, source, "from_scratch")
    return config


def looks_like_run(path: str | Path) -> bool:
    """Whether a file is a run file: by its content, or because its name ends in .toml."""
    if Path(path).suffix.lower() == ".toml":
        return True
    try:
        return str(path) != "-" and isinstance(_parse(_read(path), str(path)).get("tasks"), dict)
    except TenorError:
        return False


def _read(path: str | Path) -> str:
    try:
        with open(path, "rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise TenorError(f"{path} is too big for a run file.")
        return content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise TenorError(f"{path} does not exist.") from error
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error
    except ValueError as error:  # not UTF-8, or a NUL in the name
        raise TenorError(f"{path} is not a run file: it is not UTF-8 text.") from error


def _parse(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise TenorError(f"{file} is not valid TOML: {error}.") from error


def _override(top: dict[str, Any], override: str) -> None:
    """Put one setting, written as ``section.key=value``, into the table."""
    name, sign, text = override.partition("=")
    *sections, key = (part.strip().strip("\"'") for part in name.split("."))
    if not sign or not key or not all(sections):
        raise TenorError(f"--set {override!r} is not understood; write --set training.epochs=3.")
    table: Any = top
    for section in sections:
        table = table.setdefault(section, {}) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        raise TenorError(f"--set {override!r} names a section where the run file has a value.")
    if len(sections) == 2 and sections[0] == "tasks" and not table:
        known = ", ".join(each for each in top["tasks"] if each != sections[1])
        raise TenorError(f"--set {override!r} names a task that the run file does not have; it has {known}.")
    try:
        table[key] = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        table[key] = text.strip()  # a text, whose quotes the shell has taken


def _section(kind: str, name: str, table: Any, source: Source) -> dict[str, Any]:
    """Refuse what is no section of its own, and names that others would be cut at."""
    if not isinstance(table, dict):
        raise TenorError(f"{source.place(kind, name)}: expected a section [{kind}.{name}], not {table!r}.")
    if "." in name or not name.strip():
        raise TenorError(f"{source.place(kind, name)}: it cannot be called {name!r}; leave the dot out.")
    return table


def _task(name: str, table: Any, source: Source, folder: Path) -> TaskConfig:
    path = ("tasks", name)
    table = _section("tasks", name, table, source)
    for key in ("kind", "train"):
        if key not in table:
            raise TenorError(f"{source.place(*path)}: [tasks.{name}] lacks {key!r}.")
    try:
        kind = kind_of(table["kind"])
    except TenorError as error:
        raise TenorError(f"{source.place(*path, 'kind')}: in [tasks.{name}], {error}") from error
    task: TaskConfig = build(kind.config, table, source, *path)
    named = {"train": task.train, "dev": task.dev_file}
    files = {key: Path(os.path.normpath(folder / file)) for key, file in named.items() if file is not None}
    for key, file in files.items():
        if not file.is_file():
            found = "is a folder" if file.is_dir() else "does not exist"
            raise TenorError(f"{source.place(*path, key)}: the {key} file {file} {found}.")
    return replace(task, train=files["train"], dev=files.get("dev", task.dev))


def _objective(name: str, table: Any, source: Source, folder: Path) -> Any:
    path = ("objectives", name)
    settings = dict(_section("objectives", name, table, source))
    try:
        config = objective_config(settings.pop("method", None))
    except TenorError as error:
        raise TenorError(f"{source.place(*path, 'method')}: in [objectives.{name}], {error}") from error
    objective = build(config, settings, source, *path)
    if not hasattr(objective, "located"):
        return objective
    try:
        return objective.located(folder)
    except TenorError as error:
        word = str(error).split(maxsplit=1)[0]
        raise TenorError(f"{source.place(*path, word)}: in [objectives.{name}], {error}") from error


def _check_top(run: RunConfig, source: Source) -> None:
    try:
        PoolingConfig.parse(run.pooling or "mean")
    except TenorError as error:
        raise TenorError(f"{source.place('pooling')}: {error}") from error
    if not run.encoder.strip():
        raise TenorError(
            f"{source.place('encoder')}: encoder is empty; give a starter such as 'minilm', or a folder."
        )
    if run.max_tokens is not None and run.max_tokens < 8:
        raise TenorError(f"{source.place('max_tokens')}: max_tokens is {run.max_tokens}; give at least 8.")
    if not 0 <= run.seed < 2**32:  # what the generators of all our libraries take
        raise TenorError(f"{source.place('seed')}: seed is {run.seed}; expected 0 to {2**32 - 1}.")
