"""A model as training sees it: a torch encoder and tasks by name, which share one packed pass.

    texts of all tasks, all sides  ->  one flat token axis  ->  encoder  ->  each task's own slice  ->  heads

The encoder is any ``Encoder``: BERT, an LSTM, word vectors. One none of whose weights is trained runs without
dropout and without gradients, once for every text. A module may stand between encoder and heads
(``Adapter``): a mapping of the states, or something added to the embeddings.

Shapes: n texts, T tokens, d hidden size.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tenor.encoders.encoder import Encoder, States
from tenor.layers.layer_mix import mean_of_last
from tenor.layers.packed import PackedBatch, Packing
from tenor.layers.pooling import pool
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.frozen_states import FrozenStates
from tenor.tasks.task import EncoderOutput, Reads, Task, TaskBatch, first_positions
from tenor.text.batching import distinct, plan_batches
from tenor.text.tokens import NOT_A_WORD, Forms, Tokens

Floats = NDArray[np.float32]


class Adapter(nn.Module):
    """A module between encoder and heads, trained as the parameter group ``adapter``; this one is none."""

    def before(self, batch: PackedBatch, encoder: Encoder) -> PackedBatch:
        """Return what the encoder gets, for instance with other token embeddings."""
        return batch

    def after(self, states: States, batch: PackedBatch) -> States:
        """Return what the heads get."""
        return states


class Network(nn.Module):
    """An encoder, a default pooling and tasks by name."""

    encoder: Encoder

    def __init__(
        self,
        encoder: Encoder,
        *,
        pooling: PoolingConfig,
        tasks: Mapping[str, Task],
        adapter: Adapter | None = None,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.pooling = pooling
        self.tasks = nn.ModuleDict(tasks)
        self.adapter = adapter
        self.kept: FrozenStates | None = None
        """Where training keeps what a frozen encoder said; use does without, as it sees a text once."""

    @property
    def frozen(self) -> bool:
        """Whether no weight of the encoder is trained."""
        return not any(parameter.requires_grad for parameter in self.encoder.parameters())

    @property
    def size(self) -> int:
        """The size of a text's vector."""
        return self.encoder.hidden_size * len(self.pooling.kinds)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        parameter = next(self.parameters(), None)
        return torch.device("cpu") if parameter is None else parameter.device

    def train(self, mode: bool = True) -> "Network":
        """Switch dropout and batch statistics on or off; a frozen encoder never has them on."""
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self

    def task(self, name: str) -> Task:
        """Return a task by its name."""
        return cast(Task, self.tasks[name])

    def all_tasks(self) -> list[Task]:
        """Return all tasks, in their order."""
        return [self.task(name) for name in self.tasks]

    def forward(
        self, batches: Mapping[str, TaskBatch], *, embeddings: Tensor | None = None
    ) -> dict[str, Any]:
        """Return each task's output, after one pass over the texts of all of them.

        ``embeddings`` [T, d] take the place of the token embeddings, in the order of ``pack(batches)``.
        """
        seen = self.see(batches, embeddings=embeddings, whole=False)
        return {name: self.task(name)(seen[name], batch) for name, batch in batches.items()}

    def see(
        self,
        batches: Mapping[str, TaskBatch],
        *,
        embeddings: Tensor | None = None,
        whole: bool = True,
        reads: Reads = Reads(),  # noqa: B008  (frozen)
    ) -> dict[str, EncoderOutput]:
        """Run the encoder once over all texts, and hand each task the states of its own.

        Batches that are no task's (those of an objective) are encoded as well. Without ``whole`` the states
        that no task reads may be 0, where that is faster; ``reads`` is what is wanted beyond the tasks'.
        """
        packed = pack(batches, self.device)
        if embeddings is not None:
            packed = packed.with_embeddings(embeddings)
        wanted = [reads, *(self.task(name).reads for name in batches if name in self.tasks)]
        layers, pooler = any(each.layers for each in wanted), any(each.pooler for each in wanted)
        frozen = self.frozen and embeddings is None
        given = packed if self.adapter is None else self.adapter.before(packed, self.encoder)
        keeps = frozen and given is packed and not self.encoder.training
        if keeps and self.kept is not None and len(packed):
            states = self._kept_states(self.kept, batches, layers=layers, pooler=pooler)
        else:
            positions = None if whole else self._positions(batches, pooler=pooler)
            with torch.set_grad_enabled(torch.is_grad_enabled() and not (frozen and given is packed)):
                states = self.encoder(given, all_states=layers, pooler=pooler, wanted=positions)
        if self.adapter is not None:
            states = self.adapter.after(states, packed)
        return dict(zip(batches, _slices(given, states, list(batches.values()), self.pooling), strict=True))

    def _positions(self, batches: Mapping[str, TaskBatch], *, pooler: bool) -> Tensor | None:
        """Return the positions whose last states are read, None where those of all tokens are."""
        if self.adapter is not None:
            return None
        wanted, start = [], 0
        for name, batch in batches.items():
            positions = self.task(name).positions(batch) if name in self.tasks else None
            if positions is None:
                return None
            if pooler:
                positions = torch.unique(torch.cat([positions.cpu(), first_positions(batch.tokens)]))
            wanted.append(positions.to(self.device) + start)
            start += len(batch.tokens.ids)
        return torch.cat(wanted) if wanted else None

    @torch.no_grad()
    def _kept_states(
        self, kept: FrozenStates, batches: Mapping[str, TaskBatch], *, layers: bool, pooler: bool
    ) -> States:
        def encode(tokens: Tokens) -> States:
            packed = PackedBatch.from_tokens(tokens, self.device)
            return cast(States, self.encoder(packed, all_states=layers, pooler=pooler))

        tokens = join([batch.tokens for batch in batches.values()])
        return kept.states(self.encoder, tokens, encode, layers=layers, pooler=pooler, device=self.device)

    def input_embeddings(self, batches: Mapping[str, TaskBatch]) -> Tensor:
        """Return the word embeddings [T, d] of all texts, which an inner loop may change and hand back."""
        return self.encoder.input_embeddings(pack(batches, self.device))

    @torch.no_grad()
    def vectors(self, tokens: Tokens, *, budget: int = 2048) -> Floats:
        """Encode texts to pooled vectors [n, d] with the weights as they stand, equal texts once."""
        first, of = distinct(tokens)
        unique = tokens.take(first)
        found: list[Floats] = []
        places: list[NDArray[np.int64]] = []
        with evaluating(self):
            for rows in plan_batches(unique.lengths, budget):
                packed = PackedBatch.from_tokens(unique.take(rows), self.device)
                found.append(self._pooled(packed).float().cpu().numpy())
                places.append(rows)
        if not found:
            return np.zeros((0, 0), dtype=np.float32)
        out = np.empty((len(unique), found[0].shape[1]), dtype=np.float32)
        out[np.concatenate(places)] = np.concatenate(found)
        return out[of]

    def _pooled(self, packed: PackedBatch) -> Tensor:
        given = packed if self.adapter is None else self.adapter.before(packed, self.encoder)
        wanted = None
        if self.pooling.reads_last_token and self.adapter is None:
            ends = packed.packing.starts[1:] - 1
            wanted = torch.from_numpy(ends[np.diff(packed.packing.starts) > 0]).to(self.device)
        states: States = self.encoder(
            given, all_states=self.pooling.reads_layers, pooler=self.pooling.reads_pooler, wanted=wanted
        )
        if self.adapter is not None:
            states = self.adapter.after(states, packed)
        chosen = states.last if states.layers is None else mean_of_last(states.layers, 4)
        parts = [
            pool(chosen, packed.packing, kind, token=self.pooling.token, pooler=states.pooler)
            for kind in self.pooling.kinds
        ]
        return torch.cat(parts, dim=-1)


