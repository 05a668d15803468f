"""Pre-training as a task: masked language model and, on request, next sentence (Devlin et al., 2019).

    p(token) = softmax(E · LN(gelu(W · h + b)) + c)        E: the encoder's own word embeddings

Only the states of hidden tokens go through the product with the vocabulary, which is the most expensive part
of a small model. What is hidden is drawn anew whenever a text is used; dev hides the same tokens each time.
With next sentences a row is two texts as one sequence, the second the one that follows in the file or, every
other time, a random one; the pooler tells which.

Shapes: T tokens, M hidden tokens, n texts, d hidden size, V vocabulary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tenor.encoders.encoder import Encoder
from tenor.errors import TenorError
from tenor.layers.linear import Linear
from tenor.layers.vocabulary_loss import vocabulary_loss
from tenor.tasks.mlm.kind import MlmSpec
from tenor.tasks.mlm.masking import KEPT, Floats, Vocabulary, inverse_sqrt_frequency, mask_tokens
from tenor.tasks.task import EncoderOutput, Metric, Reads, Task, TaskBatch, TaskData
from tenor.text.tokenizer import Pieces, Tokenizer
from tenor.text.tokens import Tokens

_SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
"""What a unigram vocabulary writes for the space before a word."""
_SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# Names in published checkpoints -> ours.
KEYS: Mapping[str, str] = {
    "cls.predictions.bias": "bias",
    "cls.predictions.transform.dense.weight": "dense.weight",
    "cls.predictions.transform.dense.bias": "dense.bias",
    "cls.predictions.transform.LayerNorm.weight": "norm.weight",
    "cls.predictions.transform.LayerNorm.bias": "norm.bias",
    "cls.seq_relationship.weight": "follows.weight",
    "cls.seq_relationship.bias": "follows.bias",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MlmData(TaskData):
    """Tokens of texts, and what else pairs of texts are made from."""

    tokenizer: Tokenizer
    vocabulary: Vocabulary
    pieces: Pieces | None = None
    """Of single texts, with next sentences; row i is text i and the one behind it."""
    weights: Floats | None = None
    """Of every id [V], in proportion to which tokens are hidden in training; None: all alike."""


@dataclass(frozen=True, slots=True, eq=False)
class MlmOutput:
    """What each hidden token is guessed from, what it is, and whether the second text follows."""

    guesses: Tensor  # [M, d], to be multiplied with the vocabulary
    labels: Tensor  # [M]
    rows: Tensor  # [M]
    follows: Tensor | None  # [n, 2]


class MlmTask(Task):
    """Guesses hidden tokens with the encoder's own word embeddings; texts are ``Sentence`` examples."""

    metric = Metric("perplexity", higher_is_better=False)

    spec: MlmSpec
    dense: Linear
    norm: nn.LayerNorm
    bias: nn.Parameter
    follows: Linear | None

    def __init__(
        self,
        name: str,
        spec: MlmSpec,
        encoder: Encoder,
        *,
        weight: float = 1.0,
        seed: int = 1,
        shared: "MlmTask | None" = None,
    ) -> None:
        super().__init__(name, weight=weight)
        self.spec = spec
        size, words = encoder.hidden_size, encoder.word_embeddings
        if words is None or words.weight.shape[1] != size:
            raise TenorError(
                f"A {encoder.model_type!r} encoder cannot be trained as a masked language model: its token "
                "embeddings are not of the size of its states."
            )
        self._words = [words]  # in a list: the encoder's weights are not the head's own
        words.tied = True  # type: ignore[assignment]
        if shared is not None:
            self.dense, self.norm, self.bias = shared.dense, shared.norm, shared.bias
            self.follows = shared.follows
            return
        epsilon = getattr(getattr(encoder, "config", None), "layer_norm_eps", 1e-12)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.dense = Linear(size, size)
            self.norm = nn.LayerNorm(size, eps=epsilon)
            self.bias = nn.Parameter(torch.zeros(len(words.weight)))
            self.follows = Linear(size, 2) if spec.next_sentence else None
            for layer in filter(None, (self.dense, self.follows)):
                nn.init.normal_(layer.weight, std=0.02)
                nn.init.zeros_(layer.bias)
        if spec.next_sentence and not encoder.has_pooler:
            raise TenorError("next_sentence reads the encoder's pooler, which this checkpoint does not have.")

    @property
    def reads(self) -> Reads:  # type: ignore[override]
        """The pooler, where next sentences are told."""
        return Reads(pooler=self.spec.next_sentence)

    def positions(self, batch: TaskBatch) -> Tensor:
        """Return the hidden tokens."""
        rows, columns = (batch.extras["labels"] != KEPT).nonzero(as_tuple=True)
        found: Tensor = torch.from_numpy(batch.tokens.starts)[rows.cpu()] + columns.cpu()
        return found

    def prepare(self, examples: Sequence[Any], tokenizer: Tokenizer) -> MlmData:
        """Cut texts into windows of the length limit, or into pieces to be paired."""
        vocabulary = vocabulary_of(tokenizer)
        texts = [each.text for each in examples]
        if not self.spec.next_sentence:
            chunks = tokenizer.chunk(texts)
            rows = [examples[number] for number in chunks.text.tolist()]
            return self._data(rows, chunks.tokens, tokenizer, vocabulary)
        if len(texts) < 3:
            raise TenorError(
                f"Next sentences need at least 3 texts, in the order of the file; found {len(texts)}."
            )
        pieces = tokenizer.cut(texts)
        even = np.arange(len(texts) - 1)
        joined = tokenizer.join(_taken(pieces, even), _taken(pieces, even + 1))
        return replace(self._data(examples[:-1], joined.tokens, tokenizer, vocabulary), pieces=pieces)

    def _data(self, rows: Sequence[Any], tokens: Any, tokenizer: Tokenizer, known: Vocabulary) -> MlmData:
        rare = self.spec.mlm_selection == "inverse_sqrt_frequency"
        return MlmData(
            weights=inverse_sqrt_frequency(tokens.ids, len(known.inside)) if rare else None,
            examples=rows,
            tokens=tokens,
            targets=np.ones(len(tokens), dtype=np.int64),  # what is guessed is in the tokens themselves
            tokenizer=tokenizer,
            vocabulary=known,
        )

    def collate(
        self, data: TaskData, rows: NDArray[np.int64], *, generator: np.random.Generator | None = None
    ) -> TaskBatch:
        """Hide tokens of some rows, after drawing what follows each text."""
        assert isinstance(data, MlmData)
        if generator is not None:
            return self._masked(data, rows, generator, data.weights)
        # dev: each row by itself, so that it does not matter what else is in the batch
        parts = [
            self._masked(data, rows[at : at + 1], np.random.default_rng([self.spec.seed, row]), None)
            for at, row in enumerate(rows.tolist())
        ]
        return _together(parts, rows)

    def _masked(
        self, data: MlmData, rows: NDArray[np.int64], generator: np.random.Generator, weights: Floats | None
    ) -> TaskBatch:
        tokens, follows = data.tokens.take(rows), np.ones(len(rows), dtype=np.int64)
        if data.pieces is not None:
            follows = generator.integers(0, 2, size=len(rows))
            # A random text that is neither of the two: places counted from the one behind the right one.
            drawn = (rows + 2 + generator.integers(0, len(data) - 1, size=len(rows))) % (len(data) + 1)
            second = np.where(follows == 1, rows + 1, drawn)
            tokens = data.tokenizer.join(_taken(data.pieces, rows), _taken(data.pieces, second)).tokens
        seen, labels = mask_tokens(tokens, data.vocabulary, self.spec.masking, generator, weights=weights)
        padded, _ = replace(tokens, ids=labels).to_padded(pad_id=KEPT)
        hidden = labels != KEPT
        return TaskBatch(
            rows=rows,
            tokens=replace(tokens, ids=seen),
            targets=torch.from_numpy(follows),
            extras={
                "labels": torch.from_numpy(padded).long(),
                "scale": torch.full((len(rows),), len(rows) / max(1, int(hidden.sum()))),
            },
        )

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> MlmOutput:
        """Return what hidden tokens are guessed from, and the scores of what follows."""
        labels = seen.packing.from_padded(batch.extras["labels"][:, : seen.packing.longest])  # [T]
        places = (labels != KEPT).nonzero()[:, 0]  # [M]
        hidden = functional.gelu(self.dense(seen.last.index_select(0, places)))
        guesses = self.norm(hidden.float())
        follows = None
        if self.follows is not None:
            assert seen.pooler is not None
            follows = self.follows(seen.pooler).float()
        return MlmOutput(guesses, labels[places], seen.packing.text_of[places], follows)

    def scores(self, output: MlmOutput) -> Tensor:
        """Return the scores of the whole vocabulary for each hidden token [M, V]."""
        words = self._words[0].weight
        return functional.linear(output.guesses.to(words.dtype), words, self.bias.to(words.dtype)).float()

    def losses(self, output: MlmOutput, batch: TaskBatch) -> dict[str, Tensor]:
        """Return the mean over all hidden tokens of the batch, and over its rows for what follows."""
        each = vocabulary_loss(output.guesses, self._words[0].weight, self.bias, output.labels)
        weights = batch.extras["scale"][output.rows] / max(1, len(batch))
        found = {"masked": (each * weights).sum()}
        if output.follows is not None:
            # In published checkpoints class 0 is "follows".
            assert batch.targets is not None
            found["follows"] = functional.cross_entropy(output.follows, 1 - batch.targets)
        return found

    def predict(self, output: MlmOutput, batch: TaskBatch) -> NDArray[np.float64]:
        """Return per row: hidden tokens, their loss in all, how many were right; whether what follows was."""
        scores = self.scores(output)
        loss = functional.cross_entropy(scores, output.labels, reduction="none")
        right = scores.argmax(dim=1) == output.labels
        out = np.zeros((len(batch), 4))
        rows = output.rows.cpu().numpy()
        for column, values in enumerate((torch.ones_like(loss), loss, right)):
            out[:, column] = np.bincount(rows, values.detach().double().cpu().numpy(), minlength=len(batch))
        if output.follows is not None and batch.targets is not None:
            out[:, 3] = (output.follows.argmax(dim=1) == 1 - batch.targets).cpu().numpy()
        return out

    def published_weights(self) -> dict[str, Tensor]:
        """Return the head's weights under the names that published checkpoints give them."""
        own = self.state_dict()
        return {key: own[name] for key, name in KEYS.items() if name in own}


