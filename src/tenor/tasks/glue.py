"""GLUE's tasks as tasks of a run: two texts as one sequence, the pooler, one linear layer.

    out = W · drop(tanh(P · h_[CLS])) + b

as in the reference script: cross-entropy for classes, squared error on the scale of 0 to 5 for STS-B.
"""

from pathlib import Path
from typing import Any

from tenor.tasks.table import task_config
from tenor.text.glue import GlueTask, glue_file


def glue_config(
    task: GlueTask, folder: str | Path, *, batch_size: int = 32, pooling: str = "pooler", weight: float = 1.0
) -> Any:
    """Return the section of a run file for a task whose official files stand in a folder.

    >>> from tenor.text.glue import GLUE
    >>> config = glue_config(GLUE["mrpc"], "glue/MRPC")
    >>> config.kind, config.encoding, config.metric, config.columns["first"]
    ('pair', 'cross', 'f1', '#1 String')
    """
    roles = ("text",) if len(task.texts) == 1 else ("first", "second")
    answer = "score" if task.graded else "label"
    names = dict(zip((*roles, answer), (*task.texts, task.answer), strict=True))
    columns: dict[str, str | int] = {
        role: task.headless[name] if task.headless else name for role, name in names.items()
    }
    own: dict[str, Any] = {"labels": task.labels} if task.labels else {}
    if task.graded:
        own = {"range": (0.0, 5.0), "loss": "mse", "output": "linear"}
    if len(task.texts) == 2:
        own["encoding"] = "cross"
    return task_config(
        task.kind,
        train=glue_file(task, folder, "train"),
        dev=glue_file(task, folder, "dev"),
        columns=columns,
        delimiter="\t",
        quote="",
        header=not task.headless,
        batch_size=batch_size,
        weight=weight,
        head="linear",
        dropout=0.1,
        pooling=pooling,
        metric=task.metric,
        **own,
    )
