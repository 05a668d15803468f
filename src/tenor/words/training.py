"""Training word vectors on a text: skip-gram and CBOW with negative sampling, by gensim.

Both matrices are kept, the words' vectors and their context vectors, and so are the counts: what is built on
skip-gram as a model of probabilities (alpha embeddings, noise distributions) needs all three.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tenor.errors import TenorError
from tenor.extras import require
from tenor.words.corpus import Corpus
from tenor.words.vectors import WordVectors

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Word2VecConfig:
    """Settings of word2vec, with the usual values.

    With more than one thread the order of updates, and so the result, differs from run to run.
    """

    architecture: Literal["skip-gram", "cbow"] = "skip-gram"
    width: int = 100
    window: int = 5
    negative: int = 5
    epochs: int = 5
    rate: float = 0.025
    subsample: float = 1e-3
    smoothing: float = 0.75  # exponent of counts in the distribution of negative samples
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("width", "window", "negative", "epochs", "threads"):
            if getattr(self, name) < 1:
                raise TenorError(f"{name} is {getattr(self, name)}; expected 1 or more.")
        if not self.rate > 0 or not self.subsample >= 0:
            raise TenorError("The rate must be above 0, the share of subsampling 0 or above.")


def train_word2vec(
    corpus: Corpus, config: Word2VecConfig | None = None, *, progress: Progress | None = None
) -> WordVectors:
    """Train vectors on a corpus; ``progress`` is called with the number of sentences just handed over.

    Every epoch hands over all sentences once.
    """
    config = config or Word2VecConfig()
    gensim = require("gensim.models", extra="words", purpose="Training word vectors")
    model = gensim.Word2Vec(
        vector_size=config.width, window=config.window, sg=int(config.architecture == "skip-gram"), hs=0,
        negative=config.negative, ns_exponent=config.smoothing, alpha=config.rate, sample=config.subsample,
        min_count=1, seed=config.seed, workers=config.threads,
    )  # fmt: skip
    model.build_vocab_from_freq(
        dict(zip(corpus.words, corpus.counts.tolist(), strict=True)), corpus_count=len(corpus)
    )
    model.train(
        _Passes(corpus, progress),
        total_examples=len(corpus),
        total_words=len(corpus.ids),
        epochs=config.epochs,
    )
    words = model.wv.index_to_key
    counts = [model.wv.get_vecattr(word, "count") for word in words]
    vectors, contexts = model.wv.vectors, model.syn1neg
    if not (np.isfinite(vectors).all() and np.isfinite(contexts).all()):
        raise TenorError(f"Training blew up to numbers that are not finite; lower the rate of {config.rate}.")
    return WordVectors(words, vectors, counts, contexts, name=config.architecture)


class _Passes:
    """The sentences of a corpus, as often as they are asked for."""

    def __init__(self, corpus: Corpus, progress: Progress | None) -> None:
        self.corpus, self.progress = corpus, progress

    def __iter__(self) -> Iterator[list[str]]:
        for sentence in self.corpus.sentences():
            yield sentence
            if self.progress is not None:
                self.progress(1)
