"""What each route does, on the shapes of the API; nothing here knows HTTP."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tenor.errors import TenorError
from tenor.model import Model
from tenor.serve import shapes
from tenor.serve.batched_model import BatchedModel
from tenor.serve.batcher import Batcher
from tenor.serve.jobs import Encoded
from tenor.serve.limits import Limits
from tenor.serve.refusals import Refusal, check_texts, closing, queue_full
from tenor.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from tenor.serve.searches import Searches
    from tenor.serve.word_queries import WordQueries
    from tenor.use.classify import Answer
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
        self.compare(shapes.CompareRequest("Are you ready?", "Ready when you are."))

    def close(self) -> None:
        """Finish what was accepted and end the threads."""
        self._closing = True
        self._threads.shutdown(wait=True)
        self.batcher.close()

    async def in_thread(self, work: "Callable[[], T]") -> T:
        """Run work that waits or computes outside the event loop; refuse it when much is waiting."""
        if self._closing:
            raise closing()
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

    def compare(self, request: shapes.CompareRequest) -> dict[str, Any]:
        """Compare two texts."""
        from tenor.use.compare.comparing import compare

        check_texts([request.first, request.second], self.limits)
        return compare(self.model, request.first, request.second, long=request.long).to_json()

    def classify(self, request: shapes.ClassifyRequest) -> shapes.ClassifyAnswer:
        """Ask the tasks of the model about texts or pairs."""
        from tenor.use.classify import classify

        texts = request.texts or []
        pairs = [(pair.first, pair.second) for pair in request.pairs or []]
        if bool(texts) == bool(pairs):
            raise TenorError("Give texts, or else pairs of texts.")
        check_texts(texts or [text for pair in pairs for text in pair], self.limits)
        found = classify(self.model, texts or pairs, tasks=request.tasks)
        told = [{name: _task_answer(each) for name, each in answers.items()} for answers in found]
        return shapes.ClassifyAnswer(self.name, told)

    def dedupe(self, request: shapes.DedupeRequest) -> shapes.DedupeAnswer:
        """Find the duplicates of a small list."""
        from tenor.serve.duplicates import find_duplicates

        check_texts(request.texts, self.limits, most=self.limits.dedupe_texts)
        return find_duplicates(self.model, request)

    def models(self) -> shapes.ModelsAnswer:
        """Say what this server has."""
        limits = self.limits
        return shapes.ModelsAnswer(
            models=[self._model_info()],
            index=None if self.index is None else self.index.info(),
            vectors=None if self.words is None else self.words.info(),
            limits=shapes.LimitsInfo(
                limits.texts, limits.characters, limits.tokens, limits.dedupe_texts, limits.body_bytes
            ),
            version=VERSION,
        )

    def health(self) -> shapes.HealthAnswer:
        """Say whether new work is taken."""
        return shapes.HealthAnswer("closing" if self._closing else "ok", self.batcher.counts.waiting_texts)

    def check_name(self, name: str) -> None:
        """Refuse the name of another model, whose vectors a client would take ours for."""
        known = (self.name, *self.content.aliases)
        if name not in known:
            raise Refusal(
                404,
                f"There is no model {name[:100]!r} here, but {self.name!r}. To serve it under other names, "
                "too, start with: tenor serve --alias NAME",
            )

    def _open_index(self) -> "Searches | None":
        if self.content.index is None:
            return None
        from tenor.serve.searches import Searches

        return Searches(self.content.index, self.model)

    def _open_words(self) -> "WordQueries | None":
        if self.content.vectors is None:
            return None
        from tenor.serve.word_queries import WordQueries

        return WordQueries(self.content.vectors)

    def _model_info(self) -> shapes.ModelInfo:
        model = self.model
        return shapes.ModelInfo(
            name=self.name,
            width=model.width,
            max_tokens=model.max_tokens,
            engine=model.engine.name,
            precision=model.precision,
            fingerprint=model.fingerprint,
            prompts=sorted(model.prompts),
            tasks=[
                shapes.TaskInfo(name, task.spec.kind, list(task.spec.labels))
                for name, task in model.tasks.items()
            ],
        )


def _task_answer(answer: "Answer") -> shapes.TaskAnswer:
    return shapes.TaskAnswer(
        list(answer.labels),
        None if answer.probabilities is None else dict(answer.probabilities),
        answer.score,
    )
