"""Alpha embeddings as a post-processing method: the family's rows, saved and loaded, and bad input."""

from pathlib import Path

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.recipes.alpha_embeddings.models import Model
from tenor.words import WordVectors
from tenor.words.alpha.family import AlphaFamily
from tenor.words.alpha.metric import in_metric
from tenor.words.alpha.references import data_unigram
from tenor.words.postprocess import load_method, read_options
from tenor.words.postprocess.alpha_embedding import AlphaEmbedding

RNG = np.random.default_rng(4)
U, V = RNG.standard_normal((2, 20, 4)).astype(np.float32)
COUNTS = RNG.integers(1, 50, 20)
VECTORS = WordVectors([f"w{number}" for number in range(20)], U, COUNTS, V)


@pytest.mark.parametrize("limit", [0, 1, 3])
@pytest.mark.parametrize("metric", ["F", "I"])
def test_rows_are_those_of_the_family(limit: int, metric: str) -> None:
    family = AlphaFamily(U, V, data_unigram(COUNTS))
    expected = family.limit(limit) if limit else family.embed(0.4)
    made = AlphaEmbedding(alpha=0.4, reference="ud", metric=metric, limit=limit).fit_transform(VECTORS)  # type: ignore[arg-type]
    assert np.allclose(made.vectors, in_metric(expected, family.factor, norm=metric), atol=1e-4)  # type: ignore[arg-type]
    assert np.allclose(np.linalg.norm(made.vectors, axis=1), 1.0, atol=1e-5)


def test_alpha_one_uniform_gives_the_plain_vectors_scaled() -> None:
    made = AlphaEmbedding(alpha=1.0, reference="0", label="U", metric="I").fit_transform(VECTORS)
    assert np.allclose(made.vectors, U / np.linalg.norm(U, axis=1, keepdims=True), atol=1e-4)


def test_alpha_one_gives_the_plain_vectors_of_skip_gram_too() -> None:
    skip_gram = WordVectors([f"w{number}" for number in range(20)], U, COUNTS, V, noise_exponent=0.75)
    made = AlphaEmbedding(alpha=1.0).fit_transform(skip_gram)
    assert np.allclose(made.vectors, (U + V) / np.linalg.norm(U + V, axis=1, keepdims=True), atol=1e-4)


def test_it_is_saved_loaded_and_read_from_options(tmp_path: Path) -> None:
    options = ["--alpha", "-2", "--reference", "u", "--metric=I"]
    method = read_options("alpha", options).steps[0]
    assert isinstance(method, AlphaEmbedding)
    assert (method.alpha, method.reference, method.metric) == (-2.0, "u", "I")
    made = method.fit_transform(VECTORS)
    method.save(tmp_path / "saved")
    assert (load_method(tmp_path / "saved").transform(VECTORS).vectors == made.vectors).all()


def test_vectors_without_contexts_or_counts_are_refused() -> None:
    with pytest.raises(TenorError, match="no context vectors"):
        AlphaEmbedding().fit(WordVectors(["a"], [[1.0]]))
    with pytest.raises(TenorError, match="no counts"):
        AlphaEmbedding(reference="ud").fit(WordVectors(["a"], [[1.0]], contexts=[[1.0]]))
    with pytest.raises(TenorError, match="words without counts"):
        AlphaEmbedding(noise=0.75).fit(WordVectors(["a"], [[1.0]], contexts=[[1.0]]))
    with pytest.raises(TenorError, match="finite"):
        AlphaEmbedding(alpha=float("inf")).fit_transform(VECTORS)


@pytest.mark.parametrize("reference", ["0", "u", "ud"])
def test_the_command_and_the_recipe_derive_the_same_from_skip_gram(reference: str, tmp_path: Path) -> None:
    skip_gram = WordVectors([f"w{number}" for number in range(20)], U, COUNTS, V, noise_exponent=0.75)
    skip_gram.save(tmp_path / "v.safetensors")
    loaded = WordVectors.load(tmp_path / "v.safetensors")
    family = Model(loaded).family(reference, "U+V")  # type: ignore[arg-type]
    assert (family.bias is None) == (reference == "0")
    expected = in_metric(family.embed(-1.0, scaled=False), family.factor, norm="F")
    method = AlphaEmbedding(alpha=-1.0, reference=reference, metric="F")  # type: ignore[arg-type]
    assert np.allclose(method.fit_transform(loaded).vectors, expected, atol=1e-4)
    other = AlphaEmbedding(alpha=-1.0, reference=reference, metric="F", noise=float(reference == "0"))  # type: ignore[arg-type]
    assert not np.allclose(other.fit_transform(loaded).vectors, expected, atol=1e-2)
    assert loaded.take([1, 2]).noise_exponent == 0.75
