"""Taggers that read what a type of entity is called: concept tagger and robust tagger, the paper's baselines.

Each type t is asked about in a pass of its own (Bapna et al., 2017; Shah et al., 2019):

    g_{t,i} = [h_i ; d_t]                             concept: d_t is the vector of t's description
    g_{t,i} = [h_i ; d_t ; Σ_j a_{i,t,j} x_{t,j}]     robust:  x_{t,j} are vectors of examples of t,
                                                      a_{i,t} = softmax_j((h_i * w) · x_{t,j})
    p(O, B, I | t, i) = softmax(W BiLSTM(g_t)_i + b)

Training sums the cross-entropies of all types. Where several types claim a word, the highest probability of
no O wins (``merge = "last"``: the last type). Vectors of descriptions and examples are not trained; examples
go through a learned linear layer where their size is not that of the states.

Shapes: W words, n sentences, d hidden size, e size of a vector, t types, J examples of a type.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tenor.layers.linear import Linear
from tenor.layers.lstm import LSTMConfig, PackedLSTM
from tenor.layers.packed import Packing
from tenor.tasks.tag.heads.module import Floats, TagHead, split_rows
from tenor.tasks.tag.kind import TagSpec
from tenor.tasks.tag.task import TagTask
from tenor.tasks.task import EncoderOutput, TaskBatch
from tenor.tasks.word_states import word_starts, word_states
from tenor.text.examples import TaggedSentence
from tenor.text.ragged import Ragged

DESCRIPTIONS = {"LOC": "location", "MISC": "miscellaneous", "ORG": "organization", "PER": "person"}
PLACES = ("O", "B", "I")
Merge = Literal["highest", "last"]
Index = NDArray[np.int64]


def frequent_examples(sentences: Sequence[TaggedSentence], types: Sequence[str], count: int) -> list[str]:
    """Return the most frequent entities of one word, ``count`` of each type, in small letters.

    They stand type by type; a type that has fewer repeats its last one, or its description.
    """
    seen: dict[str, Counter[str]] = {kind: Counter() for kind in types}
    for sentence in sentences:
        tags = (*(sentence.tags or ()), "O")
        for place, word in enumerate(sentence.words):
            prefix, _, kind = tags[place].partition("-")
            if prefix == "B" and not tags[place + 1].startswith("I-"):
                seen[kind][word.lower()] += 1
    examples = []
    for kind in types:
        found = [word for word, _ in seen[kind].most_common(count)] or [DESCRIPTIONS[kind]]
        examples += found + found[-1:] * (count - len(found))
    return examples


def place_numbers(labels: Sequence[str], types: Sequence[str]) -> NDArray[np.int64]:
    """Return whether each label is O, B or I for each type [t, k].

    >>> place_numbers(("O", "B-LOC", "I-LOC", "B-PER"), ("LOC", "PER")).tolist()
    [[0, 1, 2, 0], [0, 0, 0, 1]]
    """
    table = np.zeros((len(types), len(labels)), dtype=np.int64)
    for number, label in enumerate(labels):
        prefix, _, kind = label.partition("-")
        if kind:
            table[types.index(kind), number] = PLACES.index(prefix)
    return table


def merged(probabilities: NDArray[np.float32], merge: Merge = "highest") -> NDArray[np.int64]:
    """Return for each word the type and place [W, 2] from probabilities [t, W, 3]; place 0 is O."""
    places = probabilities.argmax(axis=2)
    claims = np.where(places > 0, probabilities[:, :, 1:].max(axis=2), -1.0)
    if merge == "last":
        claims = np.where(places > 0, np.arange(1, len(places) + 1)[:, None], -1)
    kinds = claims.argmax(axis=0)
    return np.stack([kinds, places[kinds, np.arange(places.shape[1])]], axis=1)


class DescribedHead(TagHead):
    """Asks of every word, type by type, whether it is outside, begins or continues an entity of the type."""

    descriptions: Tensor
    examples: Tensor | None

    def __init__(
        self,
        spec: TagSpec,
        hidden_size: int,
        *,
        descriptions: Tensor,
        examples: Tensor | None,
        lstm_size: int,
        merge: Merge = "highest",
    ) -> None:
        """Take vectors of descriptions [t, e] and, for the robust tagger, of examples [t, J, e]."""
        super().__init__(spec)
        self.types, self.merge = spec.labels_shown, merge
        self._places = place_numbers(spec.labels, self.types)
        self.register_buffer("descriptions", descriptions)
        self.register_buffer("examples", examples)
        size = descriptions.shape[1]
        if examples is not None:
            self.attention = nn.Parameter(torch.ones(hidden_size))
            self.fit = nn.Identity() if size == hidden_size else Linear(size, hidden_size, bias=False)
        inputs = hidden_size + size + (0 if examples is None else hidden_size)
        self.lstm = PackedLSTM(LSTMConfig(input_size=inputs, hidden_size=lstm_size))
        self.out = Linear(2 * lstm_size, len(PLACES))

    def forward(self, words: Tensor, shapes: Tensor | None, starts: Index | None = None) -> Tensor:
        """Return the scores of O, B and I for every type and word [t, W, 3] from states [W, d]."""
        assert starts is not None
        asked = [self.asked(words, kind) for kind in range(len(self.descriptions))]
        steps = len(words) * np.arange(len(asked))[:, None]
        packing = Packing(np.append((starts[:-1] + steps).ravel(), len(words) * len(asked)), words.device)
        out: Tensor = self.out(self.lstm(torch.cat(asked), packing).last)
        return out.view(len(asked), len(words), len(PLACES))

    def asked(self, words: Tensor, kind: int) -> Tensor:
        """Return the states beside what is known of a type [W, d + …]."""
        parts = [words, self.descriptions[kind].expand(len(words), -1)]
        if self.examples is not None:
            examples = self.fit(self.examples[kind])  # [J, d]
            weights = ((words * self.attention) @ examples.T).softmax(dim=1)
            parts.append(weights @ examples)
        return torch.cat(parts, dim=1)

    def losses(self, output: Any, numbers: Ragged) -> dict[str, Tensor]:
        """Return the cross-entropy of all types, a mean over words."""
        places = torch.from_numpy(self._places[:, numbers.values]).flatten()
        total = functional.cross_entropy(output.flatten(0, 1), places, reduction="sum")
        return {"loss": total / max(1, len(numbers.values))}

    def predict(self, output: Any, starts: Index) -> list[Floats]:
        """Return the label of each word of every sentence [words, 1]."""
        chosen = merged(output.detach().softmax(dim=2).numpy(), self.merge)
        numbers = [
            self.spec.labels.index(f"{PLACES[place]}-{self.types[kind]}") if place else 0
            for kind, place in chosen.tolist()
        ]
        return split_rows(np.array(numbers, dtype=np.float32)[:, None], starts)


class DescribedTask(TagTask):
    """A tagger whose head knows the descriptions of types and perhaps examples of them."""

    def __init__(self, name: str, spec: TagSpec, *, hidden_size: int, seed: int, **settings: Any) -> None:
        """``settings`` are those of :class:`DescribedHead`."""
        super().__init__(name, spec, hidden_size=hidden_size, num_layers=1, seed=seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.head = DescribedHead(spec, hidden_size, **settings)

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> Tensor:
        """Return the scores of O, B and I for every type and word [t, W, 3]."""
        words = self.dropout(word_states(seen.last, seen, batch, subwords=self.spec.subwords))
        out: Tensor = self.head(words, None, word_starts(batch.extras["windows"]))
        return out
