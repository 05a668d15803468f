"""Encoders: tokens in, a vector per token and per text out."""
