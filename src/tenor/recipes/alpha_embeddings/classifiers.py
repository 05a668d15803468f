"""Classifiers of documents on frozen word vectors, trained by the one loop.

The paper's two architectures: *linear* is batch normalisation and a dense layer on the mean of a document's
word vectors; *bilstm* is a bidirectional LSTM of 32 units, its maximum over the words, a dense layer of 20
with dropout, and a dense layer. Word vectors are not trained. Adam with a learning rate of 0.001,
batches of 64 documents, early stopping on validation; the weights of the best epoch are tested.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tenor.recipes.alpha_embeddings.documents import Documents, Ints
from tenor.recipes.fixed_training import fixed_training
from tenor.tasks.task import Metric
from tenor.training.callbacks import Callback
from tenor.training.learner import Evaluation, Learner, StepContext
from tenor.training.loop import Trainer
from tenor.training.optimizers import build_optimizer
from tenor.training.progress import MONITOR, Progress

Architecture = Literal["linear", "bilstm"]
_LONGEST = 200  # words of a document that a BiLSTM reads


@dataclass(frozen=True, slots=True, eq=False)
class Classified:
    """What a trained classifier says of the test documents, and how good it is on validation."""

    probabilities: NDArray[np.float64]  # [test, classes]
    gold: Ints  # [test]
    validation: float

    @property
    def right(self) -> NDArray[np.float64]:
        """1 where the most probable class is the right one [test]."""
        return np.asarray(self.probabilities.argmax(axis=1) == self.gold, dtype=np.float64)

    @property
    def area(self) -> float:
        """The area under the ROC curve, each class against the others, averaged."""
        from sklearn.metrics import roc_auc_score

        if self.probabilities.shape[1] == 2:
            return float(roc_auc_score(self.gold, self.probabilities[:, 1]))
        return float(roc_auc_score(self.gold, self.probabilities, multi_class="ovr"))


def classify(
    documents: Documents, rows: NDArray[np.floating], *, architecture: Architecture, epochs: int, seed: int
) -> Classified:
    """Train a classifier on frozen rows [words, d] and let it judge the test documents."""
    torch.manual_seed(seed)
    learner = _DocumentLearner(documents, rows, architecture)
    settings = fixed_training(
        epochs=epochs, patience=3, schedule="constant", warmup=0.0, max_grad_norm=0.0, precision="fp32"
    )
    optimizer = build_optimizer(learner.groups(), learning_rates={"model": 1e-3}, kind="adam")
    keeper = _BestWeights(learner.module)
    Trainer(learner, optimizer, settings=settings, seed=seed, callbacks=[keeper]).run()
    learner.module.load_state_dict(keeper.weights)
    test = documents.rows(2)
    return Classified(learner.probabilities(test), documents.classes[test], keeper.score)


class _DocumentLearner(Learner):
    """Batches of 64 documents, in an order of the epoch's own."""

    def __init__(self, documents: Documents, rows: NDArray[np.floating], architecture: Architecture) -> None:
        classes, width = int(documents.classes.max()) + 1, rows.shape[1]
        table = torch.from_numpy(np.asarray(rows, dtype=np.float32))
        self.documents, self.gold = documents, torch.from_numpy(documents.classes)
        self._module: nn.Module = _Linear(documents, table, classes)
        if architecture == "bilstm":
            self._module = _BiLstm(documents, table, width, classes)
        self._batches: list[Ints] = []

    @property
    def module(self) -> nn.Module:
        return self._module

    def begin_epoch(self, epoch: int, generator: np.random.Generator) -> int:
        order = generator.permutation(self.documents.rows(0))
        batches = [order[start : start + 64] for start in range(0, len(order), 64)]
        # A single row would have no variance to normalise by.
        self._batches = [some for some in batches if len(some) > 1]
        return len(self._batches)

    def batch(self, position: int, generator: np.random.Generator) -> Ints:
        return self._batches[position]

    def losses(self, piece: Ints, context: StepContext) -> dict[str, Tensor]:
        return {"documents": cross_entropy(self.module(piece), self.gold[piece])}

    def evaluate(self) -> dict[str, Evaluation]:
        rows = self.documents.rows(1)
        right = self.probabilities(rows).argmax(axis=1) == self.documents.classes[rows]
        scores = {"accuracy": float(right.mean())}
        return {"documents": Evaluation(scores=scores, metric=Metric("accuracy"), rows=len(rows))}

    def probabilities(self, rows: Ints) -> NDArray[np.float64]:
        """Return the probabilities [rows, classes] of some documents."""
        self.module.eval()
        with torch.no_grad():
            parts = [self.module(rows[start : start + 512]) for start in range(0, len(rows), 512)]
        self.module.train()
        return np.asarray(torch.cat(parts).double().softmax(dim=1).numpy())


class _Linear(nn.Module):
    """Batch normalisation and a dense layer on the means of word vectors; documents without words are 0."""

    def __init__(self, documents: Documents, table: Tensor, classes: int) -> None:
        super().__init__()
        means = [
            table[some].mean(dim=0) if len(some) else table.new_zeros(table.shape[1])
            for some in documents.words
        ]
        self.means = torch.stack(means)
        self.layers = nn.Sequential(nn.BatchNorm1d(table.shape[1]), nn.Linear(table.shape[1], classes))

    def forward(self, rows: Ints) -> Tensor:
        scores: Tensor = self.layers(self.means[rows])
        return scores


class _BiLstm(nn.Module):
    """A bidirectional LSTM of 32 units, its maximum over the words, and two dense layers."""

    def __init__(self, documents: Documents, table: Tensor, width: int, classes: int) -> None:
        super().__init__()
        self.table, self.words = table, documents.words
        self.lstm = nn.LSTM(width, 32, batch_first=True, bidirectional=True)
        self.layers = nn.Sequential(nn.Linear(64, 20), nn.ReLU(), nn.Dropout(0.05), nn.Linear(20, classes))

    def forward(self, rows: Ints) -> Tensor:
        some = [self.words[row][:_LONGEST] for row in rows]
        lengths = torch.tensor([max(1, len(each)) for each in some])
        padded = torch.zeros(len(some), int(lengths.max()), self.table.shape[1])
        for place, each in enumerate(some):
            padded[place, : len(each)] = self.table[each]
        packed = pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, padding_value=float("-inf"))
        scores: Tensor = self.layers(states.max(dim=1).values)
        return scores


class _BestWeights(Callback):
    """Keeps the weights of the best evaluation, and its score."""

    def __init__(self, module: nn.Module) -> None:
        self.module, self.score = module, 0.0
        self.weights = {name: each.clone() for name, each in module.state_dict().items()}

    def on_evaluate(
        self,
        learner: Learner,
        progress: Progress,
        evaluations: Mapping[str, Evaluation],
        better: Sequence[str],
    ) -> None:
        if MONITOR in better:
            self.score = evaluations["documents"].main
            self.weights = {name: each.clone() for name, each in self.module.state_dict().items()}
