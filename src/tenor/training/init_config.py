"""Drafting a run file for a data file: the kind of task and the columns are guessed from its content."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path

from tenor.errors import TenorError
from tenor.files import atomic_file
from tenor.tasks.config import TableConfig, TaskConfig
from tenor.tasks.glue import glue_config
from tenor.tasks.kind import Kind
from tenor.tasks.table import KINDS, kind_of
from tenor.tasks.texts.kind import layout_of
from tenor.text.columns import resolve_all
from tenor.text.file_profile import FileProfile, profile_file
from tenor.text.glue import glue_file, glue_task
from tenor.text.problems import Problems
from tenor.training.check import check_task
from tenor.training.config import RunConfig
from tenor.training.config_dump import to_toml

_DEV_PART = 0.2
_WRITTEN = ("kind", "train", "dev", "columns", "delimiter", "quote", "header")
_ENOUGH_FOR_DEV = 10  # rows; of fewer, none can be spared


def draft_run(
    data: str | Path,
    *,
    out: str | Path,
    kind: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> str:
    """Return the text of a run file for ``data``, to be written to ``out``; it passes ``check_run`` there.

    ``kind``, ``columns`` (role to column) and the ``encoding`` of the file are guessed where not given.
    """
    if str(data) == "-":
        raise TenorError("A run file needs the name of a data file; standard input has none.")
    task, found = (
        guess_task(data, encoding)
        if kind is None and not columns
        else _asked_task(data, kind, columns, encoding)
    )
    task = replace(task, file_encoding=encoding)
    dev = _dev_file(Path(data), task)
    report = check_task("draft", task)
    if report.wrong:
        raise TenorError(f"{data}: it looks like a {task.kind!r} task, but {report.wrong[0]}.")
    assert report.train is not None
    guessed = "" if columns else _guessed(found)
    others = () if found is None else found.columns
    return _text(task, dev, report.train.tally.count, others, Path(out), guessed=guessed)


def _guessed(found: FileProfile | None) -> str:
    """Say that columns are guessed, and which others could be the label."""
    others = () if found is None else found.roles.other_labels[:5]
    return f"guessed (the label may also be {' or '.join(others)}); " if others else "guessed; "


def guess_task(data: str | Path, encoding: str | None = None) -> tuple[TaskConfig, FileProfile | None]:
    """Ask every kind whether a data file looks like one of its own; a survey where the file is a table."""
    for kind in KINDS.values():
        if (config := kind.guess(data, None)) is not None:
            return config, None
    found = profile_file(data, encoding=encoding, problems=Problems())
    for kind in KINDS.values():
        if (config := kind.guess(data, found)) is not None:
            return config, found
    if not found.rows or ((found.roles.text or found.roles.pair) and not found.usable):
        raise TenorError(f"{data} has no row with a text.{found.problems.first_told()}")
    raise TenorError(
        f"{data}: no task could be guessed. A text column and a label, two text columns, or words with tags "
        f"are needed; found: {_found(found)}. Say which columns to use, such as "
        "--columns text=COLUMN,label=COLUMN."
    )


def _asked_task(
    data: str | Path, kind: str | None, columns: Mapping[str, str] | None, encoding: str | None
) -> tuple[TaskConfig, FileProfile | None]:
    """Return a task of a kind or with columns that a person names; what they do not name is guessed."""
    kinds = list(KINDS.values()) if kind is None else [kind_of(kind)]
    if columns:
        return _with_columns(data, kinds, columns, encoding)
    found: FileProfile | None = None
    for survey in (None, profile_file(data, encoding=encoding, problems=Problems())):
        found = survey
        if (config := kinds[0].guess(data, survey)) is not None:
            return config, survey
    assert found is not None
    roles = _roles(kinds[0])
    named = ",".join(f"{role}=COLUMN" for role in roles)
    advice = f" Say which columns to use: --columns {named}." if roles else ""
    raise TenorError(f"{data} does not look like a {kind!r} task; found: {_found(found)}.{advice}")


def _with_columns(
    data: str | Path, kinds: Sequence[Kind], columns: Mapping[str, str], encoding: str | None
) -> tuple[TaskConfig, FileProfile | None]:
    tables = [each for each in kinds if issubclass(each.config, TableConfig)]
    fit = [each for each in tables if set(_roles(each)) == set(columns)]
    if not fit:
        known = "; ".join(f"{each.name}: {', '.join(_roles(each))}" for each in tables if _roles(each))
        raise TenorError(f"--columns names {', '.join(columns)}; these are the parts of tasks: {known}.")
    found = profile_file(data, columns=columns, encoding=encoding, problems=Problems())
    if (config := fit[0].guess(data, found)) is not None:
        return config, found
    names = resolve_all(columns, found.columns, str(data))
    return fit[0].config(kind=fit[0].name, train=Path(data), **layout_of(data, names, encoding)), found


def _roles(kind: Kind) -> tuple[str, ...]:
    return kind.config.roles if issubclass(kind.config, TableConfig) else ()


def _found(found: FileProfile) -> str:
    roles = found.roles
    texts = f"text in {', '.join(roles.texts)}" if roles.texts else "no text"
    return f"{texts}; {'label ' + roles.label if roles.label else 'no label'}"


def _dev_file(data: Path, task: TaskConfig) -> Path | None:
    """Find a dev file beside a train file, if one is there that reads the same way."""
    for word in ("dev", "val", "valid", "validation"):
        name = re.sub(r"(?<![a-z])train(?![a-z])", word, data.name, count=1, flags=re.IGNORECASE)
        beside = data.with_name(name)
        if name != data.name and beside.is_file():
            return beside if not check_task("draft", replace(task, dev=beside)).wrong else None
    return None


def _text(
    task: TaskConfig, dev: Path | None, examples: int, columns: Sequence[str], out: Path, *, guessed: str
) -> str:
    assert task.train is not None
    usual = {"epochs": 10, "encoder_lr": 5e-5, "head_lr": 1e-3}
    training = usual | dict(kind_of(task.kind).suggested_training(examples))
    lines = [
        f"# Written by `tenor init`. Look it over, then: tenor check {out.name}",
        f"# and, to train: tenor train {out.name} --out DIR",
        'encoder = "minilm"       # a starter, a model folder, or "hub:bert-base-uncased"',
        "seed = 1",
        "",
        f"[tasks.{_name(task.train)}]",
        f"kind = {_toml(task.kind)}   # {kind_of(task.kind).about}",
        f"train = {_toml(_relative(task.train, out))}   # {examples:,} examples",
        _dev_line(dev, out, examples),
        *_table_lines(task, columns, guessed=guessed),
        "",
        "[training]               # what is left out is chosen by rows, classes, tasks and encoder",
        f"# epochs = {training['epochs']}",
        f"# encoder_lr = {training['encoder_lr']:g}      # learning rates of the encoder and of heads",
        f"# head_lr = {training['head_lr']:g}",
    ]
    return "\n".join(lines) + "\n"


def _dev_line(dev: Path | None, out: Path, examples: int) -> str:
    if dev is not None:
        return f"dev = {_toml(_relative(dev, out))}"
    if examples >= _ENOUGH_FOR_DEV:
        return f"dev = {_DEV_PART}                # this part of the rows is kept for evaluation; or a file"
    return '# dev = "…"              # examples that are not trained on, for evaluation; none was found'


def _table_lines(task: TaskConfig, columns: Sequence[str], *, guessed: str) -> list[str]:
    """Write columns and layout of a table; other files have neither."""
    if not isinstance(task, TableConfig):
        return []
    named = ", ".join(f"{role} = {_toml(name)}" for role, name in task.columns.items())
    others = _comment(f"{guessed}there are: {', '.join(columns[:20])}")
    lines = [f"columns = {{ {named} }}   # {others}"]
    extra = [
        f"{each.name} = {_toml(value)}" + ("" if each.name == "file_encoding" else "   # guessed")
        for each in fields(task)
        if each.name not in _WRITTEN and (value := getattr(task, each.name)) != each.default
    ]
    if task.delimiter is None or task.quote is None or task.header is None:
        return [*lines, *extra]
    return [
        *lines,
        f"delimiter = {_toml(task.delimiter)}",
        f'quote = {_toml(task.quote)}               # "" where quotes are ordinary text',
        f"header = {str(task.header).lower()}",
        *extra,
    ]


def _name(data: Path) -> str:
    """Name the task after the file, or after its folder where the file is called train.tsv."""
    for stem in (data.name.split(".")[0], data.absolute().parent.name):
        stem = re.sub(r"(?i)(?<![a-z])(train|dev|test|val|valid|data)(?![a-z])", "", stem)
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-_")
        if stem:
            return stem
    return "task"


def _relative(file: Path, out: Path) -> str:
    try:
        return Path(os.path.relpath(file, out.parent)).as_posix()
    except ValueError:  # on another drive
        return file.resolve().as_posix()


def _comment(text: str) -> str:
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def _toml(value: str | int) -> str:
    """Write a value for TOML, whose strings are those of JSON but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def draft_glue(name: str, folder: str | Path, *, out: str | Path) -> str:
    """Return the text of a run file for a task of GLUE whose official files stand in a folder."""
    task, folder, out = glue_task(name), Path(folder), Path(out)
    for part in (glue_file(task, folder, "train"), glue_file(task, folder, "dev")):
        if not part.is_file():
            raise TenorError(f"{part} does not exist; give the folder with the official files of {name}.")
    section = glue_config(task, _relative(folder, out), batch_size=16)
    told = to_toml(RunConfig(max_tokens=128, tasks={name: section})).partition("[training]")[0]
    lines = [
        f"# Written by `tenor init --glue {name}`. Then: tenor train {out.name} --out DIR",
        f"# and for the server: tenor classify {task.test}.tsv --glue {name} --model DIR/model --out ANSWERS",
        told.rstrip(),
        "",
        "[training]   # for the starter; for BERT base, batch_size = 32 and learning rates of 3e-5 are usual",
        "epochs = 3",
        "encoder_lr = 1e-4",
        "head_lr = 1e-3",
    ]
    return "\n".join(lines) + "\n"


def write_draft(
    data: str | Path,
    *,
    out: str | Path,
    glue: str | None = None,
    kind: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> None:
    """Write a run file for a file, or with ``glue`` for a folder; one that exists already is not touched."""
    out = Path(out)
    if out.exists():
        raise TenorError(f"{out} exists already; choose another name with --out, or move it away.")
    if glue is not None and (kind is not None or columns):
        raise TenorError("--glue says kind and columns itself; leave out --kind and --columns.")
    text = (
        draft_run(data, out=out, kind=kind, columns=columns, encoding=encoding)
        if glue is None
        else draft_glue(glue, data, out=out)
    )
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise TenorError(
            f"The name of {data} is not UTF-8, so that no run file can hold it; rename the file."
        ) from error
    with atomic_file(out) as aside:
        aside.write_bytes(content)
