"""What kinds about one text or two have in common: columns, vectors, heads, labels."""
