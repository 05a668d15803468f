"""The states of all processes, for a task that must see the whole batch at once.

Each process encodes its own rows; the states are exchanged and put into the order of the whole batch, and
every process runs the head on all of them.
"""

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.layers.packed import PackedBatch
from tenor.tasks.task import EncoderOutput, TaskBatch
from tenor.training.distributed import gather_rows, own_rows


def gather_output(seen: EncoderOutput, whole: TaskBatch, rank: int, world: int) -> EncoderOutput:
    """Return what the task would see of the whole batch in one process."""
    lengths = whole.tokens.lengths
    blocks = [_texts(whole, other, world) for other in range(world)]
    tokens = [int(lengths[texts].sum()) for texts in blocks]
    order = np.argsort(np.concatenate(blocks), kind="stable")  # where each text of the batch stands, gathered
    device = seen.last.device
    by_text = torch.from_numpy(order).to(device)
    by_token = torch.from_numpy(_tokens_of(order, lengths[np.concatenate(blocks)])).to(device)

    def states(values: Tensor) -> Tensor:
        return gather_rows(values, tokens, rank).index_select(0, by_token)

    pooler = seen.pooler
    if pooler is not None:
        pooler = gather_rows(pooler, [len(texts) for texts in blocks], rank).index_select(0, by_text)
    return replace(
        seen,
        batch=PackedBatch.from_tokens(whole.tokens, device),
        last=states(seen.last),
        layers=None if seen.layers is None else tuple(states(layer) for layer in seen.layers),
        pooler=pooler,
    )


def _texts(whole: TaskBatch, rank: int, world: int) -> NDArray[np.int64]:
    """Return the texts that a process encodes, in its own order."""
    rows = own_rows(len(whole), rank, world)
    return np.concatenate([rows + side * len(whole) for side in range(whole.sides)])


def _tokens_of(order: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of the tokens of texts ``order`` on a flat axis of texts of these lengths."""
    starts = np.cumsum(lengths) - lengths
    sizes = lengths[order]
    ends = np.cumsum(sizes)
    places: NDArray[np.int64] = np.arange(int(sizes.sum())) + np.repeat(starts[order] - (ends - sizes), sizes)
    return places
