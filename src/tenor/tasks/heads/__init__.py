"""Heads: small networks from the vectors of one or two texts to the numbers of a task."""
