"""Geometric word meta-embeddings (spec 08)."""
