"""Meta-embeddings: several word embeddings averaged or concatenated, plainly or after geometric alignment."""

from tenor.words.combine.combining import METHODS, CombineConfig, Combined, combine

__all__ = ["METHODS", "CombineConfig", "Combined", "combine"]
