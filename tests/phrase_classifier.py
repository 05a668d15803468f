"""A phrasal classifier beside a tiny model, as a paraphrase stage leaves it with its heads kept."""

import numpy as np

from tenor.model.phrases import PhraseClassifier, write_phrases
from tenor.tasks.phrases.spec import THREE_WAY, PhraseSpec
from tiny import WIDTH, write_tiny_model


def with_classifier(folder, labels=THREE_WAY, *, bias=(0.0, 2.0, 0.0), scale=0.0):
    """Write a tiny model with a classifier; a scale of 0 makes the bias alone decide."""
    write_tiny_model(folder)
    spec = PhraseSpec(labels=labels)
    weight = scale * np.random.default_rng(0).normal(size=(len(labels), spec.inputs(WIDTH)))
    weights = {"weight": weight.astype(np.float32), "bias": np.array(bias, np.float32)}
    write_phrases(folder, PhraseClassifier(spec, weights))
    return folder
