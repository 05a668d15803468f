"""Encoders of word operators: a text is a Gaussian, whose entropy says how specific the text is."""
