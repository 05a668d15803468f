"""The torch task of ``tag``: word vectors out of the encoder's states, a linear layer, softmax or a CRF.

    softmax   p(y_i) = softmax(W h_i + b), decoded as the best sequence that the scheme allows
    crf       p(y) ∝ exp(Σ_i (W h_i + b)[y_i] + Σ_i A[y_{i-1}, y_i])        (Lafferty et al., 2001)

A sentence that is longer than the encoder reads goes through it in windows of whole words with context
(``tenor.tasks.tag.windows``); every word is labelled once, and the CRF runs over the whole sentence. Losses
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
from torch.nn import functional

from tenor.layers.crf import CRF
from tenor.layers.layer_mix import LayerMix, mean_of_last
from tenor.layers.linear import Linear
from tenor.layers.packed import Packing
from tenor.layers.viterbi import viterbi
from tenor.tasks.tag.kind import TagSpec
from tenor.tasks.tag.windows import cut_windows
from tenor.tasks.task import EncoderOutput, Metric, Reads, Task, TaskBatch, TaskData
from tenor.tasks.texts.kind import own_seed
from tenor.text.ragged import Ragged
from tenor.text.tag_schemes import allowed_transitions
from tenor.text.tokenizer import Tokenizer
from tenor.text.word_shapes import SHAPES, shape_bits, word_shapes

_UNKNOWN = -1  # the label of a word whose tag the train examples did not have


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
        follows, begins, ends = allowed_transitions(spec.labels, spec.scheme)
        self._allowed = {"allowed": follows, "allowed_start": begins, "allowed_end": ends}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(own_seed(seed, name))
            self.dropout = nn.Dropout(spec.dropout)
            self.out = Linear(hidden_size, len(spec.labels))
            self.shapes = Linear(len(SHAPES), len(spec.labels), bias=False) if spec.casing else None
            flags = {key: torch.from_numpy(value) for key, value in self._allowed.items()}
            self.crf = CRF(len(spec.labels), **flags) if spec.head == "crf" else None
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
        values = [numbers.get(tag, _UNKNOWN) for tag in targets.values.tolist()]
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

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> Tensor:
        """Return the scores of all labels for every word [W, k]."""
        words = self._word_states(seen, batch)
        out: Tensor = self.out(self.dropout(words))
        if self.shapes is not None:
            bits = torch.from_numpy(shape_bits(batch.extras["shapes"].values))
            out = out + self.shapes(bits.to(out.device, out.dtype))
        return out.float()

    def _word_states(self, seen: EncoderOutput, batch: TaskBatch) -> Tensor:
        states = self._states(seen)
        inside, word = _labelled_pieces(seen, batch)
        count = int(batch.extras["windows"].values.sum())
        empty = states.new_zeros(count, states.shape[1])
        if self.spec.subwords == "mean":
            sums = empty.index_add(0, word, states.index_select(0, inside))
            pieces = states.new_zeros(count).index_add(0, word, torch.ones_like(word, dtype=states.dtype))
            return sums / pieces.clamp(min=1)[:, None]
        first = torch.ones_like(word, dtype=torch.bool)
        first[1:] = word[1:] != word[:-1]
        return empty.index_copy(0, word[first], states.index_select(0, inside[first]))

    def _states(self, seen: EncoderOutput) -> Tensor:
        if self.spec.layers == "last":
            return seen.last
        assert seen.layers is not None
        mixed: Tensor = mean_of_last(seen.layers, 4) if self.mix is None else self.mix(seen.layers)
        return mixed

    def losses(self, output: Tensor, batch: TaskBatch) -> dict[str, Tensor]:
        """Return the negative log-likelihood per word; words of unknown tags do not count."""
        numbers = torch.from_numpy(batch.extras["numbers"].values).to(output.device)
        if self.crf is None:
            known = functional.cross_entropy(output, numbers, ignore_index=_UNKNOWN, reduction="sum")
            return {"loss": known / max(1, len(numbers))}
        packing = Packing(batch.extras["numbers"].starts, output.device)
        likelihoods = self.crf.neg_log_likelihood(output, numbers.clamp(min=0), packing)
        return {"loss": likelihoods.sum() / max(1, len(numbers))}

    def predict(self, output: Tensor, batch: TaskBatch) -> list[NDArray[np.float32]]:
        """Return for every sentence the label of each word and the probabilities of all [words, 1 + k]."""
        starts = _word_starts(batch.extras["windows"])
        if self.crf is not None:
            packing = Packing(starts, output.device)
            best = self.crf.decode(output.detach(), packing).cpu().numpy()
            probabilities = self.crf.marginals(output.detach(), packing).cpu().numpy()
        else:
            probabilities = output.detach().softmax(dim=1).cpu().numpy()
            none = np.zeros(len(self.spec.labels))
            scores = np.log(np.maximum(probabilities, 1e-30))
            best = viterbi(scores, starts, np.zeros((len(none), len(none))), none, none, **self._allowed)
        table = np.concatenate([best[:, None], probabilities], axis=1).astype(np.float32)
        return np.split(table, starts[1:-1]) if len(starts) > 1 else []


def _labelled_pieces(seen: EncoderOutput, batch: TaskBatch) -> tuple[Tensor, Tensor]:
    """Return the pieces of the words to label, not of [CLS] or context, and each one's word in the batch."""
    owned, leads = batch.extras["windows"].values, batch.extras["leads"].values
    begins = np.cumsum(owned) - owned  # of each window among the batch's words
    assert seen.batch.words is not None
    within = seen.batch.words  # the word of each piece in its window, -1 for [CLS]
    text = seen.packing.text_of
    own, lead, begin = (torch.from_numpy(each).to(text.device)[text] for each in (owned, leads, begins))
    place = within - lead
    inside = ((within >= 0) & (place >= 0) & (place < own)).nonzero()[:, 0]
    return inside, (begin + place)[inside]


def _shapes(examples: Sequence[Any]) -> Ragged:
    return Ragged.from_lists([word_shapes(example.words).tolist() for example in examples])


def _word_starts(windows: Ragged) -> NDArray[np.int64]:
    """Return where the words of each sentence begin among those of the batch [n + 1]."""
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(windows.values)])
    return ends[windows.starts]
