"""The examples of a task, read from its files as its section of the run file says."""

from collections.abc import Iterator
from pathlib import Path

from tenor.tasks.config import TaskConfig
from tenor.text.examples import Pair, Sentence
from tenor.text.problems import Problems
from tenor.text.readers import read_pairs, read_texts
from tenor.text.tally import Tally


def read_examples(task: TaskConfig, file: Path, *, problems: Problems) -> Iterator[Sentence] | Iterator[Pair]:
    """Yield the examples of one of the task's files; rows without text, label or score are reported."""
    if task.kind == "classify":
        return read_texts(
            file,
            column=task.columns["text"],
            label=task.columns["label"],
            delimiter=task.delimiter,
            quote=task.quote,
            header=task.header,
            problems=problems,
        )
    return read_pairs(
        file,
        columns=task.columns,
        delimiter=task.delimiter,
        quote=task.quote,
        header=task.header,
        problems=problems,
    )


def faults(task: TaskConfig, train: Tally, dev: Tally | None) -> list[str]:
    """Say why nothing could be learned from these examples, if so."""
    found = []
    if task.kind in ("classify", "pair"):
        if train.too_many_labels:
            found.append(f"the label has more than {len(train.labels):,} values; is it the right column?")
        elif len(train.labels) < 2:
            found.append(f"every label is {next(iter(train.labels), '')!r}; at least two values are needed")
        unknown = sorted(set(dev.labels) - set(train.labels)) if dev and not train.too_many_labels else []
        if unknown:
            shown = ", ".join(map(repr, unknown[:5]))
            found.append(f"the dev file has labels that the train file has not: {shown}")
    scores = train.scores()
    if task.kind == "similarity" and scores is not None and scores.least == scores.most:
        found.append(f"every score is {scores.least:g}; at least two values are needed")
    return found
