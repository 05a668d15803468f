"""The torch task of ``parse``: a biaffine parser (Dozat & Manning, 2017) over the vectors of words.

    d_i = ReLU(W_d w_i)   h_j = ReLU(W_h w_j)        P(j is the head of i) = softmax_j(biaffine(d_i, h_j))

The root is a learned vector before the words. Relations are scored by a second pair of layers, in training
for the gold head, else for the head in the maximum spanning tree of log probabilities. Losses are means over
words.

Shapes: n sentences, W words, L words in the longest, d hidden size, k relations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tenor.layers.biaffine import Biaffine
from tenor.layers.linear import Linear
from tenor.layers.packed import Packing
from tenor.layers.spanning_tree import maximum_spanning_tree
from tenor.tasks.parse.kind import ParseSpec
from tenor.tasks.tag.windows import cut_windows
from tenor.tasks.task import EncoderOutput, Metric, Task, TaskBatch, TaskData
from tenor.tasks.texts.kind import own_seed
from tenor.tasks.word_states import word_starts, word_states
from tenor.text.ragged import Ragged
from tenor.text.tokenizer import Tokenizer

_UNKNOWN = -1  # a relation that the train examples did not have


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ParseData(TaskData):
    """Sentences, cut into windows where they are long, with heads and relations."""

    windows: Ragged
    leads: Ragged
    numbers: Ragged | None = None
    """Head and relation of each word [words, 2], by sentence."""


class ParserOutput(NamedTuple):
    """Scores of all heads, and the vectors that relations are scored by."""

    arcs: Tensor  # [n, L, L + 1], minus infinity where there is no such head
    dependents: Tensor  # [n, L, relation size]
    heads: Tensor  # [n, L + 1, relation size]
    packing: Packing


class ParseTask(Task):
    """Gives every word a head and a relation."""

    spec: ParseSpec

    def __init__(
        self, name: str, spec: ParseSpec, *, hidden_size: int, weight: float = 1.0, seed: int = 1
    ) -> None:
        super().__init__(name, weight=weight)
        self.spec, self.metric = spec, Metric(spec.metric)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(own_seed(seed, name))
            self.dropout = nn.Dropout(spec.dropout)
            self.root = nn.Parameter(torch.randn(hidden_size) * 0.1)
            self.arc_dependents = Linear(hidden_size, spec.arc_size)
            self.arc_heads = Linear(hidden_size, spec.arc_size)
            self.relation_dependents = Linear(hidden_size, spec.relation_size)
            self.relation_heads = Linear(hidden_size, spec.relation_size)
            self.arcs = Biaffine(spec.arc_size)
            self.labels = Biaffine(spec.relation_size, outputs=len(spec.relations))

    def prepare(self, examples: Sequence[Any], tokenizer: Tokenizer) -> ParseData:
        """Cut long sentences into windows, and number heads and relations where there are any."""
        cut, windows, leads = cut_windows([example.words for example in examples], tokenizer)
        labelled = bool(examples) and all(example.heads is not None for example in examples)
        targets = self.spec.targets(examples, name=self.name) if labelled else None
        return ParseData(
            examples=examples,
            tokens=tokenizer.tokenize(cut, words=True),
            text_starts=windows.starts,
            windows=windows,
            leads=leads,
            targets=targets,
            numbers=None if targets is None else self._numbered(targets),
        )

    def _numbered(self, targets: Ragged) -> Ragged:
        numbers = {relation: number for number, relation in enumerate(self.spec.relations)}
        rows = [(int(head), numbers.get(relation, _UNKNOWN)) for head, relation in targets.values.tolist()]
        return Ragged(np.array(rows, dtype=np.int64).reshape(-1, 2), targets.starts)

    def collate(
        self, data: TaskData, rows: NDArray[np.int64], *, generator: np.random.Generator | None = None
    ) -> TaskBatch:
        """Cut sentences out of the data."""
        assert isinstance(data, ParseData)
        batch = super().collate(data, rows, generator=generator)
        extras = dict(batch.extras) | {"windows": data.windows[rows], "leads": data.leads[rows]}
        if data.numbers is not None:
            extras["numbers"] = data.numbers[rows]
        return replace(batch, extras=extras)

    def size(self, batch: TaskBatch) -> float:
        """Return the number of words, over which losses are means."""
        return float(max(1, int(batch.extras["windows"].values.sum())))

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> ParserOutput:
        """Return the scores of all heads, and what relations are scored by."""
        words = self.dropout(word_states(seen.last, seen, batch, subwords=self.spec.subwords))
        packing = Packing(word_starts(batch.extras["windows"]), words.device)
        padded = packing.to_padded(words)  # [n, L, d]
        root = self.root.to(words.dtype).expand(len(packing), 1, -1)
        nodes = torch.cat([root, padded], dim=1)  # [n, L + 1, d]
        arcs = self.arcs(self._layer(self.arc_dependents, padded), self._layer(self.arc_heads, nodes))[:, 0]
        return ParserOutput(
            self._possible(arcs.float(), packing),
            self._layer(self.relation_dependents, padded),
            self._layer(self.relation_heads, nodes),
            packing,
        )

    def _layer(self, layer: nn.Module, words: Tensor) -> Tensor:
        out: Tensor = self.dropout(functional.relu(layer(words)))
        return out

    def _possible(self, arcs: Tensor, packing: Packing) -> Tensor:
        """Forbid heads that are no words of the sentence, and words as heads of themselves."""
        there = functional.pad(packing.mask, (1, 0), value=True)[:, None, :]
        own = torch.arange(arcs.shape[1], device=arcs.device)
        allowed = there & (own[:, None] + 1 != torch.arange(arcs.shape[2], device=arcs.device)[None, :])
        return arcs.masked_fill(~allowed, -torch.inf)

    def losses(self, output: Any, batch: TaskBatch) -> dict[str, Tensor]:
        """Return the negative log-likelihoods of heads and of relations, per word."""
        numbers = torch.from_numpy(batch.extras["numbers"].values).to(output.arcs.device)
        heads, relations = numbers.unbind(dim=1)
        count = max(1, len(numbers))
        arcs = output.packing.from_padded(output.arcs)  # [W, L + 1]
        scores = self._relation_scores(output, heads)
        return {
            "arcs": functional.cross_entropy(arcs, heads, reduction="sum") / count,
            "relations": functional.cross_entropy(scores, relations, ignore_index=_UNKNOWN, reduction="sum")
            / count,
        }

    def _relation_scores(self, output: ParserOutput, heads: Tensor) -> Tensor:
        """Return the scores of all relations [W, k] of words to their heads [W]."""
        dependents = output.packing.from_padded(output.dependents)
        chosen = output.heads[output.packing.text_of, heads]
        return self.labels.pairs(dependents, chosen).float()

    @torch.no_grad()
    def predict(self, output: Any, batch: TaskBatch) -> list[NDArray[np.float32]]:
        """Return head, relation and the probability of both for the words of every sentence [words, 3]."""
        logs = output.arcs.log_softmax(dim=2).cpu().numpy().astype(np.float64)
        starts = output.packing.starts
        trees = [
            maximum_spanning_tree(logs[row, :length, : length + 1])
            for row, length in enumerate(np.diff(starts).tolist())
        ]
        heads = np.concatenate([np.zeros(0, dtype=np.int64), *trees])
        scores = self._relation_scores(output, torch.from_numpy(heads).to(output.arcs.device)).softmax(dim=1)
        best, relation = scores.max(dim=1) if len(scores) else (scores.sum(1), scores.sum(1))
        text, place = output.packing.text_of.cpu().numpy(), output.packing.places.cpu().numpy()
        certain = np.exp(logs[text, place, heads]) * best.cpu().numpy()
        table = np.stack([heads, relation.cpu().numpy(), certain], axis=1).astype(np.float32)
        return np.split(table, starts[1:-1]) if len(starts) > 1 else []
