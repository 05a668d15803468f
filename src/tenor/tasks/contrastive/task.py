"""Learning that two texts belong together from nothing but such pairs: what most embeddings are trained with.

Each text must find its partner among all partners of the batch (in-batch negatives), and, if symmetric, the
other way round; texts that are known not to belong may stand beside them (hard negatives):

    L = -log( e^{cos(u_i, v_i)/τ} / Σ_j e^{cos(u_i, c_j)/τ} ),   c = all v of the batch and all hard negatives

Equal texts of other rows do not count as wrong. Metric: mean reciprocal rank of the partner among all of the
dev set, the mean of both directions. Shapes: r rows, s texts per row (2, and one per hard negative), d width.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.tasks import losses
from tenor.tasks.contrastive.hard_negatives import hard_negatives
from tenor.tasks.contrastive.kind import ContrastiveSpec
from tenor.tasks.task import EncoderOutput, TaskBatch, TaskData
from tenor.tasks.texts.task import TextTask
from tenor.text.batching import distinct
from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import Tokens


class ContrastiveTask(TextTask):
    """Pulls the two texts of a row together and away from those of all others."""

    spec: ContrastiveSpec
    couples_rows = True
    _mined: NDArray[np.int64] | None = None  # [n, count], rows whose second texts are hard negatives

    def prepare(self, examples: Sequence[Any], tokenizer: Tokenizer) -> TaskData:
        """Turn pairs, or triples with a hard negative, into tokens; targets number distinct texts [n, s]."""
        tokens = tokenizer.tokenize([text for each in examples for text in each.texts])
        sides = len(examples[0].texts) if examples else 2
        return TaskData(
            examples=examples, tokens=tokens, sides=sides, targets=distinct(tokens)[1].reshape(-1, sides)
        )

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> Tensor:
        """Return the vectors of all texts of each row [r, s, d]."""
        vectors = self.vectors(seen)
        rows: Tensor = vectors.view(batch.sides, len(batch), vectors.shape[-1])
        return rows.transpose(0, 1)

    def losses(self, output: Tensor, batch: TaskBatch) -> dict[str, Tensor]:
        """Return the in-batch loss, of both directions if symmetric."""
        assert batch.targets is not None
        texts, rows, heat = batch.targets, len(batch), self.spec.temperature
        candidates = output[:, 1:].transpose(0, 1).flatten(0, 1)  # [r · (s - 1), d], the partners first
        hidden = _also_right(texts[:, 0], texts[:, 1], texts[:, 1:].T.flatten())
        loss = losses.in_batch(output[:, 0], candidates, hidden=hidden, temperature=heat)
        if self.spec.symmetric:
            hidden = _also_right(texts[:, 1], texts[:, 0], texts[:, 0])
            back = losses.in_batch(output[:, 1], output[:, 0], hidden=hidden[:, :rows], temperature=heat)
            loss = (loss + back) / 2
        return {"loss": loss}

    def predict(self, output: Tensor, batch: TaskBatch) -> NDArray[np.float32]:
        """Return the vectors of both texts of each row [r, 2, d]."""
        return output[:, :2].detach().float().cpu().numpy()

    def begin_epoch(
        self,
        data: TaskData,
        vectors: Callable[[Tokens], NDArray[np.float32]],
        *,
        epoch: int,
        generator: np.random.Generator,
    ) -> None:
        """Find hard negatives for every row with the model as it stands, where the task asks for them."""
        if not self.spec.hard_negatives:
            return
        assert isinstance(data.targets, np.ndarray)
        found = vectors(data.tokens).reshape(len(data), data.sides, -1)
        self._mined = hard_negatives(
            found[:, 0], found[:, 1], data.targets, count=self.spec.hard_negatives, generator=generator
        )

    def collate(
        self, data: TaskData, rows: NDArray[np.int64], *, generator: np.random.Generator | None = None
    ) -> TaskBatch:
        """Cut rows out of the data; in training the hard negatives found for them follow as further texts."""
        batch = super().collate(data, rows, generator=generator)
        if self._mined is None or generator is None or not self._mined.shape[1]:
            return batch
        assert isinstance(data.targets, np.ndarray)
        own = rows[:, None] * data.sides + np.arange(data.sides)
        texts = np.concatenate([own, self._mined[rows] * data.sides + 1], axis=1)  # seconds of other rows
        return replace(
            batch,
            tokens=data.tokens.take(texts.T.reshape(-1)),
            sides=texts.shape[1],
            targets=torch.from_numpy(data.targets.reshape(-1)[texts]),
        )

    def state(self) -> dict[str, Any]:
        """Return the hard negatives of this epoch."""
        return {} if self._mined is None else {"mined": self._mined}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take back the hard negatives of an interrupted epoch."""
        self._mined = np.asarray(state["mined"], dtype=np.int64) if "mined" in state else None


def _also_right(queries: Tensor, partners: Tensor, candidates: Tensor) -> Tensor:
    """Mark the candidates [r, c] that are a row's own partner under another number, or one of its query's."""
    same = partners[:, None] == candidates[None, :]
    equal_query = queries[:, None] == queries[None, :]
    # A partner of an equal query is right as well.
    same[:, : len(queries)] |= equal_query
    own = torch.arange(len(queries), device=same.device)
    same[own, own] = False
    return same
