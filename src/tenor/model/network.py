"""A model as training sees it: a torch encoder and tasks by name, which share one packed pass.

    texts of all tasks, all sides  ->  one flat token axis  ->  encoder  ->  each task's own slice  ->  heads

The encoder is any module that takes a ``PackedBatch`` and returns ``States``: BERT, an LSTM, word vectors. An
encoder none of whose weights is trained runs without dropout and without gradients, once for every text.

Shapes: n texts, T tokens, d width.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tenor.encoders.bert.encoder import BertEncoder, States
from tenor.layers.layer_mix import mean_of_last
from tenor.layers.packed import PackedBatch, Packing
from tenor.layers.pooling import pool
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.frozen_states import FrozenStates
from tenor.tasks.task import Seen, Task, TaskBatch, first_places
from tenor.text.batching import distinct, plan_batches
from tenor.text.tokens import NOT_A_WORD, Tokens

Floats = NDArray[np.float32]


class TrainableEncoder(Protocol):
    """What `Network` needs of an encoder."""

    def __call__(self, batch: PackedBatch, *, all_states: bool = False, pooler: bool = False) -> States:
        """Encode a batch."""


class Network(nn.Module):
    """An encoder, a default pooling and tasks by name."""

    def __init__(self, encoder: nn.Module, *, pooling: PoolingConfig, tasks: Mapping[str, Task]) -> None:
        super().__init__()
        self.encoder = encoder
        self.pooling = pooling
        self.tasks = nn.ModuleDict(tasks)
        self.kept: FrozenStates | None = None
        """Where training keeps what a frozen encoder said; use does without, as it sees a text once."""

    @property
    def frozen(self) -> bool:
        """Whether no weight of the encoder is trained."""
        return not any(parameter.requires_grad for parameter in self.encoder.parameters())

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

    def forward(
        self, batches: Mapping[str, TaskBatch], *, embeddings: Tensor | None = None
    ) -> dict[str, Any]:
        """Return each task's output, after one pass over the texts of all of them.

        ``embeddings`` [T, d] take the place of the words' look-up, in the order of ``pack(batches)``.
        """
        seen = self.see(batches, embeddings=embeddings, whole=False)
        return {name: self.task(name)(seen[name], batch) for name, batch in batches.items()}

    def see(
        self, batches: Mapping[str, TaskBatch], *, embeddings: Tensor | None = None, whole: bool = True
    ) -> dict[str, Seen]:
        """Run the encoder once over all texts, and hand each task the states of its own.

        Without ``whole`` the states that no task reads may be 0, where that is faster.
        """
        packed = pack(batches, self.device)
        if embeddings is not None:
            packed = packed.with_embeddings(embeddings)
        reads = [self.task(name).reads for name in batches]
        layers, pooler = any(each.layers for each in reads), any(each.pooler for each in reads)
        frozen = self.frozen and embeddings is None
        if frozen and self.kept is not None and len(packed) and not self.encoder.training:
            states = self._kept_states(self.kept, batches, layers=layers, pooler=pooler)
        else:
            with torch.set_grad_enabled(torch.is_grad_enabled() and not frozen):
                states = self.encoder(
                    packed,
                    all_states=layers,
                    pooler=pooler,
                    **({} if whole else self._less(batches, pooler=pooler)),
                )
        return dict(zip(batches, _slices(packed, states, list(batches.values()), self.pooling), strict=True))

    def _less(self, batches: Mapping[str, TaskBatch], *, pooler: bool) -> dict[str, Tensor]:
        """Ask an encoder that can do less for less, where no task reads more."""
        if not isinstance(self.encoder, BertEncoder):
            return {}
        wanted, start = [], 0
        for name, batch in batches.items():
            places = self.task(name).places(batch)
            if places is None:
                return {}
            if pooler:
                places = torch.unique(torch.cat([places.cpu(), first_places(batch.tokens)]))
            wanted.append(places.to(self.device) + start)
            start += len(batch.tokens.ids)
        return {"wanted": torch.cat(wanted)} if wanted else {}

    @torch.no_grad()
    def _kept_states(
        self, kept: FrozenStates, batches: Mapping[str, TaskBatch], *, layers: bool, pooler: bool
    ) -> States:
        def encode(tokens: Tokens) -> States:
            packed = PackedBatch.from_tokens(tokens, self.device)
            return cast(States, self.encoder(packed, all_states=layers, pooler=pooler))

        tokens = join([batch.tokens for batch in batches.values()])
        return kept.states(self.encoder, tokens, encode, layers=layers, pooler=pooler, device=self.device)

    def look_up(self, batches: Mapping[str, TaskBatch]) -> Tensor:
        """Return the word embeddings [T, d] of all texts, which an inner loop may change and hand back."""
        return cast(Tensor, cast(Any, self.encoder).look_up(pack(batches, self.device)))

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
        states: States = self.encoder(
            packed, all_states=self.pooling.layers != "last", pooler="pooler" in self.pooling.kinds
        )
        chosen = states.last if states.layers is None else mean_of_last(states.layers, 4)
        parts = [
            states.pooler
            if kind == "pooler"
            else pool(chosen, packed.packing, kind, token=self.pooling.token)
            for kind in self.pooling.kinds
        ]
        return torch.cat(cast(list[Tensor], parts), dim=-1)


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
    )


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
) -> Iterator[Seen]:
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
            attention=packed.attention,
        )
        yield Seen(
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
