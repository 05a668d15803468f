"""What tasks about one text or two have in common: tokens, vectors, a head."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.tasks.heads.head import TaskHead
from tenor.tasks.jaccard import jaccard, special_ids
from tenor.tasks.predictions import predictions_of
from tenor.tasks.scoring import plain_scores
from tenor.tasks.spec import TaskSpec
from tenor.tasks.task import Metric, Reads, Seen, Task, TaskBatch, TaskData, first_places
from tenor.tasks.vectors import TextVectors, packing_apart
from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import Tokens


class TextTask(Task):
    """A task whose head reads a vector per text; a pair is encoded side by side, or jointly as one text."""

    def __init__(
        self, name: str, spec: TaskSpec, *, head: TaskHead, vectors: TextVectors, weight: float = 1.0
    ) -> None:
        super().__init__(name, weight=weight)
        self.spec, self.head, self.vectors = spec, head, vectors

    @property
    def reads(self) -> Reads:  # type: ignore[override]
        """What the encoder must return."""
        return self.vectors.reads

    def places(self, batch: TaskBatch) -> Tensor | None:
        """The first token of each text, where the pooling reads no other."""
        return first_places(batch.tokens) if self.vectors.firsts else None

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
            sides=2 if self.spec.both_orders else self.spec.sides,
            targets=self.targets(examples) if labelled else None,
            features=self._features(examples, tokenizer) if "jaccard" in self.spec.features else None,
        )

    def collate(
        self, data: TaskData, rows: NDArray[np.int64], *, generator: np.random.Generator | None = None
    ) -> TaskBatch:
        """Cut rows out of the data; of pairs that go both ways, training draws one way for each."""
        batch = super().collate(data, rows, generator=generator)
        if not self.spec.both_orders or generator is None:
            return batch
        order = generator.integers(0, 2, size=len(rows))
        return replace(batch, tokens=data.tokens.take(rows * 2 + order), sides=1)

    @abstractmethod
    def targets(self, examples: Sequence[Any]) -> NDArray[Any]:
        """Return what the examples say is right [n, …], or say which of them says something impossible."""

    def forward(self, seen: Seen, batch: TaskBatch) -> Tensor:
        """Return the head's raw numbers [r, o]."""
        features = batch.features
        if not self.spec.both_orders or batch.sides == 1:
            out: Tensor = self.head(self._sides(seen, batch), features)
            return out
        both = self.head(self._sides(seen, batch), None if features is None else features.repeat(2, 1))
        return cast(Tensor, both.view(2, len(batch), self.spec.outputs).mean(dim=0))

    def predict(self, output: Tensor, batch: TaskBatch) -> NDArray[Any]:
        """Return probabilities [r, labels] or scores [r]."""
        return predictions_of(self.spec, output.detach().float().cpu().numpy())

    def score(self, predictions: NDArray[Any], data: TaskData) -> dict[str, float]:
        """Return all scores."""
        assert data.targets is not None
        return plain_scores(self.spec, predictions, data.targets)

    def _sides(self, seen: Seen, batch: TaskBatch) -> Sequence[Tensor]:
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
        if self.spec.kind != "classify" and self.spec.encoding == "joint":
            first, second = [each.first for each in examples], [each.second for each in examples]
            if not self.spec.both_orders:
                return tokenizer.tokenize(first, pairs=second)
            ways = [pair for each in zip(first, second, strict=True) for pair in (each, each[::-1])]
            return tokenizer.tokenize([one for one, _ in ways], pairs=[other for _, other in ways])
        return tokenizer.tokenize([text for each in examples for text in each.texts])

    def _features(self, examples: Sequence[Any], tokenizer: Tokenizer) -> NDArray[np.float32]:
        first, second = (tokenizer.tokenize([each.texts[side] for each in examples]) for side in range(2))
        return jaccard(first, second, specials=special_ids(tokenizer))[:, None]
