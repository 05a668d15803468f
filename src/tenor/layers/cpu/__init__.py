"""Layers whose only point is speed on a CPU: dropout, embeddings, attention, rectangles, recurrences."""
