"""Word vectors as an encoder: a bag of words."""
