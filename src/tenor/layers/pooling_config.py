"""How the vectors of a text's tokens become one: the choice, free of torch so that every engine reads it."""

from dataclasses import dataclass
from typing import Literal, get_args

from tenor.errors import TenorError

PoolingKind = Literal[
    "cls",
    "pooler",
    "mean",
    "max",
    "min",
    "sum",
    "token",
    "last_token",
    "mean_sqrt",
    "weighted_mean",
    "attention",
    "dot_attention",
]
LEARNED_KINDS: list[str] = ["attention", "dot_attention"]
"""Poolings with weights of their own, which only a head can have;
:func:`tenor.layers.attention_pooling.register` adds one."""
POOLING_KINDS: list[str] = list(get_args(PoolingKind))
"""All that there are; :func:`tenor.layers.pooling.register` adds one of one's own."""
LayerChoice = Literal["last", "last_four", "mix"]


@dataclass(frozen=True, slots=True)
class PoolingConfig:
    """Which layers are read, and how their tokens are reduced; several kinds give their vectors side by side.

    Kinds: ``cls`` the first token; ``pooler`` the encoder's own dense layer over it; ``mean``, ``max``,
    ``min``, ``sum`` over all tokens; ``token`` the token at the place ``token`` (negative: from the end).
    sentence-transformers' other modes: ``last_token``; ``mean_sqrt``, the sum over the square root of the
    number of tokens; ``weighted_mean``, with weights 1, 2, 3, … Learned, for heads only: ``attention``
    (additive) and ``dot_attention``. Layers: the last, the mean of the last four,
    or a learned mix of all, embeddings included.

    >>> PoolingConfig.parse("mean"), PoolingConfig.parse("token:-2").token
    (PoolingConfig(kinds=('mean',), token=0, layers='last'), -2)
    >>> PoolingConfig.parse("mean@last_four").layers
    'last_four'
    """

    kinds: tuple[PoolingKind, ...] = ("mean",)
    token: int = 0
    layers: LayerChoice = "last"

    def __post_init__(self) -> None:
        if not self.kinds:
            raise TenorError("A pooling needs at least one kind.")
        for kind in self.kinds:
            if kind not in POOLING_KINDS:
                raise TenorError(f"The pooling {kind!r} is not known; known are {', '.join(POOLING_KINDS)}.")
        if self.layers not in get_args(LayerChoice):
            raise TenorError(f"A pooling reads the layers last, last_four or mix, not {self.layers!r}.")
        if "pooler" in self.kinds and self.layers != "last":
            raise TenorError("The pooler reads the last layer only; choose layers 'last' or another pooling.")

    @property
    def reads_pooler(self) -> bool:
        """Whether the output of the encoder's own pooler is needed."""
        return "pooler" in self.kinds

    @property
    def reads_layers(self) -> bool:
        """Whether layers other than the last are needed."""
        return self.layers != "last"

    @property
    def reads_first_token(self) -> bool:
        """Whether the first token's last state is all that is needed."""
        return self.layers == "last" and set(self.kinds) <= {"cls", "pooler"}

    @property
    def reads_last_token(self) -> bool:
        """Whether the last token's last state is all that is needed."""
        return self.layers == "last" and set(self.kinds) == {"last_token"}

    @property
    def learned(self) -> bool:
        """Whether it has weights of its own, so that only a head can have it."""
        return self.layers == "mix" or any(kind in LEARNED_KINDS for kind in self.kinds)

    @classmethod
    def parse(cls, text: str) -> "PoolingConfig":
        """Read a pooling written as ``kind[:token][+kind…][@layers]``."""
        names, _, layers = text.partition("@")
        kinds, token = [], 0
        for name in names.split("+"):
            kind, _, place = name.partition(":")
            if place:
                token = _place(kind, place, text)
            kinds.append(kind)
        return cls(tuple(kinds), token, layers or "last")  # type: ignore[arg-type]

    def __str__(self) -> str:
        names = [f"token:{self.token}" if kind == "token" else kind for kind in self.kinds]
        return "+".join(names) + ("" if self.layers == "last" else f"@{self.layers}")


def _place(kind: str, place: str, text: str) -> int:
    try:
        if kind == "token":
            return int(place)
    except ValueError:
        pass
    raise TenorError(f"The pooling {text!r} is not understood; a token's place is written as 'token:2'.")
