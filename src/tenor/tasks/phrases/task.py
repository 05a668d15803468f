"""The paraphrase stage as a task: two classifiers on one encoding of each pair of texts.

    (s, t)   -> [CLS] s [SEP] t [SEP]    -> sentential: paraphrase   phrasal: paraphrase, in-paraphrase
    (s, t')  -> [CLS] s [SEP] t' [SEP]   -> sentential: unrelated    phrasal: random

The loss is L = L_p + L_s without weights, where L_p is the mean cross-entropy over all phrase pairs of the
batch and L_s that over all pairs of texts. Negatives are drawn anew in every epoch; dev has its own, the same
at each evaluation. A pair without alignments is learned from as two texts.

Shapes: r rows of a batch (pairs of paraphrases), P phrase pairs, k classes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tenor.errors import TenorError
from tenor.layers.span_pooling import Spans
from tenor.tasks.phrases.aligned_file import AlignedFile
from tenor.tasks.phrases.aligned_tokens import AlignedTokens
from tenor.tasks.phrases.heads import PhraseHead, SentenceHead
from tenor.tasks.phrases.kind import PhrasesSpec
from tenor.tasks.phrases.negatives import paraphrases, partner, placed, random_pairs
from tenor.tasks.phrases.spec import RANDOM
from tenor.tasks.task import EncoderOutput, Metric, Task, TaskBatch, TaskData
from tenor.text.alignments import AlignedPair
from tenor.text.tokenizer import Joined, Tokenizer

Ints = NDArray[np.int64]
_SEQUENCE, _LABEL = 0, 5  # columns of a drawn phrase pair: its sequence, two spans, its class
_NONE = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PhrasesData(TaskData):
    """Aligned pairs, ready to be paired."""

    aligned: AlignedTokens


@dataclass(frozen=True, slots=True, eq=False)
class PhrasesOutput:
    """What both classifiers say; a classifier that the stage has not says nothing."""

    sentences: Tensor | None  # [r · sequences, 2], the true pairs first
    phrases: Tensor | None  # [P, k]
    labels: Tensor  # [P]
    rows: Tensor  # [P]


class PhrasesTask(Task):
    """Learns paraphrases of texts and of phrases from ``AlignedPair`` examples."""

    spec: PhrasesSpec

    def __init__(
        self, name: str, spec: PhrasesSpec, *, hidden_size: int, weight: float = 1.0, seed: int = 1
    ) -> None:
        super().__init__(name, weight=weight)
        self.spec = spec
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            head = spec.phrase_head
            self.phrases = None if head is None else PhraseHead(head, width=hidden_size)
            self.sentences = (
                SentenceHead(width=hidden_size, dropout=spec.dropout) if spec.sentential else None
            )
        self.labels = spec.labels_shown
        self.metric = Metric(spec.metric)

    def prepare(self, examples: Sequence[AlignedPair], tokenizer: Tokenizer) -> PhrasesData:
        """Cut all texts into pieces and place their phrases; those of an ``AlignedFile`` stay on the disk."""
        if isinstance(examples, AlignedFile):
            aligned = examples.tokens(tokenizer)
        else:
            aligned = AlignedTokens.of(examples, tokenizer)
        if self.spec.random:
            aligned.check_negatives()
        if self.phrases is not None and not len(aligned.alignments):
            raise TenorError(
                "No pair has an aligned phrase; align them first (tenor align), or choose phrasal = 'none'."
            )
        return PhrasesData(
            examples=examples,
            tokens=aligned.lengths(),
            targets=np.ones(len(aligned), dtype=np.int64),
            aligned=aligned,
        )

    def collate(
        self, data: TaskData, rows: Ints, *, generator: np.random.Generator | None = None
    ) -> TaskBatch:
        """Make the sequences of some pairs and draw their negatives."""
        assert isinstance(data, PhrasesData)
        aligned = data.aligned
        # Without a generator of the step, a row's negatives are its own, whatever else is in the batch.
        generators = [generator or np.random.default_rng([self.spec.seed, row]) for row in rows.tolist()]
        first, second = 2 * rows, 2 * rows + 1
        others = np.zeros(0, dtype=np.int64)
        if self.spec.random:
            drawn = zip(rows.tolist(), generators, strict=True)
            others = np.array([partner(aligned, row, own) for row, own in drawn], dtype=np.int64)
            first, second = np.concatenate([first, first]), np.concatenate([second, others])
        joined = aligned.join(first, second)
        phrases: list[Ints] = []
        if self.phrases is not None:
            phrases = [
                self._phrase_pairs(aligned, joined, rows, place, others, own)
                for place, own in enumerate(generators)
            ]
        count = sum(len(each) for each in phrases)
        return TaskBatch(
            rows=rows,
            tokens=joined.tokens,
            sides=2 if self.spec.random else 1,
            targets=torch.ones(len(rows), dtype=torch.int64),
            extras={
                "phrases": torch.from_numpy(_padded(phrases, len(rows))),
                # Rows per phrase pair of the whole batch: losses are means over rows, also of a part of it.
                "scale": torch.full((len(rows),), len(rows) / max(1, count)),
            },
        )

    def _phrase_pairs(
        self,
        data: AlignedTokens,
        joined: Joined,
        rows: Ints,
        place: int,
        others: Ints,
        generator: np.random.Generator,
    ) -> Ints:
        """Draw the phrase pairs [p, 6] of one row of a batch."""
        most, pair = self.spec.most, int(rows[place])
        kept = joined.kept
        drawn = [
            (0, place, each) for each in paraphrases(data, pair, kept[place], most=most, generator=generator)
        ]
        if RANDOM in self.labels:
            at = len(rows) + place
            other = int(others[place])
            found = random_pairs(data, 2 * pair, other, kept[at], most=most, generator=generator)
            drawn.append((1, at, found))
        return np.concatenate(
            [
                _numbered(placed(each, joined, at), side, self.labels.index(each.label))
                for side, at, each in drawn
            ]
        )

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> PhrasesOutput:
        """Return what both classifiers say."""
        sentences = None if self.sentences is None else self.sentences(seen.last, seen.packing)
        table: Tensor = batch.extras["phrases"]  # [r, m, 6]
        there = table[:, :, _LABEL] != _NONE
        rows, drawn = there.nonzero()[:, 0], table[there]  # [P], [P, 6]
        phrases = None
        if self.phrases is not None:
            starts = seen.packing.firsts[drawn[:, _SEQUENCE] * len(batch) + rows] if len(rows) else rows
            first, second = (Spans(starts + drawn[:, at], starts + drawn[:, at + 1]) for at in (1, 3))
            phrases = self.phrases(seen.last, first, second)
        return PhrasesOutput(sentences, phrases, drawn[:, _LABEL], rows)

    def losses(self, output: PhrasesOutput, batch: TaskBatch) -> dict[str, Tensor]:
        """Return L_p and L_s, as far as the stage has them."""
        found = {}
        if output.phrases is not None:
            each = functional.cross_entropy(output.phrases, output.labels, reduction="none")
            weights = batch.extras["scale"][output.rows] / max(1, len(batch))
            found["phrases"] = (each * weights).sum()
        if output.sentences is not None:
            found["sentences"] = functional.cross_entropy(output.sentences, _truth(output.sentences, batch))
        return found

    def predict(self, output: PhrasesOutput, batch: TaskBatch) -> NDArray[np.int64]:
        """Return how often each class was taken for each [r, 2 · 2 + k · k]: of texts, then of phrases."""
        found = []
        if output.sentences is not None:
            rows = torch.arange(len(batch)).repeat(batch.sides)
            found.append(_tables(rows, _truth(output.sentences, batch), output.sentences, len(batch)))
        if output.phrases is not None:
            found.append(_tables(output.rows, output.labels, output.phrases, len(batch)))
        return np.concatenate(found, axis=1)


def _numbered(spans: Ints, side: int, label: int) -> Ints:
    """Put the side of the sequence before and the class behind the spans of phrase pairs [p, 4]."""
    column = np.ones((len(spans), 1), dtype=np.int64)
    return np.concatenate([column * side, spans, column * label], axis=1)


def _padded(rows: Sequence[Ints], count: int) -> Ints:
    """Lay the phrase pairs of all rows out as [r, m, 6], so that a batch can be cut by rows."""
    longest = max((len(row) for row in rows), default=0)
    table = np.full((count, longest, _LABEL + 1), _NONE, dtype=np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return table


def _truth(sentences: Tensor, batch: TaskBatch) -> Tensor:
    """Return the right class of every sequence: the true pairs come first."""
    return (torch.arange(len(sentences), device=sentences.device) < len(batch)).long()


def _tables(rows: Tensor, truth: Tensor, logits: Tensor, count: int) -> NDArray[np.int64]:
    """Count for each row which class was taken for which [r, k · k]."""
    classes = logits.shape[1]
    cells = (rows.cpu() * classes + truth.cpu()) * classes + logits.argmax(dim=1).cpu()
    return np.bincount(cells.numpy(), minlength=count * classes * classes).reshape(count, -1)
