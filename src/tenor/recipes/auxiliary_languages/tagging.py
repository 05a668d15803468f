"""A BiLSTM-CRF over frozen subword vectors, its score sentence by sentence, and its attention."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.outcomes import Outcome
from tenor.recipes.auxiliary_languages.data import Tagged, Target, read_rows
from tenor.recipes.auxiliary_languages.subword_vectors import embeddings_of
from tenor.recipes.recipe import Context
from tenor.recipes.word_tags import outcome

_TASK = "tags"
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TaggerResult:
    """The tags of the dev and test sentences, and how much of each source their words take [sources]."""

    dev: float
    test: Outcome
    attention: Floats | None = None


def train_tagger(setting: str, target: Target, context: Context, *, frozen: bool = False) -> TaggerResult:
    """Train a tagger of a setting for a target and score it; ``frozen`` leaves the BiLSTM random."""
    from tenor import train

    rows = read_rows(target, "train", context)
    run = train(
        None,
        {_TASK: task_table(target, rows)},
        from_scratch=encoder_settings(setting, target, context),
        out=context.work / target.name.replace(" ", "-"),
        seed=context.seed,
        **training_settings(context.settings, frozen=frozen),
    )
    assert run.network is not None
    return _scored(run.load(), run.network.encoder, target, context)


def task_table(target: Target, rows: Sequence[Tagged]) -> dict[str, Any]:
    """Return the task: a CRF over tags of entities or of parts of speech."""
    return {
        "kind": "tag",
        "train": [{"words": list(row.words), "tags": list(row.tags)} for row in rows],
        "head": "crf",
        "casing": False,
        "dropout": 0.0,
        "batch_size": 16,
        **({} if target.spans else {"scheme": "plain"}),
    }


def encoder_settings(setting: str, target: Target, context: Context) -> dict[str, Any]:
    """Return the encoder: the embeddings of the setting, side by side or attended, and a BiLSTM."""
    return {
        "model_type": "lstm",
        "embeddings": embeddings_of(setting, target, context),
        "combine": "attention" if setting == "meta" else "concat",
        "attention_size": context.settings["attention_size"],
        "hidden_size": context.settings["hidden_size"],
        "dropout": 0.0,
        "input_dropout": 0.1,
    }


def training_settings(settings: Mapping[str, Any], *, frozen: bool) -> dict[str, Any]:
    """Return the training settings; no dev score chooses anything."""
    from tenor.recipes.fixed_training import FIXED

    own = {name: settings[name] for name in ("epochs", "encoder_lr", "head_lr")}
    fixed = FIXED | {"optimizer": "adam", "weight_decay": 0.0, "max_grad_norm": 5.0, "precision": "fp32"}
    return fixed | own | {"freeze": "encoder" if frozen else "none"}


def _scored(model: Any, encoder: Any, target: Target, context: Context) -> TaggerResult:
    dev, test = (read_rows(target, part, context) for part in ("dev", "test"))
    said = [_tags(model, rows) for rows in (dev, test)]
    words = [word for row in test for word in row.words]
    return TaggerResult(
        outcome(target, dev, said[0]).score, outcome(target, test, said[1]), attention_of(encoder, words)
    )


def _tags(model: Any, rows: Sequence[Tagged]) -> list[list[str]]:
    return [list(each.tags) for each in model.tag([list(row.words) for row in rows])]


def attention_of(encoder: Any, words: Sequence[str]) -> Floats | None:
    """Return the mean weight of each embedding over words [m]; None where they are side by side."""
    weights = encoder.embeddings.weights(words)
    return None if weights is None else np.asarray(weights, dtype=np.float64).mean(axis=0)
