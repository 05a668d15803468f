"""Requests and responses in the form of OpenAI's API, which its clients send and expect."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from tenor.serve.schema import Meta


@dataclass(frozen=True)
class OpenAIEmbeddingsRequest:
    """A request in the form of OpenAI's embeddings API; fields that it does not name are passed over."""

    __open__: ClassVar[bool] = True
    input: Annotated[
        str | Annotated[list[str], Meta(min_items=1)],
        Meta(
            "A text or a list of texts. Token ids are an error: they belong to another vocabulary.",
            instead="holds token ids; expected texts. Token ids are those of another model's vocabulary: "
            "switch off that the client tokenises by itself (LangChain: check_embedding_ctx_length=False).",
        ),
    ]
    model: Annotated[str, Meta("The name of the served model, see /v1/models.")]
    encoding_format: Annotated[
        Literal["float", "base64"] | None, Meta("base64: little-endian 32-bit floats.")
    ] = None
    dimensions: Annotated[int | None, Meta("Only the dimensions of the model are taken.", minimum=1)] = None
    user: str | None = None


@dataclass(frozen=True, slots=True)
class OpenAIEmbedding:
    """A vector, as a list of numbers or in base64."""

    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


@dataclass(frozen=True, slots=True)
class OpenAIUsage:
    """Tokens that were read."""

    prompt_tokens: int
    total_tokens: int


@dataclass(frozen=True, slots=True)
class OpenAIEmbeddings:
    """Vectors in the form of OpenAI's embeddings API."""

    object: Literal["list"]
    data: list[OpenAIEmbedding]
    model: str
    usage: OpenAIUsage


@dataclass(frozen=True, slots=True)
class OpenAIModel:
    """A model in the form of OpenAI's API."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


@dataclass(frozen=True, slots=True)
class OpenAIModels:
    """The models in the form of OpenAI's API."""

    object: Literal["list"]
    data: list[OpenAIModel]
