"""The objectives that a run file can name by ``method``: their settings, and what they make."""

from collections.abc import Callable
from typing import Any

from tenor.errors import OF_ONES_OWN, TenorError, did_you_mean
from tenor.objectives.domain_adversarial_config import DomainAdversarialConfig
from tenor.objectives.operator_prior_config import OperatorPriorConfig
from tenor.objectives.smoothness_config import SmoothnessConfig
from tenor.objectives.supervised_contrastive_config import SupervisedContrastiveConfig

OBJECTIVES: dict[str, type[Any]] = {
    "domain_adversarial": DomainAdversarialConfig,
    "operator_prior": OperatorPriorConfig,
    "smart": SmoothnessConfig,
    "supervised_contrastive": SupervisedContrastiveConfig,
}
"""method -> the frozen dataclass of its settings, whose ``build(name)`` makes the objective."""


def register(method: str, config: type[Any]) -> None:
    """Add an objective of one's own, for this process: run files know it then."""
    if OBJECTIVES.get(method, config) is not config:
        raise TenorError(
            f"There is an objective with the method {method!r} already; give yours another name."
        )
    OBJECTIVES[method] = config


def objective_config(method: Any) -> type[Any]:
    """Return the settings of a method, or say which methods there are."""
    if isinstance(method, str) and method in OBJECTIVES:
        return OBJECTIVES[method]
    near = did_you_mean(str(method), OBJECTIVES)
    raise TenorError(f"method is {method!r}; known are {', '.join(OBJECTIVES)}.{near or ' ' + OF_ONES_OWN}")


Build = Callable[[str], Any]
