"""The torch task of ``tag``: word vectors out of the encoder's states, and a head of ``tag/heads`` on them.

A sentence that is longer than the encoder reads goes through it in windows of whole words with context
(``tenor.tasks.tag.windows``); every word is labelled once, and the head runs over the whole sentence. Losses
are means over words.

Shapes: T tokens, W words of the batch, n sentences, d hidden size, k labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tenor.layers.layer_mix import LayerMix, mean_of_last
from tenor.tasks.tag.heads.boundaries import boundary_of, build_boundaries
from tenor.tasks.tag.heads.head import UNKNOWN
from tenor.tasks.tag.kind import TagSpec
from tenor.tasks.tag.windows import cut_windows
from tenor.tasks.task import EncoderOutput, Metric, Reads, Task, TaskBatch, TaskData
from tenor.tasks.texts.kind import own_seed
from tenor.tasks.word_states import word_starts, word_states
from tenor.text.ragged import Ragged
from tenor.text.tokenizer import Tokenizer
from tenor.text.word_shapes import shape_bits, word_shapes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TagData(TaskData):
    """Sentences, cut into windows where they are long."""

    windows: Ragged
    """The number of words that each window labels, by sentence."""
    leads: Ragged
    """The number of words before them that are context alone, window by window."""
    shapes: Ragged | None = None
    """The shape of each word, by sentence."""
    numbers: Ragged | None = None
    """The label of each word, by sentence."""


class TagTask(Task):
    """Gives every word a label."""

    spec: TagSpec

    def __init__(
        self,
        name: str,
        spec: TagSpec,
        *,
        hidden_size: int,
        num_layers: int,
        weight: float = 1.0,
        seed: int = 1,
    ) -> None:
        super().__init__(name, weight=weight)
        self.spec, self.metric = spec, Metric(spec.metric)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(own_seed(seed, name))
            self.dropout = nn.Dropout(spec.dropout)
            self.head = spec.head_type.build(spec, hidden_size)
            # After the head, which begins alike with and without it.
            self.boundaries = build_boundaries(spec, hidden_size) if spec.learns_boundaries else None
        self.mix = LayerMix(num_layers + 1) if spec.layers == "mix" else None

    @property
    def reads(self) -> Reads:  # type: ignore[override]
        """All layers, where they are mixed."""
        return Reads(layers=self.spec.layers != "last")

    def prepare(self, examples: Sequence[Any], tokenizer: Tokenizer) -> TagData:
        """Cut long sentences into windows, and number the tags where there are any."""
        cut, windows, leads = cut_windows([example.words for example in examples], tokenizer)
        tokens = tokenizer.tokenize(cut, words=True)
        labelled = bool(examples) and all(example.tags is not None for example in examples)
        targets = self.spec.targets(examples, name=self.name) if labelled else None
        return TagData(
            examples=examples,
            tokens=tokens,
            text_starts=windows.starts,
            windows=windows,
            leads=leads,
            shapes=_shapes(examples) if self.spec.casing else None,
            targets=targets,
            numbers=None if targets is None else self._numbered(targets),
        )

    def _numbered(self, targets: Ragged) -> Ragged:
        numbers = {label: number for number, label in enumerate(self.spec.labels)}
        values = [numbers.get(tag, UNKNOWN) for tag in targets.values.tolist()]
        return Ragged(np.array(values, dtype=np.int64), targets.starts)

    def collate(
        self, data: TaskData, rows: NDArray[np.int64], *, generator: np.random.Generator | None = None
    ) -> TaskBatch:
        """Cut sentences out of the data."""
        assert isinstance(data, TagData)
        batch = super().collate(data, rows, generator=generator)
        extras = dict(batch.extras) | {"windows": data.windows[rows], "leads": data.leads[rows]}
        if data.shapes is not None:
            extras["shapes"] = data.shapes[rows]
        if data.numbers is not None:
            extras["numbers"] = data.numbers[rows]
        return replace(batch, extras=extras)

    def size(self, batch: TaskBatch) -> float:
        """Return the number of words, over which losses are means."""
        return float(max(1, int(batch.extras["windows"].values.sum())))

    def saved_weights(self) -> dict[str, Tensor]:
        """Return the weights of the head and of the mix of layers."""
        return {name.removeprefix("head."): value for name, value in super().saved_weights().items()}

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> Any:
        """Return what the head makes of every word and, where they are learned, the scores of boundaries."""
        words = self.dropout(word_states(self._states(seen), seen, batch, subwords=self.spec.subwords))
        shapes = batch.extras.get("shapes")
        bits = None if shapes is None else torch.from_numpy(shape_bits(shapes.values))
        output = self.head(words, bits)
        return output if self.boundaries is None else (output, self.boundaries(words, bits))

    def _states(self, seen: EncoderOutput) -> Tensor:
        if self.spec.layers == "last":
            return seen.last
        assert seen.layers is not None
        mixed: Tensor = mean_of_last(seen.layers, 4) if self.mix is None else self.mix(seen.layers)
        return mixed

    def losses(self, output: Any, batch: TaskBatch) -> dict[str, Tensor]:
        """Return the losses of the head, means over words; words of unknown tags do not count."""
        numbers = batch.extras["numbers"]
        if self.boundaries is None:
            return self.head.losses(output, numbers)
        output, emissions = output
        untyped = self._untyped(numbers)
        boundary = self.spec.boundary_weight * self.boundaries.losses(emissions, untyped)["loss"]
        return self.head.losses(output, numbers) | {"boundary": boundary}

    def _untyped(self, numbers: Ragged) -> Ragged:
        """Return the boundary label of each word."""
        assert self.boundaries is not None
        known = boundary_of(self.spec.labels, self.boundaries.spec.labels)
        return Ragged(np.where(numbers.values < 0, UNKNOWN, known[numbers.values]), numbers.starts)

    def predict(self, output: Any, batch: TaskBatch) -> list[NDArray[np.float32]]:
        """Return the predictions of every sentence, as the head has them."""
        if self.boundaries is not None:
            output, _ = output
        return self.head.predict(output, word_starts(batch.extras["windows"]))


def _shapes(examples: Sequence[Any]) -> Ragged:
    return Ragged.from_lists([word_shapes(example.words).tolist() for example in examples])
