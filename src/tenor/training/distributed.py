"""One run on several processes: each computes its share of every batch, and gradients are summed.

Started by ``torchrun`` or ``accelerate launch``, which set the environment that torch reads; gloo on CPUs,
nccl on GPUs. All processes draw the same order from the same seed and take their own rows of each batch;
losses are scaled by what a process holds of the whole, so that one explicit all-reduce of the summed
gradients gives those of one process. What looks across rows (batch statistics, in-batch negatives) is
gathered first. Only the first process writes files.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, distributed, nn

from tenor.errors import TenorError

# What launchers set: the number of processes, this one's number, and its number on this machine.
_LAUNCHERS = (
    ("WORLD_SIZE", "RANK", "LOCAL_RANK"),  # torchrun, accelerate
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"),  # mpirun, Open MPI
    ("PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"),  # mpirun, MPICH
)


@dataclass(frozen=True, slots=True)
class DistributedContext:
    """The processes of a run, and which of them this one is.

    >>> DistributedContext().first, DistributedContext(rank=1, size=2).first
    (True, False)
    """

    rank: int = 0
    size: int = 1
    local: int = 0

    @property
    def first(self) -> bool:
        """Whether this process writes and speaks."""
        return self.rank == 0

    @classmethod
    def from_environment(cls) -> "DistributedContext":
        """Read what a launcher has set; one process where there is none."""
        for names in _LAUNCHERS:
            if names[0] not in os.environ:
                continue
            try:
                size, rank, local = (int(os.environ.get(name, "0")) for name in names)
            except ValueError as error:
                raise TenorError(
                    f"The environment variables {', '.join(names)} are not whole numbers; start several "
                    "processes with torchrun or accelerate launch, which set them."
                ) from error
            return cls(rank, max(1, size), local)
        return cls()

    def join(self, device: torch.device) -> None:
        """Meet the other processes."""
        if self.size > 1 and not distributed.is_initialized():
            # Its functions hold the group of the time of their import as a default. Imported later, which
            # torch itself does, they keep the group alive beyond `leave`, and its threads abort the process
            # when Python ends.
            import torch.distributed.nn  # noqa: F401

            kind = "nccl" if device.type == "cuda" else "gloo"
            distributed.init_process_group(kind, rank=self.rank, world_size=self.size)

    def note(self) -> str | None:
        """Say so where a launcher was asked for several processes and started one."""
        if self.size == 1 and "ACCELERATE_USE_CPU" in os.environ and "MASTER_PORT" in os.environ:
            return (
                "accelerate launch was asked for several processes and started one: on CPUs it needs mpirun. "
                "Start them with torchrun, or with accelerate launch --multi_gpu, which needs no GPU here."
            )
        return None

    def leave(self) -> None:
        """Part from the other processes."""
        if self.size > 1 and distributed.is_initialized():
            distributed.destroy_process_group()

    def sum_gradients(
        self, parameters: Sequence[nn.Parameter], *, memory: Tensor | None = None
    ) -> Tensor | None:
        """Add the gradients of all processes; a parameter that none has a gradient for keeps none.

        Returns the memory that the sums are in. Given to the next call it is used again, if it fits: asking
        the system for new memory takes longer than the sum. What the gradients are until then, they are no
        more afterwards.
        """
        if self.size == 1 or not parameters:
            return None
        have = torch.tensor(
            [float(each.grad is not None) for each in parameters], device=parameters[0].device
        )
        own = [(torch.zeros_like(each) if each.grad is None else each.grad).flatten() for each in parameters]
        size, kind = len(have) + sum(map(len, own)), own[0].dtype
        if memory is not None and memory.shape == (size,) and memory.dtype == kind:
            flat = torch.cat([have, *own], out=memory)
        else:
            flat = torch.cat([have, *own])
        distributed.all_reduce(flat)
        place = len(parameters)
        for each, count in zip(parameters, flat[:place].tolist(), strict=True):
            if count:
                each.grad = flat[place : place + each.numel()].view_as(each)
            place += each.numel()
        return flat

    def sum_numbers(self, numbers: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
        """Add named numbers over all processes; ``names`` are those that any process may have."""
        if self.size == 1:
            return dict(numbers)
        values = torch.tensor([[numbers.get(name, 0.0), float(name in numbers)] for name in names]).double()
        distributed.all_reduce(values)
        return {name: value for name, (value, held) in zip(names, values.tolist(), strict=True) if held}

    def tell(self, value: Any) -> Any:
        """Hand what the first process has (as JSON) to all."""
        if self.size == 1:
            return value
        data = json.dumps(value).encode() if self.first else b""
        size = torch.tensor([len(data)])
        distributed.broadcast(size, 0)
        buffer = torch.zeros(int(size), dtype=torch.uint8)
        if self.first:
            buffer = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        distributed.broadcast(buffer, 0)
        return json.loads(bytes(buffer.numpy()))

    def collect(self, values: Tensor) -> list[Tensor]:
        """Return the tensors of all processes, which have the same shape."""
        if self.size == 1:
            return [values]
        out = [torch.empty_like(values) for _ in range(self.size)]
        distributed.all_gather(out, values)
        return out

    def names_of_all(self, names: Sequence[str]) -> list[str]:
        """Return the names that any process has, in one order for all."""
        if self.size == 1:
            return list(names)
        data = json.dumps(list(names)).encode()
        sizes = self.collect(torch.tensor([len(data)]))
        most = max(int(size) for size in sizes)
        padded = torch.zeros(most, dtype=torch.uint8)
        padded[: len(data)] = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        parts = [
            bytes(each.numpy()[: int(size)]) for each, size in zip(self.collect(padded), sizes, strict=True)
        ]
        return list(dict.fromkeys(name for part in parts for name in json.loads(part)))


def own_rows(count: int, rank: int, world: int) -> NDArray[np.int64]:
    """Return the places of a batch that a process takes: every ``world``-th, from its own number on."""
    return np.arange(rank, count, world, dtype=np.int64)


class _Gather(torch.autograd.Function):
    """Rows of all processes, one block after the other; the gradient of one's own block flows back.

    Every process computes the whole loss from the gathered rows and scales it by 1 / processes, so that the
    weights above are right when gradients are summed; the own block's gradient is scaled back, since no other
    process has it.
    """

    @staticmethod
    def forward(ctx: Any, rows: Tensor, sizes: list[int], rank: int) -> Tensor:
        most = max(sizes)
        padded = rows.new_zeros(most, *rows.shape[1:])
        padded[: len(rows)] = rows
        out = [torch.empty_like(padded) for _ in sizes]
        distributed.all_gather(out, padded)
        ctx.sizes, ctx.rank = sizes, rank
        return torch.cat([part[:size] for part, size in zip(out, sizes, strict=True)])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        begin = sum(ctx.sizes[: ctx.rank])
        own = gradients[0][begin : begin + ctx.sizes[ctx.rank]]
        return own * len(ctx.sizes), None, None


def gather_rows(rows: Tensor, sizes: list[int], rank: int) -> Tensor:
    """Put the rows of all processes behind one another, of which each process has ``sizes[rank]``."""
    return cast(Tensor, _Gather.apply(rows, sizes, rank))  # type: ignore[no-untyped-call]
