"""Tagging words: entities, parts of speech, anything with one label a word."""
