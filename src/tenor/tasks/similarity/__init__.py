"""Giving two texts a score on a range."""