def pack(batches: Mapping[str, TaskBatch], device: torch.device | str = "cpu") -> PackedBatch:
    """Lay the texts of all batches on one flat axis, task after task."""
    return PackedBatch.from_tokens(join([batch.tokens for batch in batches.values()]), device)


def join(parts: Sequence[Tokens]) -> Tokens:
    """Put tokenised texts behind one another.

    >>> join([Tokens.from_lists([[1, 2]]), Tokens.from_lists([[3], [4, 5]])]).starts.tolist()
    [0, 2, 3, 5]
    """
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0, *(part.starts[-1] for part in parts)])
    starts = [part.starts[1:] + end for part, end in zip(parts, ends, strict=False)]
    return Tokens(
        np.concatenate([part.ids for part in parts]),
        np.concatenate([np.zeros(1, dtype=np.int64), *starts]),
        _joined(parts, [part.segments for part in parts], 0),
        _joined(parts, [part.words for part in parts], NOT_A_WORD),
        forms=_joined_forms(parts),
    )


def _joined_forms(parts: Sequence[Tokens]) -> Forms | None:
    forms = [part.forms for part in parts if part.forms is not None]
    return np.concatenate(forms) if forms and len(forms) == len(parts) else None


def _joined(
    parts: Sequence[Tokens], values: Sequence[NDArray[np.int32] | None], fill: int
) -> NDArray[np.int32] | None:
    if all(value is None for value in values):
        return None
    filled = [
        np.full(len(part.ids), fill, dtype=np.int32) if value is None else value
        for part, value in zip(parts, values, strict=True)
    ]
    return np.concatenate(filled)


def _slices(
    packed: PackedBatch, states: States, batches: Sequence[TaskBatch], pooling: PoolingConfig
) -> Iterator[EncoderOutput]:
    """Cut the pass into what each task sees; views, nothing is copied."""
    text = 0
    ends = np.cumsum([len(batch.tokens) for batch in batches])
    sizes = np.diff(packed.packing.starts[[0, *ends]]).tolist()
    # Split, not sliced: the gradient of each slice would be a whole tensor of zeros around it.
    last = torch.split(states.last, sizes)
    layers = None if states.layers is None else [torch.split(layer, sizes) for layer in states.layers]
    for number, batch in enumerate(batches):
        starts = packed.packing.starts[text : text + len(batch.tokens) + 1]
        here = slice(int(starts[0]), int(starts[-1]))
        own = PackedBatch(
            Packing(starts - starts[0], packed.packing.device),
            ids=None if packed.ids is None else packed.ids[here],
            embeddings=None if packed.embeddings is None else packed.embeddings[here],
            segments=None if packed.segments is None else packed.segments[here],
            words=None if packed.words is None else packed.words[here],
            forms=None if packed.forms is None else packed.forms[here],
            attention=packed.attention,
        )
        yield EncoderOutput(
            batch=own,
            last=last[number],
            layers=None if layers is None else tuple(layer[number] for layer in layers),
            pooler=None if states.pooler is None else states.pooler[text : text + len(batch.tokens)],
            pooling=pooling,
        )
        text += len(batch.tokens)


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Switch dropout and batch statistics off for the block."""
    before = module.training
    module.eval()
    try:
        yield
    finally:
        module.train(before)
