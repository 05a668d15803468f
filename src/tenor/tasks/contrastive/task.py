"""Learning that two texts belong together from nothing but such pairs: what most embeddings are trained with.

Each text must find its partner among all partners of the batch (in-batch negatives), and, if symmetric, the
other way round; texts that are known not to belong may stand beside them (hard negatives):

    L = -log( e^{cos(u_i, v_i)/τ} / Σ_j e^{cos(u_i, c_j)/τ} ),   c = all v of the batch and all hard negatives

With a margin, the loss of ``margin.py`` takes its place; texts may then be compared as Gaussians, whose
mean and log-variance stand for the vector (d is twice their dimensions).

Equal texts of other rows do not count as wrong. Metric: mean reciprocal rank of the partner among all of the
dev set, the mean of both directions. Shapes: r rows, s texts per row (2, and one per hard negative; 4 with
the two negatives of a mega-batch), d width.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.errors import TenorError
from tenor.tasks import losses
from tenor.tasks.contrastive.hard_negatives import hard_negatives
from tenor.tasks.contrastive.kind import GAUSSIAN, ContrastiveSpec
from tenor.tasks.contrastive.margin import (
    NONE,
    Similarity,
    cosine,
    hardest_negatives,
    likelihood,
    margin_loss,
)
from tenor.tasks.task import EncoderOutput, TaskBatch, TaskData
from tenor.tasks.texts.jaccard import special_ids
from tenor.tasks.texts.task import TextTask
from tenor.text.batching import distinct
from tenor.text.scrambling import scrambled
from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import Tokens


class ContrastiveTask(TextTask):
    """Pulls the two texts of a row together and away from those of all others."""

    spec: ContrastiveSpec
    couples_rows = True
    _mined: NDArray[np.int64] | None = None  # [n, count], rows whose second texts are hard negatives
    _negatives: NDArray[np.int64] | None = None  # [n, 2], texts that are hardest for both texts of a row

    @property
    def looks_ahead(self) -> int:  # type: ignore[override]
        """The batches of a mega-batch; negatives of a single batch are found in its own pass."""
        return self.spec.mega_batch if self.spec.margin is not None and self.spec.mega_batch > 1 else 0

    @property
    def similarity(self) -> Similarity:
        """How two texts are compared."""
        return likelihood if self.spec.head in GAUSSIAN else cosine

    def prepare(self, examples: Sequence[Any], tokenizer: Tokenizer) -> TaskData:
        """Turn pairs, or triples with a hard negative, into tokens; targets number distinct texts [n, s]."""
        tokens = tokenizer.tokenize([text for each in examples for text in each.texts])
        if self.spec.scramble and len(special_ids(tokenizer)):
            raise TenorError(
                f"Task {self.name}: scramble is for encoders over words; this tokenizer puts tokens of its "
                "own around a text, whose place matters."
            )
        sides = len(examples[0].texts) if examples else 2
        return TaskData(
            examples=examples, tokens=tokens, sides=sides, targets=distinct(tokens)[1].reshape(-1, sides)
        )

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> Tensor:
        """Return the vectors of all texts of each row [r, s, d]."""
        vectors = self._represented(self.vectors(seen))
        rows: Tensor = vectors.view(batch.sides, len(batch), vectors.shape[-1])
        return rows.transpose(0, 1)

    def losses(self, output: Tensor, batch: TaskBatch) -> dict[str, Tensor]:
        """Return the in-batch loss, of both directions if symmetric; or the loss with a margin."""
        if self.spec.margin is not None:
            return {"loss": self._margin_loss(output, batch)}
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
        pairs = output[:, :2].detach().float()
        if self.spec.head in GAUSSIAN:
            mean, log_var = pairs.chunk(2, dim=-1)
            pairs = torch.cat([mean, log_var.exp()], dim=-1)
        return pairs.cpu().numpy()

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
        if generator is not None and self._negatives is not None:
            batch = self._with_negatives(data, batch)
        if generator is not None and self.spec.scramble:
            batch = replace(batch, tokens=scrambled(batch.tokens, self.spec.scramble, generator))
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

    def look_ahead(
        self, data: TaskData, rows: NDArray[np.int64], vectors: Callable[[Tokens], NDArray[np.float32]]
    ) -> None:
        """Find the hardest negatives of the rows of a mega-batch with the model as it stands."""
        assert isinstance(data.targets, np.ndarray)
        texts = (rows[:, None] * data.sides + np.arange(2)).reshape(-1)
        encoded = torch.from_numpy(vectors(data.tokens.take(texts)))
        with torch.no_grad():
            represented = self._represented(encoded.to(next(self.parameters(), encoded).device))
        places = hardest_negatives(represented, data.targets.reshape(-1)[texts], similarity=self.similarity)
        if self._negatives is None:
            self._negatives = np.full((len(data), 2), NONE, dtype=np.int64)
        self._negatives[rows] = np.where(places == NONE, NONE, texts[places])

    def _with_negatives(self, data: TaskData, batch: TaskBatch) -> TaskBatch:
        """Lay the negatives of its mega-batch beside each row; the partner, where there was no other text."""
        assert self._negatives is not None
        assert isinstance(data.targets, np.ndarray)
        own = batch.rows[:, None] * data.sides + np.arange(2)
        negatives = self._negatives[batch.rows]
        texts = np.concatenate([own, np.where(negatives == NONE, own[:, ::-1], negatives)], axis=1)
        return replace(
            batch,
            tokens=data.tokens.take(texts.T.reshape(-1)),
            sides=4,
            targets=torch.from_numpy(data.targets.reshape(-1)[texts]),
        )

    def _margin_loss(self, output: Tensor, batch: TaskBatch) -> Tensor:
        first, second = output[:, 0], output[:, 1]
        if batch.sides == 4:
            negatives = output[:, 2], output[:, 3]
        else:
            assert batch.targets is not None
            texts, numbers = output.flatten(0, 1), batch.targets.cpu().numpy().reshape(-1)
            places = hardest_negatives(texts, numbers, similarity=self.similarity)
            partners = np.arange(len(places) * 2).reshape(-1, 2)[:, ::-1]
            chosen = torch.from_numpy(np.where(places == NONE, partners, places)).to(output.device)
            negatives = texts[chosen[:, 0]], texts[chosen[:, 1]]
        assert self.spec.margin is not None
        return margin_loss(first, second, negatives, margin=self.spec.margin, similarity=self.similarity)

    def _represented(self, vectors: Tensor) -> Tensor:
        """Return what texts are compared by: their vectors, or means and log-variances of Gaussians."""
        if self.spec.head == "expected_likelihood":
            mean, variance = vectors.chunk(2, dim=-1)
            return torch.cat([mean, variance.log()], dim=-1)
        if self.spec.head == "gaussian":
            assert self.head.network is not None
            gaussians: Tensor = self.head.network(vectors)
            return gaussians
        return vectors

    def state(self) -> dict[str, Any]:
        """Return the hard negatives of this epoch, and of the current mega-batch."""
        kept = {"mined": self._mined, "negatives": self._negatives}
        return {name: value for name, value in kept.items() if value is not None}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take back the hard negatives of an interrupted epoch."""
        self._mined, self._negatives = (
            np.asarray(state[name], dtype=np.int64) if name in state else None
            for name in ("mined", "negatives")
        )


def _also_right(queries: Tensor, partners: Tensor, candidates: Tensor) -> Tensor:
    """Mark the candidates [r, c] that are a row's own partner under another number, or one of its query's."""
    same = partners[:, None] == candidates[None, :]
    equal_query = queries[:, None] == queries[None, :]
    # A partner of an equal query is right as well.
    same[:, : len(queries)] |= equal_query
    own = torch.arange(len(queries), device=same.device)
    same[own, own] = False
    return same
