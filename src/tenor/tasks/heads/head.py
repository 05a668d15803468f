"""The head of a task in torch: vectors of one or two texts in, raw numbers out.

Raw numbers are logits, or for ``cosine`` and ``affine`` the cosine and a · cosine + c; what they mean is said
by the ``predictions`` of a task's specification. Shapes: n rows, d width of a vector, o outputs.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from tenor.tasks.heads.networks import build_network
from tenor.tasks.heads.pairs import cosine, pair_features
from tenor.tasks.texts.spec import TextSpec


class TaskHead(nn.Module):
    """Reads the vectors of each side, and what the texts alone tell, and returns raw numbers [n, o].

    ``width`` is that of the vectors, ``hidden`` that of the encoder, which inner layers have by default.

    >>> from tenor.tasks.table import task_spec
    >>> head = TaskHead(task_spec("pair", labels=("0", "1"), features=("abs", "product")), 4, hidden=4)
    >>> head([torch.ones(3, 4), torch.zeros(3, 4)]).shape
    torch.Size([3, 1])
    """

    def __init__(self, spec: TextSpec, width: int, *, hidden: int) -> None:
        super().__init__()
        self.kind, self.features = spec.head, spec.features
        self.network: nn.Module | None = None
        if spec.head == "affine":
            self.slope = nn.Parameter(torch.ones(()))
            self.offset = nn.Parameter(torch.zeros(()))
        elif spec.head not in ("cosine", "expected_likelihood"):
            self.network = build_network(
                spec.head,
                spec.inputs(width),
                spec.outputs,
                hidden=spec.hidden_size or hidden,
                blocks=spec.blocks,
                dropout=spec.dropout,
            )

    @property
    def couples_rows(self) -> bool:
        """Whether a row's output in training depends on the batch's other rows: batch norm does that."""
        return self.kind == "residual"

    @torch.no_grad()
    def rescale(self, slope: float, offsets: Sequence[float]) -> None:
        """Have the head return slope · z + offsets [o] from now on, where it returned z."""
        if self.kind == "affine":
            weight, bias = self.slope, self.offset
        elif self.network is not None:
            weight, bias = self.network.out.weight, self.network.out.bias  # type: ignore[union-attr,assignment]
        else:
            raise ValueError("A cosine has no slope to change.")
        weight.mul_(slope)
        bias.mul_(slope).add_(bias.new_tensor(offsets).view_as(bias))

    def forward(self, sides: Sequence[Tensor], features: Tensor | None = None) -> Tensor:
        """Return raw numbers [n, o] from the vectors of each side [n, d] and known features [n, f].

        A third vector is that of both texts as one sequence.
        """
        if self.network is None:
            value = cosine(*sides)[:, None]
            return self.slope * value + self.offset if self.kind == "affine" else value
        out: Tensor = self.network(self._joined(sides, features))
        return out.float()

    def _joined(self, sides: Sequence[Tensor], features: Tensor | None) -> Tensor:
        """Lay what the network reads side by side [n, f]."""
        if len(sides) > 1:
            overlap = None if features is None else features[:, 0]
            return pair_features(sides[0], sides[1], self.features, overlap, *sides[2:])
        return sides[0] if features is None else torch.cat([sides[0], features.to(sides[0].dtype)], dim=-1)

    def last_inputs(self, sides: Sequence[Tensor], features: Tensor | None = None) -> Tensor:
        """Return what the output layer reads [n, f]; of a cosine the cosine itself [n, 1]."""
        if self.network is None:
            return cosine(*sides)[:, None]
        seen: Tensor = self.network.before_output(self._joined(sides, features))  # type: ignore[operator]
        return seen.float()

    @torch.no_grad()
    def set_output(self, weight: Tensor, bias: Tensor) -> None:
        """Set the output layer: weight [o, f] and bias [o]."""
        if self.kind == "affine":
            self.slope.copy_(weight.view(()))
            self.offset.copy_(bias.view(()))
        elif self.network is not None:
            layer: nn.Linear = self.network.out  # type: ignore[assignment]
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)
        else:
            raise ValueError("A cosine has no output layer.")
