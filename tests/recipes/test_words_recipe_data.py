"""Data of the recipes on bilingual lexicons and alpha embeddings, from small files made here."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tenor.corpora.static_vectors import FILES
from tenor.recipes.alpha_embeddings.models import without
from tenor.recipes.alpha_embeddings.word_tests import read_tests
from tenor.recipes.nth_order_bli.languages import real
from tenor.words import WordVectors
from tenor.words.corpus import Corpus


class Folders:
    """The part of a run's context that gives data folders."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def folder(self, name: str) -> Path:
        return self.data / name


def test_words_of_the_largest_seed_are_never_tested(tmp_path: Path) -> None:
    vectors, dictionaries = tmp_path / "static-emb", tmp_path / "bli-xling-eval" / "en-de"
    vectors.mkdir()
    dictionaries.mkdir(parents=True)
    for language, words in (("en", ["dog", "cat", "sun"]), ("de", ["hund", "katze", "sonne", "kater"])):
        made = WordVectors(words, np.eye(len(words)))
        made.save(tmp_path / "v.vec")
        (vectors / FILES[language]).write_bytes((tmp_path / "v.vec").read_bytes())
    rows = {
        "train.freq.1k": "Dog\tHund\n",
        "train.freq.5k": "Dog\tHund\nSun\tSonne\n",
        "test.freq.2k": "cat\tKatze\ncat\tKater\nsun\tSonne\nmoon\tMond\n",
    }
    for part, text in rows.items():
        (dictionaries / f"yacle.{part}.en-de.tsv").write_text(text)
    context: Any = Folders(tmp_path)
    found = real("en-de", "1k", context)
    assert found.seed == [("dog", "hund")]
    assert found.test.pairs.tolist() == [[1, 1], [1, 3]]


def test_dropped_words_leave_the_others_in_their_sentences() -> None:
    ids = np.array([0, 1, 2, 0, 3, 1, 2], dtype=np.int32)
    corpus = Corpus(["the", "cat", "sat", "mat"], np.array([2, 2, 2, 1]), ids, np.array([0, 5, 7]))
    kept = without([word != "the" for word in corpus.words], corpus, 2)
    assert kept.words == ["cat", "sat"]
    assert kept.ids.tolist() == [0, 1, 0, 1]
    assert kept.starts.tolist() == [0, 2, 4]
    assert kept.counts.tolist() == [2, 2]


def test_tests_hold_only_what_the_vocabulary_knows(tmp_path: Path) -> None:
    similarity = tmp_path / "word-similarity" / "monolingual" / "en"
    analogy = tmp_path / "word-analogy" / "monolingual" / "en"
    for folder in (similarity, analogy):
        folder.mkdir(parents=True)
    words = [f"w{number}" for number in range(24)]
    pairs = [f"{n},w{n},w{n + 1},{n}" for n in range(20)] + ["20,w1,unknown,3"]
    names = ["rg-65", "mc-30", "wordsim353-sim", "wordsim353-rel", "mturk-771", "mturk-287", "simlex999"]
    for name in names:
        (similarity / f"{name}.csv").write_text("\n".join([",word1,word2,similarity", *pairs]) + "\n")
    tagged = [f"{n},w{n}-n,w{n + 1}-n,{n}" for n in range(20)]
    (similarity / "men.csv").write_text("\n".join([",word1,word2,similarity", *tagged]) + "\n")
    (analogy / "google-analogies.csv").write_text(
        ",type,word1,word2,word3,target\n0,kin,w1,w2,w3,w4\n1,kin,w1,w2,w3,no\n"
    )
    vectors = WordVectors(words, np.random.default_rng(0).normal(size=(24, 4)))
    found = read_tests(vectors, tmp_path)
    assert {name: len(gold) for name, (_, gold) in found.similarity.items()} == dict.fromkeys(
        found.similarity, 20
    )
    assert "MEN" in found.similarity
    assert found.questions.tolist() == [[1, 2, 3, 4]]
    rows = vectors.vectors
    assert found.spearmans(found.cosines(rows)).keys() == found.similarity.keys()
    assert found.right(rows).shape == (1,)
    with pytest.raises(KeyError):
        found.spearmans({"no such set": np.zeros(1)})
