"""Settings of tasks about two texts: how they are encoded, what the head sees, whose head it is."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from tenor.errors import TenorError
from tenor.tasks.config import NETWORKS, Head, HeadConfig

Feature = Literal["u", "v", "diff", "abs", "product", "cosine", "jaccard", "whole"]
Encoding = Literal["bi", "cross"]
OF_HEAD = ("head", "features", "hidden_size", "blocks", "dropout", "encoding", "symmetrize", "pooling")
"""Settings that a task takes over with another's head."""


@dataclass(frozen=True, kw_only=True)
class TwoTextsConfig(HeadConfig):
    """A task about two texts."""

    features: tuple[Feature, ...] | None = None
    """What the head sees of two vectors u and v: u, v, diff (u - v), abs (|u - v|), product (u ∗ v), cosine,
    jaccard (the overlap of the two texts' tokens). Default: abs, product, cosine; for more than two labels
    also u and v, which tell which text comes first. Of a cross-encoder, u and v are the vectors of the two
    parts of the sequence, and whole is that of all of it, which alone the head reads by default."""
    encoding: Encoding | None = None
    """bi: a bi-encoder, each text by itself; cross: a cross-encoder, both as one sequence. Default: bi."""
    symmetrize: bool | None = None
    """Of a cross-encoder: whether it does not count which text comes first. The order is drawn in training,
    and in use the head's outputs of both orders are averaged, at twice the cost. Default: false."""
    share_head_with: str | None = None
    """The name of a task whose head this one uses."""

    of_networks: ClassVar[tuple[str, ...]] = ("features", "hidden_size", "blocks", "dropout")

    @property
    def cross(self) -> bool:
        """Whether both texts are encoded as one sequence."""
        return self.encoding == "cross"

    @property
    def head_choices(self) -> tuple[Head, ...]:
        """The kind's heads, or those of one text for two texts that are one sequence."""
        return NETWORKS if self.cross else self.heads

    @property
    def of_what(self) -> str:
        """What has the head, for messages."""
        return "a cross-encoder" if self.cross else super().of_what

    def check_head(self) -> None:
        """Refuse a head beside another task's, and features that do not go with the encoding."""
        if self.share_head_with is not None:
            given = [key for key in OF_HEAD if getattr(self, key) is not None]
            if given:
                raise TenorError(
                    f"{given[0]} cannot be chosen beside share_head_with: the whole head is that of "
                    f"{self.share_head_with!r}."
                )
            return
        super().check_head()
        if self.features is not None and "whole" in self.features and not self.cross:
            raise TenorError("features has 'whole', which is for a cross-encoder: encoding = 'cross'.")
        if self.symmetrize and not self.cross:
            raise TenorError("symmetrize is for a cross-encoder: encoding = 'cross'.")
        if self.features is not None and len(set(self.features)) != len(self.features):
            raise TenorError("features names one of them twice.")
        if self.features == () and not self.cross:
            raise TenorError("features is empty; name at least one, such as 'abs'.")
