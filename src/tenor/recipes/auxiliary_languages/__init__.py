"""Auxiliary languages for sequence tagging (spec 15)."""
