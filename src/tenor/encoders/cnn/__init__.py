"""KimCNN: convolutions over the n-grams of a text."""
