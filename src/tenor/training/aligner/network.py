"""The network of :mod:`tenor.use.align.learned.network` in torch, for batches of padded grids.

The weights have the same names and shapes, so that what is trained here is used there without torch.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tenor.training.aligner.examples import Example
from tenor.use.align.learned.network import Shape


class GridNetwork(nn.Module):
    """Gives every word pair of two texts the logit of a link.

    >>> shape = Shape(features=4, inputs=3, channels=2, blocks=1)
    >>> network = GridNetwork(shape)
    >>> {name: tuple(each.shape) for name, each in network.state_dict().items()} == shape.weights()
    True
    """

    def __init__(self, shape: Shape, *, word_dropout: float = 0.0, cell_dropout: float = 0.0) -> None:
        super().__init__()
        inside = shape.channels
        self.likeness = nn.Linear(shape.inputs, shape.likeness)
        self.kinds = nn.Linear(shape.inputs, shape.kinds)
        self.cells = nn.Linear(shape.features, inside)
        self.products = nn.Linear(shape.likeness, inside, bias=False)
        self.differences = nn.Linear(shape.likeness, inside, bias=False)
        self.first_kinds = nn.Linear(shape.kinds, inside, bias=False)
        self.second_kinds = nn.Linear(shape.kinds, inside, bias=False)
        blocks = range(shape.blocks)
        self.around = nn.ModuleList(nn.Conv2d(inside, inside, 3, padding=1) for _ in blocks)
        self.rows = nn.ModuleList(nn.Linear(inside, inside, bias=False) for _ in blocks)
        self.columns = nn.ModuleList(nn.Linear(inside, inside, bias=False) for _ in blocks)
        self.out = nn.Linear(inside, 1)
        self.word_dropout, self.cell_dropout = nn.Dropout(word_dropout), nn.Dropout(cell_dropout)

    def forward(self, grid: Tensor, first: Tensor, second: Tensor, real: Tensor) -> Tensor:
        """Return logits [b, n, m]: grids [b, n, m, k], words [b, n, w] and [b, m, w]; ``real`` [b, n, m]."""
        inside = real[..., None]
        hidden = functional.silu(self._begin(grid, self.word_dropout(first), self.word_dropout(second)))
        hidden = hidden * inside
        outside = (1 - inside) * -1e4  # never the strongest of a row or column
        for around, rows, columns in zip(self.around, self.rows, self.columns, strict=True):
            found = around(hidden.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
            best = hidden + outside
            found = found + rows(best.amax(dim=2))[:, :, None] + columns(best.amax(dim=1))[:, None]
            hidden = (hidden + self.cell_dropout(functional.silu(found))) * inside
        logits: Tensor = self.out(hidden)[..., 0]
        return logits

    def _begin(self, grid: Tensor, first: Tensor, second: Tensor) -> Tensor:
        one, two = self.likeness(first)[:, :, None], self.likeness(second)[:, None]
        cells: Tensor = self.cells(grid) + self.products(one * two) + self.differences((one - two).abs())
        cells = cells + self.first_kinds(torch.tanh(self.kinds(first)))[:, :, None]
        cells = cells + self.second_kinds(torch.tanh(self.kinds(second)))[:, None]
        return cells


def padded(batch: Sequence[Example]) -> tuple[Tensor, ...]:
    """Return grids [b, n, m, k], words [b, n, w] and [b, m, w], real cells [b, n, m] and links [b, n, m]."""
    n, m = (max(example.links.shape[side] for example in batch) for side in (0, 1))
    count, seen = len(batch), batch[0].seen
    grid = np.zeros((count, n, m, seen.grid.shape[2]), dtype=np.float32)
    first = np.zeros((count, n, seen.first.shape[1]), dtype=np.float32)
    second = np.zeros((count, m, seen.second.shape[1]), dtype=np.float32)
    real, links = np.zeros((2, count, n, m), dtype=np.float32)
    for place, example in enumerate(batch):
        rows, columns = example.links.shape
        grid[place, :rows, :columns] = example.seen.grid
        first[place, :rows], second[place, :columns] = example.seen.first, example.seen.second
        real[place, :rows, :columns] = 1
        links[place, :rows, :columns] = example.links
    return tuple(map(torch.from_numpy, (grid, first, second, real, links)))
