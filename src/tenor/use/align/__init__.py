"""Which words and phrases of two texts correspond."""

from tenor.use.align.explain import Explanation, explain
from tenor.use.align.words import AlignSettings, align_words

__all__ = ["AlignSettings", "Explanation", "align_words", "explain"]
