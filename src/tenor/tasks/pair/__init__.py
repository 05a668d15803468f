"""Putting two texts together into a class."""
