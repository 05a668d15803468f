"""What each route does, on the schemas of the API; nothing here knows HTTP."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tenor.model import Model
from tenor.serve import schemas, server_schemas
from tenor.serve.batched_model import BatchedModel
from tenor.serve.batcher import ENCODER_STEPS_BACK, Batcher
from tenor.serve.errors import HTTPError, check_numbers, check_texts
from tenor.serve.jobs import Encoded
from tenor.serve.lanes import Lane
from tenor.serve.limits import Limits
from tenor.text.words import split_words
from tenor.version import VERSION

if TYPE_CHECKING:
    from tenor.serve.searches import IndexSearch
    from tenor.serve.word_queries import WordQueries
    from tenor.tasks.spec import TaskSpec
    from tenor.words.vectors import WordVectors


# Less than the encoder: this work holds Python's lock for a part of its time, for which look-ups wait, too.
_WORK_STEPS_BACK = 3


def _about(spec: "TaskSpec") -> Literal["text", "pair", "words", "vectors"]:
    if spec.answers_words:
        return "words"
    if not spec.answers_rows:
        return "vectors"
    return "pair" if spec.texts == 2 else "text"


def _names(names: list[str]) -> dict[str, Any]:
    return {"type": "array", "items": {"enum": names}, "minItems": 1}


@dataclass(frozen=True, slots=True)
class Content:
    """What a server has to offer."""

    model: Model
    index: Path | None = None
    vectors: "WordVectors | None" = None
    aliases: tuple[str, ...] = ()  # further names of the model


class Service:
    """The work behind the routes: vectors through the batcher, all else in the threads of two lanes."""

    def __init__(self, content: Content, limits: Limits | None = None) -> None:
        self.content = content
        self.limits = limits or Limits()
        self.name = Path(content.model.name).name  # for clients: never a path of this machine
        model = content.model
        self.batcher = Batcher(model.engine.raw(), model.tokenizer, limits=self.limits)
        self.model = BatchedModel(model, self.batcher, self.limits)
        self.index = self._open_index()
        self.words = self._open_words()
        waiting = self.limits.waiting_work
        # What needs no encoder never waits for what does.
        self.lookups = Lane("lookup", threads=self.limits.lookups, waiting=waiting)
        self.work = Lane("work", threads=self.limits.handlers, waiting=waiting, step_back=_WORK_STEPS_BACK)
        self._closing = False

    def warm_up(self) -> None:
        """Compare and search once, so that the first request does not wait for compiling and opening."""
        # The engine's threads have the priority of the thread that compiles, and so do those of the store.
        compiling = Lane("warm-up", threads=1, waiting=1, step_back=ENCODER_STEPS_BACK)
        try:
            request = schemas.CompareRequest("Are you ready?", "Ready when you are.")
            compiling.submit("", lambda: self.compare(request)).result()
        finally:
            compiling.close()
        if self.index is not None:
            self.lookups.submit("", self.index.warm_up).result()

    def close(self) -> None:
        """Finish what was accepted and end the threads."""
        self._closing = True
        self.lookups.close()
        self.work.close()
        self.batcher.close()

    async def encode(self, texts: list[str], *, route: str, prompt: str | None = None) -> Encoded:
        """Encode texts in the event loop, without a thread of their own."""
        front = self.model.front(prompt)
        check_texts(texts, self.limits, prompt=front)
        check_numbers(len(texts), self.model.width, self.limits)
        encoded = await asyncio.wrap_future(
            self.batcher.submit([front + text for text in texts] if front else texts, route=route).done
        )
        return replace(encoded, vectors=self.model.scaled(encoded.vectors))

    def compare(self, request: schemas.CompareRequest) -> dict[str, Any]:
        """Compare two texts."""
        from tenor.use.compare.comparing import compare

        self._check([request.first, request.second])
        return compare(self.model, request.first, request.second, long=request.long).to_json()

    def classify(self, request: schemas.ClassifyRequest) -> schemas.ClassifyResponse:
        """Ask the tasks of the model about texts or pairs."""
        from tenor.use.classify import classify

        texts = request.texts or []
        pairs = [(pair.first, pair.second) for pair in request.pairs or []]
        rows = texts or pairs
        self._check([*texts, *(text for pair in pairs for text in pair)])
        tasks = None if request.tasks is None else list(dict.fromkeys(request.tasks))
        asked = [task for name, task in self.model.tasks.items() if tasks is None or name in tasks]
        check_numbers(len(rows), sum(len(task.spec.labels_shown) for task in asked) or 1, self.limits)
        answers = classify(self.model, rows, tasks=tasks)
        results = [{task: answer.to_api() for task, answer in row.items()} for row in answers]
        return schemas.ClassifyResponse(self.name, results)  # type: ignore[arg-type]

    def tag(self, request: schemas.TagRequest) -> dict[str, Any]:
        """Tag the words of texts."""
        from tenor.use.tag import tag

        self._check(request.texts)
        self._check_words(request.texts)
        tagged = tag(self.model, request.texts, task=request.task)
        return {"model": self.name, "results": [each.to_json() for each in tagged]}

    def dedupe(self, request: schemas.DedupeRequest) -> schemas.DedupeResponse:
        """Find the duplicates of a small list."""
        from tenor.serve.duplicates import find_duplicates

        self._check(request.texts, most=self.limits.dedupe_texts)
        return find_duplicates(self.model, request)

    def _check(self, texts: list[str], *, most: int | None = None) -> None:
        """Raise an error (413) for too many or too long texts, with the prompt that the model has for all."""
        check_texts(texts, self.limits, most=most, prompt=self.model.front())

    def _check_words(self, texts: list[str]) -> None:
        """Raise an error (413) for more words or tokens than one request to the tagger may hold."""
        words = 0
        for text in texts:
            words += len(split_words(text))
            if words > self.limits.tag_words:
                most = f"at most {self.limits.tag_words:,} are tagged in one request."
                raise HTTPError(413, f"The texts have {words:,} words or more; {most}")
        self.model.check_tokens(texts)

    def models(self) -> server_schemas.ModelsResponse:
        """Describe the model, the index and the word vectors of this server."""
        limits = self.limits
        return server_schemas.ModelsResponse(
            models=[self._model_info()],
            index=None if self.index is None else self.index.info(),
            vectors=None if self.words is None else self.words.info(),
            limits=server_schemas.LimitsInfo(
                texts=limits.texts,
                characters=limits.characters,
                tokens=limits.tokens,
                dedupe_texts=limits.dedupe_texts,
                tag_words=limits.tag_words,
                body_bytes=limits.body_bytes,
                waiting=limits.waiting_work,
            ),
            version=VERSION,
        )

    def health(self) -> server_schemas.HealthResponse:
        """Return whether new work is taken."""
        return server_schemas.HealthResponse(
            "closing" if self._closing else "ok",
            waiting=self.batcher.counts.waiting_texts,
            encoded=self.batcher.counts.texts,
        )

    def known_values(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Return what fields of requests may hold on this server, as keywords of JSON Schema."""
        tasks = self.model.tasks.values()
        words = [task.name for task in tasks if task.spec.answers_words]
        texts = [task.name for task in tasks if not task.spec.answers_words]
        width = {"type": ["integer", "null"], "enum": [self.model.width, None]}
        return {
            ("OpenAIEmbeddingsRequest", "model"): {"enum": [self.name, *self.content.aliases]},
            ("OpenAIEmbeddingsRequest", "dimensions"): width,
            ("TagRequest", "task"): {"enum": [*words, None]},
            ("ClassifyRequest", "tasks"): {"anyOf": [_names(texts), {"type": "null"}]},
        }

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
        # Word vectors that serve as the model can be asked about their words, too.
        vectors = self.content.vectors or self.content.model.word_vectors
        if vectors is None:
            return None
        from tenor.serve.word_queries import WordQueries

        return WordQueries(vectors)

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
                server_schemas.TaskInfo(
                    name, task.spec.kind, list(task.spec.labels_shown), about=_about(task.spec)
                )
                for name, task in model.tasks.items()
            ],
        )
