"""What each route does, on the schemas of the API; nothing here knows HTTP."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tenor.errors import TenorError
from tenor.model import Model
from tenor.serve import schemas, server_schemas
from tenor.serve.batched_model import BatchedModel
from tenor.serve.batcher import Batcher
from tenor.serve.errors import HTTPError, check_texts, queue_full, shutting_down
from tenor.serve.jobs import Encoded
from tenor.serve.limits import Limits
from tenor.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from tenor.serve.searches import IndexSearch
    from tenor.serve.word_queries import WordQueries
    from tenor.words.vectors import WordVectors

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Content:
    """What a server has to offer."""

    model: Model
    index: Path | None = None
    vectors: "WordVectors | None" = None
    aliases: tuple[str, ...] = ()  # further names of the model


class Service:
    """The work behind the routes: vectors through the batcher, everything else in a few threads."""

    def __init__(self, content: Content, limits: Limits | None = None) -> None:
        self.content = content
        self.limits = limits or Limits()
        self.name = Path(content.model.name).name  # for clients: never a path of this machine
        model = content.model
        self.batcher = Batcher(model.engine.raw(), model.tokenizer, limits=self.limits)
        self.model = BatchedModel(model, self.batcher, self.limits)
        self.index = self._open_index()
        self.words = self._open_words()
        self._threads = ThreadPoolExecutor(self.limits.handlers, thread_name_prefix="tenor-handle")
        self._handled = 0
        self._closing = False

    def warm_up(self) -> None:
        """Encode and compare once, so that the first request does not wait for compiling."""
        self.model.encode(["Ready."])
        self.compare(schemas.CompareRequest("Are you ready?", "Ready when you are."))

    def close(self) -> None:
        """Finish what was accepted and end the threads."""
        self._closing = True
        self._threads.shutdown(wait=True)
        self.batcher.close()

    async def in_thread(self, work: "Callable[[], T]") -> T:
        """Run work that waits or computes outside the event loop; raise an error when much is waiting."""
        if self._closing:
            raise shutting_down()
        if self._handled >= 8 * self.limits.handlers:
            raise queue_full(2.0)
        self._handled += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._handled -= 1

    async def encode(self, texts: list[str], *, prompt: str | None = None) -> Encoded:
        """Encode texts in the event loop, without a thread of their own."""
        texts = list(self.model.with_prompt(texts, prompt))
        check_texts(texts, self.limits)
        encoded = await asyncio.wrap_future(self.batcher.submit(texts).done)
        return replace(encoded, vectors=self.model.scaled(encoded.vectors))

    def compare(self, request: schemas.CompareRequest) -> dict[str, Any]:
        """Compare two texts."""
        from tenor.use.compare.comparing import compare

        check_texts([request.first, request.second], self.limits)
        return compare(self.model, request.first, request.second, long=request.long).to_json()

    def classify(self, request: schemas.ClassifyRequest) -> schemas.ClassifyResponse:
        """Ask the tasks of the model about texts or pairs."""
        from tenor.use.classify import classify

        texts = request.texts or []
        pairs = [(pair.first, pair.second) for pair in request.pairs or []]
        if bool(texts) == bool(pairs):
            raise TenorError("Give texts, or else pairs of texts.")
        check_texts(texts or [text for pair in pairs for text in pair], self.limits)
        answers = classify(self.model, texts or pairs, tasks=request.tasks)
        results = [{task: answer.to_api() for task, answer in row.items()} for row in answers]
        return schemas.ClassifyResponse(self.name, results)  # type: ignore[arg-type]

    def tag(self, request: schemas.TagRequest) -> dict[str, Any]:
        """Tag the words of texts."""
        from tenor.use.tag import tag

        check_texts(request.texts, self.limits)
        tagged = tag(self.model, request.texts, task=request.task)
        return {"model": self.name, "results": [each.to_json() for each in tagged]}

    def dedupe(self, request: schemas.DedupeRequest) -> schemas.DedupeResponse:
        """Find the duplicates of a small list."""
        from tenor.serve.duplicates import find_duplicates

        check_texts(request.texts, self.limits, most=self.limits.dedupe_texts)
        return find_duplicates(self.model, request)

    def models(self) -> server_schemas.ModelsResponse:
        """Describe the model, the index and the word vectors of this server."""
        limits = self.limits
        return server_schemas.ModelsResponse(
            models=[self._model_info()],
            index=None if self.index is None else self.index.info(),
            vectors=None if self.words is None else self.words.info(),
            limits=server_schemas.LimitsInfo(
                limits.texts, limits.characters, limits.tokens, limits.dedupe_texts, limits.body_bytes
            ),
            version=VERSION,
        )

    def health(self) -> server_schemas.HealthResponse:
        """Return whether new work is taken."""
        return server_schemas.HealthResponse(
            "closing" if self._closing else "ok", self.batcher.counts.waiting_texts
        )

    def check_name(self, name: str) -> None:
        """Raise an error (404) for the name of another model, whose vectors a client would take ours for."""
        known = (self.name, *self.content.aliases)
        if name not in known:
            raise HTTPError(
                404,
                f"There is no model {name[:100]!r} here, but {self.name!r}. To serve it under other names, "
                "too, start with: tenor serve --alias NAME",
            )

    def _open_index(self) -> "IndexSearch | None":
        if self.content.index is None:
            return None
        from tenor.serve.searches import IndexSearch

        return IndexSearch(self.content.index, self.model)

    def _open_words(self) -> "WordQueries | None":
        if self.content.vectors is None:
            return None
        from tenor.serve.word_queries import WordQueries

        return WordQueries(self.content.vectors)

    def _model_info(self) -> server_schemas.ModelInfo:
        model = self.model
        return server_schemas.ModelInfo(
            name=self.name,
            dimensions=model.width,
            max_tokens=model.max_tokens,
            engine=model.engine.name,
            precision=model.precision,
            fingerprint=model.fingerprint,
            prompts=sorted(model.prompts),
            tasks=[
                server_schemas.TaskInfo(name, task.spec.kind, list(task.spec.labels_shown))
                for name, task in model.tasks.items()
            ],
        )
