"""Everyday use of a model: embed, compare, search, dedupe."""
