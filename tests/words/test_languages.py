"""Distances of languages: n-gram perplexity, vocabulary overlap, the vote, and the paper's own tables."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.metrics.correlation import spearman
from tenor.text.problems import Problems
from tenor.words.languages.distances import overlap, perplexities, rank_languages
from tenor.words.languages.ngram_lm import NgramModel, units_of
from tenor.words.languages.reading import read_languages
from tenor.words.languages.vote import ranked, spelled, vote

# Table 3 of Lange et al. (2020): dP | dP* | dV | dV*, and the vote; "es=fi" share a rank. The paper prints
# "Es" as the fourth of the Spanish column, by elimination De.
RANKINGS = {
    "de": ("nl en fi es", "nl en fi es", "en nl es=fi", "nl en fi es", "nl en fi es"),
    "en": ("nl es de fi", "nl fi de es", "de nl fi es", "fi nl es de", "nl fi de es"),
    "es": ("en nl fi de", "nl en de fi", "en de fi nl", "en nl fi de", "en nl fi de"),
    "fi": ("de nl en es", "nl de en es", "en de es=nl", "en nl de es", "en de nl es"),
    "nl": ("de en fi es", "de en fi es", "en de es=fi", "en de es fi", "de=en fi es"),
}
# Entity F1 of mono+X with BPEmb: target -> X -> F1.
NER = {
    "de": {"en": 80.92, "es": 80.29, "fi": 81.10, "nl": 81.25},
    "en": {"de": 87.46, "es": 87.37, "fi": 87.94, "nl": 87.38},
    "es": {"de": 79.79, "en": 80.48, "fi": 79.91, "nl": 80.93},
    "fi": {"de": 80.31, "en": 81.22, "es": 80.80, "nl": 80.67},
    "nl": {"de": 81.31, "en": 80.84, "es": 80.62, "fi": 80.65},
}
POS = {
    "de": {"en": 93.26, "es": 93.31, "fi": 93.41, "nl": 93.52},
    "en": {"de": 95.11, "es": 95.03, "fi": 94.97, "nl": 94.99},
    "es": {"de": 96.43, "en": 96.52, "fi": 96.34, "nl": 96.41},
    "fi": {"de": 94.43, "en": 94.45, "es": 94.48, "nl": 94.42},
    "nl": {"de": 94.70, "en": 94.80, "es": 94.79, "fi": 94.92},
}


def ranking(printed: str) -> dict[str, float]:
    ranks: dict[str, float] = {}
    for group in printed.split():
        names = group.split("=")
        ranks |= dict.fromkeys(names, len(ranks) + (1 + len(names)) / 2)
    return ranks


def mean_rho(measure: int, scores: dict[str, dict[str, float]]) -> float:
    found = []
    for target, by_other in scores.items():
        ranks = ranking(RANKINGS[target][measure])
        found.append(spearman([-ranks[name] for name in by_other], list(by_other.values())))
    return float(np.mean(found))


# The vote


@pytest.mark.parametrize("target", list(RANKINGS))
def test_the_vote_gives_the_rankings_of_the_paper(target):
    *given, expected = map(ranking, RANKINGS[target])
    assert vote(given) == expected
    assert list(vote(given).values()) == sorted(expected.values())


def test_the_correlations_of_the_papers_tables():
    assert [round(mean_rho(measure, NER), 2) for measure in range(5)] == [0.20, 0.48, 0.25, 0.60, 0.63]
    assert mean_rho(4, POS) == pytest.approx(-0.04, abs=0.01)


def test_three_names_of_one_mean_rank_are_ordered_by_votes():
    votes = [{"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 3, "c": 2}, {"b": 1, "c": 1.5, "a": 4}]
    assert vote(votes)["a"] == 1
    with pytest.raises(TenorError, match="very same names"):
        vote([{"a": 1}, {"b": 1}])


def test_ranks_are_those_of_scipy():
    from scipy.stats import rankdata

    values = [3.0, 1.0, 3.0, 2.0, 5.0, 3.0]
    names = "abcdef"
    scores = dict(zip(names, values, strict=True))
    assert list(ranked(scores).values()) == rankdata(values).tolist()
    assert list(ranked(scores, largest_first=True).values()) == rankdata([-v for v in values]).tolist()
    assert spelled(ranked(scores)) == "b > d > a = c = f > e"


# Language models


def reference(train: list[str], test: list[str], order: int) -> float:
    """Witten-Bell by dictionaries, straight from the formula."""
    counts = [Counter(zip(*(train[k:] for k in range(n)), strict=False)) for n in range(1, order + 1)]
    units = len(set(train))

    def p(unit, history):
        if history is None:
            return 1 / (units + 1)
        after = {gram[-1]: n for gram, n in counts[len(history)].items() if gram[:-1] == history}
        lower = p(unit, history[1:] if history else None)
        if not after:
            return lower
        return (after.get(unit, 0) + len(after) * lower) / (sum(after.values()) + len(after))

    logs = [math.log(p(test[k], tuple(test[max(0, k - order + 1) : k]))) for k in range(len(test))]
    return math.exp(-sum(logs) / len(logs))


@pytest.mark.parametrize("unit", ["char", "word"])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_perplexity_is_that_of_the_formula(unit, order):
    rng = np.random.default_rng(order)
    words = ["aba", "ab", "cab", "bac", "c"]
    train, test = ([[words[k] for k in rng.integers(0, n, 5)] for _ in range(8)] for n in (4, 5))
    model = NgramModel(train, unit=unit, order=order)
    expected = reference(units_of(train, unit), units_of(test, unit), order)
    assert model.perplexity(test) == pytest.approx(expected, rel=1e-12)


def test_probabilities_sum_to_one_after_any_history():
    model = NgramModel([list("abacabad"), list("bca")], unit="word", order=3)
    units = len(set(units_of([list("abacabad")], "word")))
    for history in ([1, 2], [2, 2], [units, 1]):
        p = [model.probabilities(np.array([*history, last]))[-1] for last in range(units + 1)]
        assert sum(p) == pytest.approx(1)


def test_a_unit_and_an_order_that_are_not_given_are_those_of_the_paper():
    text = [["a", "b"]]
    assert (NgramModel(text).order, NgramModel(text, unit="word").order) == (7, 1)
    with pytest.raises(TenorError, match="order is 0"):
        NgramModel(text, order=0)
    with pytest.raises(TenorError, match="no words"):
        NgramModel([])


def made_text(seed: int, letters: str, sentences: int = 60) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list(letters), 4)) for _ in range(40)]
    return [[words[k] for k in rng.integers(0, 40, 6)] for _ in range(sentences)]


TEXTS = {"one": made_text(1, "abcde"), "two": made_text(2, "abcdf"), "far": made_text(3, "uvwxy")}


@pytest.mark.parametrize("target", list(TEXTS))
def test_a_language_is_nearest_to_itself(target):
    found = perplexities(TEXTS, target)
    assert min(found, key=found.__getitem__) == target


def test_models_are_trained_on_equally_much_of_each_text():
    longer = TEXTS | {"two": made_text(2, "abcdf", sentences=600)}
    short = TEXTS | {"two": made_text(2, "abcdf", sentences=600)[:48] + longer["two"][-12:]}
    assert perplexities(longer, "two", unit="word")["two"] == pytest.approx(
        NgramModel(longer["two"][:48], unit="word").perplexity(longer["two"][480:528])
    )
    assert perplexities(short, "two")["far"] == perplexities(longer, "two")["far"]
    with pytest.raises(TenorError, match="sentences; give 5 or more"):
        perplexities(TEXTS | {"far": [["a"]]}, "one")


def test_symmetric_perplexity_is_the_mean_of_both_directions():
    both = perplexities(TEXTS, "one", symmetric=True)["two"]
    there, back = perplexities(TEXTS, "one")["two"], perplexities(TEXTS, "two")["one"]
    assert both == pytest.approx((there + back) / 2)
    assert perplexities(TEXTS, "two", symmetric=True)["one"] == pytest.approx(both)
    assert there != back


# Overlap


def test_overlap_is_symmetric_between_0_and_1_and_1_for_equal_vocabularies():
    rng = np.random.default_rng(0)
    for _ in range(20):
        words = {name: set(map(str, rng.integers(0, 30, 15))) for name in "abcd"}
        words["e"] = words["a"]
        assert overlap(words, "a", "b") == overlap(words, "b", "a")
        assert all(0 <= overlap(words, "a", name) <= 1 for name in "bcd")
        assert overlap(words, "a", "e") == 1
    assert overlap({"a": {"x"}, "b": {"y"}, "c": {"x"}}, "a", "b") == 0


def test_overlap_by_hand():
    # a shares x, y, z with others, b shares y, z, u: 2 common words of 3.
    words = {"a": {"x", "y", "z", "own"}, "b": {"y", "z", "u"}, "c": {"x", "u"}}
    assert overlap(words, "a", "b") == pytest.approx(2 / 3)


# Rankings


def test_the_vote_of_three_measures_ranks_the_others():
    found = rank_languages(TEXTS, "one")
    assert list(found.rankings) == ["char perplexity", "word perplexity", "overlap", "vote"]
    assert found.distances["char perplexity"]["two"] < found.distances["char perplexity"]["far"]
    assert found.rankings["vote"] == vote([found.rankings[name] for name in list(found.rankings)[:3]])
    assert set(found.rankings["vote"]) == {"two", "far"}
    assert set(found.best) <= {"two", "far"}
    few = rank_languages(TEXTS, "one", most_words=60)
    assert few.distances["char perplexity"] != found.distances["char perplexity"]
    assert few.distances["overlap"] == found.distances["overlap"]


def test_what_cannot_be_ranked_is_refused():
    with pytest.raises(TenorError, match="no text of the target 'nl'"):
        rank_languages(TEXTS, "nl")
    with pytest.raises(TenorError, match="two or more other languages"):
        rank_languages({"one": TEXTS["one"], "two": TEXTS["two"]}, "one")


def test_plain_and_tagged_files_are_read(tmp_path: Path):
    (tmp_path / "es.txt").write_text("Hola, mundo.\n\nBuenos días\n", encoding="utf-8")
    (tmp_path / "nl.conll").write_text("Hallo\tO\nAda\tB-PER\n\nDag\tO\n", encoding="utf-8")
    found = read_languages([tmp_path / "es.txt", tmp_path / "nl.conll"], problems=Problems())
    assert [list(row) for row in found["es"]] == [["Hola", ",", "mundo", "."], ["Buenos", "días"]]
    assert [list(row) for row in found["nl"]] == [["Hallo", "Ada"], ["Dag"]]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "es.txt").write_text("x\n")
    assert len(read_languages([tmp_path / "es.txt", tmp_path / "other" / "es.txt"], problems=Problems())) == 2
    with pytest.raises(TenorError, match="given twice"):
        read_languages([tmp_path / "es.txt"] * 2, problems=Problems())
