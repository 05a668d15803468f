"""Words as fuzzy sets of features (spec 06)."""
