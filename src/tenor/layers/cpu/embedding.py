"""A table of embeddings whose gradient need not be new memory in every update.

The gradient of a table has the table's size, though a batch touches few of its rows: for 30,000 words some
50 MB, which torch asks of the system, fills with zeros and gives back in every update. On a CPU that is 4 to
7% of a training step of a small encoder. Within :class:`KeptGradients` the same memory serves every update,
and only the rows that the last one touched are set to zero again.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

# Takes ids and the gradients of their rows; returns the gradient of the table, or None where it is there.
Gather = Callable[[Tensor, Tensor], Tensor | None]


class Embedding(nn.Embedding):
    """``torch.nn.Embedding`` that :class:`KeptGradients` can lend memory to."""

    gather: Gather | None = None
    tied = False
    """Whether the table also serves as an output layer."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the rows of these ids."""
        if self.weight.device.type != "cpu" or not (torch.is_grad_enabled() and self.weight.requires_grad):
            return super().forward(input)
        out: Tensor = _LookUp.apply(self.weight, input, self)  # type: ignore[no-untyped-call]
        return out


class _LookUp(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, ids: Tensor, table: Embedding) -> Tensor:
        ctx.save_for_backward(ids)
        ctx.table, ctx.count = table, len(weight)
        return functional.embedding(ids, weight)

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, None, None]:
        (gradient,), (ids,) = outer, ctx.saved_tensors
        if ctx.table.gather is None or torch.is_grad_enabled():  # enabled: a gradient of this one is wanted
            whole = torch.ops.aten.embedding_dense_backward(gradient, ids, ctx.count, -1, False)
            return whole, None, None
        return ctx.table.gather(ids, gradient), None, None


class KeptGradients:
    """Lends the tables of a module memory for their gradients, while it is entered.

    What a table's ``grad`` holds is good until the next backward pass that finds no ``grad``: whoever enters
    must have no use for it then, and must not have changed rows that were zero. A table that is an output
    layer too (``tied``) gets a gradient of its own size anyway, in all rows, and is lent nothing.

    >>> table = Embedding(3, 2)
    >>> kept = KeptGradients(table)
    >>> for ids in ([0, 0], [2, 1]):
    ...     table.weight.grad = None
    ...     total = table(torch.tensor(ids)).sum()
    ...     with kept:
    ...         total.backward()
    ...     print(table.weight.grad[:, 0].tolist())
    [2.0, 0.0, 0.0]
    [0.0, 1.0, 1.0]
    """

    def __init__(self, module: nn.Module) -> None:
        found = (each for each in module.modules() if isinstance(each, Embedding) and not each.tied)
        self._gathers = {table: _Memory(table) for table in found}

    def __enter__(self) -> None:
        for table, memory in self._gathers.items():
            table.gather, memory.lent = memory, False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for table in self._gathers:
            table.gather = None


class _Memory:
    """The memory of one table's gradient: zeros, but for the rows of the last update."""

    def __init__(self, table: Embedding) -> None:
        self._table = table
        self._sums: Tensor | None = None
        self._touched: list[Tensor] = []
        self.lent = False
        """Whether this backward pass has handed it out, for another look-up of the same table."""

    def __call__(self, ids: Tensor, gradient: Tensor) -> Tensor | None:
        weight = self._table.weight
        if self._sums is None or self._sums.dtype != gradient.dtype or self._sums.shape != weight.shape:
            self._sums, self._touched = torch.zeros_like(weight, dtype=gradient.dtype), []
        sums, ids = self._sums, ids.flatten()
        there = weight.grad is not None and weight.grad.data_ptr() == sums.data_ptr()
        if weight.grad is None and self.lent:  # torch adds up what two look-ups give
            return torch.zeros_like(sums).index_add_(0, ids, gradient.reshape(len(ids), -1))
        if weight.grad is None:
            for rows in self._touched:
                sums.index_fill_(0, rows, 0.0)
            self._touched = []
        elif not there:  # something else is being added to
            return torch.zeros_like(sums).index_add_(0, ids, gradient.reshape(len(ids), -1))
        self._touched.append(ids)
        self.lent = True
        sums.index_add_(0, ids, gradient.reshape(len(ids), -1))
        # Another tensor on the same memory: torch takes what nobody else holds as it is, and copies the rest.
        return None if there else sums.detach()
