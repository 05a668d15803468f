"""What a head of a tagger is: the vectors of words in, labels out.

The torch-free part (:class:`HeadType`) says what a model folder holds of the head and reads its predictions;
the module (:class:`TagHead`) is trained. A new head is one module of this folder and a line of its table.

Shapes: W words of the batch, n sentences, d hidden size, k labels.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tenor.tasks.tag.heads.module import TagHead
    from tenor.tasks.tag.kind import TagSpec

Floats = NDArray[np.float32]
UNKNOWN = -1
"""The number of a label that the train examples did not have."""


class HeadType(ABC):
    """One kind of head; predictions of a sentence are an array [words, …] of its own columns."""

    name: ClassVar[str]
    about: ClassVar[str]
    keys: ClassVar[tuple[str, ...]] = ()
    """The settings of a task that only this head has."""
    most_labels: ClassVar[int] = 1000
    """More are refused: memory and time grow with their square."""

    @abstractmethod
    def weight_shapes(self, spec: "TagSpec", hidden_size: int) -> Mapping[str, tuple[int, ...]]:
        """Return the weights that a file must hold, by name."""

    @abstractmethod
    def build(self, spec: "TagSpec", hidden_size: int) -> "TagHead":
        """Build the module; torch is imported only here."""

    def tags(self, spec: "TagSpec", row: Floats) -> list[str]:
        """Return the tag of every word of a sentence's predictions: column 0 numbers it."""
        return [spec.labels[int(number)] for number in row[:, 0]]

    def tag_probabilities(self, spec: "TagSpec", row: Floats) -> list[float]:
        """Return the probability of every word's tag."""
        return [float(word[1 + int(word[0])]) for word in row]

    def probability_labels(self, spec: "TagSpec") -> tuple[str, ...]:
        """Return the labels that every word has a probability of."""
        return spec.labels

    def probabilities(self, spec: "TagSpec", row: Floats) -> Floats:
        """Return the probabilities of all labels [words, k]: the columns after the first."""
        return row[:, 1 : 1 + len(spec.labels)]

    def unseen_labels(self, spec: "TagSpec") -> str:
        """Say what becomes of labels that no train example has."""
        return "no prediction can be right there"

    def gates(self, spec: "TagSpec", row: Floats) -> tuple[dict[str, float], ...] | None:
        """Return how much each expert says of every word; None where there are no experts."""
        return None


def linear_shapes(name: str, inputs: int, outputs: int, *, bias: bool = True) -> dict[str, tuple[int, ...]]:
    """Return the weights of a linear layer."""
    shapes: dict[str, tuple[int, ...]] = {f"{name}.weight": (outputs, inputs)}
    return shapes | ({f"{name}.bias": (outputs,)} if bias else {})


def lstm_shapes(name: str, inputs: int, hidden: int) -> dict[str, tuple[int, ...]]:
    """Return the weights of an LSTM layer in one direction."""
    return {
        f"{name}.weight_ih_l0": (4 * hidden, inputs),
        f"{name}.weight_hh_l0": (4 * hidden, hidden),
        f"{name}.bias_ih_l0": (4 * hidden,),
        f"{name}.bias_hh_l0": (4 * hidden,),
    }


def crf_shapes(count: int) -> dict[str, tuple[int, ...]]:
    """Return the weights of a CRF."""
    return {
        "crf.transitions": (count, count),
        "crf.start_transitions": (count,),
        "crf.end_transitions": (count,),
    }


def constraints(spec: "TagSpec") -> dict[str, Any]:
    """Return which labels may follow, begin and end, as the scheme has it."""
    from tenor.text.tag_schemes import allowed_transitions

    follows, begins, ends = allowed_transitions(spec.labels, spec.scheme)
    return {"allowed": follows, "allowed_start": begins, "allowed_end": ends}
