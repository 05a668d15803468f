"""What is predicted: kinds of tasks, each with its settings, its examples, its head and its scores."""

from tenor.tasks.config import TaskConfig
from tenor.tasks.kind import Kind
from tenor.tasks.spec import TaskSpec

__all__ = ["Kind", "TaskConfig", "TaskSpec"]
