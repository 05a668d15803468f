"""Temporal expressions in languages without labels, by language-neutral features (spec 16)."""
