"""Emergent languages: a laboratory for discrete codes (Gupta, Resnick, Foerster, Dai and Cho, 2020)."""
