"""A link network small enough to be computed by hand, for the tests of using and of learning an aligner."""

import numpy as np

from tenor.use.align.learned.grid import View
from tenor.use.align.learned.network import Shape

SMALL = Shape(features=5 + 6, inputs=7, likeness=3, kinds=2, channels=4, blocks=2)


def random_view(n, m, *, seed=0, shape=SMALL):
    random = np.random.default_rng(seed)
    sizes = (n, m, shape.features), (n, shape.inputs), (m, shape.inputs)
    return View(*(random.normal(size=size).astype(np.float32) for size in sizes))


def random_weights(shape=SMALL, *, seed=0):
    random = np.random.default_rng(seed)
    return {
        name: random.normal(0, 0.5, size).astype(np.float32) for name, size in sorted(shape.weights().items())
    }
