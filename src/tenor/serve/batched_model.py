"""A model whose texts share passes with those of other requests."""

from collections.abc import Sequence

from tenor.encoders.engine import Floats
from tenor.model import Model
from tenor.model.encoding import Long, Progress
from tenor.serve.batcher import Batcher
from tenor.serve.limits import Limits
from tenor.serve.refusals import too_slow


class BatchedModel(Model):
    """Stands in for a model wherever a comparison, a search, … encodes: its texts go through the batcher.

    To be called in a thread that may wait, never in the event loop.
    """

    def __init__(self, model: Model, batcher: Batcher, limits: Limits) -> None:
        self.__dict__.update(vars(model))
        self._model, self._batcher, self._limits = model, batcher, limits

    def encode(
        self,
        texts: Sequence[str],
        *,
        prompt: str | None = None,
        long: Long = "truncate",
        progress: Progress | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """Encode as :meth:`Model.encode` does; only what is cut into chunks does not share passes."""
        if long == "chunk":
            return self._model.encode(texts, prompt=prompt, long=long, progress=progress, out=out)
        front = self._front(prompt)
        done = self._batcher.submit([front + text for text in texts] if front else texts).done
        try:
            vectors = done.result(self._limits.work_seconds).vectors
        except TimeoutError as error:
            done.cancel()
            raise too_slow(self._limits.work_seconds) from error
        if progress is not None:
            progress(len(texts))
        if out is None:
            return vectors
        out[:] = vectors
        return out
