"""After training: heads whose probabilities mean what they say, for the tasks that ask for it."""

from collections.abc import Mapping

import numpy as np

from tenor.errors import TenorError
from tenor.tasks.calibration import Calibration, fit_calibration
from tenor.tasks.config import TaskConfig
from tenor.tasks.text_task import TextTask
from tenor.training.evaluation import predict_task
from tenor.training.task_learner import TaskLearner


def check_calibration(tasks: Mapping[str, TaskConfig]) -> None:
    """Refuse to change a head that another task uses as well, unless for chances of the same."""
    for name, task in tasks.items():
        chances = task.loss == "cross_entropy" and (task.range == (0.0, 1.0) or task.scale == 1.0)
        if task.share is not None and tasks[task.share].calibrate and not chances:
            raise TenorError(
                f"Task {task.share}: calibrate would change the head that {name!r} shares with it; leave out "
                "one of the two."
            )


def calibrate_heads(learner: TaskLearner, tasks: Mapping[str, TaskConfig]) -> dict[str, Calibration]:
    """Fit the heads of the tasks that ask for it to their dev rows, and return what was fitted."""
    found = {}
    for name, config in tasks.items():
        if not config.calibrate:
            continue
        task, data = learner.network.task(name), learner.dev[name]
        assert isinstance(task, TextTask)
        assert data.targets is not None
        predictions, _ = predict_task(learner.network, name, data)
        found[name] = fit_calibration(
            np.asarray(predictions, dtype=np.float64), data.targets, outputs=task.spec.outputs
        )
        task.head.rescale(found[name].slope, found[name].offsets)
    return found
