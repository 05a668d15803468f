"""Settings of domain-adversarial training, apart so that run files are read without torch."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.objectives.domain_adversarial import DomainAdversarial

Level = Literal["word", "text"]
Reads = Literal["states", "embeddings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainAdversarialConfig:
    """``[objectives.NAME]`` with ``method = "domain_adversarial"``."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """The texts of each domain or language, without labels: its name and a file with a text on each line."""
    weight: float = 0.001
    """λ, by which the reversed gradient that reaches the features is multiplied."""
    hidden_size: int = 100
    """Of the discriminator's hidden layer."""
    every: int = 10
    """The discriminator has a batch at every so many steps."""
    batch_size: int = 16
    """Texts of such a batch, as many of each domain."""
    level: Level = "word"
    """What a domain is told of: each word (its first piece), or the mean of a text."""
    reads: Reads = "states"
    """The features: the encoder's last states, or the embeddings that go into it."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise TenorError(f"weight is {self.weight}; it must be 0 or above.")
        for name in ("hidden_size", "every", "batch_size"):
            if getattr(self, name) < 1:
                raise TenorError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        for domain, file in self.texts.items():
            if not isinstance(file, str):
                raise TenorError(f"texts has {file!r} for {domain!r}, where the name of a file is expected.")

    @property
    def files(self) -> Mapping[str, str]:
        """The files that it reads."""
        return self.texts

    def located(self, folder: Path) -> "DomainAdversarialConfig":
        """Return the settings with files that are looked for from a folder; all must be there."""
        files = {
            domain: os.path.normpath(folder / Path(file).expanduser()) for domain, file in self.texts.items()
        }
        for domain, file in files.items():
            if not os.path.isfile(file):
                raise TenorError(f"texts of {domain!r}: the file {file} does not exist.")
        return replace(self, texts=files)

    def build(self, name: str) -> "DomainAdversarial":
        """Make the objective."""
        from tenor.objectives.domain_adversarial import DomainAdversarial

        return DomainAdversarial(name, self)
