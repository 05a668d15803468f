"""Natural alpha embeddings (spec 11)."""
