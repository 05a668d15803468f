"""A learned aligner: the weights of the network, what they were learned for, and the file that holds them.

The file is safetensors; its header carries JSON that names the encoder by its fingerprint. Word vectors of
another encoder mean something else, so with another one the aligner is refused.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tenor.errors import TenorError
from tenor.model import Model
from tenor.tensors import Stored, read_with_metadata, write_safetensors
from tenor.use.align.learned.grid import View, features, view
from tenor.use.align.learned.network import Shape, Weights, link_probabilities
from tenor.use.align.words import Floats, Links

FORMAT = 1  # raised whenever the features or the network change their meaning
_KEY = "tenor.aligner"
_LEARN = "`tenor align GOLD --learn --out FILE.safetensors`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What an aligner was learned from, and for which encoder."""

    encoder: str  # its fingerprint
    encoder_name: str
    layers: tuple[int, ...]
    middle: int  # the position of the middle layer among them
    threshold: float  # links are the word pairs with at least this probability
    pairs: int
    held_out: int
    f1: float  # on the pairs held out
    epochs: int
    seed: int
    unlabelled: bool = False  # the links were not people's but those made without supervision
    format: int = FORMAT


@dataclass(frozen=True, eq=False)
class LearnedLinks:
    """Links words by what a network has learned from links, of people or made without supervision.

    >>> aligner = load_aligner("aligner.safetensors")     # doctest: +SKIP
    >>> Aligner(tenor.load("minilm"), learned=aligner)    # doctest: +SKIP
    """

    learned: Learned
    centre: Floats  # [layers, width], the mean word vectors
    weights: Weights = field(repr=False)

    @cached_property
    def fingerprint(self) -> str:
        """A sha256 of all that decides the links."""
        digest = hashlib.sha256(json.dumps(asdict(self.learned)).encode())
        for name, values in sorted(self._tensors().items()):
            digest.update(name.encode() + np.ascontiguousarray(values).tobytes())
        return digest.hexdigest()

    def check(self, model: Model) -> None:
        """Refuse a model whose word vectors are not those that the network has learned from."""
        if model.fingerprint != self.learned.encoder:
            raise TenorError(
                f"This aligner was learned for the word vectors of {self.learned.encoder_name!r}, and "
                f"{model.name!r} is another encoder. Give that one with --model, or learn an aligner for "
                "this one: tenor align GOLD --learn --model …"
            )

    def view(self, first: Sequence[str], second: Sequence[str], vectors: tuple[Floats, Floats]) -> View:
        """Return what the network sees of two texts, given word vectors [words, layers, width]."""
        learned = self.learned
        return view(
            first, second, vectors,
            centre=self.centre, middle=learned.middle, unlabelled=learned.unlabelled,
        )  # fmt: skip

    def links(self, first: Sequence[str], second: Sequence[str], vectors: tuple[Floats, Floats]) -> Links:
        """Link the words of two texts, given word vectors [words, layers, width]."""
        if not first or not second:
            return np.zeros((len(first), len(second)), dtype=bool)
        return link_probabilities(self.weights, self.view(first, second, vectors)) >= self.learned.threshold

    def save(self, path: str | Path) -> None:
        """Write the aligner to a safetensors file."""
        tensors = {
            name: Stored("F32", np.ascontiguousarray(values)) for name, values in self._tensors().items()
        }
        write_safetensors(path, tensors, metadata={_KEY: json.dumps(asdict(self.learned))})

    def _tensors(self) -> dict[str, Floats]:
        return {"centre": self.centre, **self.weights}


def load_aligner(path: str | Path) -> LearnedLinks:
    """Read an aligner that `tenor align --learn` has written, and check that it is whole."""
    stored, metadata = read_with_metadata(path, mend=f"learn it again with {_LEARN}")
    try:
        learned = _read_learned(metadata[_KEY])
        tensors = {name: tensor.to_float32() for name, tensor in stored.items()}
        centre = tensors.pop("centre")
        shape = _shape(tensors, learned, centre)
        expected = shape.weights()
        found = {name: values.shape for name, values in tensors.items()}
        if found != expected:
            wrong = sorted(set(found.items()) ^ set(expected.items()))[0][0]
            raise ValueError(f"the weight {wrong!r} is missing, unknown or of another shape")
        if not all(np.isfinite(values).all() for values in (centre, *tensors.values())):
            raise ValueError("a weight is not a finite number")
    except (KeyError, ValueError, TypeError) as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise TenorError(
            f"{path} is not an aligner that this version of Tenor can use: {what}. Make one with {_LEARN}."
        ) from error
    return LearnedLinks(learned, centre, tensors)


def _read_learned(text: str) -> Learned:
    record: Any = json.loads(text)
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    learned = Learned(**{**record, "layers": tuple(record["layers"])})
    numbers = (*learned.layers, learned.middle)
    if not all(type(number) is int and number >= 0 for number in numbers) or not isinstance(
        learned.encoder, str
    ):
        raise ValueError("its layers or its encoder are not named as they should be")
    if type(learned.unlabelled) is not bool:
        raise ValueError("it does not say whose links it was learned from")
    if learned.middle >= len(learned.layers) or not 0 <= float(learned.threshold) <= 1:
        raise ValueError("its middle layer or its threshold is out of range")
    return learned


def _shape(tensors: Weights, learned: Learned, centre: Floats) -> Shape:
    """Take the sizes of the network from the weights that name them."""
    layers = len(learned.layers)
    if centre.ndim != 2 or centre.shape[0] != layers:
        raise ValueError("its mean word is of another shape")
    return Shape(
        features=features(layers),
        inputs=centre.size,
        likeness=tensors["likeness.weight"].shape[0],
        kinds=tensors["kinds.weight"].shape[0],
        channels=tensors["cells.weight"].shape[0],
        blocks=sum(name.startswith("around.") and name.endswith(".weight") for name in tensors),
    )
