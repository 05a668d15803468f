"""``tenor.classify``: what a model's tasks say of texts, pairs, or a file of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import overload

from tenor.model.encoding import Long
from tenor.model.given import ModelLike, given_model
from tenor.tasks.answer import Answer
from tenor.text.problems import Problems
from tenor.use.classify.classifying import Answered, Row, classify_file
from tenor.use.classify.classifying import classify as classify_with
from tenor.use.notes import log_problems


@overload
def classify(
    texts: Sequence[Row], *, model: ModelLike, task: str | None = ..., long: Long = ...
) -> list[dict[str, Answer]]: ...


@overload
def classify(
    texts: Path,
    *,
    model: ModelLike,
    task: str | None = ...,
    long: Long = ...,
    columns: Mapping[str, str | int] | None = ...,
    strict: bool = ...,
) -> list[Answered]: ...


def classify(
    texts: Sequence[Row] | Path,
    *,
    model: ModelLike,
    task: str | None = None,
    long: Long = "truncate",
    columns: Mapping[str, str | int] | None = None,
    strict: bool = False,
) -> list[dict[str, Answer]] | list[Answered]:
    """Say of every text, or pair of texts, what a model's tasks make of it: an answer by task.

    A ``Path`` is a file of texts or pairs; ``columns`` says which of its columns holds the ``text``, or the
    ``first`` and ``second``. ``task`` is one of the model's; all that fit when None.

    >>> import tenor
    >>> (answers,) = tenor.classify(["A wonderful film."], model="minilm")
    >>> answers["sentiment"].predicted
    'positive'
    """
    tasks = None if task is None else [task]
    if isinstance(texts, str):
        raise TypeError("classify takes a list of texts or a Path; a single text goes in a list of its own.")
    if not isinstance(texts, Path):
        texts = texts.tolist() if hasattr(texts, "tolist") else texts
        return classify_with(given_model(model), texts, tasks=tasks, long=long)
    problems = Problems(strict)
    single = None if columns is None else columns.get("text")
    answered = list(
        classify_file(
            given_model(model),
            texts,
            tasks=tasks,
            column=single,
            columns=columns if single is None else None,
            long=long,
            problems=problems,
        )
    )
    log_problems(problems)
    return answered
