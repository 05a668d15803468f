"""Static word vectors: read, compare, train, evaluate, post-process, combine, align across languages."""

from tenor.words.vectors import WordVectors, intersection

__all__ = ["WordVectors", "intersection"]
