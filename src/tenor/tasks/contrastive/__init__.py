"""Learning that two texts belong together: multiple negatives ranking."""
