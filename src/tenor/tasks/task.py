"""What every task is: a head on an encoder's states, a loss and a metric, for texts of its own.

A task is handed its examples once (``prepare``: tokens on a flat axis and targets as arrays), cuts batches
from them (``collate``), and after the encoder's pass sees the states of its own texts only
(``EncoderOutput``), whatever other tasks went through the same pass. The loop knows nothing else of a task,
so that a tagger, a language model or a parser is one more subclass.

Shapes: r rows of a batch, s texts per row (1, or 2 for a pair encoded side by side), T tokens, d width.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tenor.errors import TenorError
from tenor.layers.packed import PackedBatch, Packing
from tenor.layers.pooling_config import PoolingConfig
from tenor.tasks.spec import Predictions, TaskSpec
from tenor.text.ragged import Ragged
from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Reads:
    """What a task wants of the encoder beyond its last states."""

    layers: bool = False
    """The states of all layers."""
    pooler: bool = False
    """The output of the encoder's own pooler."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaskData:
    """The examples of a task, ready for the encoder: texts i·s … i·s + s - 1 of ``tokens`` are row i's.

    Where rows have different numbers of texts (choices, windows of a long text), ``text_starts`` says which
    texts are a row's: ``text_starts[i]:text_starts[i + 1]``.
    """

    examples: Sequence[Any]
    tokens: Tokens
    sides: int = 1
    targets: NDArray[Any] | Ragged | None = None  # [rows, …]
    features: NDArray[np.float32] | None = None  # [rows, f], what the texts alone tell, such as their overlap
    text_starts: NDArray[np.int64] | None = None  # [rows + 1]

    def __len__(self) -> int:
        if self.text_starts is not None:
            return len(self.text_starts) - 1
        return len(self.tokens) // self.sides

    def costs(self) -> NDArray[np.int64]:
        """Return the tokens of each row [rows]."""
        if self.text_starts is None:
            sums: NDArray[np.int64] = self.tokens.lengths.reshape(-1, self.sides).sum(axis=1)
            return sums
        return self.tokens.starts[self.text_starts[1:]] - self.tokens.starts[self.text_starts[:-1]]

    def head(self, count: int) -> "TaskData":
        """Return the first rows."""
        count = min(count, len(self))
        texts = count * self.sides if self.text_starts is None else int(self.text_starts[count])
        rows = np.arange(count)
        return replace(
            self,
            examples=self.examples[:count],
            tokens=self.tokens.take(np.arange(texts)),
            targets=None if self.targets is None else self.targets[rows],
            features=None if self.features is None else self.features[:count],
            text_starts=None if self.text_starts is None else self.text_starts[: count + 1],
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaskBatch:
    """Some rows of a task: the first sides of all rows, then the second sides.

    Where rows have different numbers of texts, these come row by row, and ``text_starts`` [r + 1] says which
    are whose. Arrays, tensors and ragged arrays among the ``extras`` have a row each, as targets and features
    do.
    """

    rows: NDArray[np.int64]  # [r], their numbers in the data, for messages and reports
    tokens: Tokens
    sides: int = 1
    targets: Tensor | None = None  # [r, …]
    features: Tensor | None = None  # [r, f]
    extras: Mapping[str, Any] = field(default_factory=dict)
    text_starts: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: NDArray[np.int64]) -> "TaskBatch":
        """Select rows, by their places in this batch."""
        texts, starts = _texts_of(self.text_starts, which, len(self), self.sides)
        index = torch.from_numpy(which)
        return replace(
            self,
            rows=self.rows[which],
            tokens=self.tokens.take(texts),
            text_starts=starts,
            targets=None if self.targets is None else self.targets[index],
            features=None if self.features is None else self.features[index],
            extras={
                name: value[index] if isinstance(value, Tensor) else _taken(value, which)
                for name, value in self.extras.items()
            },
        )

    def to(self, device: torch.device) -> "TaskBatch":
        """Return the same batch with its tensors on a device."""
        if device.type == "cpu":
            return self
        return replace(
            self,
            targets=None if self.targets is None else self.targets.to(device),
            features=None if self.features is None else self.features.to(device),
            extras={
                name: value.to(device) if isinstance(value, Tensor) else value
                for name, value in self.extras.items()
            },
        )


