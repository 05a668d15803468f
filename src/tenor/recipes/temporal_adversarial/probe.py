"""A fresh probe of language: a small network that tells from the features of a word which language it is of.

It is trained on two thirds of the frequent words of every language and scored on the others, so that it
cannot know them by heart; chance is one in the number of languages.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.outcomes import Outcome

Features = Callable[[Sequence[str]], NDArray[Any]]
_ITERATIONS = 150


def probe_words(texts: Mapping[str, Sequence[Sequence[str]]], count: int) -> dict[str, list[str]]:
    """Return the most frequent words of each language, as many of each."""
    counts = {language: Counter(word for text in own for word in text) for language, own in texts.items()}
    most = min(count, *(len(each) for each in counts.values()))
    return {language: [word for word, _ in each.most_common(most)] for language, each in counts.items()}


def probe(features: Features, words: Mapping[str, Sequence[str]], *, seed: int) -> Outcome:
    """Return how many held-out words the probe has right."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import StandardScaler

    rows = np.concatenate([np.asarray(features(own), dtype=np.float64) for own in words.values()])
    labels = np.repeat(np.arange(len(words)), [len(own) for own in words.values()])
    order = np.random.default_rng(0).permutation(len(rows))  # the same words are held out for all seeds
    cut = 2 * len(rows) // 3
    train, test = order[:cut], np.sort(order[cut:])
    scaler = StandardScaler().fit(rows[train])
    network = MLPClassifier((100,), max_iter=_ITERATIONS, tol=1e-3, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # all probes get as many iterations
        network.fit(scaler.transform(rows[train]), labels[train])
    right = network.predict(scaler.transform(rows[test])) == labels[test]
    return Outcome.of("mean", right, items="probe words")
