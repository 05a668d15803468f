"""The torch task of kinds about one text or two: tokens, vectors, a head."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.tasks.config import Head
from tenor.tasks.heads.head import TaskHead
from tenor.tasks.task import (
    EncoderOutput,
    Metric,
    Reads,
    Task,
    TaskBatch,
    TaskData,
    first_positions,
    last_positions,
)
from tenor.tasks.texts.jaccard import jaccard, special_ids
from tenor.tasks.texts.spec import TextSpec
from tenor.tasks.texts.vectors import TextVectors, packing_apart
from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import Tokens


class TextTask(Task):
    """A task whose head reads a vector per text; two texts are encoded each by itself, or as one sequence."""

    spec: TextSpec
    fitted_heads: ClassVar[tuple[Head, ...]] = ()
    """The heads whose output layer is fitted in closed form."""

    def __init__(
        self, name: str, spec: TextSpec, *, head: TaskHead, vectors: TextVectors, weight: float = 1.0
    ) -> None:
        super().__init__(name, weight=weight)
        self.spec, self.head, self.vectors = spec, head, vectors

    @property
    def reads(self) -> Reads:  # type: ignore[override]
        """What the encoder must return."""
        return self.vectors.reads

    def positions(self, batch: TaskBatch) -> Tensor | None:
        """Return the first or the last token of each text, where the pooling reads no other."""
        if self.spec.apart:
            return None
        if self.vectors.lasts:
            return last_positions(batch.tokens)
        return first_positions(batch.tokens) if self.vectors.firsts else None

    @property
    def metric(self) -> Metric:  # type: ignore[override]
        """The score that the task is judged by."""
        return Metric(self.spec.metric)

    @property
    def couples_rows(self) -> bool:  # type: ignore[override]
        """Whether a row's loss depends on the batch's other rows."""
        return self.head.couples_rows

    def prepare(self, examples: Sequence[Any], tokenizer: Tokenizer) -> TaskData:
        """Turn examples into tokens, targets (None where they carry none) and known features."""
        labelled = any(each.label is not None or each.score is not None for each in examples)
        return TaskData(
            examples=examples,
            tokens=self._tokens(examples, tokenizer),
            sides=2 if self.spec.symmetrize else self.spec.sides,
            targets=self.spec.targets(examples, name=self.name) if labelled else None,
            features=self._features(examples, tokenizer) if "jaccard" in self.spec.features else None,
        )

    def collate(
        self, data: TaskData, rows: NDArray[np.int64], *, generator: np.random.Generator | None = None
    ) -> TaskBatch:
        """Cut rows out of the data; of pairs that go both ways, training draws one way for each."""
        batch = super().collate(data, rows, generator=generator)
        if not self.spec.symmetrize or generator is None:
            return batch
        order = generator.integers(0, 2, size=len(rows))
        return replace(batch, tokens=data.tokens.take(rows * 2 + order), sides=1)

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> Tensor:
        """Return the head's outputs [r, o]."""
        features = batch.features
        if not self.spec.symmetrize or batch.sides == 1:
            out: Tensor = self.head(self._sides(seen, batch), features)
            return out
        both = self.head(self._sides(seen, batch), None if features is None else features.repeat(2, 1))
        return cast(Tensor, both.view(2, len(batch), self.spec.outputs).mean(dim=0))

    @property
    def fits(self) -> bool:
        """Whether the head has an output layer of its own that one pass tells the inputs of."""
        shared = self.spec.share_head_with is not None or self.spec.symmetrize
        return not shared and self.head.kind in self.fitted_heads

    def fit_inputs(self, seen: EncoderOutput, batch: TaskBatch) -> Tensor:
        """Return what the head's output layer reads [r, f]."""
        return self.head.last_inputs(self._sides(seen, batch), batch.features)

    def predict(self, output: Tensor, batch: TaskBatch) -> NDArray[Any]:
        """Return probabilities [r, labels] or scores [r]."""
        return self.spec.predictions(output.detach().float().cpu().numpy())

    def saved_weights(self) -> dict[str, Tensor]:
        """Return the weights of the head, and of its own pooling under ``vectors.``."""
        named = self.head.state_dict() | {
            f"vectors.{key}": value for key, value in self.vectors.state_dict().items()
        }
        # Batch norm's count of batches is no weight: with a fixed momentum nothing reads it.
        return {key: value for key, value in named.items() if not key.endswith("num_batches_tracked")}

    def _sides(self, seen: EncoderOutput, batch: TaskBatch) -> Sequence[Tensor]:
        """Return the vectors that the head reads, of each side [r, d]."""
        if self.spec.apart:
            parts: Tensor = self.vectors(seen, packing_apart(batch.tokens, seen.packing.device))
            sides = torch.unbind(parts.view(-1, 2, parts.shape[-1]), dim=1)
            return (*sides, self.vectors(seen)) if "whole" in self.spec.features else sides
        vectors: Tensor = self.vectors(seen)
        if self.spec.sides == 1:
            return [vectors]
        return torch.split(vectors, len(batch)) if len(batch) else [vectors]

    def _tokens(self, examples: Sequence[Any], tokenizer: Tokenizer) -> Tokens:
        if self.spec.texts == 2 and self.spec.encoding == "cross":
            first, second = [each.first for each in examples], [each.second for each in examples]
            if not self.spec.symmetrize:
                return tokenizer.tokenize(first, pairs=second)
            ways = [pair for each in zip(first, second, strict=True) for pair in (each, each[::-1])]
            return tokenizer.tokenize([one for one, _ in ways], pairs=[other for _, other in ways])
        return tokenizer.tokenize([text for each in examples for text in each.texts])

    def _features(self, examples: Sequence[Any], tokenizer: Tokenizer) -> NDArray[np.float32]:
        first, second = (tokenizer.tokenize([each.texts[side] for each in examples]) for side in range(2))
        return jaccard(first, second, specials=special_ids(tokenizer))[:, None]
