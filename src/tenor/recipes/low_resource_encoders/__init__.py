"""Encoders of low-resource languages: what they are good for, and what pre-training on two adds (spec 18)."""
