"""The phrasal classifier of a model folder: ``phrases.json`` and ``phrases.safetensors``, and using it.

A folder that a paraphrase stage has written with its heads can say of two phrases, in their sentences,
whether they mean the same, are related, or have nothing to do with each other. Both texts go through the
encoder as one sequence; the classifier itself runs in numpy, on whatever engine the model has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.files import read_json, write_json
from tenor.tasks.phrases.spec import PhraseSpec, check_phrase_weights, phrase_probabilities
from tenor.tensors import Stored, read_safetensors, write_safetensors
from tenor.text.alignments import AlignedPair, SpanPair
from tenor.text.batching import plan_batches
from tenor.text.piece_spans import piece_spans

if TYPE_CHECKING:
    from tenor.model.model import Model

Floats = NDArray[np.float32]
PHRASES, WEIGHTS = "phrases.json", "phrases.safetensors"


@dataclass(frozen=True, slots=True, eq=False)
class PhraseClassifier:
    """What a model folder has to say of phrases: its settings, its weights, how good it was on dev."""

    spec: PhraseSpec
    weights: Mapping[str, Floats]
    scores: Mapping[str, Any] = field(default_factory=dict)


def write_phrases(folder: Path, classifier: PhraseClassifier) -> None:
    """Write the classifier into a model folder."""
    tensors = {
        name: Stored("F32", np.asarray(value, np.float32, order="C"))
        for name, value in classifier.weights.items()
    }
    write_safetensors(folder / WEIGHTS, tensors)
    write_json(folder / PHRASES, {"spec": classifier.spec.to_json(), "scores": dict(classifier.scores)})


def read_phrases(folder: str | Path, *, width: int) -> PhraseClassifier | None:
    """Read the classifier of a model folder, None where it has none; ``width`` is that of the encoder."""
    told, stored = Path(folder) / PHRASES, Path(folder) / WEIGHTS
    if not told.is_file():
        return None
    content = read_json(told)
    if not isinstance(content, dict) or not isinstance(content.get("scores", {}), dict):
        raise TenorError(f"{told} must hold a table with spec and scores.")
    spec = PhraseSpec.from_json(content.get("spec"), where=str(told))
    if not stored.is_file():
        raise TenorError(f"{stored} is missing, though {told.name} is there.")
    weights = {name: tensor.to_float32() for name, tensor in read_safetensors(stored).items()}
    check_phrase_weights(spec, weights, width=width, where=str(stored))
    return PhraseClassifier(spec, weights, content.get("scores", {}))


def judge_phrases(model: "Model", classifier: PhraseClassifier, pairs: Sequence[AlignedPair]) -> list[Floats]:
    """Return the probabilities [a, k] of the classes for the aligned phrases of each pair.

    A phrase pair that the length limit cuts gets a row of NaN: nothing is known of it.
    """
    engine, tokenizer = model.engine, model.tokenizer
    if not pairs:
        return []
    cut = [tokenizer.cut([list(words) for words in side], words=True) for side in _sides(pairs)]
    joined = tokenizer.join(cut[0], cut[1])
    spans = [
        _places(pair.alignments, pair, cut, joined.begins[n], joined.kept[n], n)
        for n, pair in enumerate(pairs)
    ]
    found: dict[int, Floats] = {}
    for rows in plan_batches(joined.tokens.lengths, engine.token_budget):
        part = joined.tokens.take(rows)
        (states,) = engine.states(part, layers=[engine.layers])
        for place, row in enumerate(rows.tolist()):
            own = states[part.starts[place] : part.starts[place + 1]]
            found[row] = _judged(classifier, own, spans[row])
    return [found[row] for row in range(len(pairs))]


def _sides(pairs: Sequence[AlignedPair]) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    return [pair.first for pair in pairs], [pair.second for pair in pairs]


def _places(
    alignments: Sequence[SpanPair], pair: AlignedPair, cut: Any, begins: Any, kept: Any, row: int
) -> NDArray[np.int64]:
    """Return the phrase pairs [a, 4] as stretches of the joint sequence, -1 for those that are cut."""
    found = []
    for side, words in enumerate((pair.first, pair.second)):
        pieces = cut[side]
        first = pieces.begins[row]
        own = pieces.words[first : first + kept[side]]
        places = piece_spans((each[side] for each in alignments), own, len(words))
        found.append([places.get(each[side], (-1, -1)) for each in alignments])
    spans = np.array([[*one, *two] for one, two in zip(*found, strict=True)], dtype=np.int64).reshape(-1, 4)
    whole = (spans >= 0).all(axis=1)
    spans += np.repeat(begins, 2)
    spans[~whole] = -1
    return spans


def _judged(classifier: PhraseClassifier, states: Floats, spans: NDArray[np.int64]) -> Floats:
    out = np.full((len(spans), len(classifier.spec.labels)), np.nan, dtype=np.float32)
    whole = spans[:, 0] >= 0
    out[whole] = phrase_probabilities(
        classifier.spec, classifier.weights, states, spans[whole, :2], spans[whole, 2:]
    )
    return out
