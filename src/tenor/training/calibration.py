"""After training: heads whose probabilities mean what they say, for the tasks that ask for it."""

from collections.abc import Mapping

import numpy as np

from tenor.tasks.config import TaskConfig
from tenor.tasks.texts.calibration import Calibration, fit_calibration
from tenor.tasks.texts.task import TextTask
from tenor.training.evaluation import predict_task
from tenor.training.task_learner import TaskLearner


def calibrate_heads(learner: TaskLearner, tasks: Mapping[str, TaskConfig]) -> dict[str, Calibration]:
    """Fit the heads of the tasks that ask for it to their dev rows, and return what was fitted."""
    found = {}
    for name, config in tasks.items():
        if not getattr(config, "calibrate", None):
            continue
        task, data = learner.network.task(name), learner.dev[name]
        assert isinstance(task, TextTask)
        assert isinstance(data.targets, np.ndarray)
        predictions, _ = predict_task(learner.network, name, data)
        found[name] = fit_calibration(
            np.asarray(predictions, dtype=np.float64), data.targets, outputs=task.spec.outputs
        )
        task.head.rescale(found[name].slope, found[name].offsets)
    return found
