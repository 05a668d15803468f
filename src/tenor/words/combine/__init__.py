"""One better table of word vectors out of several: averaged or concatenated, plainly or geometrically."""

from tenor.words.combine.combining import METHODS, CombineConfig, Combined, combine

__all__ = ["METHODS", "CombineConfig", "Combined", "combine"]
