"""The ``config.json`` of an encoder over embeddings, read without trusting it.

A field has the name of its key. What must be there has no default; sizes are bounded, so that a damaged file
is told before anything is allocated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from tenor.encoders.embedded.word_embeddings.settings import WordEmbedding, settled_json, word_embedding
from tenor.encoders.encoder_type import CONFIG, json_object
from tenor.errors import TenorError

Config = TypeVar("Config", bound="EmbeddedConfig")
MOST_TOKENS, MOST_DIMENSIONS, MOST_LAYERS = 10_000_000, 65_536, 100
_MOST_EMBEDDINGS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedConfig:
    """The embeddings of an encoder; its own settings are those of a subclass."""

    model_type: ClassVar[str]

    vocab_size: int
    embedding_size: int
    freeze_embeddings: bool = False
    """Whether training leaves the embeddings as they are."""
    max_tokens: int | None = None
    """The most tokens of a text; None for any number."""
    embeddings: tuple[WordEmbedding, ...] = ()
    """Several embeddings of a word by its spelling, in place of one table of tokens."""
    attention_size: int | None = None
    """The size of the attention that mixes them; None where they are side by side."""

    def __post_init__(self) -> None:
        check_whole("vocab_size", self.vocab_size, 1, MOST_TOKENS)
        check_whole("embedding_size", self.embedding_size, 1, MOST_DIMENSIONS)
        if self.max_tokens is not None:
            check_whole("max_tokens", self.max_tokens, 4, MOST_TOKENS)
        check_flag("freeze_embeddings", self.freeze_embeddings)
        self._check_embeddings()

    def _check_embeddings(self) -> None:
        """Build the settings of each embedding, and refuse sizes that do not belong together."""
        if not isinstance(self.embeddings, list | tuple) or len(self.embeddings) > _MOST_EMBEDDINGS:
            raise TenorError(f"embeddings is {str(self.embeddings)[:60]!r}; expected a list of tables.")
        object.__setattr__(self, "embeddings", tuple(word_embedding(each) for each in self.embeddings))
        if self.attention_size is not None:
            check_whole("attention_size", self.attention_size, 1, MOST_DIMENSIONS)
        if not self.embeddings:
            return
        for each in self.embeddings:
            if each.size is None:
                raise TenorError(f"embeddings: the size of {each.type!r} is missing.")
        if self.embedding_size != (size := combined_size(self.embeddings, self.attention_size)):
            raise TenorError(f"embedding_size is {self.embedding_size}, but the embeddings make {size}.")

    @classmethod
    def load(cls: type[Config], folder: str | Path) -> Config:
        """Read ``config.json`` of a folder."""
        path = Path(folder) / CONFIG
        try:
            return cls.from_json(json_object(path))
        except TenorError as error:
            raise error if str(error).startswith(str(path)) else TenorError(f"{path}: {error}") from error

    @classmethod
    def from_json(cls: type[Config], content: Mapping[str, Any]) -> Config:
        """Build from the settings of a ``config.json``; keys of others are left alone."""
        for field in fields(cls):
            if field.name not in content and field.default is MISSING:
                raise TenorError(f"{field.name!r} is missing; a {cls.model_type!r} encoder needs it.")
        return cls(**{field.name: content[field.name] for field in fields(cls) if field.name in content})

    def to_json(self) -> dict[str, Any]:
        """Return the settings of a ``config.json``."""
        kept = {"model_type": self.model_type, **asdict(self)}
        if not self.embeddings:
            return {key: kept[key] for key in kept if key not in ("embeddings", "attention_size")}
        return kept | {"embeddings": [settled_json(each) for each in self.embeddings]}


def combined_size(embeddings: Sequence[WordEmbedding], attention_size: int | None) -> int:
    """Return the size of several embeddings as one: their sum, or with attention the largest."""
    sizes = [each.output_size for each in embeddings]
    return sum(sizes) if attention_size is None else max(sizes)


def check_whole(name: str, value: object, least: int, most: int) -> None:
    """Refuse what is not a whole number in a range."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise TenorError(f"{name} is {value!r}; expected a whole number from {least} to {most}.")


def check_probability(name: str, value: object) -> None:
    """Refuse what is not a dropout probability."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise TenorError(f"{name} is {value!r}; a dropout probability is in [0, 1).")


def check_flag(name: str, value: object) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool):
        raise TenorError(f"{name} is {value!r}; expected true or false.")
