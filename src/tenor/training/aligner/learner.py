"""What the one loop trains when an aligner is learned: every word pair is a decision, link or not.

The loss is the binary cross-entropy over the whole grid of two texts. After every epoch the pairs held out
are scored at the threshold that suits the weights best, by the network in numpy that uses them later.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tenor.tasks.task import Metric
from tenor.training.aligner.examples import Example
from tenor.training.aligner.network import GridNetwork, padded
from tenor.training.checkpoints import weights_of
from tenor.training.learner import Cut, Evaluation, Learner, StepContext
from tenor.training.plan import Update
from tenor.use.align.learned.network import Weights, link_probabilities
from tenor.use.align.words import Floats, Links

NAME = "links"
MOST_CELLS = 100_000  # of a pass, padding included; it bounds memory, as tokens of a pass do elsewhere
_THRESHOLDS = np.round(np.arange(0.25, 0.71, 0.05), 2)


@dataclass(frozen=True, slots=True, eq=False)
class MicroBatch:
    """Some pairs of a batch, and how many word pairs the whole batch has."""

    examples: Sequence[Example]
    cells: int


class LinkLearner(Learner):
    """Learns which words people link, from examples in batches of grids of about one size."""

    def __init__(
        self,
        network: GridNetwork,
        train: Sequence[Example],
        held_out: Sequence[Example],
        *,
        batch: int,
        passes: int = 1,
    ) -> None:
        """``passes`` is how often an epoch goes over ``train``."""
        self.network, self.train, self.held_out = network, train, held_out
        self.size, self.passes = batch, passes
        self._batches: list[NDArray[np.intp]] = []
        self._swapped: list[bool] = []

    @property
    def module(self) -> GridNetwork:
        """The network."""
        return self.network

    def begin_epoch(self, epoch: int, generator: np.random.Generator) -> int:
        """Draw batches of about one size in random order, and which of them are taken the other way round."""
        places = np.tile(np.arange(len(self.train)), self.passes)
        sizes = np.array([self.train[place].links.size for place in places])
        order = places[
            np.argsort(sizes * np.exp(0.15 * generator.standard_normal(len(sizes))), kind="stable")
        ]
        batches = [order[begin : begin + self.size] for begin in range(0, len(order), self.size)]
        self._batches = [batches[number] for number in generator.permutation(len(batches))]
        self._swapped = (generator.random(len(batches)) < 0.5).tolist()
        return len(batches)

    def batch(self, position: int, generator: np.random.Generator) -> list[Example]:
        """Return the examples of a step."""
        chosen = [self.train[place] for place in self._batches[position]]
        return [example.swapped() for example in chosen] if self._swapped[position] else chosen

    def micro_batches(self, batch: list[Example], cut: Cut, update: Update) -> list[MicroBatch]:
        """Cut a batch of long texts, whose grids would take too much memory at once."""
        super().micro_batches(batch, cut, update)  # refuses more than one process
        most = int(np.prod(np.max([example.links.shape for example in batch], axis=0)))
        size = max(1, MOST_CELLS // most)
        cells = sum(example.links.size for example in batch)
        return [MicroBatch(batch[begin : begin + size], cells) for begin in range(0, len(batch), size)]

    def losses(self, piece: MicroBatch, context: StepContext) -> dict[str, Tensor]:
        """Return the cross-entropy of all word pairs, per word pair of the batch."""
        grid, first, second, real, links = padded(piece.examples)
        found = functional.binary_cross_entropy_with_logits(
            self.network(grid, first, second, real), links, weight=real, reduction="sum"
        )
        # A link in about twenty word pairs: the factor brings the gradient to the size that clipping expects.
        return {NAME: 20 * found / max(1, piece.cells)}

    def weights(self) -> Weights:
        """Return the weights as they stand, for numpy."""
        return {name: value.cpu().numpy().copy() for name, value in weights_of(self.network).items()}

    def score(self) -> tuple[float, float]:
        """Return the best micro F1 on the pairs held out, and the threshold that gives it."""
        weights = self.weights()
        probabilities = [link_probabilities(weights, example.seen) for example in self.held_out]
        return best_threshold(probabilities, [example.links for example in self.held_out])

    def evaluate(self) -> dict[str, Evaluation]:
        """Return the score on the pairs held out."""
        f1, threshold = self.score()
        scores = {"f1": f1, "threshold": threshold}
        return {NAME: Evaluation(scores=scores, metric=Metric("f1"), rows=len(self.held_out))}

    def tokens(self, batch: list[Example]) -> int:
        """Return the number of words of a batch."""
        return sum(sum(example.links.shape) for example in batch)

    def where(self, batch: list[Example], names: Sequence[str]) -> str:
        """Name the lines that the pairs stand on."""
        return ", ".join(example.origin or "(no file)" for example in batch)


def best_threshold(probabilities: Sequence[Floats], links: Sequence[Links]) -> tuple[float, float]:
    """Return the best micro F1 over all links, and the threshold that gives it.

    >>> best_threshold([np.array([[0.9, 0.4], [0.2, 0.6]])], [np.eye(2, dtype=bool)])
    (1.0, 0.45)
    """
    every = np.concatenate([grid.ravel() for grid in probabilities])
    gold = np.concatenate([link.ravel() for link in links])
    scores = []
    for threshold in _THRESHOLDS:
        found = every >= threshold
        scores.append(2 * float((found & gold).sum()) / max(1, int(found.sum() + gold.sum())))
    place = int(np.argmax(scores))
    return scores[place], float(_THRESHOLDS[place])
