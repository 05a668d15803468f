"""``learn_codes``: train codes of several seeds together and measure them; how experiments begin."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tenor.recipes.emergent_languages.language import ConceptLanguage
from tenor.recipes.emergent_languages.learner import CodeLearner, CodeTraining
from tenor.recipes.emergent_languages.measuring import CodeMeasures, measure
from tenor.recipes.emergent_languages.network import CodeConfig
from tenor.recipes.fixed_training import FIXED


def learn_codes(
    config: CodeConfig,
    language: ConceptLanguage | None = None,
    *,
    seeds: Sequence[int] = (1,),
    training: CodeTraining | None = None,
    out: str | Path | None = None,
) -> list[CodeMeasures]:
    """Train a code for every seed, all side by side, and measure each with its best weights.

    A run does not depend on those beside it. With ``out``, a run folder, a stopped run goes on.

    >>> found = learn_codes(CodeConfig(bits=4, units=8), ConceptLanguage(2, 4), seeds=(1, 2),
    ...                     training=CodeTraining(steps=20, combinations=1, random=1, evaluations=2))
    >>> [one.seed for one in found], found[0].language <= 1
    ([1, 2], True)
    """
    learner = CodeLearner(config, language or ConceptLanguage(), seeds=seeds, training=training)
    train_codes(learner, out=out)
    return measure(learner)


def train_codes(learner: CodeLearner, *, out: str | Path | None = None) -> None:
    """Train a learner of codes by its own settings; it has its best weights then."""
    import tenor

    settings = learner.training
    if not settings.steps:
        return  # the untrained baseline
    own: dict[str, Any] = {
        "epochs": settings.evaluations,
        "head_lr": settings.lr,
        "optimizer": "adam",
        "weight_decay": settings.weight_decay,
        "warmup": 0.0,
        "max_grad_norm": 0.0,  # a norm over all runs would let them depend on each other
        "precision": "fp32",
        "checkpoint_minutes": 1.0,
    }
    tenor.train(learner, out=out, **FIXED | own)
    learner.take_best()
