"""``tenor.compare``: two texts, by any model."""

from tenor.model.encoding import Long
from tenor.model.given import ModelLike, given_model
from tenor.use.compare.comparing import Comparison
from tenor.use.compare.comparing import compare as compare_with


def compare(first: str, second: str, *, model: ModelLike = "minilm", long: Long = "truncate") -> Comparison:
    """Compare two texts: how alike in meaning, which phrases match, what has no counterpart.

    >>> import tenor
    >>> found = tenor.compare("He purchased a car.", "He bought a car.")
    >>> found.level
    'the same meaning'
    >>> found.explanation.phrases[1].first.text
    'purchased'
    """
    return compare_with(given_model(model), first, second, long=long)
