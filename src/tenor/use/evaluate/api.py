"""``tenor.evaluate``: the scores of a model's task on labelled rows, in memory or in a file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.model.encoding import Long
from tenor.model.given import ModelLike, given_model
from tenor.tasks.kind import IN_MEMORY
from tenor.tasks.table import kind_of
from tenor.text.examples import Origin
from tenor.text.problems import Problems
from tenor.use.evaluate.evaluating import Evaluation, evaluate_examples, renamed_label, task_or_cosine
from tenor.use.evaluate.evaluating import evaluate as evaluate_file
from tenor.use.notes import log_problems


def evaluate(
    model: ModelLike,
    task: str | None,
    data: str | Path | Sequence[Any],
    *,
    columns: Mapping[str, str | int] | None = None,
    labels: Mapping[str, str] | None = None,
    long: Long = "truncate",
    repeats: int = 1000,
    seed: int = 0,
    strict: bool = False,
) -> Evaluation:
    """Score a task of a model on a file, or on rows: tuples or mappings of its texts and label or score.

    With ``task=None`` it is the model's only task (of a file: the only one that fits); for a model without
    tasks of its own, the cosines of its vectors are compared with the scores of pairs. ``columns`` says which
    column of a file holds what (left out, as in training where the file has these columns), and ``labels``
    what labels of the data are called by the task.
    Every score has a 95% interval, by ``repeats`` bootstrap samples. Rows whose label the task does not have
    are logged and left out of the scores, unless ``strict``, which stops at them.

    >>> import tenor
    >>> rows = [("A wonderful film.", "positive"), ("Dull, and far too long.", "negative")]
    >>> tenor.evaluate("minilm", "sentiment", rows).scores["accuracy"].estimate
    1.0
    """
    opened = given_model(model)
    if isinstance(data, str | Path):
        problems = Problems(strict)
        found = evaluate_file(
            opened,
            data,
            task=task,
            columns=columns,
            rename=labels,
            long=long,
            repeats=repeats,
            seed=seed,
            problems=problems,
        )
        log_problems(problems)
        return found
    if columns is not None:
        raise TenorError("columns are for a file; rows in memory have their parts by name or in order.")
    trained = task_or_cosine(opened, task)
    kind = kind_of(trained.spec.kind)
    examples = [kind.example(row, Origin(IN_MEMORY, number)) for number, row in enumerate(data, start=1)]
    if not examples:
        raise TenorError("No rows are given; expected at least one.")
    renamed = [renamed_label(example, labels) for example in examples] if labels else examples
    problems = Problems(strict)
    found = evaluate_examples(
        opened, trained, renamed, source=IN_MEMORY, long=long, repeats=repeats, seed=seed, problems=problems
    )
    log_problems(problems)
    return found
