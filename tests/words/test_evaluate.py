"""Test sets of every kind: reading them, scoring against scipy, sklearn and gensim, same items for all."""

import json

import numpy as np
import pytest
from gensim.models import KeyedVectors
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from tenor.errors import TenorError
from tenor.words import WordVectors
from tenor.words.evaluate import Benchmarks, evaluate, measures, read_benchmarks
from tenor.words.evaluate.plotting import draw
from tenor.words.evaluate.sets import AnalogySet, CategorySet, Group, OutlierSet, RelationSet, SimilaritySet
from tenor.words.neighbours import unit_rows

WORDS = [f"w{number}" for number in range(80)]


@pytest.fixture
def vectors():
    return WordVectors(WORDS, np.random.default_rng(0).normal(size=(80, 6)), name="a")


def _keyed(vectors):
    theirs = KeyedVectors(vectors.vector_size)
    theirs.add_vectors(list(vectors.words), vectors.vectors)
    return theirs


def _one(vectors, benchmarks, **settings):
    return evaluate([vectors], benchmarks, repeats=50, **settings)


def test_similarity_is_scipys_on_the_known_pairs(vectors):
    generator = np.random.default_rng(1)
    pairs = [(f"w{a}", f"w{b}") for a, b in generator.integers(0, 90, size=(60, 2))]
    gold = generator.normal(size=60).tolist()
    result = _one(vectors, Benchmarks(similarity=[SimilaritySet("s", pairs, gold)]))[0]
    known = [place for place, pair in enumerate(pairs) if all(word in vectors for word in pair)]
    ours = [vectors.similarity(*pairs[place]) for place in known]
    expected = spearmanr(ours, [gold[place] for place in known]).statistic
    assert (result.used, result.total) == (len(known), 60)
    assert result.scores[0].estimate == pytest.approx(expected)
    assert result.scores[0].low <= expected <= result.scores[0].high


def test_analogies_by_category_are_gensims(vectors, tmp_path):
    generator = np.random.default_rng(2)
    questions, lines = [], []
    for category in ("one", "two"):
        lines.append(f": {category}")
        for a, b, c in generator.permuted(np.tile(np.arange(80), (25, 1)), axis=1)[:, :3]:
            answer = vectors.analogy(f"w{a}", f"w{b}", f"w{c}", 1)[0][0] if c % 3 else "w0"
            questions.append((f"w{a}", f"w{b}", f"w{c}", answer))
            lines.append(" ".join(questions[-1]))
    lines.append("w1 w2 w3 unknown")
    path = tmp_path / "questions.txt"
    path.write_text("\n".join(lines))
    _, sections = _keyed(vectors).evaluate_word_analogies(str(path), case_insensitive=False)
    whole, *parts = _one(vectors, read_benchmarks(tmp_path))
    for ours, theirs in zip([*parts, whole], sections, strict=True):
        right = len(theirs["correct"])
        # Questions whose answer is part of them cannot be right; we leave them out, gensim counts them wrong.
        assert ours.scores[0].estimate * ours.used == pytest.approx(right)
    assert (whole.used, whole.total) == (sum(q[3] not in q[:3] for q in questions), 51)
    assert [part.part for part in parts] == ["one", "two"]


def test_candidates_bound_the_answers(vectors):
    test = AnalogySet(
        "g", [("w1", "w2", "w3", "w70"), *[("w1", "w2", f"w{n}", "w4") for n in range(5, 9)]], ["x"] * 5
    )
    result = _one(vectors, Benchmarks(analogies=[test]), restrict_vocab=50)[0]
    assert (result.used, result.total) == (4, 5)


def test_purity_of_clear_clusters_is_one_and_of_one_cluster_the_majority():
    generator = np.random.default_rng(3)
    table = np.concatenate([np.eye(3)[place] * 10 + generator.normal(size=(10, 3)) for place in range(3)])
    units = unit_rows(table.astype(np.float32))
    labels = np.repeat([0, 1, 2], 10)
    assert measures.in_majority(units, np.arange(30), labels, seed=0).mean() == 1
    same = np.ones((10, 2), dtype=np.float32)
    with np.testing.suppress_warnings() as quiet:
        quiet.filter(Warning)
        mixed = measures.in_majority(same, np.arange(10), np.array([0] * 6 + [1] * 4), seed=0)
    assert mixed.mean() == 0.6


def test_outliers_are_those_whose_removal_leaves_the_most_compact_group():
    generator = np.random.default_rng(4)
    units = unit_rows(generator.normal(size=(9, 5)).astype(np.float32))
    group, outliers = np.arange(6), np.arange(6, 9)
    last, place = measures.outlier_positions(units, group, outliers)
    for column, outlier in enumerate(outliers):
        words = [*group, outlier]
        compact = []
        for left_out in words:
            rest = units[[word for word in words if word != left_out]].astype(np.float64)
            compact.append((np.sum(rest @ rest.T) - len(rest)) / (len(rest) * (len(rest) - 1)))
        rank = int(np.sum(np.array(compact[:-1]) < compact[-1]))
        assert place[column] == pytest.approx(rank / 6)
        assert last[column] == (rank == 6)


def test_area_under_the_curve_is_sklearns():
    generator = np.random.default_rng(5)
    scores, related = generator.integers(0, 8, 60).astype(float), generator.random(60) < 0.4
    assert measures.auc_by_item(scores, related).mean() == pytest.approx(roc_auc_score(related, scores))


