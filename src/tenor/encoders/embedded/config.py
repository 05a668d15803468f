"""The ``config.json`` of an encoder over embeddings, read without trusting it.

A field has the name of its key. What must be there has no default; sizes are bounded, so that a damaged file
is told before anything is allocated.
"""

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from tenor.encoders.encoder_type import CONFIG, json_object
from tenor.errors import TenorError

Config = TypeVar("Config", bound="EmbeddedConfig")
MOST_TOKENS, MOST_DIMENSIONS, MOST_LAYERS = 10_000_000, 65_536, 100


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

    def __post_init__(self) -> None:
        check_whole("vocab_size", self.vocab_size, 1, MOST_TOKENS)
        check_whole("embedding_size", self.embedding_size, 1, MOST_DIMENSIONS)
        if self.max_tokens is not None:
            check_whole("max_tokens", self.max_tokens, 4, MOST_TOKENS)
        check_flag("freeze_embeddings", self.freeze_embeddings)

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
        return {"model_type": self.model_type, **asdict(self)}


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
