"""Training word vectors on a text: skip-gram and CBOW with negative sampling, by gensim.

Both matrices are kept, the words' vectors and their context vectors, and so are the counts: what is built on
skip-gram as a model of probabilities (alpha embeddings, noise distributions) needs all three.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tenor.errors import TenorError
from tenor.extras import require
from tenor.progress import Progress
from tenor.words.corpus import Corpus
from tenor.words.vectors import WordVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Word2VecConfig:
    """Settings of word2vec, with gensim's names and defaults; ``learning_rate`` is gensim's ``alpha``.

    With more than one worker the order of updates, and so the result, differs from run to run.
    """

    architecture: Literal["skip-gram", "cbow"] = "skip-gram"
    vector_size: int = 100
    window: int = 5
    negative: int = 5
    epochs: int = 5
    learning_rate: float = 0.025
    sample: float = 1e-3
    ns_exponent: float = 0.75  # of the counts in the noise distribution of negative samples
    seed: int = 1
    workers: int = 1

    def __post_init__(self) -> None:
        for name in ("vector_size", "window", "negative", "epochs", "workers"):
            if getattr(self, name) < 1:
                raise TenorError(f"{name} is {getattr(self, name)}; expected 1 or more.")
        if not self.learning_rate > 0 or not self.sample >= 0:
            raise TenorError(
                "learning_rate must be above 0, and sample (the subsampling threshold) 0 or above."
            )


def train_word2vec(
    corpus: Corpus, config: Word2VecConfig | None = None, *, progress: Progress | None = None
) -> WordVectors:
    """Train vectors on a corpus; ``progress`` is called with the number of sentences just read.

    Every epoch reads all sentences once.
    """
    config = config or Word2VecConfig()
    gensim = require("gensim.models", extra="words", purpose="Training word vectors")
    model = gensim.Word2Vec(
        sg=int(config.architecture == "skip-gram"), hs=0, vector_size=config.vector_size,
        window=config.window, negative=config.negative, ns_exponent=config.ns_exponent,
        alpha=config.learning_rate, sample=config.sample, min_count=1, seed=config.seed,
        workers=config.workers,
    )  # fmt: skip
    model.build_vocab_from_freq(
        dict(zip(corpus.words, corpus.counts.tolist(), strict=True)), corpus_count=len(corpus)
    )
    model.train(
        _Sentences(corpus, progress),
        total_examples=len(corpus),
        total_words=len(corpus.ids),
        epochs=config.epochs,
    )
    words = model.wv.index_to_key
    counts = [model.wv.get_vecattr(word, "count") for word in words]
    vectors, contexts = model.wv.vectors, model.syn1neg
    if not (np.isfinite(vectors).all() and np.isfinite(contexts).all()):
        raise TenorError(
            f"Training diverged to numbers that are not finite; lower learning_rate = {config.learning_rate}."
        )
    return WordVectors(
        words, vectors, counts, contexts, noise_exponent=config.ns_exponent, name=config.architecture
    )


class _Sentences:
    """The sentences of a corpus, iterated once per epoch."""

    def __init__(self, corpus: Corpus, progress: Progress | None) -> None:
        self.corpus, self.progress = corpus, progress

    def __iter__(self) -> Iterator[list[str]]:
        for sentence in self.corpus.sentences():
            yield sentence
            if self.progress is not None:
                self.progress(1)
