"""Text in: examples that remember their file and line, readers, tokens and batches."""

from tenor.text.examples import Origin, Pair, Row, Sentence
from tenor.text.problems import Problems
from tenor.text.readers import read_pairs, read_rows, read_texts

__all__ = ["Origin", "Pair", "Problems", "Row", "Sentence", "read_pairs", "read_rows", "read_texts"]
