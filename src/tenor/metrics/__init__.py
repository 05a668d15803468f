"""Scores with their intervals: yes-or-no predictions, correlations, rankings, entities."""
