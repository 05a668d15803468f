"""Words as fuzzy sets of features: set questions, directed similarity, entropy."""

from tenor.words.fuzzy.fuzzy_words import FuzzyWords, Near
from tenor.words.fuzzy.query import Question, ask, ask_vectors

__all__ = ["FuzzyWords", "Near", "Question", "ask", "ask_vectors"]
