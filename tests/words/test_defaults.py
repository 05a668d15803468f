"""The defaults of the word systems, pinned to where they come from: gensim, VecMap, MUSE and the papers.

A default that changes changes what every command does, and no other test would notice.
"""

import inspect
from dataclasses import asdict, fields
from typing import Any

import pytest
from gensim.models import Word2Vec

from tenor.words import WordVectors, neighbours
from tenor.words.alpha.family import AlphaFamily
from tenor.words.alpha.metric import in_metric
from tenor.words.analogies import analogies
from tenor.words.combine.combining import C_GRID as COMBINE_C_GRID
from tenor.words.combine.combining import CombineConfig
from tenor.words.corpus import read_corpus
from tenor.words.counting import PpmiConfig
from tenor.words.crosslingual import alpha_search
from tenor.words.crosslingual.align import AlignConfig
from tenor.words.crosslingual.lexicon import Lexicon
from tenor.words.crosslingual.lexicon_scores import score_lexicon
from tenor.words.crosslingual.maps import advanced_map
from tenor.words.crosslingual.rcsls import RcslsConfig
from tenor.words.crosslingual.self_learning import SelfLearningConfig
from tenor.words.dimensions.probe import ProbeConfig
from tenor.words.evaluate import evaluate
from tenor.words.fuzzy import FuzzyWords, ask
from tenor.words.fuzzy.readouts import analogies as fuzzy_analogies
from tenor.words.fuzzy.readouts import function_words
from tenor.words.glove import GloveConfig
from tenor.words.postprocess import METHODS
from tenor.words.training import Word2VecConfig


def _defaults(function: Any) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in parameters if each.default is not inspect.Parameter.empty}


def test_word2vec_has_gensims_defaults_but_for_skip_gram_and_one_worker() -> None:
    theirs = _defaults(Word2Vec.__init__)
    ours = asdict(Word2VecConfig())
    assert ours.pop("architecture") == "skip-gram"  # gensim's default is CBOW
    assert ours.pop("workers") == 1  # so that a seed gives the same vectors again
    assert ours.pop("learning_rate") == theirs["alpha"]
    assert ours == {name: theirs[name] for name in ours}
    assert _defaults(read_corpus)["min_count"] == theirs["min_count"]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        # Levy et al. 2015: context distribution smoothing 0.75, no shift, symmetric eigenvalue weighting.
        (PpmiConfig(), {"vector_size": 100, "window": 5, "weighting": "flat", "smoothing": 0.75, "shift": 1.0,
                        "power": 0.5, "seed": 1}),
        # Pennington et al. 2014: window 10, x_max 100, exponent 3/4.
        (GloveConfig(), {"vector_size": 100, "window": 10, "x_max": 100.0, "power": 0.75, "iterations": 8,
                         "ridge": 1.0, "seed": 1}),
        (CombineConfig(), {"method": "geo-avg", "c": None, "normalize": ("unit",), "unit_latent": True,
                           "solver": "auto", "seed": 0}),
        (ProbeConfig(), {"c_grid": (0.002, 0.01, 0.05, 0.25), "folds": 5, "seed": 1111}),
        # Vulić et al. 2020: mutual nearest neighbours by CSLS among the 20,000 most frequent words.
        (SelfLearningConfig(), {"direction": "mutual", "vocabulary_cutoff": 20_000, "csls_k": 10,
                                "stochastic": False, "stochastic_initial": 0.1, "patience": 3,
                                "threshold": 1e-4, "max_iterations": 1000, "keep_seed": False, "seed": 0}),
        # VecMap: --stochastic_initial 0.1 --stochastic_interval 50 --threshold 0.000001 --direction union
        (SelfLearningConfig.vecmap(seed=3), {"direction": "union", "vocabulary_cutoff": 20_000, "csls_k": 10,
                                             "stochastic": True, "stochastic_initial": 0.1, "patience": 50,
                                             "threshold": 1e-6, "max_iterations": 1000, "keep_seed": False,
                                             "seed": 3}),
        # fastText's alignment: --knn 10 --lr 1.0 --niter 10 --maxneg 200000
        (RcslsConfig(), {"k": 10, "learning_rate": 1.0, "iterations": 10, "vocabulary_cutoff": 200_000,
                         "spectral": False}),
    ],
    ids=["ppmi", "glove", "combine", "probe", "self-learning", "vecmap", "rcsls"],
)  # fmt: skip
def test_settings(made: Any, expected: dict[str, Any]) -> None:
    assert {each.name: getattr(made, each.name) for each in fields(made)} == expected


