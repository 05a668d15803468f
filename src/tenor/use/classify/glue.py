"""Answering the test file of a GLUE task for its server."""

from collections.abc import Callable
from pathlib import Path

from tenor.errors import TenorError
from tenor.files import writing
from tenor.model import Model
from tenor.model.heads import find_task
from tenor.text.examples import Pair
from tenor.text.glue import GlueTask, read_glue, write_answers
from tenor.text.problems import Problems
from tenor.use.classify.classifying import classify


def answer_glue(
    model: Model,
    task: GlueTask,
    test: str | Path,
    folder: str | Path,
    *,
    name: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Path, int]:
    """Write what a model says of every row of a test file into a folder; return the file and how many rows.

    ``name`` is the model's task that answers; when left out the one called as GLUE's, else the only one.
    """
    own = name or (
        task.name if task.name in model.tasks or len(model.tasks) != 1 else next(iter(model.tasks))
    )
    spec = find_task(model.tasks, own, model=model.name).spec
    if spec.kind != task.kind or set(spec.labels_shown) != set(task.labels):
        asked = ", ".join(task.labels) or "numbers from 0 to 5"
        found = ", ".join(spec.labels_shown[:9]) or f"what a task of kind {spec.kind!r} says"
        raise TenorError(
            f"The task {own!r} of {model.name} answers {found}, where {task.name} asks for {asked}"
            f"{' of two texts' if len(task.texts) == 2 else ''}. Choose another with --task, or train one: "
            f"tenor init FOLDER --glue {task.name}."
        )
    rows = [
        (example.texts[0], example.texts[1]) if isinstance(example, Pair) else example.texts[0]
        for example in read_glue(task, test, part="test", problems=Problems(strict=True))
    ]
    answers = [each[own].predicted for each in classify(model, rows, tasks=[own], progress=progress)]
    with writing(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
    return write_answers(task, answers, folder), len(rows)
