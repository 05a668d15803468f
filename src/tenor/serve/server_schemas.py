"""What the server says of itself: its models, index, word vectors and limits, its health and its errors."""

from dataclasses import dataclass
from typing import Annotated, Literal

from tenor.serve.schema import Meta


@dataclass(frozen=True, slots=True)
class LimitsInfo:
    """What one request may hold; more is answered with 413."""

    texts: int
    characters: int
    tokens: int
    dedupe_texts: int
    tag_words: int
    body_bytes: int
    waiting: Annotated[int, Meta("Requests that each route takes at a time; one more is answered with 429.")]


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """A task of the model, for /api/classify or, where it is about words, for /api/tag."""

    name: str
    kind: str
    labels: list[str]
    about: Annotated[Literal["text", "pair", "words", "vectors"], Meta("What it says something of.")]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The model that is served."""

    name: str
    dimensions: int
    max_tokens: int | None
    engine: str
    precision: str
    fingerprint: str
    prompts: list[str]
    tasks: list[TaskInfo]


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column of the index that a filter may name."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """The index that /api/search looks into."""

    name: str
    texts: int
    columns: list[ColumnInfo]
    examples: Annotated[list[str], Meta("Some queries that the index has an answer to.")]


@dataclass(frozen=True, slots=True)
class VectorsInfo:
    """The word vectors of /api/words."""

    name: str
    words: int
    dimensions: int
    examples: Annotated[list[str], Meta("Some words that are among them.")]


@dataclass(frozen=True, slots=True)
class ModelsResponse:
    """What this server has: models, and an index and word vectors if it was given them."""

    models: list[ModelInfo]
    index: IndexInfo | None
    vectors: VectorsInfo | None
    limits: LimitsInfo
    version: str


@dataclass(frozen=True, slots=True)
class HealthResponse:
    """That the server is up, and how far its encoder is."""

    status: Literal["ok", "closing"]
    waiting: Annotated[int, Meta("Texts in the queue.")]
    encoded: Annotated[int, Meta("Texts that were encoded since the start.")]


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """What is wrong and what to do, in the form that OpenAI's clients expect."""

    message: str
    type: str
    param: str | None
    code: str | None


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """The response to a request that was not served."""

    error: ErrorInfo
