"""Layers whose only point is the speed of training on a CPU: dropout, embeddings, attention, rectangles."""
