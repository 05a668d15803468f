"""Parsing: the head of every word, and its relation to it."""
