"""Tenor's models as estimators of scikit-learn: in a ``Pipeline``, a ``GridSearchCV``, a ``cross_val_score``.

:class:`TextVectorizer` turns texts into vectors, for any estimator behind it; :class:`TextClassifier`
fine-tunes an encoder. Both take what text estimators of scikit-learn take: a list, an array or a column of
strings.
"""

import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tenor.extras import require
from tenor.model.encoding import Long
from tenor.model.given import ModelLike, given_model
from tenor.model.model import Model

require("sklearn", extra="sklearn", purpose="tenor.sklearn")

from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin  # noqa: E402
from sklearn.utils.multiclass import check_classification_targets  # noqa: E402
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d  # noqa: E402

if TYPE_CHECKING:
    from tenor.encoders.from_scratch import FromScratch

__all__ = ["TextClassifier", "TextVectorizer"]
_TASK = "label"


class TextVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns texts into a model's vectors [n, width]; there is nothing to fit.

    ``model`` is a name, a folder or an opened model; the others are settings of
    :meth:`tenor.Model.encode`.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from tenor.sklearn import TextVectorizer
    >>> texts = ["A fine film.", "So dull.", "I loved it.", "A waste of time."]
    >>> pipeline = make_pipeline(TextVectorizer("minilm"), LogisticRegression())
    >>> pipeline.fit(texts, ["good", "bad", "good", "bad"]).predict(["What a great film!"]).tolist()
    ['good']
    """

    def __init__(
        self,
        model: ModelLike = "minilm",
        *,
        prompt: str | None = None,
        normalize_embeddings: bool = False,
        batch_size: int | None = None,
        long: Long = "truncate",
    ) -> None:
        self.model = model
        self.prompt = prompt
        self.normalize_embeddings = normalize_embeddings
        self.batch_size = batch_size
        self.long = long

    def fit(self, X: Sequence[str], y: Any = None) -> "TextVectorizer":
        """Open the model; the texts are only checked."""
        texts_of(X)
        self.model_: Model = given_model(self.model)
        return self

    def transform(self, X: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts [n, width]."""
        texts = texts_of(X)
        if not self.__sklearn_is_fitted__():
            self.fit(texts)
        return self.model_.encode(
            texts,
            prompt=self.prompt,
            normalize_embeddings=self.normalize_embeddings,
            batch_size=self.batch_size,
            long=self.long,
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return a name for each number of a vector."""
        check_is_fitted(self)
        return np.asarray([f"embedding{number}" for number in range(self.model_.width)], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.requires_fit = False
        tags.transformer_tags.preserves_dtype = []
        return tags


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Trains an encoder to tell the classes of texts, as :func:`tenor.train` does.

    What is left at None is chosen by what there is to learn from, such as a contrastive stage for few rows.
    ``model`` is a name or a folder; with ``from_scratch``, a table of settings such as
    ``{"model_type": "lstm"}``, the encoder is new instead. ``training`` holds further settings of
    :class:`tenor.TrainingConfig`, and ``task`` of :class:`tenor.ClassifyConfig`.

    >>> from tenor.sklearn import TextClassifier
    >>> texts = ["a fine film", "so very dull", "fine music", "dull and long"] * 4
    >>> small = {"model_type": "cnn", "embedding_size": 16}
    >>> classifier = TextClassifier(from_scratch=small, epochs=20, encoder_lr=0.02)
    >>> classifier.fit(texts, [1, 0, 1, 0] * 4).predict(["fine film", "very dull"]).tolist()
    [1, 0]
    """

    def __init__(
        self,
        model: str | Path = "minilm",
        *,
        epochs: int | None = None,
        batch_size: int | None = None,
        encoder_lr: float | None = None,
        head_lr: float | None = None,
        freeze: str | None = None,
        from_scratch: "Mapping[str, Any] | FromScratch | None" = None,
        training: Mapping[str, Any] | None = None,
        task: Mapping[str, Any] | None = None,
        long: Long = "truncate",
        device: str = "auto",
        random_state: int | None = 1,
    ) -> None:
        self.model = model
        self.epochs = epochs
        self.batch_size = batch_size
        self.encoder_lr = encoder_lr
        self.head_lr = head_lr
        self.freeze = freeze
        self.from_scratch = from_scratch
        self.training = training
        self.task = task
        self.long = long
        self.device = device
        self.random_state = random_state

    def fit(self, X: Sequence[str], y: Any) -> "TextClassifier":
        """Train the encoder on texts and their classes."""
        from tenor.training.api import train

        if y is None:
            raise ValueError("TextClassifier requires y to be passed, but the target y is None.")
        texts, targets = texts_of(X), column_or_1d(y, warn=True)
        check_consistent_length(texts, targets)
        check_classification_targets(targets)
        self.classes_, numbers = np.unique(targets, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"TextClassifier needs 2 classes or more; y holds {len(self.classes_)} class.")
        rows = [(text, str(number)) for text, number in zip(texts, numbers.tolist(), strict=True)]
        task = {"kind": "classify", "train": rows, **self._given("batch_size"), **(self.task or {})}
        run = train(
            None if self.from_scratch is not None else str(self.model),
            {_TASK: task},
            seed=self._seed(),
            from_scratch=self.from_scratch,
            device=self.device,
            **self._given("epochs", "encoder_lr", "head_lr", "freeze"),
            **(self.training or {}),
        )
        assert run.model is not None
        self.fitted_ = _FittedFolder(_contents(run.model))
        return self

    @property
    def model_(self) -> Model:
        """The fine-tuned model, for :meth:`tenor.Model.save` and all else that a model can do."""
        check_is_fitted(self)
        return self.fitted_.model

    def predict_proba(self, X: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability of every class [n, classes], in the order of ``classes_``."""
        model, texts = self.model_, texts_of(X)
        order = [int(label) for label in model.tasks[_TASK].spec.labels_shown]
        found = np.zeros((len(texts), len(self.classes_)))
        if texts:
            found[:, order] = model.predict(_TASK, [(text,) for text in texts], long=self.long)
        return found

    def predict(self, X: Sequence[str]) -> NDArray[Any]:
        """Return the likeliest class of every text."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    def _given(self, *names: str) -> dict[str, Any]:
        """Return the settings that are not left to be chosen."""
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    def _seed(self) -> int:
        if self.random_state is None:
            return int(np.random.default_rng().integers(2**31))
        return int(self.random_state)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags


class _FittedFolder:
    """A model folder in memory, so that a fitted estimator is pickled whole; opened at the first need."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = contents

    def __reduce__(self) -> Any:
        return _FittedFolder, (self._contents,)

    @cached_property
    def model(self) -> Model:
        # The folder lives as long as this object: heads are read from it when they are first asked for.
        self._folder = tempfile.TemporaryDirectory(prefix="tenor-sklearn-")
        for name, content in self._contents.items():
            path = Path(self._folder.name) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return given_model(Path(self._folder.name))


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def texts_of(X: Any) -> list[str]:
    """Return the texts of a list, an array [n] or a column of strings, or say what is wrong with them.

    >>> texts_of(np.array(["a", "b"], dtype=object))
    ['a', 'b']
    """
    if isinstance(X, str) or not hasattr(X, "__iter__"):
        raise ValueError(f"Expected a list of texts, got {str(X)[:60]!r}; a single text goes in a list.")
    if getattr(X, "ndim", 1) != 1:
        raise ValueError(f"Expected a column of texts, got an array of {X.ndim} dimensions.")
    texts = list(X)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"Expected texts, got {str(text)[:60]!r} ({type(text).__name__}) at {number}.")
    return [str(text) for text in texts]
