"""What the dimensions of word vectors carry (spec 21)."""
