"""Texts with their tokens in random order: a model that is shown them learns less of the order by heart."""

from dataclasses import replace

import numpy as np

from tenor.text.tokens import Tokens


def scrambled(tokens: Tokens, probability: float, generator: np.random.Generator) -> Tokens:
    """Put the tokens of some texts in random order.

    >>> tokens = Tokens.from_lists([[1, 2, 3], [4]])
    >>> sorted(scrambled(tokens, 1.0, np.random.default_rng(0)).ids[:3].tolist())
    [1, 2, 3]
    """
    lengths = tokens.lengths
    text_of = np.repeat(np.arange(len(lengths)), lengths)
    chosen = (generator.random(len(lengths)) < probability)[text_of]
    keys = np.where(chosen, generator.random(len(text_of)), np.arange(len(text_of)) / max(1, len(text_of)))
    order = np.lexsort((keys, text_of))
    return replace(
        tokens,
        ids=tokens.ids[order],
        words=None if tokens.words is None else tokens.words[order],
        forms=None if tokens.forms is None else tokens.forms[order],
    )