def _taken(value: Any, which: NDArray[np.int64]) -> Any:
    return value[which] if isinstance(value, np.ndarray | Ragged) else value


def _texts_of(
    starts: NDArray[np.int64] | None, which: NDArray[np.int64], rows: int, sides: int
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Return the texts of some rows of a batch, and where each row's begin where their numbers differ."""
    if starts is None:
        return np.concatenate([which + side * rows for side in range(sides)]), None
    texts = Ragged(np.arange(starts[-1]), starts)[which]
    return texts.values, texts.starts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EncoderOutput:
    """What a task sees of a pass: its own texts, on their own flat axis."""

    batch: PackedBatch
    last: Tensor  # [T, d]
    layers: tuple[Tensor, ...] | None = None  # each [T, d]
    pooler: Tensor | None = None  # [r·s, d]
    pooling: PoolingConfig  # the model's own, for heads that choose no other

    @property
    def packing(self) -> Packing:
        """Where each text begins."""
        return self.batch.packing


@dataclass(frozen=True, slots=True)
class Metric:
    """The score that a task is judged by, and its direction.

    >>> Metric("accuracy").better(0.8, 0.7)
    True
    """

    name: str
    higher_is_better: bool = True

    def better(self, new: float, old: float) -> bool:
        """Whether a score beats another."""
        return new > old if self.higher_is_better else new < old


class Task(nn.Module, ABC):
    """A head, its loss and its metric, under a name."""

    spec: TaskSpec | None = None
    """What it predicts, as a model folder keeps it; a task without one is trained, and not saved."""
    reads = Reads()
    metric = Metric("accuracy")
    couples_rows = False
    """Whether a row's loss depends on the batch's other rows (batch norm, in-batch negatives): such a batch
    is neither cut into passes nor spread over processes without gathering first."""

    looks_ahead = 0
    """Of how many batches at a time it wants to see the rows before the first of them (``look_ahead``)."""

    def __init__(self, name: str, *, weight: float = 1.0) -> None:
        super().__init__()
        self.name = name
        self.weight = weight

    @abstractmethod
    def prepare(self, examples: Sequence[Any], tokenizer: Tokenizer) -> TaskData:
        """Turn examples into tokens and targets."""

    @abstractmethod
    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> Any:
        """Return what the head says of each row: a tensor, or whatever ``losses`` and ``predict`` take."""

    @abstractmethod
    def losses(self, output: Any, batch: TaskBatch) -> dict[str, Tensor]:
        """Return named losses, each a mean over the rows."""

    @abstractmethod
    def predict(self, output: Any, batch: TaskBatch) -> Predictions:
        """Return predictions, one row each, as ``score`` and people take them (probabilities, scores, …).

        An array [r, …], or a list of arrays where rows have predictions of different sizes.
        """

    def score(self, predictions: Predictions, data: TaskData) -> dict[str, float]:
        """Return all scores by name; ``metric.name`` is among them."""
        assert self.spec is not None
        assert data.targets is not None
        return self.spec.plain_scores(predictions, data.targets)

    def begin(self, examples: Sequence[Any]) -> None:
        """Look at the examples to train on, once, before a run begins."""

    @property
    def fits(self) -> bool:
        """Whether its head can be fitted in closed form to the encoder as it stands."""
        return False

    def fit_inputs(self, seen: EncoderOutput, batch: TaskBatch) -> Tensor:
        """Return what the layer that is fitted reads of each row [r, f]."""
        raise NotImplementedError

    def fit(self, inputs: NDArray[np.float32], targets: Any) -> str:
        """Fit the head to the inputs [n, f] of all training rows, and say how."""
        raise NotImplementedError

    def saved_weights(self) -> dict[str, Tensor]:
        """Return the weights that a model folder keeps of the task, by name."""
        return {name: value for name, value in self.state_dict().items() if value.is_floating_point()}

    def load_weights(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Take back what ``saved_weights`` returned."""
        self.copy_weights(self.saved_weights(), weights)

    def copy_weights(self, own: Mapping[str, Tensor], weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Copy weights into tensors of the task, or say which is missing."""
        for key, tensor in own.items():
            value = weights.get(key)
            if value is None or value.shape != tuple(tensor.shape):
                raise TenorError(f"The weight {key!r} of task {self.name} is missing or of another shape.")
            with torch.no_grad():
                tensor.copy_(torch.from_numpy(np.array(value)))

    def positions(self, batch: TaskBatch) -> Tensor | None:
        """Return the tokens [w] of the batch whose last states the head reads; None, the default, for all.

        An encoder may save itself the others and leave 0 there.
        """
        return None

    def begin_epoch(
        self,
        data: TaskData,
        vectors: Callable[[Tokens], NDArray[np.float32]],
        *,
        epoch: int,
        generator: np.random.Generator,
    ) -> None:
        """Prepare for an epoch of training, for instance by mining with the model as it stands.

        ``vectors`` encodes texts to pooled vectors. What is found here is kept in ``state``.
        """
        return

    def look_ahead(
        self, data: TaskData, rows: NDArray[np.int64], vectors: Callable[[Tokens], NDArray[np.float32]]
    ) -> None:
        """Prepare for the rows of the next ``looks_ahead`` batches, with the model as it stands."""
        return

    def state(self) -> dict[str, Any]:
        """Return what a resumed run needs of this epoch: arrays, tensors and what JSON holds."""
        return {}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take back what ``state`` returned."""
        return

    def size(self, batch: TaskBatch) -> float:
        """Return what the losses are a mean over: rows, unless a task counts words or masked tokens.

        A batch that goes through the encoder in several passes, or on several machines, is put together
        again by these sizes.
        """
        return float(len(batch))

    def collate(
        self, data: TaskData, rows: NDArray[np.int64], *, generator: np.random.Generator | None = None
    ) -> TaskBatch:
        """Cut rows out of the data; ``generator`` is there in training, for what is drawn anew each time."""
        if data.text_starts is None:
            texts = np.concatenate([rows * data.sides + side for side in range(data.sides)])
            starts = None
        else:
            texts, starts = _texts_of(data.text_starts, rows, len(data), data.sides)
        targets = data.targets
        return TaskBatch(
            rows=rows,
            tokens=data.tokens.take(texts),
            sides=data.sides,
            text_starts=starts,
            targets=torch.from_numpy(targets[rows]) if isinstance(targets, np.ndarray) else None,
            extras={"targets": targets[rows]} if isinstance(targets, Ragged) else {},
            features=None if data.features is None else torch.from_numpy(data.features[rows]),
        )


def join_predictions(parts: Sequence[Predictions], order: Sequence[NDArray[np.int64]]) -> Predictions:
    """Put the predictions of batches into the order of the rows; ``order`` has the rows of each batch."""
    positions = np.concatenate(order)
    if isinstance(parts[0], np.ndarray):
        together = np.concatenate(parts)
        ordered = np.empty_like(together)
        ordered[positions] = together
        return ordered
    rows: list[Any] = [None] * len(positions)
    for position, prediction in zip(
        positions.tolist(), (each for part in parts for each in part), strict=True
    ):
        rows[position] = prediction
    return rows


def last_positions(tokens: Tokens) -> Tensor:
    """Return the positions of the last tokens of all texts that have one."""
    return torch.from_numpy((tokens.starts[1:] - 1)[tokens.lengths > 0])


def first_positions(tokens: Tokens) -> Tensor:
    """Return the positions of the first tokens of all texts that have one."""
    return torch.from_numpy(tokens.starts[:-1][tokens.lengths > 0])
