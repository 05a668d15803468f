"""The models that are compared: how each is trained on paraphrases, and how it says how specific a text is.

    wordavg, wordsum   a table of word vectors; their mean, or their sum: one model, as cosines know no scale
    lstmavg            the mean of an LSTM's states
    lstm_gaussian      two linear layers over it: the mean and the log-variance of a Gaussian
    wlo                words as operators on a Gaussian

Specific is a vector of a large norm, or a Gaussian of small entropy.
"""

import shutil
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.recipes.probabilistic_sentences.data import TextPair, count_words
from tenor.recipes.recipe import Context
from tenor.training.operators.api import TASK, OperatorSettings, loop_settings, operator_prior, operator_task

Floats = NDArray[np.float64]
ModelName = Literal["wlo", "wordavg", "wordsum", "lstmavg", "lstm_gaussian"]
_TRAINED_AS: dict[str, str] = {"wordsum": "wordavg"}
_LSTM = {"model_type": "lstm", "bidirectional": False, "dropout": 0.0}


def train_settings(model: str, *, prior: float, settings: Any) -> dict[str, Any]:
    """Return all that training depends on, as ``tenor.train`` takes it, but for the rows.

    ``settings`` are those of the scale.
    """
    gaussian, ordered = model in ("wlo", "lstm_gaussian"), model not in ("wordavg", "wordsum")
    own = OperatorSettings(
        epochs=settings["epochs"],
        batch_size=settings["batch_size"],
        mega_batch=settings["mega_batch"],
        margin=1.0 if gaussian else 0.4,
        scramble=settings["scramble"] if ordered else 0.0,
        held_out=settings["held_out"],
    )
    task = operator_task((), own)
    heads = {"wlo": "expected_likelihood", "lstm_gaussian": "gaussian"}
    task |= {"head": heads.get(model, "cosine")}
    words = {"embedding_size": settings["dimensions"], "min_count": settings["min_count"]}
    encoders: dict[str, dict[str, Any]] = {
        "wlo": {"model_type": "operators"},
        "wordavg": {"model_type": "static"},
        "lstmavg": _LSTM | {"hidden_size": settings["lstm_size"]},
        "lstm_gaussian": _LSTM | {"hidden_size": settings["lstm_size"]},
    }
    trained_as = _TRAINED_AS.get(model, model)
    loop = loop_settings(epochs=own.epochs, lr=settings["lr"][trained_as])
    # The deterministic models have no prior; weights are kept small by L2 instead.
    loop |= {} if gaussian else {"weight_decay": settings["l2"]}
    return {
        "task": {key: value for key, value in task.items() if key not in ("train", "dev")},
        "objectives": dict(operator_prior(prior)) if model == "wlo" else {},
        "from_scratch": encoders[trained_as] | words,
        "held_out": own.held_out,
        **loop,
    }


def train_model(model: str, pairs: Sequence[TextPair], context: Context, *, prior: float) -> Path:
    """Return the model folder, trained by the first cell that asks for it."""
    asked = train_settings(model, prior=prior, settings=context.settings)

    def make(folder: Path) -> None:
        import tenor
        from tenor.training.callbacks import StepProgress

        settings = dict(asked)
        held_out = min(settings.pop("held_out"), len(pairs) // 10)
        rows = {"train": list(pairs[held_out:]), "dev": list(pairs[:held_out])}
        run = tenor.train(
            None,
            {TASK: settings.pop("task") | rows},
            objectives=settings.pop("objectives"),
            from_scratch=settings.pop("from_scratch"),
            seed=context.seed,
            callbacks=[StepProgress(context.progress)],
            **settings,
        )
        assert run.model is not None
        shutil.copytree(run.model, folder / "model")

    shared = context.shared("model", make, settings={**asked, "pairs": len(pairs), "seed": context.seed})
    return shared / "model"


class Specifier:
    """A trained model as the tests ask it: scores of texts, and vectors to compare them by."""

    def __init__(self, model: str, folder: Path) -> None:
        self.name, self.folder = model, folder

    def scores(self, texts: Sequence[str]) -> Floats:
        """Return how specific texts are [n]: minus the entropy, up to a constant, or the norm."""
        if self.name == "wlo":
            return np.asarray(self._words.scores(texts))
        if self.name == "lstm_gaussian":
            return np.asarray(-0.5 * np.log(self._gaussians(texts)[1]).sum(axis=1))
        norms = np.linalg.norm(self.vectors(texts), axis=1)
        counts = [max(1, count_words(text)) for text in texts] if self.name == "wordsum" else 1.0
        return np.asarray(norms * counts, dtype=np.float64)

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Return vectors [n, d]: of Gaussians, mean and variance side by side."""
        if self.name == "lstm_gaussian":
            return np.concatenate(self._gaussians(texts), axis=1)
        return np.asarray(self._model.pooled(list(texts)), dtype=np.float64)

    @cached_property
    def _model(self) -> Any:
        import tenor

        return tenor.load(self.folder, precision="fp32")

    @cached_property
    def _words(self) -> Any:
        from tenor.model.loading import find_model
        from tenor.use.specificity.scoring import SpecificityScorer

        return SpecificityScorer.of(find_model(self.folder), name=self.name)

    def _gaussians(self, texts: Sequence[str]) -> tuple[Floats, Floats]:
        """Return means and variances [n, k] that the head makes."""
        said = self._model.predict(TASK, [(text, text) for text in texts])
        mean, variance = np.split(np.asarray(said[:, 0], dtype=np.float64), 2, axis=1)
        return mean, variance


class StarterNorm:
    """The norm of a starter's pooled vectors, which nobody trained for it."""

    def __init__(self, name: str) -> None:
        import tenor

        self._model = tenor.load(name, precision="fp32")

    def scores(self, texts: Sequence[str]) -> Floats:
        """Return the norms [n]."""
        return np.asarray(np.linalg.norm(self.vectors(texts), axis=1))

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Return the vectors [n, d]."""
        return np.asarray(self._model.pooled(list(texts)), dtype=np.float64)
