"""Putting a text into a class, or into several."""
