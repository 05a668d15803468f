"""Models for the recipe on alpha embeddings: GloVe and skip-gram with both matrices, and raw baselines."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.corpora.gutenberg import read_prose_words
from tenor.recipes.recipe import Context
from tenor.words.alpha.family import AlphaFamily
from tenor.words.alpha.noise import noise_logits
from tenor.words.alpha.references import Reference, data_unigram, model_unigram, uniform
from tenor.words.corpus import Corpus
from tenor.words.vectors import WordVectors


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Two matrices and counts, and what follows from them."""

    vectors: WordVectors

    def family(self, reference: Reference, label: str) -> AlphaFamily:
        """Return the alpha embeddings of a reference."""
        contexts, counts = self.vectors.contexts, self.vectors.counts
        assert contexts is not None
        assert counts is not None
        words, bias = self.vectors.vectors, noise_logits(self.vectors, reference)
        p0 = {
            "0": lambda: uniform(len(words)),
            "u": lambda: model_unigram(words, contexts, bias=bias),
            "ud": lambda: data_unigram(counts),
        }[reference]()
        return AlphaFamily(words, contexts, p0, label="U" if label == "U" else "U+V", bias=bias)

    def raw(self, label: str) -> NDArray[np.float32]:
        """Return the plain vectors, every column centred and of variance 1, as the GloVe paper has them.

        Its columns are axes like any others, as gradient descent leaves them. Ours are singular vectors in
        the order of their singular values: standardising those would whiten the vectors, which costs much
        (half of all analogies). So the axes are turned at random first.
        """
        assert self.vectors.contexts is not None
        rows = self.vectors.vectors + (self.vectors.contexts if label == "U+V" else 0.0)
        width = rows.shape[1]
        rows = rows @ np.linalg.qr(np.random.default_rng(0).normal(size=(width, width)))[0]
        spread = rows.std(axis=0)
        return np.asarray((rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0), dtype=np.float32)


def trained(kind: str, width: int, context: Context) -> Model:
    """Return a model of the recipe's text, trained once for each seed."""
    settings = {"kind": kind, "width": width, "seed": context.seed, **context.settings}
    folder = context.shared(
        f"{kind}-{width}", lambda made: _train(kind, width, context, made), settings=settings
    )
    return Model(WordVectors.load(folder / "model.safetensors"))


def _train(kind: str, width: int, context: Context, folder: Path) -> None:
    corpus = Corpus(**_arrays(context))
    if kind == "glove":
        from tenor.words.glove import GloveConfig, train_glove

        rounds = int(context.settings["rounds"])
        vectors = train_glove(
            corpus, GloveConfig(vector_size=width, iterations=rounds, seed=context.seed)
        ).vectors
    else:
        from tenor.words.training import Word2VecConfig, train_word2vec

        vectors = train_word2vec(
            corpus, Word2VecConfig(vector_size=width, window=10, epochs=5, seed=context.seed)
        )
    vectors.save(folder / "model.safetensors")


def _arrays(context: Context) -> dict[str, Any]:
    """Read the text once for all models."""
    most = int(context.settings["words"])
    folder = context.shared("corpus", lambda made: _read(context, most, made), settings={"words": most})
    with np.load(folder / "corpus.npz", allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in ("counts", "ids", "starts")}
        return {"words": kept["words"].tolist(), **arrays}


def _read(context: Context, most: int, folder: Path) -> None:
    from tenor.text.function_words import ENGLISH

    corpus = read_prose_words(context.folder("text-en"), max_final_vocab=most + len(ENGLISH) + 50)
    kept = without([word not in ENGLISH and len(word) > 1 for word in corpus.words], corpus, most)
    np.savez(
        folder / "corpus.npz",
        words=np.array(kept.words),
        counts=kept.counts,
        ids=kept.ids,
        starts=kept.starts,
    )


def without(wanted: Iterable[bool], corpus: Corpus, most: int) -> Corpus:
    """Drop words from a corpus before windows are laid, and keep the ``most`` frequent others."""
    kept = np.fromiter(wanted, dtype=bool)
    kept &= np.cumsum(kept) <= most
    inside = kept[corpus.ids]
    rank = (np.cumsum(kept) - 1).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(inside)])[corpus.starts]
    words = [word for word, here in zip(corpus.words, kept, strict=True) if here]
    return Corpus(words, corpus.counts[kept], rank[corpus.ids[inside]], starts)


def made_up(context: Context) -> Model:
    """Two random matrices in which words of a group have like vectors, and counts to go with them."""
    rng = context.generator()
    count, width = 120, 6
    groups = rng.normal(size=(12, width))
    words = groups[np.arange(count) % 12] + 0.5 * rng.normal(size=(count, width))
    contexts = words + 0.5 * rng.normal(size=(count, width))
    names = [f"w{number}" for number in range(count)]
    return Model(WordVectors(names, words, rng.integers(1, 500, count), contexts, name="made up"))
