"""Settings of the prior of word operators, apart so that run files are read without torch."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.objectives.operator_prior import OperatorPrior

Of = Literal["words", "running"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorPriorConfig:
    """``[objectives.NAME]`` with ``method = "operator_prior"``."""

    weight: float = 0.05
    """Of the divergence beside the tasks' losses."""
    of: Of = "words"
    """What is held near N(0, I): what each word makes of N(0, I) by itself, or the text after each word."""
    tasks: tuple[str, ...] | None = None
    """The tasks whose texts it presses on. Default: all."""

    def __post_init__(self) -> None:
        if not self.weight > 0:
            raise TenorError(f"weight is {self.weight}; it must be above 0.")
        if self.of not in get_args(Of):
            raise TenorError(f"of is {self.of!r}; known are {', '.join(get_args(Of))}.")

    def build(self, name: str) -> "OperatorPrior":
        """Make the objective."""
        from tenor.objectives.operator_prior import OperatorPrior

        return OperatorPrior(name, self)
