"""What training makes small, each a mean over the rows of a batch.

    cross-entropy   -log softmax(z)[y], targets smoothed and classes weighted on request
    binary          -y log σ(z) - (1 - y) log(1 - σ(z))
    squared         (ŷ - y)²
    CoSENT          log(1 + Σ_{i,j: y_i < y_j} e^{(s_i - s_j) / τ}): only the order of the scores counts
    in-batch        -log softmax_j(cos(u_i, v_j) / τ)[i]: a text's partner among all of the batch

Shapes: n rows, k labels, c candidates, d width.
"""

import torch
from torch import Tensor
from torch.nn import functional


def cross_entropy(
    logits: Tensor, labels: Tensor, *, weights: Tensor | None = None, label_smoothing: float = 0.0
) -> Tensor:
    """Return the mean over rows; ``weights`` [k] multiply the rows of each label."""
    rows = functional.cross_entropy(
        logits, labels, weight=weights, label_smoothing=label_smoothing, reduction="none"
    )
    return rows.mean()


def binary(
    logits: Tensor, labels: Tensor, *, weights: Tensor | None = None, label_smoothing: float = 0.0
) -> Tensor:
    """Return the mean over all entries of ``labels`` (0 or 1), which have the form of the logits."""
    targets = labels.to(logits.dtype)
    factor = None if weights is None else weights[labels.long()]
    smooth = targets * (1 - label_smoothing) + label_smoothing / 2
    return functional.binary_cross_entropy_with_logits(logits, smooth, weight=factor)


def squared(scores: Tensor, targets: Tensor) -> Tensor:
    """Return the mean squared error."""
    return functional.mse_loss(scores, targets.to(scores.dtype))


def cosent(scores: Tensor, targets: Tensor, *, temperature: float = 0.05) -> Tensor:
    """Return how far the order of the scores [n] is from that of the targets [n].

    >>> round(cosent(torch.tensor([0.9, 0.1]), torch.tensor([1.0, 0.0])).item(), 4)
    0.0
    """
    lower = targets[:, None] < targets[None, :]
    gaps = (scores[:, None] - scores[None, :]) / temperature  # [n, n], above 0 where the order is wrong
    return torch.cat([gaps.new_zeros(1), gaps[lower]]).logsumexp(dim=0)


def in_batch(
    queries: Tensor, candidates: Tensor, *, hidden: Tensor | None = None, temperature: float = 0.05
) -> Tensor:
    """Return the loss of finding candidate i for query i; candidates [c, d] beyond the n queries are wrong.

    ``hidden`` [n, c] marks candidates that must not count against a query, being right as well.
    """
    unit_queries = functional.normalize(queries, dim=-1)
    logits = unit_queries @ functional.normalize(candidates, dim=-1).T / temperature
    if hidden is not None:
        logits = logits.masked_fill(hidden, float("-inf"))
    return functional.cross_entropy(logits, torch.arange(len(queries), device=logits.device))
