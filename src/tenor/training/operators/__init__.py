"""Learning word operators from pairs of texts that say the same."""