def test_alignment_learns_from_itself_and_leaves_the_spaces_alone() -> None:
    config = AlignConfig()
    assert (config.method, config.alpha, config.dim_reduction) == ("vecmap-self", (0.0, 0.0), None)
    assert (config.self_learning, config.rcsls) == (SelfLearningConfig(), RcslsConfig())


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (advanced_map, {"reweight": 0.5, "dewhiten": True}),  # VecMap's --reweight 0.5 and dewhitening
        (score_lexicon, {"retrieval": "cosine", "csls_k": 10}),
        (Lexicon.of, {"csls_k": 10, "csls_words": 50_000}),
        (alpha_search.search_alphas, {"folds": 5, "orthogonal": False, "vocabulary_cutoff": 20_000}),
        (neighbours.csls, {"csls_k": 10}),
        (neighbours.neighbours, {"k": 10, "method": "cosine", "csls_k": 10}),
        (WordVectors.neighbours, {"k": 10, "method": "cosine", "csls_k": 10}),
        (WordVectors.load, {"lowercase": False, "limit": None}),
        (analogies, {"method": "3cosadd"}),
        (evaluate, {"restrict_vocab": 200_000, "repeats": 1000, "seed": 0}),
        (read_corpus, {"lowercase": True, "split": "words", "max_final_vocab": None}),
        (FuzzyWords.of, {"axis": "column", "normalize": False}),
        (FuzzyWords.distances, {"measure": "kl"}),
        (ask, {"measure": "kl", "first": "target", "rescale": True}),
        (fuzzy_analogies, {"union": "clipped", "measure": "cross-entropy", "rescale": True}),
        (function_words, {"min_count": 100}),
        (AlphaFamily.__init__, {"label": "U+V", "bias": None}),
        (AlphaFamily.limit, {"top": 1, "weighted": False}),
        (in_metric, {"norm": "F", "product": None}),
    ],
    ids=lambda value: getattr(value, "__qualname__", ""),
)
def test_arguments(function: Any, expected: dict[str, Any]) -> None:
    defaults = _defaults(function)
    assert {name: defaults[name] for name in expected} == expected


def test_grids_of_searches() -> None:
    assert alpha_search.GRID == (-0.5, -0.25, -0.15, 0.0, 0.15, 0.25, 0.5)  # of Vulić et al. 2020
    assert COMBINE_C_GRID == (1.0, 10.0, 50.0, 100.0, 1000.0, 10_000.0)


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("unit", {}),
        ("centre", {}),
        ("z-score", {}),
        ("whiten", {"components": None, "epsilon": 1e-6}),
        ("nth-order", {"alpha": -0.25}),
        ("pca", {"components": 100, "first": 1}),
        ("all-but-the-top", {"components": 3}),  # d / 100, Mu and Viswanath 2018
        ("all-but-the-top-pca", {"components": 7, "dimensions": 150}),  # Raunak et al. 2019
        ("alpha", {"alpha": 0.6, "reference": "0", "label": "U+V", "metric": "I", "limit": 0, "noise": None}),
    ],
)
def test_post_processing(method: str, settings: dict[str, Any]) -> None:
    assert METHODS[method]().settings() == settings


def test_every_post_processing_method_is_pinned() -> None:
    pinned = {mark.args[1][row][0] for mark in test_post_processing.pytestmark for row in range(9)}  # type: ignore[attr-defined]
    assert pinned == set(METHODS)
