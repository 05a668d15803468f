"""Supertagging with CCG primitives (spec 25)."""
