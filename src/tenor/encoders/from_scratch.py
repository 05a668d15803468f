"""A new encoder that knows nothing yet: its own vocabulary, learned from texts, and random weights.

Each kind of encoder has a frozen dataclass of its settings, the ``[from_scratch]`` section of a run file,
whose ``model_type`` says which kind it is. What it writes is a whole model folder that :func:`tenor.load`
opens.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from tenor.encoders.layout import write_layout
from tenor.encoders.table import DEFAULT, encoder_type
from tenor.errors import TenorError, did_you_mean
from tenor.files import atomic_folder

MOST_PARAMETERS = 2_000_000_000  # six times BERT large


class FromScratch(ABC):
    """How a new encoder is begun; subclasses are frozen dataclasses with a field ``model_type``."""

    model_type: str

    def write(self, folder: str | Path, texts: Iterable[str], *, seed: int = 1) -> Path:
        """Write such an encoder, with a vocabulary learned from texts, to a folder that is new or empty."""
        folder = Path(folder)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise TenorError(f"{folder} exists already; choose a folder that is new or empty.")
        kind = encoder_type(self.model_type)
        with atomic_folder(folder) as aside:
            hidden_size = self.write_encoder(aside, texts, seed=seed)
            write_layout(
                aside,
                module=kind.module,
                pooling=kind.default_pooling,
                hidden_size=hidden_size,
                max_tokens=kind.limits(aside, {})[0],
            )
        return folder

    @property
    def reads_words(self) -> bool:
        """Whether its vocabulary is counted in words, which a text may be given as."""
        return False

    def check(self) -> None:  # noqa: B027 (most have nothing to check)
        """Refuse what could not be begun with, such as vectors that are not at hand; nothing is written."""

    @abstractmethod
    def write_encoder(self, folder: Path, texts: Iterable[str], *, seed: int) -> int:
        """Write config, weights and tokenizer into a folder, and return the hidden size of the encoder."""


def from_scratch_config(settings: Mapping[str, Any]) -> FromScratch:
    """Build the settings of a new encoder from a table, which names its ``model_type`` unless it is "bert".

    >>> from_scratch_config({"num_layers": 2}).hidden_size
    256
    """
    kind = encoder_type(settings.get("model_type", DEFAULT)).from_scratch()
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for key in settings:
        if key not in known:
            near = did_you_mean(key, known) or f" Known are: {', '.join(known)}."
            raise TenorError(f"[from_scratch] has no key {key!r}.{near}")
    return kind(**settings)


def check_at_least(config: object, **least: int) -> None:
    """Refuse fields that are smaller than they can be; None is left to a default."""
    for name, bound in least.items():
        value = getattr(config, name)
        if value is not None and value < bound:
            raise TenorError(f"{name} is {value}; it must be at least {bound}.")


def check_size(config: object, *, parameters: int, **most: int) -> None:
    """Refuse sizes that no machine of ours holds, before anything is allocated.

    ``parameters`` is how many the encoder would have; ``most`` bounds single fields, None being a default.
    """
    for name, bound in most.items():
        value = getattr(config, name)
        if value is not None and value > bound:
            raise TenorError(f"{name} is {value}; it must be at most {bound:,}.")
    if parameters > MOST_PARAMETERS:
        raise TenorError(
            f"hidden_size and the other sizes make an encoder of {parameters:,} parameters "
            f"({parameters / 2.5e8:,.0f} GB); at most {MOST_PARAMETERS:,} can be begun "
            "with. Take fewer layers or smaller sizes."
        )


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw torch's random numbers from a seed, and leave the generator outside as it was."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
