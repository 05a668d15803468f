"""Word vectors as an engine: a text is the mean of the vectors of its words, a bag of words.

The table stays where it is (a mapped file stays mapped), and the arithmetic is that of the static encoder.
"""

import numpy as np

from tenor.encoders.static.engine import StaticEngine
from tenor.words import WordVectors


def word_engine(vectors: WordVectors, *, normalize: bool = False) -> StaticEngine:
    """Make the engine that averages the vectors of a text's words; unknown words do not count."""
    count = len(vectors)
    # The unknown word needs a row, though none of it is ever used: that of the first word.
    mapping = np.append(np.arange(count), 0)
    return StaticEngine(vectors.vectors, mapping=mapping, unknown=count, normalized=normalize)
