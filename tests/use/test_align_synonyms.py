"""Synonym links by WordNet: which word pairs they mark, and what they change."""

import numpy as np
import pytest

import tenor
from small_wordnet import write_wordnet
from tenor.errors import TenorError
from tenor.text.wordnet import WordNet
from tenor.use.align import pairs
from tenor.use.align.model1 import fit_word_table
from tenor.use.align.pairs import Aligner, WordPair
from tenor.use.align.synonyms import SYNONYM, Synonyms


@pytest.fixture(scope="module")
def synonyms(tmp_path_factory):
    return Synonyms(WordNet.load(write_wordnet(tmp_path_factory.mktemp("wordnet"))), "made up")


def test_synonyms_in_any_form_are_marked_and_nothing_else(synonyms):
    first, second = ["He", "bought", "CARS", ".", "car"], ["She", "purchases", "an", "auto", "."]
    marked = synonyms.pairs(first, second)
    assert np.argwhere(marked).tolist() == [[1, 1], [2, 3], [4, 3]]
    assert (synonyms.pairs(second, first) == marked.T).all()
    assert (synonyms.bonus(first, second) == SYNONYM * marked).all()


def test_forms_of_one_word_have_their_own_bonus(synonyms):
    assert not synonyms.pairs(["buys"], ["buy"]).any()
    assert synonyms.pairs(["axes"], ["axis"]).any()


@pytest.mark.parametrize(("first", "second"), [([], ["car"]), (["car"], []), ([], [])])
def test_no_words(synonyms, first, second):
    assert synonyms.pairs(first, second).shape == (len(first), len(second))


def test_the_bonus_reaches_the_alignment(tiny_folder, synonyms, monkeypatch):
    model = tenor.load(tiny_folder, precision="fp32")
    pair = WordPair(("car",), ("dog", "auto"))
    heard = []

    def note(first, second, vectors, *, bonus, **rest):
        heard.append(bonus)
        return np.zeros((len(first), len(second)), dtype=bool)

    monkeypatch.setattr(pairs, "align_paraphrases", note)
    list(Aligner(model, synonyms=synonyms).align([pair]))
    list(Aligner(model).align([pair]))
    assert heard[0].tolist() == [[0.0, pytest.approx(0.1)]]
    assert heard[1] is None


def test_model1_and_synonyms_are_added(tiny_folder, synonyms):
    model = tenor.load(tiny_folder, precision="fp32")
    table = fit_word_table([(["car"], ["auto"]), (["car", "dog"], ["auto", "dog"])])
    both = Aligner(model, synonyms=synonyms, table=table)._bonus(["car"], ["auto"])
    apart = [Aligner(model, synonyms=synonyms), Aligner(model, table=table)]
    assert both == pytest.approx(sum(each._bonus(["car"], ["auto"]) for each in apart))
    assert both.item() > SYNONYM


def test_what_is_not_fetched_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TenorError, match="Get it with: tenor fetch wordnet"):
        Synonyms.load()
