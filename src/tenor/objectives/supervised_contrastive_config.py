"""Settings of the supervised contrastive objective, apart so that run files are read without torch."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.objectives.supervised_contrastive import SupervisedContrastive


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisedContrastiveConfig:
    """``[objectives.NAME]`` with ``method = "supervised_contrastive"``."""

    weight: float = 1.0
    """Of the loss beside the task's own."""
    temperature: float = 0.1
    """Divides the cosines; lower looks more at the nearest of the other classes."""
    tasks: tuple[str, ...] | None = None
    """The tasks that it presses on. Default: all whose rows have one class and one text."""

    def __post_init__(self) -> None:
        for name in ("weight", "temperature"):
            if not getattr(self, name) > 0:
                raise TenorError(f"{name} is {getattr(self, name)}; it must be above 0.")

    def build(self, name: str) -> "SupervisedContrastive":
        """Make the objective."""
        from tenor.objectives.supervised_contrastive import SupervisedContrastive

        return SupervisedContrastive(name, self)
