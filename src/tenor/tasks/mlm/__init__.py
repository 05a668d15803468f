"""Masked language modelling: what an encoder is pre-trained by."""
