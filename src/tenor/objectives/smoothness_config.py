"""Settings of smoothness-inducing adversarial regularisation, free of torch."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.objectives.smoothness import Smoothness


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothnessConfig:
    """``[objectives.NAME]`` with ``method = "smart"``."""

    weight: float = 1.0
    """Of the penalty beside the task's own loss."""
    epsilon: float = 1e-5
    """The size of the noise that the search begins with."""
    step_size: float = 1e-3
    """How far the noise moves along its gradient."""
    tasks: tuple[str, ...] | None = None
    """The tasks that it presses on. Default: all that give numbers per row."""

    def __post_init__(self) -> None:
        for name in ("weight", "epsilon", "step_size"):
            if not getattr(self, name) > 0:
                raise TenorError(f"{name} is {getattr(self, name)}; it must be above 0.")

    def build(self, name: str) -> "Smoothness":
        """Make the objective."""
        from tenor.objectives.smoothness import Smoothness

        return Smoothness(name, self)
