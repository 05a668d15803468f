"""A stand-in for a model: a text's vector is the sum of random vectors of its words, the same everywhere.

It needs no weights and loads at once, so that processes can be started and killed by the dozen.
"""

from hashlib import blake2b
from types import SimpleNamespace

import numpy as np


class HashingModel:
    name, fingerprint, precision, english, max_tokens = "hashing", "f" * 64, "fp32", True, None
    settings = SimpleNamespace(default_prompt=None)
    tokenizer = SimpleNamespace(unknown=None)

    def __init__(self, width=16, prompts=None, fingerprint=None):
        self.width = width
        self.prompts = prompts or {}
        self.fingerprint = fingerprint or self.fingerprint
        self.calls = []

    def encode(self, texts, *, prompt=None, long="truncate", progress=None):
        self.calls.append((len(texts), prompt, long))
        front = self.prompts.get(prompt, "")
        if progress is not None:
            progress(len(texts))
        return np.array([self._vector(front + text) for text in texts], dtype=np.float32)

    def _vector(self, text):
        words = [word.strip(".,?!").lower() for word in text.split()]
        return np.sum([_random(word, self.width) for word in words], axis=0)


def _random(word, width):
    seed = int.from_bytes(blake2b(word.encode(), digest_size=4).digest(), "little")
    return np.random.default_rng(seed).normal(size=width)
