"""Drafting a run file for a data file: the kind of task and the columns are guessed from its content."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

from tenor.errors import TenorError
from tenor.files import atomic_file
from tenor.tasks.config import ROLES, Kind, TaskConfig
from tenor.tasks.glue import glue_config
from tenor.text.columns import Roles
from tenor.text.glue import glue_file, glue_task
from tenor.text.names import LABEL, plain
from tenor.text.problems import Problems
from tenor.text.readers import find_format
from tenor.text.sniff import Format
from tenor.text.survey import Survey, survey
from tenor.training.check import check_task
from tenor.training.config import RunConfig
from tenor.training.resolved import to_toml

_EXPLAINED: dict[Kind, str] = {
    "classify": "puts each text into one of the classes of its label",
    "pair": "puts each pair of texts into one of the classes of its label",
    "similarity": "learns the score of each pair of texts",
    "match": "learns that the two texts of a row belong together; be sure that they mean the same",
}


def draft_run(data: str | Path, *, out: str | Path) -> str:
    """Return the text of a run file for ``data``, to be written to ``out``; it passes ``check_run`` there."""
    if str(data) == "-":
        raise TenorError("A run file needs the name of a data file; standard input has none.")
    found = survey(data, problems=Problems())
    kind = guess_kind(found.roles)
    if kind is None:
        raise TenorError(
            f"{data}: no task could be guessed. A text column and a label, or two text columns, are needed; "
            f"found: {_found(found)}. Write the run file by hand if they are there."
        )
    form = find_format(data)
    task = _task(kind, Path(data), found, form)
    dev = _dev_file(Path(data), task)
    report = check_task("draft", task)
    if report.wrong:
        raise TenorError(f"{data}: it looks like a {kind!r} task, but {report.wrong[0]}.")
    return _text(task, dev, found, Path(out))


def guess_kind(roles: Roles) -> Kind | None:
    """Guess what is to be learned from the columns that there are."""
    label_by_name = roles.label is not None and plain(roles.label) in LABEL
    if roles.pair is not None:
        if roles.score is not None and not label_by_name:
            return "similarity"
        return "match" if roles.label is None else "pair"
    return "classify" if roles.text is not None and roles.label is not None else None


def _found(found: Survey) -> str:
    roles = found.roles
    texts = f"text in {', '.join(roles.texts)}" if roles.texts else "no text"
    return f"{texts}; {'label ' + roles.label if roles.label else 'no label'}"


def _task(kind: Kind, data: Path, found: Survey, form: Format) -> TaskConfig:
    roles = found.roles
    first, second = roles.pair or ("", "")
    names = {"text": roles.text, "first": first, "second": second, "label": roles.label, "score": roles.score}
    numbered = form.layout is not None and form.layout.names is None
    columns = {role: _column(names[role] or "", numbered) for role in ROLES[kind]}
    layout = form.layout
    if layout is None:
        return TaskConfig(kind=kind, train=data, columns=columns)
    return TaskConfig(
        kind=kind,
        train=data,
        columns=columns,
        delimiter=layout.delimiter,
        quote=layout.quote,
        header=not numbered,
    )


def _column(name: str, numbered: bool) -> str | int:
    return int(name) if numbered else name


def _dev_file(data: Path, task: TaskConfig) -> Path | None:
    """Find a dev file beside a train file, if one is there that reads the same way."""
    for word in ("dev", "val", "valid", "validation"):
        name = re.sub(r"(?<![a-z])train(?![a-z])", word, data.name, count=1, flags=re.IGNORECASE)
        beside = data.with_name(name)
        if name != data.name and beside.is_file():
            return beside if not check_task("draft", replace(task, dev=beside)).wrong else None
    return None


def _text(task: TaskConfig, dev: Path | None, found: Survey, out: Path) -> str:
    columns = ", ".join(f"{role} = {_toml(name)}" for role, name in task.columns.items())
    lines = [
        f"# Written by `tenor init`. Look it over, then: tenor check {out.name}",
        f"# and, to train: tenor train {out.name} --out DIR",
        'encoder = "minilm"       # a starter, a model folder, or "hub:bert-base-uncased"',
        'pooling = "mean"         # how the vectors of a text\'s tokens become one: mean, cls, max, …',
        "seed = 1",
        "",
        f"[tasks.{_name(task.train)}]",
        f"kind = {_toml(task.kind)}   # {_EXPLAINED[task.kind]}",
        f"train = {_toml(_relative(task.train, out))}   # {found.tally.count:,} examples",
        _dev_line(dev, out),
        f"columns = {{ {columns} }}   # guessed; there are: {_comment(', '.join(found.columns[:20]))}",
        *_layout_lines(task),
        "batch = 16               # examples of this task in a step",
        "weight = 1.0             # of this task's loss in the sum of all tasks",
        "",
        "[training]",
        "epochs = 10",
        "tokens_per_pass = 4096   # bounds memory only, never changes results",
        "encoder_rate = 1e-5",
        "head_rate = 1e-3",
    ]
    return "\n".join(lines) + "\n"


def _dev_line(dev: Path | None, out: Path) -> str:
    if dev is not None:
        return f"dev = {_toml(_relative(dev, out))}"
    return '# dev = "…"              # examples that are not trained on, to measure by; none was found'


def _layout_lines(task: TaskConfig) -> list[str]:
    if task.delimiter is None or task.quote is None or task.header is None:
        return []
    return [
        f"delimiter = {_toml(task.delimiter)}",
        f'quote = {_toml(task.quote)}               # "" where quotes are ordinary text',
        f"header = {str(task.header).lower()}",
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
            raise TenorError(f"{part} is not there; give the folder with the official files of {name}.")
    section = glue_config(task, _relative(folder, out), batch=16)
    told = to_toml(RunConfig(max_tokens=128, tasks={name: section})).partition("[training]")[0]
    lines = [
        f"# Written by `tenor init --glue {name}`. Then: tenor train {out.name} --out DIR",
        f"# and for the server: tenor classify {task.test}.tsv --glue {name} --model DIR/model --out ANSWERS",
        told.rstrip(),
        "",
        "[training]   # for the starter; for BERT base batch = 32 and 3e-5 for both rates are usual",
        "epochs = 3",
        "encoder_rate = 1e-4",
        "head_rate = 1e-3",
    ]
    return "\n".join(lines) + "\n"


def write_draft(data: str | Path, *, out: str | Path, glue: str | None = None) -> None:
    """Write a run file for a file, or with ``glue`` for a folder; one that exists already is not touched."""
    out = Path(out)
    if out.exists():
        raise TenorError(f"{out} exists already; choose another name with --out, or move it away.")
    text = draft_run(data, out=out) if glue is None else draft_glue(glue, data, out=out)
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise TenorError(
            f"The name of {data} is not UTF-8, so that no run file can hold it; rename the file."
        ) from error
    with atomic_file(out) as aside:
        aside.write_bytes(content)
