"""What encoders over a table of embeddings share: a word-level vocabulary, embeddings, checkpoints."""
