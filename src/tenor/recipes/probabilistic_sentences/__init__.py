"""Probabilistic sentence representations (spec 05): how specific is a sentence?"""
