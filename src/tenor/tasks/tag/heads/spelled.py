"""``spelled``: labels that are spelled out from their parts (Bhargava & Penn, 2020).

Labels such as ``(S\\NP)/NP`` or ``NOUN|Case=Nom`` are sequences of symbols, and a decoder writes them symbol
by symbol, so that it can give labels that no train example has. With ``label_units = "whole"`` a label is one
symbol, for comparison, and only labels of train examples are given. Predictions are numbers: the probability
of the word's label, then its symbols, -1 behind the last.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tenor.tasks.tag.heads.head import Floats, HeadType, linear_shapes, lstm_shapes
from tenor.text.label_symbols import label_symbols, split_label, without_redundant_parentheses
from tenor.text.word_shapes import SHAPES

if TYPE_CHECKING:
    from tenor.tasks.tag.heads.module import TagHead
    from tenor.tasks.tag.kind import TagSpec


class SpelledType(HeadType):
    """A decoder that writes labels symbol by symbol."""

    name = "spelled"
    about = "labels are spelled out from their parts, also such that no train example has"
    keys = ("decoder_size", "decoder_dropout", "beam", "history", "label_units")
    most_labels = 100_000

    def weight_shapes(self, spec: "TagSpec", hidden_size: int) -> Mapping[str, tuple[int, ...]]:
        """Return the weights of the decoder."""
        size, count = spec.decoder_size, 1 + len(symbols_of(spec))
        shapes = linear_shapes("decoder.combine", hidden_size, size)
        if spec.history or spec.label_units == "parts":
            shapes |= {
                "decoder.symbols.weight": (count, size),
                **lstm_shapes("decoder.lstm.layers.0", 2 * size, size),
            }
        shapes |= linear_shapes("decoder.out", size, count)
        return shapes | (linear_shapes("shapes", len(SHAPES), size, bias=False) if spec.casing else {})

    def build(self, spec: "TagSpec", hidden_size: int) -> "TagHead":
        """Build the decoder."""
        from tenor.tasks.tag.heads.spelled_module import SpelledHead

        return SpelledHead(spec, hidden_size)

    def tags(self, spec: "TagSpec", row: Floats) -> list[str]:
        """Join the symbols of every word; only redundant parentheses are repaired."""
        symbols = symbols_of(spec)
        words = row[:, 1:].astype(int).tolist()
        joined = ["".join(symbols[symbol] for symbol in word if symbol >= 0) for word in words]
        if spec.label_units == "whole":
            return joined
        return [without_redundant_parentheses(label) for label in joined]

    def tag_probabilities(self, spec: "TagSpec", row: Floats) -> list[float]:
        """Return the probability that the decoder gives the symbols of every word."""
        return [float(value) for value in row[:, 0]]

    def unseen_labels(self, spec: "TagSpec") -> str:
        """Say that they can be spelled out."""
        if spec.label_units == "whole":
            return super().unseen_labels(spec)
        return "they can only be spelled out from parts that it knows"

    def probability_labels(self, spec: "TagSpec") -> tuple[str, ...]:
        """Return none: there is no list of all labels."""
        return ()


def symbols_of(spec: "TagSpec") -> tuple[str, ...]:
    """Return what labels are made of: their parts, or the labels themselves."""
    return spec.labels if spec.label_units == "whole" else label_symbols(spec.labels)


def spelling(spec: "TagSpec") -> list[list[str]]:
    """Return the symbols of every label."""
    if spec.label_units == "whole":
        return [[label] for label in spec.labels]
    return [split_label(label) for label in spec.labels]
