"""The settings of the paraphrase stage, and the variants of the paper as settings of one implementation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from tenor.errors import TenorError
from tenor.tasks.phrase_spec import BINARY, THREE_WAY, PhraseFeatures, PhraseSpec

Phrasal = Literal["three_way", "binary", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParaphraseConfig:
    """What is learned from aligned pairs; the default is the paper's main model.

    >>> ParaphraseConfig(phrasal="binary", sentential=False).random
    False
    """

    sentential: bool = True
    """Whether two texts are told from a text and a random other one."""
    phrasal: Phrasal = "three_way"
    """three_way: paraphrase, random, in-paraphrase; binary: paraphrase and in-paraphrase; or none."""
    features: PhraseFeatures = "elaborate"
    dropout: float = 0.2
    """On what the classifiers read."""
    most: int = 16
    """Phrase pairs of each class from one pair of texts; more are drawn from."""
    seed: int = 1
    """Of the negatives that dev scores are measured on, the same each time."""

    def __post_init__(self) -> None:
        for name, value, known in (
            ("phrasal", self.phrasal, get_args(Phrasal)),
            ("features", self.features, get_args(PhraseFeatures)),
        ):
            if value not in known:
                raise TenorError(f"{name} is {value!r}; it must be one of {', '.join(known)}.")
        if not self.sentential and self.phrasal == "none":
            raise TenorError("sentential is false and phrasal is 'none'; nothing would be learned.")
        if not 0 <= self.dropout < 1:
            raise TenorError(f"dropout is {self.dropout}; it must be at least 0 and below 1.")
        if self.most < 1:
            raise TenorError(f"most is {self.most}; it must be at least 1.")

    @property
    def random(self) -> bool:
        """Whether texts are also paired at random."""
        return self.sentential or self.phrasal == "three_way"

    @property
    def spec(self) -> PhraseSpec | None:
        """The phrasal classifier, or None."""
        if self.phrasal == "none":
            return None
        labels = THREE_WAY if self.phrasal == "three_way" else BINARY
        return PhraseSpec(features=self.features, labels=labels, dropout=self.dropout)


# The paper's names, but for the models that have no such stage.
VARIANTS: Mapping[str, ParaphraseConfig] = {
    "transfer fine-tuning": ParaphraseConfig(),
    "simple transfer fine-tuning": ParaphraseConfig(features="simple"),
    "+sentence": ParaphraseConfig(phrasal="none"),
    "+3way-pp elaborate": ParaphraseConfig(sentential=False),
    "+3way-pp simple": ParaphraseConfig(sentential=False, features="simple"),
    "+binary-pp": ParaphraseConfig(sentential=False, phrasal="binary"),
}
