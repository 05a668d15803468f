"""Smoothness-inducing adversarial regularisation (Jiang et al., 2020, SMART; one step of the inner search).

    δ₀ ~ N(0, ε²)        δ = δ₀ + η ∇ℓ(δ₀) / ‖∇ℓ(δ₀)‖_∞        L = ℓ(δ)
    ℓ(δ) = KL(p(x) ‖ p(x + δ)) + KL(p(x + δ) ‖ p(x))   for several outputs,   (f(x) - f(x + δ))²  for one

x are the token embeddings: what heads say must not change when these move a little.
"""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional

from tenor.objectives.objective import ForwardPass, Objective, Step
from tenor.objectives.smoothness_config import SmoothnessConfig


class Smoothness(Objective):
    """Presses heads to say the same of slightly moved embeddings."""

    def __init__(self, name: str, config: SmoothnessConfig) -> None:
        self.name, self.config = name, config

    def losses(self, forward: ForwardPass, step: Step) -> Mapping[str, Tensor]:
        """Return the penalty of each task."""
        outputs = {
            name: output
            for name, output in forward.outputs.items()
            if isinstance(output, Tensor) and (self.config.tasks is None or name in self.config.tasks)
        }
        if not outputs:
            return {}
        words = forward.input_embeddings().detach()
        seed = int(step.generator.integers(0, 2**31))
        noise = torch.randn(words.shape, generator=torch.Generator().manual_seed(seed)).to(words)
        noise = (noise * self.config.epsilon).requires_grad_()
        with torch.enable_grad():
            before = {name: output.detach() for name, output in outputs.items()}
            total = sum(_distances(before, forward.again(words + noise)).values(), start=words.new_zeros(()))
            (slope,) = torch.autograd.grad(total, noise)
        moved = noise.detach() + self.config.step_size * slope / slope.abs().max().clamp(min=1e-12)
        again = forward.again(forward.input_embeddings() + moved)
        return {name: self.config.weight * value for name, value in _distances(outputs, again).items()}


def _distances(before: Mapping[str, Tensor], after: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: _distance(output, after[name]) for name, output in before.items()}


def _distance(one: Tensor, two: Tensor) -> Tensor:
    """Return how far two outputs [n, o] are apart, a mean over rows."""
    if not len(one):  # a batch of empty sentences says nothing of words
        return one.sum() * 0
    one, two = one.flatten(1), two.flatten(1)
    if one.shape[1] == 1:
        return functional.mse_loss(one, two)
    p, q = one.log_softmax(dim=-1), two.log_softmax(dim=-1)
    both = functional.kl_div(q, p, reduction="batchmean", log_target=True)
    return both + functional.kl_div(p, q, reduction="batchmean", log_target=True)
