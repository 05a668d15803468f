"""What a model's tasks say of texts or pairs: labels with probabilities, and scores; or of a whole file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tenor.errors import TenorError
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.model.heads import TrainedTask, find_task
from tenor.model.predicting import predict, predict_from_vectors, reads_vectors
from tenor.tasks.answer import Answer
from tenor.text.examples import Pair, Sentence
from tenor.text.header import is_number
from tenor.text.problems import Problems
from tenor.text.readers import read_pairs, read_texts
from tenor.use.classify.columns import columns_of_texts
from tenor.use.text_watch import TextWatch
from tenor.use.windows import windows

Row = str | tuple[str, str]
WINDOW_ROWS = 8_192
WINDOW_CHARACTERS = 8_000_000


@dataclass(frozen=True, slots=True)
class Answered:
    """A text or pair of a file and what each task says of it."""

    example: Sentence | Pair
    answers: Mapping[str, Answer]

    def to_json(self) -> dict[str, Any]:
        """Return line, texts and answers for programs."""
        texts = self.example.texts
        named = {"text": texts[0]} if len(texts) == 1 else dict(zip(("first", "second"), texts, strict=True))
        return {"line": self.example.origin.line, **named, "tasks": self._tasks()}

    def added(self, *, nested: bool) -> dict[str, Any]:
        """Return what is written beside the columns of the row: its line, and the answers.

        In a table they are a column for each task, and further ones such as ``mood:good`` for probabilities.
        """
        line = {"line": self.example.origin.line}
        if nested:
            return {**line, "tasks": self._tasks()}
        cells: dict[str, Any] = dict(line)
        for name, answer in self.answers.items():
            for part, cell in answer.cells().items():
                number = isinstance(answer.predicted, float) if not part else is_number(cell)
                cells[f"{name}:{part}" if part else name] = float(cell) if number else cell
        return cells

    def _tasks(self) -> dict[str, Any]:
        return {name: answer.to_json() for name, answer in self.answers.items()}


def classify(
    model: Model,
    rows: Sequence[Row],
    *,
    tasks: Sequence[str] | None = None,
    long: Long = "truncate",
    progress: Callable[[int], None] | None = None,
) -> list[dict[str, Answer]]:
    """Return what each task says of each text, or of each pair of texts.

    ``tasks`` are all that fit when None: those about single texts for texts, those about two for pairs.
    """
    if isinstance(rows, str):
        raise TypeError("classify takes a list of texts; a single text goes in a list of its own.")
    for place, row in enumerate(rows):
        if not isinstance(row, str | Sequence):
            raise TenorError(
                f"classify takes texts or pairs of texts, but number {place} (from 0) is {row!r:.40} "
                f"({type(row).__name__})."
            )
    sides = {1 if isinstance(row, str) else len(row) for row in rows}
    if len(sides) > 1 or not sides <= {1, 2}:
        raise TypeError("classify takes a list of texts, or a list of pairs of texts, not a mixture.")
    found = chosen_tasks(model, tasks, pairs=sides == {2})
    texts = [(row,) if isinstance(row, str) else tuple(row) for row in rows]
    return _answers(model, found, texts, long, progress)


def classify_file(
    model: Model,
    path: str | Path,
    *,
    tasks: Sequence[str] | None = None,
    column: str | int | None = None,
    columns: Mapping[str, str | int] | None = None,
    long: Long = "truncate",
    encoding: str | None = None,
    rows: bool = False,
    watch: TextWatch | None = None,
    problems: Problems,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Answered]:
    """Yield the answers for the texts of a file in order, in memory that does not grow with the file.

    Pairs are read where the tasks are about two texts; ``columns`` then names both (first, second),
    ``column`` that of single texts; what is left out is as it was in training, where the file has such
    columns, or found by content. Empty texts are reported and left out. With ``rows`` every example has its
    whole row with it; ``watch`` sees the texts.
    """
    pairs = columns is not None or (column is None and _only_pairs(model, tasks))
    found = chosen_tasks(model, tasks, pairs=pairs)
    if column is None and columns is None:
        trained = columns_of_texts(found, path, encoding=encoding)
        column, columns = (None, trained or None) if pairs else (trained.get("text"), None)
    how: dict[str, Any] = {"rows": rows, "encoding": encoding, "problems": problems}
    read: Iterator[Sentence | Pair] = (
        read_pairs(path, columns=columns, **how) if pairs else read_texts(path, column=column, **how)
    )
    for window in windows(read, _characters, most=WINDOW_ROWS, most_characters=WINDOW_CHARACTERS):
        if watch is not None:
            watch.see([text for example in window for text in example.texts])
        answers = _answers(model, found, [example.texts for example in window], long, progress)
        for example, answer in zip(window, answers, strict=True):
            yield Answered(example, answer)


def chosen_tasks(model: Model, names: Sequence[str] | None, *, pairs: bool) -> list[TrainedTask]:
    """Return the tasks of the given names, or all that fit, or say what is wrong."""
    if names is None:
        tasks = [task for task in model.tasks.values() if _fits(task, pairs) and _answers_rows(task)]
        if tasks:
            return tasks
        others = ", ".join(model.tasks)
        if others and all(task.spec.answers_words for task in model.tasks.values()):
            raise TenorError(f"{model.name} tags words ({others}): use tenor tag.")
        about = "two texts" if pairs else "single texts"
        pair_hint = "" if pairs else " Those about two texts read pairs (--columns FIRST,SECOND)."
        hint = f"Its tasks: {others}.{pair_hint}" if others else "Train some with tenor train."
        raise TenorError(f"{model.name} has no task about {about}. {hint}")
    tasks = [find_task(model.tasks, name, model=model.name) for name in names]
    for task in tasks:
        if task.spec.answers_words:
            raise TenorError(f"Task {task.name} tags words: use tenor tag.")
        if not _answers_rows(task):
            raise TenorError(
                f"Task {task.name} gives {task.spec.gives}, not labels: use tenor embed or compare."
            )
        if not _fits(task, pairs):
            needed, given = ("two texts", "single texts") if not pairs else ("single texts", "pairs")
            raise TenorError(f"Task {task.name} is about {needed}, but {given} were given.")
    return tasks


def _answers_rows(task: TrainedTask) -> bool:
    return task.spec.answers_rows and not task.spec.answers_words


def _answers(
    model: Model,
    tasks: Sequence[TrainedTask],
    rows: Sequence[Sequence[str]],
    long: Long,
    progress: Callable[[int], None] | None,
) -> list[dict[str, Answer]]:
    found: list[dict[str, Answer]] = [{} for _ in rows]
    if not rows:
        return found
    texts = list(zip(*rows, strict=True))  # sides, each of n texts
    shared = [task for task in tasks if reads_vectors(model, task)]
    if shared:
        # One pass serves all heads that read the model's own vectors.
        vectors = np.split(model.pooled([text for side in texts for text in side], long=long), len(texts))
    for task in tasks:
        if task in shared:
            predictions = predict_from_vectors(model, task, vectors, texts)
        else:
            predictions = predict(model, task, rows, long=long)
        for answers, answer in zip(found, task.spec.answers(predictions), strict=True):
            answers[task.name] = answer
    if progress is not None:
        progress(len(rows))
    return found


def _only_pairs(model: Model, names: Sequence[str] | None) -> bool:
    """Whether all tasks that are asked for, or all that the model has for rows, are about two texts."""
    if names is not None:
        return all(find_task(model.tasks, name, model=model.name).spec.texts == 2 for name in names)
    tasks = [task for task in model.tasks.values() if _answers_rows(task)]
    return bool(tasks) and all(_fits(task, pairs=True) for task in tasks)


def _fits(task: TrainedTask, pairs: bool) -> bool:
    return (task.spec.texts == 2) is pairs


def _characters(example: Sentence | Pair) -> int:
    return sum(map(len, example.texts))
