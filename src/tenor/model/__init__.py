"""A model is an encoder, a tokenizer and a pooling: load it, encode with it, save it."""

from tenor.model.loading import load
from tenor.model.model import Model
from tenor.model.words import WordStates

__all__ = ["Model", "WordStates", "load"]
