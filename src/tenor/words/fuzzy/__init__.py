"""Words as fuzzy sets of features: set questions, directed similarity, entropy."""
