"""``spelled``: labels that are spelled out from their parts (Bhargava & Penn, 2020).

Labels such as ``(S\\NP)/NP`` or ``NOUN|Case=Nom`` are sequences of symbols, and a decoder writes them symbol
by symbol, so that it can give labels that no train example has. Predictions are numbers: the probability of
the word's label, then its symbols, -1 behind the last.
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
    keys = ("decoder_size", "beam", "history")
    most_labels = 100_000

    def weight_shapes(self, spec: "TagSpec", hidden_size: int) -> Mapping[str, tuple[int, ...]]:
        """Return the weights of the decoder."""
        size, count = spec.decoder_size, 1 + len(label_symbols(spec.labels))
        shapes = {
            **linear_shapes("decoder.combine", hidden_size, size),
            "decoder.symbols.weight": (count, size),
            **lstm_shapes("decoder.lstm.layers.0", 2 * size, size),
            **linear_shapes("decoder.out", size, count),
        }
        return shapes | (linear_shapes("shapes", len(SHAPES), size, bias=False) if spec.casing else {})

    def build(self, spec: "TagSpec", hidden_size: int) -> "TagHead":
        """Build the decoder."""
        from tenor.tasks.tag.heads.spelled_module import SpelledHead

        return SpelledHead(spec, hidden_size)

    def tags(self, spec: "TagSpec", row: Floats) -> list[str]:
        """Join the symbols of every word; only redundant parentheses are repaired."""
        symbols = label_symbols(spec.labels)
        words = row[:, 1:].astype(int).tolist()
        joined = ("".join(symbols[symbol] for symbol in word if symbol >= 0) for word in words)
        return [without_redundant_parentheses(label) for label in joined]

    def tag_probabilities(self, spec: "TagSpec", row: Floats) -> list[float]:
        """Return the probability that the decoder gives the symbols of every word."""
        return [float(value) for value in row[:, 0]]

    def probability_labels(self, spec: "TagSpec") -> tuple[str, ...]:
        """Return none: there is no list of all labels."""
        return ()


def longest_label(labels: tuple[str, ...]) -> int:
    """Return the number of symbols of the longest label, beyond which none is spelled."""
    return max(len(split_label(label)) for label in labels)
