"""The examples of a task, read from its files as its section of the run file says."""

from collections.abc import Iterator
from pathlib import Path

from tenor.tasks.config import TaskConfig
from tenor.text.columns import column_names, resolve_all, take_head
from tenor.text.examples import Pair, Row, Sentence, Triple
from tenor.text.problems import Problems
from tenor.text.readers import read_pairs, read_rows, read_texts
from tenor.text.tally import Tally

Example = Sentence | Pair | Triple


def read_examples(task: TaskConfig, file: Path, *, problems: Problems) -> Iterator[Example]:
    """Yield the examples of one of the task's files; rows without text, label or score are reported."""
    if task.kind in ("classify", "language"):
        return read_texts(
            file,
            column=task.columns.get("text"),
            label=task.columns.get("label"),
            delimiter=task.delimiter,
            quote=task.quote,
            header=task.header,
            problems=problems,
        )
    if "negative" in task.columns:
        return _triples(task, file, problems)
    return read_pairs(
        file,
        columns=task.columns,
        delimiter=task.delimiter,
        quote=task.quote,
        header=task.header,
        problems=problems,
    )


def _triples(task: TaskConfig, file: Path, problems: Problems) -> Iterator[Triple]:
    rows = read_rows(file, delimiter=task.delimiter, quote=task.quote, header=task.header, problems=problems)
    head = take_head(rows)
    at = resolve_all(task.columns, column_names(head), str(file))
    for part in (head, rows):
        yield from (triple for row in part if (triple := _triple(row, at, problems)) is not None)


def _triple(row: Row, at: dict[str, str], problems: Problems) -> Triple | None:
    texts = {role: row.values.get(name, "") for role, name in at.items()}
    for role, text in texts.items():
        if not text.strip():
            problems.add_row(row, f"the {role} text is empty; row left out")
            return None
    return Triple(texts["first"], texts["second"], texts["negative"], row.origin)


def faults(task: TaskConfig, train: Tally, dev: Tally | None) -> list[str]:
    """Say why nothing could be learned from these examples, if so."""
    found = []
    if task.kind in ("classify", "pair"):
        found += _label_faults(task, train, dev)
    for tally, file in ((train, "train"), (dev, "dev")):
        scores = tally.scores() if tally is not None else None
        if task.kind != "similarity" or scores is None:
            continue
        low, high = (0.0, task.scale) if task.scale is not None else task.range or (scores.least, scores.most)
        if scores.least < low or scores.most > high:
            found.append(
                f"the {file} file has scores from {scores.least:g} to {scores.most:g}, outside of the range "
                f"{low:g} to {high:g}"
            )
        if file == "train" and scores.least == scores.most:
            found.append(f"every score is {scores.least:g}; at least two values are needed")
    return found


def _label_faults(task: TaskConfig, train: Tally, dev: Tally | None) -> list[str]:
    labels, unknown = _split(train, task.multi_label), []
    if (text := _text_for_label(train)) is not None:
        return [f"the labels look like texts ({text[:60]!r}); are the columns of text and label swapped?"]
    if train.too_many_labels and task.multi_label is None:
        return [f"the label has more than {len(train.labels):,} values; is it the right column?"]
    if len(labels) < 2:
        return [f"every label is {next(iter(labels), '')!r}; at least two values are needed"]
    if task.labels is not None:
        unknown = sorted(labels - set(task.labels))
        if unknown:
            return [f"labels does not name what the train file has: {_some(unknown)}"]
        labels = set(task.labels)
    if dev is not None and not train.too_many_labels:
        unknown = sorted(_split(dev, task.multi_label) - labels)
    return [f"the dev file has labels that the train file has not: {_some(unknown)}"] if unknown else []


def _text_for_label(tally: Tally) -> str | None:
    """Return a label where labels are longer than the texts and hardly ever the same twice."""
    words = tally.words()
    if words is None or len(tally.labels) <= tally.count / 2 or tally.count < 4:
        return None
    sizes = sorted(len(label.split()) for label in tally.labels)
    return max(tally.labels, key=len) if sizes[len(sizes) // 2] > max(2, words.median) else None


def _split(tally: Tally, separator: str | None) -> set[str]:
    if separator is None:
        return set(tally.labels)
    parts = {part.strip() for label in tally.labels for part in label.split(separator)}
    return parts - {""}


def _some(labels: list[str]) -> str:
    return ", ".join(map(repr, labels[:5]))
