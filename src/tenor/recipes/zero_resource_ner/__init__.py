"""Entities of domains without labels: a second task and a mixture of entity experts (spec 03)."""