def test_relations_are_guessed_only_from_what_generalises(vectors):
    generator = np.random.default_rng(6)
    table = generator.normal(size=(60, 8)).astype(np.float32)
    pairs = np.array([(a, b) for a in range(30) for b in range(30, 60)])
    rule = (table[pairs[:, 1], 0] > 0).astype(np.int64)  # the second word decides
    memory = pairs[:, 0] % 2  # only the first word's identity decides, which is never seen twice
    units = unit_rows(table)
    assert measures.relation_correct(units, pairs, rule).mean() > 0.9
    assert measures.relation_correct(units, pairs, memory).mean() < 0.75


def test_all_vectors_meet_the_same_items():
    a = WordVectors(["x", "y", "z", "u", "v"], np.random.default_rng(0).normal(size=(5, 3)))
    b = WordVectors(["z", "y", "x", "v", "q"], np.random.default_rng(1).normal(size=(5, 2)))
    pairs = [("x", "y"), ("y", "z"), ("X", "z"), ("u", "v"), ("v", "x"), ("q", "x")]
    tests = Benchmarks(similarity=[SimilaritySet("s", pairs, [1, 2, 3, 4, 5, 6])])
    result = evaluate([a, b], tests, repeats=20)[0]
    assert (result.used, result.total) == (4, 6)  # "X" is found in small letters
    alone = [evaluate([one.take(["x", "y", "z", "v"])], tests, repeats=20)[0] for one in (a, b)]
    assert result.scores == tuple(one.scores[0] for one in alone)
    json.dumps(result.as_json(["a", "b"]), allow_nan=False)


def test_tests_without_known_words_say_so(vectors, tmp_path):
    tests = Benchmarks(
        similarity=[SimilaritySet("s", [("p", "q")], [1.0])],
        analogies=[AnalogySet("g", [("p", "q", "r", "s")], ["x"])],
        categories=[CategorySet("c", ["p", "q"], ["x", "y"])],
        outliers=[OutlierSet("o", [Group("g", ["p"], ["q"])])],
        relations=[RelationSet("r", [("p", "q")], ["hyper"])],
    )
    results = _one(vectors, tests)
    assert [result.used for result in results] == [0] * 5
    json.dumps([result.as_json(["a"]) for result in results], allow_nan=False)
    with pytest.raises(TenorError, match="no kind of test"):
        _one(vectors, tests, kinds=["nonsense"])
    with pytest.raises(TenorError, match="No test has a score"):
        draw(results, ["a"], tmp_path / "x.svg")


@pytest.fixture
def folder(tmp_path):
    def put(place, text):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    put("word-similarity/monolingual/en/men.csv", ",word1,word2,similarity\n0,sun-n,sky-n,5\n1,w1-n,w2-v,3\n")
    put("word-analogy/monolingual/en/google-analogies.csv", ",type,word1,word2,word3,target\n0,cap,a,b,c,d\n")
    put("word-analogy/monolingual/en/sat.csv", ",type,word1,word2,word3,target\n0,0,a,b,c,d\n")
    put("questions-words.txt", ": cap\na b c d\n")
    put("word-categorization/monolingual/en/ap.csv", ",category,word\n0,x,p\n1,y,q\n2,x,both\n3,y,both\n")
    outliers = """,category,outliers,words\n0,cars,"['boat', '']","['van', ""driver's cab""]"\n"""
    put("outlier-detection/monolingual/en/8-8-8.csv", outliers)
    put("semantic-relation/monolingual/en/bless.csv", ",word1,word2,relation\n0,a,b,hyper\n1,c,d,?\n")
    put("wordsim.tsv", "# a comment\nlove\tsex\t6.77\ntiger\tcat\t7.35\nbook\tpaper\t7.46\n")
    return tmp_path


def test_reading_the_layout(folder):
    found = read_benchmarks(folder)
    assert [test.name for test in found.similarity] == ["men", "wordsim"]
    assert found.similarity[0].pairs == [("sun", "sky"), ("w1", "w2")]
    assert found.similarity[1].scores == [6.77, 7.35, 7.46]
    assert [test.name for test in found.analogies] == ["google-analogies"]
    assert found.skipped[0][0] == "sat"
    assert found.categories[0].words == ["p", "q"]
    assert found.outliers[0].groups == [Group("cars", ["van", "driver's cab"], ["boat"])]
    assert found.relations[0].relations == ["hyper"]


@pytest.mark.parametrize(
    ("place", "text", "says"),
    [
        ("word-similarity/monolingual/en/x.csv", "a,b\n1,2\n", "no pairs of words"),
        (
            "outlier-detection/monolingual/en/x.csv",
            "category,words,outliers\nx,__import__('os'),[]\n",
            "not a list",
        ),
        ("outlier-detection/monolingual/en/x.csv", "category,words,outliers\nx,[1],[2]\n", "not a list"),
    ],
    ids=["column", "code", "numbers"],
)
def test_broken_test_sets(tmp_path, place, text, says):
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(TenorError, match=says):
        read_benchmarks(tmp_path)


def test_a_folder_without_tests(tmp_path):
    with pytest.raises(TenorError, match="no test sets"):
        read_benchmarks(tmp_path)
    with pytest.raises(TenorError, match="no folder"):
        read_benchmarks(tmp_path / "nowhere")


def test_the_picture(vectors, tmp_path):
    tests = Benchmarks(
        similarity=[SimilaritySet("s<1>", [("w1", "w2"), ("w3", "w4"), ("w5", "w6")], [1, 2, 3])]
    )
    draw(evaluate([vectors, vectors], tests, repeats=20), ["a", "b"], tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text()
    assert text.count("<circle") == 2
    assert "s<1>" not in text
    with pytest.raises(TenorError, match="svg"):
        draw([], ["a"], tmp_path / "x.png")
