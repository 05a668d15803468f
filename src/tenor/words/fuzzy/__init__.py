"""Words as fuzzy sets of features: set queries, directed similarity, entropy."""

from tenor.words.fuzzy.fuzzy_words import FuzzyWords, Neighbour
from tenor.words.fuzzy.query import Query, ask, ask_vectors

__all__ = ["FuzzyWords", "Neighbour", "Query", "ask", "ask_vectors"]
