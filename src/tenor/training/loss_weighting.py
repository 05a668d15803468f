"""How losses are put together: by fixed weights, or by weights that are learned.

Learned weights take each loss for the negative log-likelihood of a task with noise of its own (Kendall, Gal &
Cipolla, 2018), with s = log σ² learned:

    L = Σ_i exp(-s_i) · w_i · L_i + s_i / 2

so that a task whose loss stays high is trusted less, at a price. Each s begins at 0, which is the fixed sum.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn


class FixedWeights(nn.Module):
    """A weighted sum; a loss of a task takes the task's weight.

    >>> FixedWeights({"mood": 0.5})({"mood": torch.tensor(2.0), "near": torch.tensor(1.0)}).item()
    2.0
    """

    def __init__(self, weights: Mapping[str, float]) -> None:
        super().__init__()
        self.weights = dict(weights)

    def weight(self, name: str) -> float:
        """Return the weight of a loss by its name, which begins with its task's."""
        return self.weights.get(name, self.weights.get(name.partition(".")[0], 1.0))

    def forward(self, losses: Mapping[str, Tensor]) -> Tensor:
        """Return the sum."""
        total = torch.zeros(())
        for name, loss in losses.items():
            total = total.to(loss.device) + self.weight(name) * loss
        return total

    def penalty(self, names: Sequence[str]) -> Tensor | None:
        """Return what learned weights cost; fixed ones cost nothing."""
        return None


class UncertaintyWeights(FixedWeights):
    """A sum whose weights are learned, one for each task."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        super().__init__(weights)
        self.log_variances = nn.ParameterDict({name: nn.Parameter(torch.zeros(())) for name in weights})

    def _log_variance(self, name: str) -> Tensor | None:
        found: Tensor | None = self.log_variances.get(name.partition(".")[0], None)
        return found

    def forward(self, losses: Mapping[str, Tensor]) -> Tensor:
        """Return the sum, without the penalty."""
        total = torch.zeros(())
        for name, loss in losses.items():
            s = self._log_variance(name)
            scaled = self.weight(name) * loss if s is None else torch.exp(-s) * self.weight(name) * loss
            total = total.to(loss.device) + scaled
        return total

    def penalty(self, names: Sequence[str]) -> Tensor | None:
        """Return Σ s / 2 over the tasks of these losses, each once."""
        tasks = dict.fromkeys(name.partition(".")[0] for name in names)
        known = [self.log_variances[task] for task in tasks if task in self.log_variances]
        return 0.5 * torch.stack(list(known)).sum() if known else None
