"""How good a model is on labelled data: every score of a task with its interval."""

from tenor.use.evaluate.evaluating import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
