"""Alpha embeddings as a post-processing method, for vectors that kept their contexts (and counts)."""

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from tenor.errors import TenorError
from tenor.words.alpha.family import AlphaFamily
from tenor.words.alpha.metric import in_metric
from tenor.words.alpha.references import Weights, data_unigram, model_unigram, uniform
from tenor.words.postprocess.method import Method, checked
from tenor.words.vectors import Floats, WordVectors


@dataclass(kw_only=True)
class AlphaEmbedding(Method):
    """Derive the alpha embedding of vectors and their contexts, or its limit for α → −∞.

    ``limit`` above 0 takes the mean of so many contexts with the largest p_w/p0 instead of ``alpha``. Rows
    have length 1 in the metric, and their cosines are those of the metric.

    >>> AlphaEmbedding(alpha=0.4).settings()["reference"]
    'ud'
    """

    name: ClassVar[str] = "alpha"
    alpha: float = -1.0
    reference: Literal["0", "u", "ud"] = "ud"
    label: Literal["U", "U+V"] = "U+V"
    metric: Literal["F", "I"] = "F"
    limit: int = 0

    def fit(self, vectors: WordVectors) -> Self:
        """Keep the contexts [n, d] and the reference distribution [n]."""
        if vectors.contexts is None:
            raise TenorError(
                f"{vectors.name} has no context vectors, from which alpha embeddings are derived; take "
                "vectors that tenor words train wrote as .safetensors, which keeps both matrices."
            )
        self.learned = {"contexts": np.asarray(vectors.contexts), "reference": self._reference(vectors)}
        return self

    def transform(self, vectors: WordVectors) -> WordVectors:
        """Derive the embeddings of words with their contexts."""
        if self.label == "U+V" and vectors.contexts is None:
            raise TenorError(f"{vectors.name} has no context vectors; U+V needs one for every word.")
        return vectors.replace(checked(self.apply(vectors.vectors, vectors.contexts), self.name))

    def apply(self, vectors: Floats, contexts: Floats | None = None) -> Floats:
        """Derive the embeddings of words [n, d] with contexts of their own [n, d]."""
        words = vectors + contexts if self.label == "U+V" and contexts is not None else vectors
        family = AlphaFamily(words, self.learned["contexts"], self.learned["reference"], label="U")
        found = family.limit(self.limit) if self.limit else family.embed(self.alpha, scaled=False)
        return np.asarray(in_metric(found, family.factor, norm=self.metric), dtype=np.float32)

    def _reference(self, vectors: WordVectors) -> Weights:
        if self.reference == "0":
            return uniform(len(vectors))
        if self.reference == "ud":
            if vectors.counts is None:
                raise TenorError(f"{vectors.name} has no counts; choose --reference 0 or u.")
            return data_unigram(vectors.counts)
        assert vectors.contexts is not None
        return model_unigram(vectors.vectors, vectors.contexts)
