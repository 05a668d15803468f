"""Post-processing: one battery over every method of the table, the normalisations' formulas, pipelines."""

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.words import WordVectors
from tenor.words.postprocess import METHODS, Pipeline, load_method, method_named, read_options
from tenor.words.postprocess.normalise import Centre, Unit, Whiten, ZScore


@pytest.fixture
def vectors():
    generator = np.random.default_rng(0)
    table = generator.normal(size=(60, 8)) @ generator.normal(size=(8, 8)) + 1.5
    contexts = generator.normal(size=(60, 8)) / 4
    return WordVectors([f"w{number}" for number in range(60)], table / 4, np.arange(60, 0, -1), contexts)


def _made(name):
    """Make a method, with settings that fit vectors of eight numbers."""
    settings = {
        "pca": {"components": 3},
        "all-but-the-top-pca": {"dimensions": 5, "components": 2},
    }
    return METHODS[name](**settings.get(name, {}))


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_repeats_saves_and_keeps_words(name, vectors, tmp_path):
    method = _made(name)
    made = method.fit_transform(vectors)
    assert list(made.words) == list(vectors.words)
    assert np.isfinite(made.vectors).all()
    assert made.vectors.dtype == np.float32
    np.testing.assert_array_equal(_made(name).fit_transform(vectors).vectors, made.vectors)
    method.save(tmp_path / "method")
    again = load_method(tmp_path / "method")
    assert again.settings() == method.settings()
    np.testing.assert_array_equal(again.transform(vectors).vectors, made.vectors)
    few = vectors.take(["w3", "w40"])  # what was fitted maps words that were not in the fit alike
    np.testing.assert_allclose(again.transform(few).vectors, made.vectors[[3, 40]], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_refuses_or_survives_odd_vectors(name, vectors):
    for table in (np.zeros((5, 8)), np.ones((5, 8)), vectors.vectors[:1]):
        odd = WordVectors([str(number) for number in range(len(table))], table)
        try:
            made = _made(name).fit_transform(odd)
        except TenorError:
            continue
        assert np.isfinite(made.vectors).all()
    with pytest.raises(TenorError):
        _made(name).fit_transform(WordVectors([], np.zeros((0, 8))))
    with pytest.raises(TenorError):
        _made(name).fit_transform(WordVectors(["a", "b"], [[np.nan] * 8, [1] * 8]))


def test_normalisations_do_what_they_say(vectors):
    np.testing.assert_allclose(np.linalg.norm(Unit().fit_transform(vectors).vectors, axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(Centre().fit_transform(vectors).vectors.mean(axis=0), 0, atol=1e-6)
    scored = ZScore().fit_transform(vectors).vectors
    np.testing.assert_allclose(scored.std(axis=0), 1, rtol=1e-4)
    white = Whiten(epsilon=0.0).fit_transform(vectors).vectors
    np.testing.assert_allclose(np.cov(white.T, bias=True), np.eye(8), atol=1e-4)
    # ZCA's map is symmetric, so that no dimension is turned away from itself.
    learnt = Whiten().fit(vectors).learned["map"]
    np.testing.assert_allclose(learnt, learnt.T, atol=1e-10)
    few = Whiten(components=3, epsilon=0.0).fit_transform(vectors).vectors
    assert few.shape == (60, 3)
    np.testing.assert_allclose(np.cov(few.T, bias=True), np.eye(3), atol=1e-4)


def test_a_pipeline_is_its_steps_one_after_the_other(vectors, tmp_path):
    path = tmp_path / "steps.toml"
    path.write_text('[[step]]\nmethod = "unit"\n\n[[step]]\nmethod = "whiten"\ncomponents = 4\n')
    pipeline = Pipeline.read(path)
    made = pipeline.fit_transform(vectors)
    by_hand = Whiten(components=4).fit_transform(Unit().fit_transform(vectors))
    np.testing.assert_array_equal(made.vectors, by_hand.vectors)
    pipeline.save(tmp_path / "fitted")
    again = Pipeline.load(tmp_path / "fitted").transform(vectors)
    np.testing.assert_array_equal(again.vectors, made.vectors)
    assert again.counts.tolist() == vectors.counts.tolist()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not toml [", "not valid TOML"),
        ("", r"\[\[step\]\]"),
        ('[[step]]\nmethod = "unti"\n', "Did you mean 'unit'"),
        ('[[step]]\nmethod = "whiten"\ncomponent = 3\n', "Did you mean 'components'"),
        ('[[step]]\nmethod = "whiten"\ncomponents = "many"\n', "expected a whole number"),
        ('[[step]]\nmethod = "whiten"\nepsilon = nan\n', "expected a finite number"),
        ("[[step]]\ncomponents = 3\n", "no method"),
        ('other = 1\n[[step]]\nmethod = "unit"\n', "nothing else"),
    ],
    ids=["broken", "empty", "method", "setting", "type", "nan", "missing", "key"],
)
def test_broken_pipeline_files(text, says, tmp_path):
    (tmp_path / "steps.toml").write_text(text)
    with pytest.raises(TenorError, match=says):
        Pipeline.read(tmp_path / "steps.toml")


def test_options_of_the_command_line():
    assert read_options("whiten", ["--components", "2"]).steps[0].settings()["components"] == 2
    for wrong in (["components", "2"], ["--components"], ["--components", "x"]):
        with pytest.raises(TenorError):
            read_options("whiten", wrong)
    with pytest.raises(TenorError, match="no post-processing method"):
        method_named("nothing")


def test_folders_that_are_no_methods(tmp_path):
    for text in ("[]", "{}", '{"method": 3}', '{"method": "nothing"}'):
        (tmp_path / "method.json").write_text(text)
        with pytest.raises(TenorError):
            load_method(tmp_path)
    (tmp_path / "method.json").unlink()
    (tmp_path / "pipeline.json").write_text('{"steps": ["../outside"]}')
    with pytest.raises(TenorError, match="folders of its steps"):
        Pipeline.load(tmp_path)
