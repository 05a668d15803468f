"""Natural alpha embeddings: one family of word vectors from the two matrices of a trained skip-gram model."""
