"""Several embeddings of a word side by side: static, learned, of n-grams, of word pieces, of characters."""
