"""Corpora: named data sets, each with its files, its licence, where it comes from, and typed readers."""

from tenor.corpora.checking import check
from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.table import CORPORA, look_up

__all__ = ["CORPORA", "Corpus", "Split", "check", "look_up"]
