"""The loss with a margin to the hardest negatives of a mega-batch (Wieting and Gimpel, 2018).

For a pair (s1, s2) and the texts n1, n2 most like s1 and s2 among all others of several batches:

    max(0, δ - d(s1, s2) + d(s1, n1)) + max(0, δ - d(s1, s2) + d(s2, n2))

d is the cosine of two vectors, or the log of the expected likelihood of two Gaussians, which are given as
mean and log-variance side by side (Chen and Gimpel, 2020).

Shapes: p pairs, n texts, f numbers that stand for a text.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tenor.layers.gaussian import expected_likelihood

Ints = NDArray[np.int64]
Similarity = Callable[[Tensor, Tensor], Tensor]
"""Compares the texts [..., f] of two tensors; broadcasting pairs all with all."""
NONE = -1
_AT_ONCE = 16  # texts that are compared with all others at a time: the table stays in the cache


def cosine(first: Tensor, second: Tensor) -> Tensor:
    """Return the cosine of vectors [..., f]; 0 where one is all zeros."""
    return (functional.normalize(first, dim=-1) * functional.normalize(second, dim=-1)).sum(dim=-1)


def likelihood(first: Tensor, second: Tensor) -> Tensor:
    """Return the log of the expected likelihood of Gaussians [..., 2 k]."""
    return expected_likelihood(*first.chunk(2, dim=-1), *second.chunk(2, dim=-1))


def margin_loss(
    first: Tensor, second: Tensor, negatives: tuple[Tensor, Tensor], *, margin: float, similarity: Similarity
) -> Tensor:
    """Return the mean over pairs [p, f] of the loss of both sides, each with a negative of its own.

    >>> u, v = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    >>> float(margin_loss(u, u, (v, v), margin=0.4, similarity=cosine))
    0.0
    >>> round(float(margin_loss(u, v, (v, v), margin=0.4, similarity=cosine)), 4)  # 0.4 and 1.4
    1.8
    """
    alike = similarity(first, second)
    left = (margin - alike + similarity(first, negatives[0])).clamp_min(0)
    right = (margin - alike + similarity(second, negatives[1])).clamp_min(0)
    return (left + right).mean()


@torch.no_grad()
def hardest_negatives(texts: Tensor, numbers: Ints, *, similarity: Similarity) -> Ints:
    """Return for both texts of every pair the place of the text most like it outside the pair [p, 2].

    ``texts`` [2 p, f] has the two of a pair side by side; ``numbers`` [2 p] are equal where texts are, so
    that no copy of either counts as negative. ``NONE`` where there is no other text.
    """
    pair = numbers.reshape(-1, 2).repeat(2, axis=0)  # [2 p, 2], both numbers of each text's pair
    found = np.empty(len(texts), dtype=np.int64)
    for start in range(0, len(texts), _AT_ONCE):
        rows = slice(start, min(start + _AT_ONCE, len(texts)))
        own = (pair[rows, :, None] == numbers).any(axis=1)  # [rows, 2 p]
        alike = _all_pairs(texts[rows], texts, similarity)
        alike.masked_fill_(torch.from_numpy(own).to(alike.device), -torch.inf)
        most = alike.argmax(dim=1).cpu().numpy()
        found[rows] = np.where(own.all(axis=1), NONE, most)
    return found.reshape(-1, 2)


def _all_pairs(some: Tensor, texts: Tensor, similarity: Similarity) -> Tensor:
    if similarity is cosine:  # one product in place of a table of products
        return functional.normalize(some, dim=-1) @ functional.normalize(texts, dim=-1).T
    if similarity is likelihood:  # variances are added as they are: logarithms of sums cost much more
        (mean, log_var), (means, log_vars) = some.chunk(2, dim=-1), texts.chunk(2, dim=-1)
        both = log_var.exp()[:, None] + log_vars.exp()[None]
        gaps = (mean[:, None] - means[None]).square_().div_(both)
        return both.log_().add_(gaps).sum(dim=-1).mul_(-0.5)
    return similarity(some[:, None], texts[None])
