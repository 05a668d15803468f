"""``learn_operators``: from pairs of texts that say the same to a model of word operators.

A short way to a ``contrastive`` task whose texts are compared by the expected likelihood of Gaussians, with a
margin to the hardest negatives of a mega-batch and a prior on the words (Chen and Gimpel, 2020).
"""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.files import atomic_folder
from tenor.training.callbacks import Callback

FEWEST_PAIRS = 20
TASK = "paraphrases"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSettings:
    """How operators are learned."""

    epochs: int = 2
    batch_size: int = 100
    """Pairs of a step."""
    mega_batch: int = 2
    """Batches among whose texts the hardest negatives are sought."""
    margin: float = 1.0
    prior: float = 0.05
    """Weight λ of the divergence of words from the identity; 0 for none."""
    scramble: float = 0.4
    """Probability that the words of a text are put in random order."""
    lr: float = 1e-2
    held_out: int = 500
    """Pairs by which the best weights are chosen; at most a tenth of all."""


def learn_operators(
    pairs: Iterable[tuple[str, str]],
    out: str | Path,
    *,
    dimensions: int = 50,
    min_count: int = 2,
    settings: OperatorSettings | None = None,
    callbacks: Sequence[Callback] = (),
    seed: int = 1,
) -> Path:
    """Learn word operators from paraphrases, and write the model folder ``out``, new or empty.

    A word that is there less than ``min_count`` times is unknown to the model.

    >>> import tempfile
    >>> pairs = [(f"the cat number {n} sat", f"cat {n} was sitting") for n in range(30)]
    >>> folder = learn_operators(pairs, Path(tempfile.mkdtemp()) / "wlo", dimensions=4, min_count=1,
    ...                          settings=OperatorSettings(epochs=1, batch_size=5))
    >>> (folder / "model.safetensors").is_file()
    True
    """
    from tenor.training.api import train

    pairs, out = list(pairs), Path(out)
    if len(pairs) < FEWEST_PAIRS:
        raise TenorError(
            f"{len(pairs)} pairs are too few to learn from; give at least {FEWEST_PAIRS}, better "
            "some ten thousand."
        )
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise TenorError(f"{out} is not empty; choose a folder that is new or empty.")
    settings = settings or OperatorSettings()
    run = train(
        None,
        {TASK: operator_task(pairs, settings)},
        objectives=operator_prior(settings.prior),
        from_scratch={"model_type": "operators", "embedding_size": dimensions, "min_count": min_count},
        callbacks=callbacks,
        seed=seed,
        **loop_settings(epochs=settings.epochs, lr=settings.lr),
    )
    assert run.model is not None
    with atomic_folder(out) as aside:
        shutil.copytree(run.model, aside, dirs_exist_ok=True)
    return out


def operator_task(pairs: Sequence[tuple[str, str]], settings: OperatorSettings) -> dict[str, Any]:
    """Return the contrastive task of word operators, the first pairs held out to choose weights by."""
    held_out = min(settings.held_out, len(pairs) // 10)
    return {
        "kind": "contrastive",
        "head": "expected_likelihood",
        "margin": settings.margin,
        "mega_batch": settings.mega_batch,
        "scramble": settings.scramble,
        "batch_size": settings.batch_size,
        "train": pairs[held_out:],
        "dev": pairs[:held_out],
    }


def operator_prior(weight: float) -> Mapping[str, Any]:
    """Return the objectives that hold words near the identity with a weight; none for 0."""
    return {"prior": {"method": "operator_prior", "weight": weight}} if weight else {}


def loop_settings(*, epochs: int, lr: float) -> dict[str, Any]:
    """Return the settings of the loop that suit tables of words, every one that results depend on."""
    return {
        "epochs": epochs,
        "encoder_lr": lr,
        "head_lr": lr,
        "optimizer": "adam",
        "weight_decay": 0.0,
        "layer_decay": 1.0,
        "schedule": "linear",
        "warmup": 0.0,
        "max_grad_norm": 5.0,
        "precision": "fp32",
    }
