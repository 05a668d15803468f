"""Tenor: models that turn text into vectors which keep its meaning.

``import tenor`` is light: each name below is imported when it is first used, and torch and the engines when a
model is loaded.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tenor.errors import TenorError
from tenor.version import VERSION as __version__

if TYPE_CHECKING:
    from tenor import words
    from tenor.layers.pooling_config import PoolingConfig
    from tenor.model.loading import load
    from tenor.model.model import Model
    from tenor.objectives.objective import Objective
    from tenor.objectives.smoothness_config import SmoothnessConfig
    from tenor.tasks.classify.kind import ClassifyConfig
    from tenor.tasks.config import TaskConfig
    from tenor.tasks.contrastive.kind import ContrastiveConfig
    from tenor.tasks.mlm.kind import MlmConfig
    from tenor.tasks.pair.kind import PairConfig
    from tenor.tasks.phrases.kind import PhrasesConfig
    from tenor.tasks.similarity.kind import SimilarityConfig
    from tenor.tasks.tag.kind import TagConfig
    from tenor.training.aligner.api import learn_aligner
    from tenor.training.api import Run, train, train_learner
    from tenor.training.callbacks import Callback
    from tenor.training.config import RunConfig, TrainingConfig, UpdateConfig
    from tenor.training.learner import Learner
    from tenor.training.transfer_api import transfer
    from tenor.use.align.api import align
    from tenor.use.classify.api import classify
    from tenor.use.compare.api import compare
    from tenor.use.dedupe.api import dedupe
    from tenor.use.evaluate.api import evaluate
    from tenor.use.search.api import Index
    from tenor.use.tag.api import tag

__all__ = [
    "Callback",
    "ClassifyConfig",
    "ContrastiveConfig",
    "Index",
    "Learner",
    "MlmConfig",
    "Model",
    "Objective",
    "PairConfig",
    "PhrasesConfig",
    "PoolingConfig",
    "Run",
    "RunConfig",
    "SimilarityConfig",
    "SmoothnessConfig",
    "TagConfig",
    "TaskConfig",
    "TenorError",
    "TrainingConfig",
    "UpdateConfig",
    "__version__",
    "align",
    "classify",
    "compare",
    "dedupe",
    "evaluate",
    "learn_aligner",
    "load",
    "tag",
    "train",
    "train_learner",
    "transfer",
    "words",
]

_MODULES = {
    "Callback": "training.callbacks",
    "ClassifyConfig": "tasks.classify.kind",
    "ContrastiveConfig": "tasks.contrastive.kind",
    "Index": "use.search.api",
    "Learner": "training.learner",
    "MlmConfig": "tasks.mlm.kind",
    "Model": "model.model",
    "Objective": "objectives.objective",
    "PairConfig": "tasks.pair.kind",
    "PhrasesConfig": "tasks.phrases.kind",
    "PoolingConfig": "layers.pooling_config",
    "Run": "training.api",
    "RunConfig": "training.config",
    "SimilarityConfig": "tasks.similarity.kind",
    "SmoothnessConfig": "objectives.smoothness_config",
    "TagConfig": "tasks.tag.kind",
    "TaskConfig": "tasks.config",
    "TrainingConfig": "training.config",
    "UpdateConfig": "training.config",
    "align": "use.align.api",
    "classify": "use.classify.api",
    "compare": "use.compare.api",
    "dedupe": "use.dedupe.api",
    "evaluate": "use.evaluate.api",
    "learn_aligner": "training.aligner.api",
    "load": "model.loading",
    "tag": "use.tag.api",
    "train": "training.api",
    "train_learner": "training.api",
    "transfer": "training.transfer_api",
}
"""Where each name is that is imported at its first use; the imports above tell type checkers the same."""


def __getattr__(name: str) -> Any:
    if name == "words":
        return import_module("tenor.words")
    if name not in _MODULES:
        raise AttributeError(f"module 'tenor' has no attribute {name!r}")
    value = getattr(import_module(f"tenor.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
