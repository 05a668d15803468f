"""Classifiers on frozen word vectors, trained by the one loop: they learn, and seeds decide."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from tenor.recipes.alpha_embeddings.classifiers import classify
from tenor.recipes.alpha_embeddings.documents import read_documents, split
from tenor.words import WordVectors


@pytest.mark.parametrize("architecture", ["linear", "bilstm"])
def test_classes_that_words_tell_are_learnt(architecture: str) -> None:
    rng = np.random.default_rng(1)
    rows = np.concatenate([rng.normal(1, 1, (20, 5)), rng.normal(-1, 1, (20, 5))]).astype(np.float32)
    labels = [str(number % 2) for number in range(1500)]
    words = [rng.integers(0, 20, rng.integers(1, 9)) + 20 * int(label) for label in labels]
    words[7] = np.zeros(0, dtype=np.int64)  # a document of which no word is known
    documents = split("made up", words, labels)
    found = classify(documents, rows, architecture=architecture, epochs=8, seed=1)  # type: ignore[arg-type]
    assert found.right.mean() > 0.9
    assert found.area > 0.95
    assert found.validation > 0.8
    assert np.allclose(found.probabilities.sum(axis=1), 1.0)
    again = classify(documents, rows, architecture=architecture, epochs=8, seed=1)  # type: ignore[arg-type]
    assert (again.probabilities == found.probabilities).all()


def test_documents_are_parted_always_alike_and_without_overlap() -> None:
    words = [np.zeros(1, dtype=np.int64)] * 100
    one, two = (split("made up", words, ["a", "b"] * 50) for _ in "ab")
    assert (one.part == two.part).all()
    assert [len(one.rows(part)) for part in range(3)] == [70, 10, 20]


def test_both_files_are_read(tmp_path: Path) -> None:
    vectors = WordVectors(["good", "stock", "film"], np.eye(3))
    with gzip.open(tmp_path / "test.csv.gz", "wt") as file:
        file.write('"3","Stock news","A ""good"" day"\n"1","Other","words"\n')
    with gzip.open(tmp_path / "rt-polarity.all.gz", "wt") as file:
        file.write("0 a film .\n1 Good film .\n")
    news = read_documents("AG News", tmp_path, vectors)
    assert [some.tolist() for some in news.words] == [[1, 0], []]
    assert news.classes.tolist() == [1, 0]
    reviews = read_documents("MR", tmp_path, vectors)
    assert [some.tolist() for some in reviews.words] == [[2], [0, 2]]
