"""The phrasal classifier without torch: what it reads, which classes it knows, and running it in numpy.

For a phrase of one text and one of another, both encoded as one sequence, with states h:

    elaborate   h_s, h_t = max over the tokens of each;    f = [h_s ; h_t ; h_s ∗ h_t ; |h_s - h_t|]     4d
    simple      h_s, h_t = mean over the tokens of each;   f = [h_s ; h_t]                               2d
    p = softmax(W · f + b)

One layer on purpose: what tells paraphrases apart should be learned by the encoder, not by the head (Arase &
Tsujii, 2019).

Shapes: T tokens, P phrase pairs, d width, k classes.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.tasks.texts.config import Feature

Floats = NDArray[np.float32]
PhraseFeatures = Literal["elaborate", "simple"]
PARAPHRASE, RANDOM, IN_PARAPHRASE = "paraphrase", "random", "in-paraphrase"
THREE_WAY = (PARAPHRASE, RANDOM, IN_PARAPHRASE)
BINARY = (PARAPHRASE, IN_PARAPHRASE)
PAIR_FEATURES: Mapping[PhraseFeatures, tuple[Feature, ...]] = {
    "elaborate": ("u", "v", "product", "abs"),
    "simple": ("u", "v"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseSpec:
    """What a phrasal classifier reads and tells apart.

    >>> PhraseSpec().inputs(8), PhraseSpec(features="simple").inputs(8)
    (32, 16)
    """

    features: PhraseFeatures = "elaborate"
    labels: tuple[str, ...] = THREE_WAY
    dropout: float = 0.2

    def inputs(self, width: int) -> int:
        """How many numbers the linear layer reads."""
        return width * len(PAIR_FEATURES[self.features])

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON holds them."""
        return asdict(self) | {"labels": list(self.labels)}

    @classmethod
    def from_json(cls, table: Any, *, where: str) -> "PhraseSpec":
        """Read what ``to_json`` wrote, trusting nothing."""
        known = {"features", "labels", "dropout"}
        if not isinstance(table, dict) or not set(table) <= known:
            raise TenorError(f"{where}: the settings of phrases must be a table of {', '.join(known)}.")
        labels: Any = table.get("labels")
        features: Any = table.get("features")
        dropout = table.get("dropout", 0.2)
        if features not in PAIR_FEATURES or labels not in (list(THREE_WAY), list(BINARY)):
            raise TenorError(f"{where}: features {features!r} with labels {labels!r} are not understood.")
        if not isinstance(dropout, int | float) or not 0 <= dropout < 1:
            raise TenorError(f"{where}: dropout is {dropout!r}; it must be at least 0 and below 1.")
        return cls(features=features, labels=tuple(labels), dropout=float(dropout))


def check_phrase_weights(spec: PhraseSpec, weights: Mapping[str, Floats], *, width: int, where: str) -> None:
    """Refuse weights that are not those of the classifier."""
    shapes = {"weight": (len(spec.labels), spec.inputs(width)), "bias": (len(spec.labels),)}
    for name, shape in shapes.items():
        if name not in weights or weights[name].shape != shape:
            raise TenorError(f"{where}: the weight {name!r} is missing, or its shape is not {shape}.")
        if not np.isfinite(weights[name]).all():
            raise TenorError(f"{where}: {name!r} holds numbers that are not finite; the file is damaged.")


def phrase_probabilities(
    spec: PhraseSpec,
    weights: Mapping[str, Floats],
    states: Floats,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
) -> Floats:
    """Return the probability of each class [P, k]; spans [P, 2] are stretches of the states [T, d].

    >>> states = np.ones((4, 2), dtype=np.float32)
    >>> weights = {"weight": np.zeros((3, 8), np.float32), "bias": np.array([9, 0, 0], np.float32)}
    >>> spans = np.array([[0, 2]]), np.array([[2, 3]])
    >>> phrase_probabilities(PhraseSpec(), weights, states, *spans).round(2).tolist()
    [[1.0, 0.0, 0.0]]
    """
    u, v = (_pooled(spec, states, spans) for spans in (first, second))
    features = [u, v] if spec.features == "simple" else [u, v, u * v, np.abs(u - v)]
    logits = np.concatenate(features, axis=1) @ weights["weight"].T + weights["bias"]
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), dtype=np.float32)


def _pooled(spec: PhraseSpec, states: Floats, spans: NDArray[np.int64]) -> Floats:
    if not len(spans):
        return np.zeros((0, states.shape[1]), dtype=np.float32)
    sizes = spans[:, 1] - spans[:, 0]
    firsts = np.cumsum(sizes) - sizes
    places = np.arange(sizes.sum()) + np.repeat(spans[:, 0] - firsts, sizes)
    if spec.features == "elaborate":
        return np.asarray(np.maximum.reduceat(states[places], firsts, axis=0))
    return np.asarray(np.add.reduceat(states[places], firsts, axis=0) / sizes[:, None], dtype=np.float32)
