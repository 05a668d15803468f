"""Evaluation of word vectors: similarity, analogies, categories, outliers, relations, on the same words."""

from tenor.words.evaluate.evaluating import Result, evaluate
from tenor.words.evaluate.reading import read_benchmarks
from tenor.words.evaluate.sets import Benchmarks

__all__ = ["Benchmarks", "Result", "evaluate", "read_benchmarks"]
