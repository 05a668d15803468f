"""The sizes and settings of a BERT-shaped encoder, read from a checkpoint's ``config.json``.

BERT (Devlin et al., 2019) as every ``model_type: "bert"`` checkpoint has it: learned absolute positions,
segment embeddings, post-norm transformer blocks, an optional pooler over the first token.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from tenor.errors import TenorError
from tenor.files import read_json

Activation = Literal["gelu", "gelu_new", "relu"]
CONFIG = "config.json"

# Far above any real encoder: a hostile file must not make us count to a billion.
_LARGEST = 10_000_000
_MOST_LAYERS = 1_000
_SIZES = (
    "vocab_size",
    "hidden_size",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BertConfig:
    """What a BERT-shaped encoder is built from; the defaults are those of BERT base.

    >>> BertConfig(hidden_size=384, num_attention_heads=12, num_hidden_layers=6).head_size
    32
    """

    vocab_size: int = 30522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072  # of the feed-forward layer
    max_position_embeddings: int = 512  # the most tokens that a text can have
    type_vocab_size: int = 2
    hidden_act: Activation = "gelu"
    layer_norm_eps: float = 1e-12
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    # config.json as it was read, so that what we do not use is written back as it was.
    source: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in _SIZES:
            self._check(name, int, 1, _LARGEST)
        self._check("num_hidden_layers", int, 0, _MOST_LAYERS)
        for name in ("layer_norm_eps", "hidden_dropout_prob", "attention_probs_dropout_prob"):
            self._check(name, float, 0.0, 1.0)
        if self.hidden_size % self.num_attention_heads:
            raise TenorError(
                f"hidden_size is {self.hidden_size}, which is not divisible by num_attention_heads, "
                f"{self.num_attention_heads}; one of the two is wrong."
            )
        if self.hidden_act not in get_args(Activation):
            known = ", ".join(get_args(Activation))
            raise TenorError(f"hidden_act is {self.hidden_act!r}; known activations are {known}.")

    def _check(self, name: str, kind: type, least: float, most: float) -> None:
        value = getattr(self, name)
        accepted = (int, float) if kind is float else (int,)
        if isinstance(value, bool) or not isinstance(value, accepted) or not least <= value <= most:
            noun = "a whole number" if kind is int else "a number"
            raise TenorError(f"{name} is {value!r}; expected {noun} from {least} to {most}.")

    @property
    def head_size(self) -> int:
        """The size of one attention head."""
        return self.hidden_size // self.num_attention_heads

    @classmethod
    def load(cls, folder: str | Path) -> "BertConfig":
        """Read ``config.json`` of a checkpoint folder."""
        path = Path(folder) / CONFIG
        content = read_json(path)
        if not isinstance(content, dict):
            raise TenorError(f"{path} holds {type(content).__name__}, not a table of settings.")
        try:
            return cls.from_json(content)
        except TenorError as error:
            raise TenorError(f"{path}: {error}") from error

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "BertConfig":
        """Build from the settings of a ``config.json``, refusing what is not BERT."""
        _refuse_other_shapes(content)
        given = {name: content[name] for name in _DEFAULTS if name in content}
        return cls(**given, source=dict(content))

    def to_json(self) -> dict[str, Any]:
        """Return the settings of a ``config.json``: those that were read, with our fields put in."""
        content = dict(self.source) or {"architectures": ["BertModel"], "model_type": "bert"}
        for name, default in _DEFAULTS.items():
            # A key left out when read is left out when written, unless its value is no longer the default.
            if not self.source or name in content or getattr(self, name) != default:
                content[name] = getattr(self, name)
        return content

    def with_dropout(self, rate: float) -> "BertConfig":
        """Return the same settings with one dropout rate everywhere."""
        return replace(self, hidden_dropout_prob=rate, attention_probs_dropout_prob=rate)


# The fields have the names of config.json.
_DEFAULTS = {entry.name: entry.default for entry in fields(BertConfig) if entry.name != "source"}


def _refuse_other_shapes(content: Mapping[str, Any]) -> None:
    kind = content.get("model_type", "bert")
    if kind != "bert":
        raise TenorError(
            f"The checkpoint is of the kind {kind!r}, which is not BERT-shaped (its positions, segments or "
            "blocks differ); choose a checkpoint whose model_type is 'bert'."
        )
    positions = content.get("position_embedding_type", "absolute")
    if positions != "absolute":
        raise TenorError(
            f"The positions are {positions!r} (position_embedding_type); only 'absolute' ones are supported."
        )
    for key in ("is_decoder", "add_cross_attention"):
        if content.get(key):
            raise TenorError(f"{key} is set: the checkpoint is a decoder, and only encoders are supported.")