def vocabulary_of(tokenizer: Tokenizer) -> Vocabulary:
    """Find [MASK], the special tokens and the pieces inside words of a vocabulary."""
    size = tokenizer.largest_id + 1
    pieces = tokenizer.pieces(np.arange(size, dtype=np.int32))
    if "[MASK]" not in pieces:
        raise TenorError("The vocabulary has no [MASK] token, which a masked language model needs.")
    special = np.array([piece in _SPECIALS or piece == "None" for piece in pieces])
    if any(piece.startswith(_SPACE) for piece in pieces):  # of a unigram vocabulary
        inside = np.array([not piece.startswith(_SPACE) for piece in pieces]) & ~special
    else:
        inside = np.array([piece.startswith("##") for piece in pieces])
    return Vocabulary(
        mask=pieces.index("[MASK]"), usual=np.flatnonzero(~special).astype(np.int32), inside=inside
    )


def _taken(pieces: Pieces, texts: NDArray[np.int64]) -> Pieces:
    lengths = pieces.lengths[texts]
    begins = np.cumsum(lengths) - lengths
    places = np.arange(int(lengths.sum())) + np.repeat(pieces.begins[texts] - begins, lengths)
    return Pieces(pieces.ids[places], begins, lengths)


def _together(parts: Sequence[TaskBatch], rows: NDArray[np.int64]) -> TaskBatch:
    """Put batches of one row each together."""
    tokens = [part.tokens for part in parts]
    lengths = np.array([len(each.ids) for each in tokens], dtype=np.int64)
    empty = np.zeros(0, dtype=np.int32)
    segments = [each.segments for each in tokens if each.segments is not None]
    longest = int(lengths.max(initial=0))
    labels = torch.full((len(parts), longest), KEPT, dtype=torch.int64)
    for place, part in enumerate(parts):
        labels[place, : int(lengths[place])] = part.extras["labels"][0]
    hidden = int((labels != KEPT).sum())
    return TaskBatch(
        rows=rows,
        tokens=Tokens(
            np.concatenate([empty, *(each.ids for each in tokens)]),
            np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
            np.concatenate(segments) if segments else None,
        ),
        targets=torch.cat([part.targets for part in parts if part.targets is not None])
        if parts
        else torch.ones(0, dtype=torch.int64),
        extras={"labels": labels, "scale": torch.full((len(parts),), len(parts) / max(1, hidden))},
    )
