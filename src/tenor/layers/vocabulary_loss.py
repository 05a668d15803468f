"""Cross-entropy of a softmax over a whole vocabulary, as guessing tokens needs it.

    scores = H Eᵀ + c       loss_i = -log softmax(scores_i)[label_i]

and backwards, with D = softmax(scores) - onehot(label) and g the gradient of the losses:

    dH = g ∘ (D E)       dE = Dᵀ (g ∘ H)       dc = Dᵀ g

The table of scores is the largest one of a small model. It is made some rows at a time, so that a processor's
cache holds them until D is written, in the precision of the products; going back, only products are left.
Put together from torch's single steps, every one of them reads and writes the whole table in float32.

Shapes: M tokens, d width, V vocabulary.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

_NUMBERS = 1 << 19  # of scores at a time: 2 MB


def vocabulary_loss(hidden: Tensor, words: Tensor, bias: Tensor, labels: Tensor) -> Tensor:
    """Return the loss of every token [M] from states [M, d], the table [V, d], its bias and labels.

    Under autocast the products are in its precision; sums and logarithms are in float32 (or float64) always.
    Differentiable once.

    >>> vocabulary_loss(torch.ones(2, 3), torch.zeros(4, 3), torch.zeros(4), torch.tensor([0, 3])).exp()
    tensor([4., 4.])
    """
    device = hidden.device.type
    if torch.is_autocast_enabled(device):
        precision = torch.get_autocast_dtype(device)
    else:
        precision = words.dtype
    out: Tensor = _Loss.apply(hidden, words, bias, labels, precision)  # type: ignore[no-untyped-call]
    return out


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, words: Tensor, bias: Tensor, labels: Tensor, precision: torch.dtype
    ) -> Tensor:
        with torch.autocast(hidden.device.type, enabled=False):
            own, table, offset = (each.to(precision) for each in (hidden, words, bias))
            excess = own.new_empty(len(own), len(table))
            losses = hidden.new_empty(len(own), dtype=torch.promote_types(precision, torch.float32))
            count = max(1, _NUMBERS // max(1, len(table)))
            for begin in range(0, len(own), count):
                rows = slice(begin, begin + count)
                scores = functional.linear(own[rows], table, offset).to(losses.dtype).log_softmax(-1)
                chosen = labels[rows, None]
                losses[rows] = scores.gather(1, chosen)[:, 0].neg_()
                ones = scores.new_full((), -1.0).expand(chosen.shape)
                excess[rows] = scores.exp_().scatter_add_(1, chosen, ones)
        ctx.save_for_backward(own, table, excess)
        ctx.kinds = (hidden.dtype, words.dtype, bias.dtype)
        return losses

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, ...]:
        own, table, excess = ctx.saved_tensors
        weights = outer[0][:, None]
        wanted = ctx.needs_input_grad
        of_hidden = (excess @ table).to(weights.dtype) * weights if wanted[0] else None
        of_words = excess.t() @ (own * weights).to(own.dtype) if wanted[1] else None
        of_bias = (weights.t().to(own.dtype) @ excess)[0] if wanted[2] else None
        found = zip((of_hidden, of_words, of_bias), ctx.kinds, strict=True)
        return (*(None if each is None else each.to(kind) for each, kind in found), None, None)
