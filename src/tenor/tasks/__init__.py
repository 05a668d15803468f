"""What is predicted: a task is a name, a kind, where its data is, and how much it weighs."""

from tenor.tasks.config import ROLES, TaskConfig
from tenor.tasks.data import read_examples

__all__ = ["ROLES", "TaskConfig", "read_examples"]
