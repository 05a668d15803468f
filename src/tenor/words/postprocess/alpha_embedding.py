"""Alpha embeddings as a post-processing method, for vectors that kept their contexts (and counts)."""

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.alpha.family import AlphaFamily
from tenor.words.alpha.metric import in_metric
from tenor.words.alpha.noise import noise_logits
from tenor.words.alpha.references import Weights, data_unigram, model_unigram, uniform
from tenor.words.postprocess.method import Method, checked
from tenor.words.vectors import Floats, WordVectors


@dataclass(kw_only=True)
class AlphaEmbedding(Method):
    """Derive the alpha embedding of vectors and their contexts, or its limit for α → −∞.

    ``limit`` above 0 takes the mean of so many contexts with the largest p_w/p0 instead of ``alpha``. Rows
    have length 1 in the metric, and their cosines are those of the metric. ``noise`` is the exponent of the
    counts that products with contexts leave out; see ``words/alpha/noise.py`` for the default.

    The defaults are where similarity gains and analogies lose nothing for skip-gram (docs/words.md). Far from
    α = 1, and with the Fisher metric, skip-gram loses much.

    >>> AlphaEmbedding(alpha=0.4).settings()["reference"]
    '0'
    """

    name: ClassVar[str] = "alpha"
    alpha: float = 0.6
    reference: Literal["0", "u", "ud"] = "0"
    label: Literal["U", "U+V"] = "U+V"
    metric: Literal["F", "I"] = "I"
    limit: int = 0
    noise: float | None = None

    def fit(self, vectors: WordVectors) -> Self:
        """Keep the contexts [n, d] and the reference distribution [n]."""
        if vectors.contexts is None:
            raise TenorError(
                f"{vectors.name} has no context vectors, from which alpha embeddings are derived; take "
                "vectors that tenor words train wrote as .safetensors, which keeps both matrices."
            )
        bias = noise_logits(vectors, self.reference, self.noise)
        self.learned = {
            "contexts": np.asarray(vectors.contexts),
            "reference": self._reference(vectors, bias),
            "bias": np.zeros(len(vectors)) if bias is None else bias,
        }
        return self

    def transform(self, vectors: WordVectors) -> WordVectors:
        """Derive the embeddings of words with their contexts."""
        if self.label == "U+V" and vectors.contexts is None:
            raise TenorError(f"{vectors.name} has no context vectors; U+V needs one for every word.")
        return vectors.replace(checked(self.apply(vectors.vectors, vectors.contexts), self.name))

    def apply(self, vectors: Floats, contexts: Floats | None = None) -> Floats:
        """Derive the embeddings of words [n, d] with contexts of their own [n, d]."""
        words = vectors + contexts if self.label == "U+V" and contexts is not None else vectors
        family = AlphaFamily(
            words,
            self.learned["contexts"],
            self.learned["reference"],
            label="U",
            bias=self.learned.get("bias"),
        )
        found = family.limit(self.limit) if self.limit else family.embed(self.alpha, scaled=False)
        return np.asarray(in_metric(found, family.factor, norm=self.metric), dtype=np.float32)

    def _reference(self, vectors: WordVectors, bias: NDArray[np.float64] | None) -> Weights:
        if self.reference == "0":
            return uniform(len(vectors))
        if self.reference == "ud":
            if vectors.counts is None:
                raise TenorError(f"{vectors.name} has no counts; choose --reference 0 or u.")
            return data_unigram(vectors.counts)
        assert vectors.contexts is not None
        return model_unigram(vectors.vectors, vectors.contexts, bias=bias)
