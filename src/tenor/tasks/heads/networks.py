"""Networks from one vector to a few numbers.

    linear     W · drop(x) + b
    mlp        W₂ · relu(W₁ · drop(x) + b₁) + b₂
    residual   h = W · x + b;  h ← h + drop(relu(BN(W_i · h + b_i))), k times;  W · h + b
    gaussian   mean W₁ · x + b₁, log-variance W₂ · x + b₂

Shapes: n rows, f inputs, h hidden, o outputs.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from tenor.layers.linear import Linear
from tenor.tasks.config import Head


class LinearHead(nn.Module):
    """Dropout and one linear layer."""

    def __init__(self, inputs: int, outputs: int, *, dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.out = Linear(inputs, outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Return W · drop(x) + b [n, o]."""
        out: Tensor = self.out(self.before_output(x))
        return out

    def before_output(self, x: Tensor) -> Tensor:
        """Return what the output layer reads [n, f]."""
        out: Tensor = self.dropout(x)
        return out


class MlpHead(nn.Module):
    """Dropout and two linear layers with a ReLU between."""

    def __init__(self, inputs: int, outputs: int, *, hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.first = Linear(inputs, hidden)
        self.out = Linear(hidden, outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs [n, o]."""
        out: Tensor = self.out(self.before_output(x))
        return out

    def before_output(self, x: Tensor) -> Tensor:
        """Return what the output layer reads [n, h]."""
        return functional.relu(self.first(self.dropout(x)))


class BatchNorm(nn.BatchNorm1d):
    """Batch norm that takes its running statistics where a batch of one row has none of its own."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised rows [n, h]."""
        if self.training and len(x) == 1:
            return functional.batch_norm(
                x, self.running_mean, self.running_var, self.weight, self.bias, training=False, eps=self.eps
            )
        return super().forward(x)


class ResidualBlock(nn.Module):
    """h + drop(relu(BN(W · h + b))), the width kept."""

    def __init__(self, width: int, *, dropout: float) -> None:
        super().__init__()
        self.linear = Linear(width, width)
        self.norm = BatchNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, h: Tensor) -> Tensor:
        """Return [n, h]."""
        out: Tensor = h + self.dropout(functional.relu(self.norm(self.linear(h).float())))
        return out


class ResidualHead(nn.Module):
    """An input layer, residual blocks with batch norm, an output layer.

    >>> import torch
    >>> ResidualHead(4, 3, hidden=8, blocks=2)(torch.zeros(5, 4)).shape
    torch.Size([5, 3])
    """

    def __init__(
        self, inputs: int, outputs: int, *, hidden: int, blocks: int = 2, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.first = Linear(inputs, hidden)
        self.blocks = nn.ModuleList(ResidualBlock(hidden, dropout=dropout) for _ in range(blocks))
        self.out = Linear(hidden, outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs [n, o]."""
        out: Tensor = self.out(self.before_output(x))
        return out

    def before_output(self, x: Tensor) -> Tensor:
        """Return what the output layer reads [n, h]."""
        h: Tensor = self.first(x)
        for block in self.blocks:
            h = block(h)
        return h


class GaussianHead(nn.Module):
    """Two linear layers: the mean of a Gaussian and the logarithms of its variances, as wide as the input.

    >>> import torch
    >>> GaussianHead(4)(torch.zeros(5, 4)).shape
    torch.Size([5, 8])
    """

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.mean, self.log_var = Linear(inputs, inputs), Linear(inputs, inputs)

    def forward(self, x: Tensor) -> Tensor:
        """Return mean and log-variance side by side [n, 2 f]."""
        return torch.cat([self.mean(x), self.log_var(x)], dim=-1)


def build_network(
    head: Head, inputs: int, outputs: int, *, hidden: int, blocks: int, dropout: float
) -> nn.Module:
    """Build the network of a head."""
    if head == "linear":
        return LinearHead(inputs, outputs, dropout=dropout)
    if head == "mlp":
        return MlpHead(inputs, outputs, hidden=hidden, dropout=dropout)
    if head == "residual":
        return ResidualHead(inputs, outputs, hidden=hidden, blocks=blocks, dropout=dropout)
    if head == "gaussian":
        return GaussianHead(inputs)
    raise ValueError(f"The head {head!r} has no network.")
