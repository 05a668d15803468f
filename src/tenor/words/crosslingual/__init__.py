"""Two languages in one space: vectors mapped from a seed dictionary, and the lexicon that follows."""
