"""A model whose texts share passes with those of other requests."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tenor.encoders.engine import Floats
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.model.words import EncodedTexts, one_layer, states_of_words
from tenor.progress import Progress
from tenor.serve.batcher import Batcher
from tenor.serve.errors import timed_out, too_many_tokens
from tenor.serve.limits import Limits
from tenor.use.unit_vectors import normalise


class BatchedModel(Model):
    """Stands in for a model wherever a comparison, a search, … encodes: its texts go through the batcher.

    The batcher's vectors are as pooled, for the heads; here they are scaled where the model's are. To be
    called in a thread that may wait, never in the event loop.
    """

    def __init__(self, model: Model, batcher: Batcher, limits: Limits) -> None:
        self.__dict__.update(vars(model))
        self.name = Path(model.name).name  # stands in warnings, and clients never see a path of this machine
        self._model, self._batcher, self._limits = model, batcher, limits

    def _vectors(
        self,
        texts: Sequence[str],
        *,
        batch_size: int | None = None,
        long: Long = "truncate",
        progress: Progress | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """Encode as a model does; only what is cut into chunks does not share passes."""
        if long == "chunk":
            self.check_tokens(texts)
            return self._model.encode(texts, prompt="", long=long, progress=progress, out=out)
        vectors = self.scaled(self.pooled(texts, progress=progress))
        if out is None:
            return vectors
        out[:] = vectors
        return out

    def pooled(
        self, texts: Sequence[str], *, long: Long = "truncate", progress: Progress | None = None
    ) -> Floats:
        """Encode as :meth:`Model.pooled` does."""
        if long == "chunk":
            self.check_tokens(texts)
            return self._model.pooled(texts, long=long, progress=progress)
        # Accepted already: what the routes have under way is bounded by their lane.
        done = self._batcher.submit(texts, route=None).done
        try:
            vectors = done.result(self._limits.work_seconds).vectors
        except TimeoutError as error:
            done.cancel()
            raise timed_out(self._limits.work_seconds) from error
        if progress is not None:
            progress(len(texts))
        return vectors

    def encode_with_words(self, texts: Sequence[str], *, layer: int) -> EncodedTexts:
        """Encode as :meth:`Model.encode_with_words` does, in two passes: only the vectors share theirs."""
        tokens = self.tokenizer.tokenize(texts, words=True)
        states = states_of_words(self.engine, texts, tokens, layers=[layer])
        return EncodedTexts(tokens, self.pooled(texts), [one_layer(each) for each in states])

    def check_tokens(self, texts: Sequence[str]) -> None:
        """Keep to the limit of a request where the batcher, which does so otherwise, is passed by."""
        count = len(self.tokenizer.chunk(texts).tokens.ids)
        if count > self._limits.tokens:
            raise too_many_tokens(count, self._limits)

    def front(self, prompt: str | None = None) -> str:
        """Return what stands before every text that is encoded."""
        return self._front(prompt)

    def scaled(self, vectors: Floats) -> Floats:
        """Return vectors as the model gives them."""
        return normalise(np.ascontiguousarray(vectors)) if self.normalized else vectors
