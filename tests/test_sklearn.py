"""Our estimators in scikit-learn: in pipelines and searches, cloned, pickled, and put to its own checks."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

import tenor
from tenor.sklearn import TextClassifier, TextVectorizer
from tenor.training.api import train

TEXTS = [
    "a good film",
    "the food was good",
    "happy people play",
    "a bad film",
    "the food was bad",
    "sad people",
]
LABELS = ["+", "+", "+", "-", "-", "-"]
SMALL = {"model_type": "cnn", "embedding_size": 16}


@pytest.fixture
def classifier():
    return TextClassifier(from_scratch=SMALL, epochs=15, encoder_lr=0.02)


def test_the_vectors_are_the_models(tiny_folder):
    model = tenor.load(tiny_folder, precision="fp32")
    for given in (TEXTS, tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, dtype=object)):
        np.testing.assert_array_equal(TextVectorizer(model).fit_transform(given), model.encode(TEXTS))
    with_prompt = TextVectorizer(model, prompt="query").fit_transform(TEXTS)
    np.testing.assert_array_equal(with_prompt, model.encode(TEXTS, prompt="query"))
    unfitted = TextVectorizer(tiny_folder)
    assert unfitted.transform(TEXTS).shape == (6, 32)
    assert list(unfitted.get_feature_names_out()[:2]) == ["embedding0", "embedding1"]


def test_parameters_are_read_set_and_cloned(tiny_folder):
    model = tenor.load(tiny_folder)
    vectorizer = TextVectorizer(model, prompt="query").fit(TEXTS)
    copy = clone(vectorizer)
    assert copy.get_params() == vectorizer.get_params()
    assert copy.get_params()["model"] is model
    assert not copy.__sklearn_is_fitted__()
    assert copy.set_params(long="chunk").long == "chunk"
    classifier = TextClassifier(epochs=2, training={"warmup": 0.0})
    assert clone(classifier).get_params() == classifier.get_params()
    with pytest.raises(ValueError, match="Invalid parameter"):
        classifier.set_params(epoch=3)


def test_a_pipeline_is_searched(tiny_folder):
    pipeline = Pipeline([("vectors", TextVectorizer(tiny_folder)), ("classify", LogisticRegression())])
    grid = {"vectors__prompt": [None, "query"], "classify__C": [1.0, 10.0]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(TEXTS, LABELS)
    assert search.best_score_ >= 0.5
    assert set(search.predict(TEXTS)) <= {"+", "-"}


def test_a_search_in_several_processes(tiny_folder):
    pipeline = make_pipeline(TextVectorizer(tenor.load(tiny_folder)), LogisticRegression())
    scores = cross_val_score(pipeline, TEXTS, LABELS, cv=3, n_jobs=2, error_score="raise")
    np.testing.assert_allclose(scores, cross_val_score(pipeline, TEXTS, LABELS, cv=3))


@pytest.mark.parametrize("labels", [LABELS, [1, 1, 1, 0, 0, 0], [True, True, True, False, False, False]])
def test_the_classifier_learns_and_gives_the_labels_that_it_got(classifier, labels):
    classifier.fit(TEXTS * 4, labels * 4)
    assert classifier.predict(TEXTS).tolist() == labels
    assert classifier.score(TEXTS, labels) == 1.0
    assert classifier.classes_.tolist() == sorted(set(labels))
    probabilities = classifier.predict_proba(TEXTS)
    assert probabilities.shape == (6, 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)
    assert classifier.predict_proba([]).shape == (0, 2)


def test_the_same_seed_gives_the_same_classifier_and_a_pickle_says_the_same(classifier):
    found = classifier.fit(TEXTS * 4, LABELS * 4).predict_proba(TEXTS)
    np.testing.assert_array_equal(clone(classifier).fit(TEXTS * 4, LABELS * 4).predict_proba(TEXTS), found)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(classifier)).predict_proba(TEXTS), found)
    other = clone(classifier).set_params(random_state=7).fit(TEXTS * 4, LABELS * 4).predict_proba(TEXTS)
    assert np.abs(other - found).max() > 0


def test_more_than_ten_classes_keep_their_order(classifier):
    texts = [f"{word} {word}" for word in "abcdefghijkl"]
    labels = [f"class {number}" for number in range(12)]
    classifier.set_params(epochs=40).fit(texts * 3, labels * 3)
    assert classifier.score(texts, labels) == 1.0


def test_the_trained_model_is_a_model(classifier, tmp_path):
    classifier.fit(TEXTS * 2, LABELS * 2)
    classifier.model_.save(tmp_path / "saved")
    (answers,) = tenor.classify(["a good film"], model=tmp_path / "saved")
    assert answers["label"].predicted in ("0", "1")


def test_the_classifier_is_searched(classifier):
    search = GridSearchCV(
        classifier, {"encoder_lr": [0.0, 0.02], "freeze": ["none"]}, cv=2, error_score="raise"
    )
    search.fit(TEXTS * 4, LABELS * 4)
    assert search.best_score_ == 1.0
    assert search.best_estimator_.predict(TEXTS).tolist() == LABELS


@pytest.mark.parametrize(
    ("texts", "labels", "wrong"),
    [
        ("one text", LABELS, "single text"),
        ([[1.0, 2.0]], [1], "Expected texts"),
        (np.zeros((3, 2)), [0, 1, 0], "2 dimensions"),
        (TEXTS, LABELS[:2], "inconsistent numbers of samples"),
        (TEXTS, ["+"] * 6, "2 classes or more"),
        (TEXTS, [0.1, 0.2, 0.5, 0.7, 1.3, 2.9], "Unknown label type"),
        (TEXTS, None, "requires y"),
    ],
)
def test_what_is_refused(classifier, texts, labels, wrong):
    with pytest.raises(ValueError, match=wrong):
        classifier.fit(texts, labels)


def test_an_unfitted_classifier_says_so(classifier):
    with pytest.raises(NotFittedError):
        classifier.predict(TEXTS)


def test_without_scikit_learn_the_error_names_the_extra():
    code = "import sys; sys.modules['sklearn'] = None; import tenor.sklearn"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
    assert "tenor.sklearn needs the package 'sklearn'" in told
    assert "pip install 'tenor[sklearn]'" in told


def as_texts(estimator, table, *, reset):
    """Check a table of numbers as estimators of numbers do, and write each row as words."""
    table = validate_data(estimator, table, reset=reset)
    return [" ".join(f"c{column}v{value:.0f}" for column, value in enumerate(row)) for row in table]


class Tabular:
    """Lets the checks of scikit-learn, which fit tables of numbers, run on estimators of texts."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


class TabularVectorizer(Tabular, TextVectorizer):
    def fit(self, X, y=None):
        self.model_ = TextVectorizer(self.model).fit(as_texts(self, X, reset=True)).model_
        return self

    def transform(self, X):
        texts = as_texts(self, X, reset=not hasattr(self, "n_features_in_"))
        return TextVectorizer(self.model).transform(texts)


class TabularClassifier(Tabular, TextClassifier):
    def fit(self, X, y):
        return super().fit(as_texts(self, X, reset=True), y)

    def predict_proba(self, X):
        check_is_fitted(self)
        return super().predict_proba(as_texts(self, X, reset=False))


# Nothing is expected to fail once the checks' tables are written as texts; what does is to be listed here.
EXPECTED: dict[type, dict[str, str]] = {TabularVectorizer: {}, TabularClassifier: {}}


@pytest.mark.parametrize("kind", list(EXPECTED), ids=lambda kind: kind.__name__)
@pytest.mark.filterwarnings("ignore")
def test_the_checks_of_scikit_learn(kind, tiny_folder):
    """All checks pass but those that are listed with a reason; one that is listed must still fail."""
    settings = {"from_scratch": SMALL, "epochs": 6, "encoder_lr": 0.02, "head_lr": 0.02}
    if kind is TabularVectorizer:
        settings = {"model": tiny_folder}
    check_estimator(kind.__mro__[2](**settings))  # those that suit any input
    results = check_estimator(kind(**settings), on_fail=None)
    failed = {each["check_name"]: str(each["exception"]) for each in results if each["status"] == "failed"}
    assert failed.keys() == EXPECTED[kind].keys(), failed
    assert sum(each["status"] == "passed" for each in results) > 30


def test_settings_that_are_left_out_are_chosen_by_the_rows(tiny_folder, monkeypatch):
    runs = []

    def heard(*arguments, **settings):
        runs.append(train(*arguments, **settings))
        return runs[-1]

    monkeypatch.setattr("tenor.training.api.train", heard)
    texts = [f"good fine day {row}" for row in range(12)] + [f"bad old city {row}" for row in range(12)]
    labels = ["good"] * 12 + ["bad"] * 12
    assert TextClassifier(tiny_folder).fit(texts, labels).score(texts, labels) == 1
    TextClassifier(tiny_folder, epochs=1, encoder_lr=1e-3).fit(texts, labels)
    chosen, given = (run.metrics["plan"]["chosen"] for run in runs)
    assert {"objectives.contrast", "steps", "encoder_lr"} <= chosen.keys()
    assert not {"epochs", "steps", "encoder_lr"} & given.keys()
