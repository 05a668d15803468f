"""The two multi-task reports: their data without overlaps, their grid and ladder, their scores."""

import gzip
import itertools
import json
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest

from tenor.recipes.minbert import best as minbert_best
from tenor.recipes.minbert import concat as minbert_concat
from tenor.recipes.minbert import data
from tenor.recipes.minbert import shared as minbert_shared
from tenor.recipes.minbert.training import TASKS
from tenor.text.overlap import normalise

PRINTED = [  # overall, sentiment, paraphrase, similarity, as the second report's tables have them
    (0.494, 0.532, 0.385, 0.13), (0.564, 0.503, 0.663, 0.055), (0.704, 0.518, 0.799, 0.592),
    (0.713, 0.52, 0.784, 0.668), (0.73, 0.52, 0.738, 0.86), (0.75, 0.524, 0.793, 0.863),
    (0.749, 0.532, 0.789, 0.854),
]  # fmt: skip


@pytest.mark.parametrize("row", PRINTED, ids=str)
def test_the_overall_score_is_the_printed_one(row):
    overall, *scores = row
    assert minbert_concat.overall(*scores) == pytest.approx(overall, abs=1.1e-3)
    composite, names = minbert_concat.OVERALL, ("sentiment", "paraphrase", "similarity")
    found = composite.offset + sum(
        composite.weights[name] * score for name, score in zip(names, scores, strict=True)
    )
    assert found == pytest.approx(minbert_concat.overall(*scores))


def test_half_of_the_grid_keeps_main_effects_apart_from_each_other_and_from_interactions():
    levels = np.array([[1 if on else -1 for on in cell.settings.values()] for cell in minbert_shared.HALF])
    assert levels.shape == (8, 4)
    assert (levels.sum(axis=0) == 0).all()
    for first, second, third in itertools.product(range(4), repeat=3):
        if second < third:
            assert (levels[:, first] * levels[:, second] * levels[:, third]).sum() == 0 or first in (
                second,
                third,
            )
    assert len(minbert_shared.ALL) == 16
    assert len({cell.name for cell in minbert_shared.ALL}) == 16


def test_weighted_and_plain_losses_differ_by_their_weights_only():
    chosen = dict(minbert_shared.CHOSEN)
    weighted, plain = (minbert_shared._networks(chosen | {"weighted": on}) for on in (True, False))
    assert [weighted[name].pop("weight") for name in TASKS] == [0.5, 0.25, 0.25]
    assert sum(plain[name].pop("weight") for name in TASKS) == pytest.approx(1)
    assert weighted == plain


def test_strengths_of_opinions_become_five_classes(tmp_path):
    with zipfile.ZipFile(tmp_path / "product_reviews_1.zip", "w") as archive:
        lines = [
            "zoom[+3]##great zoom",
            "price[-3]##awful price",
            "size[+2], weight[-2]##so so",
            "##no opinion",
        ]
        archive.writestr("product_reviews_1/camera.txt", "\n".join(lines))
        archive.writestr("product_reviews_1/README.txt", "[+3]##not a review")
    with zipfile.ZipFile(tmp_path / "product_reviews_2.zip", "w") as archive:
        archive.writestr("product_reviews_2/ipod.txt", "sound[+1]##good sound")
    rows = list(data._reviews(SimpleNamespace(folder=lambda name: tmp_path)))
    assert [(row["text"], row["label"]) for row in rows] == [
        ("great zoom", "4"), ("awful price", "0"), ("so so", "2"), ("good sound", "3"),
    ]  # fmt: skip


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A small data folder of the course's form, with test rows hidden in the train files."""
    monkeypatch.setattr(data, "TESTED_PAIRS", 20)
    monkeypatch.setattr(data, "VALIDATION", {"sentiment": 5, "paraphrase": 10, "similarity": 5})
    for name in ("minbert", "sst-trees", "quora-10k"):
        (tmp_path / name).mkdir()

    def table(name, header, rows):
        lines = ["\t".join(["", "id", *header])] + ["\t".join(["0", "x", *row]) for row in rows]
        (tmp_path / "minbert" / name).write_text("\n".join(lines) + "\n")

    sentence, pair = ("sentence", "sentiment"), ("sentence1", "sentence2", "similarity")
    table(
        "ids-sst-train.csv",
        sentence,
        [(f"Train text {n} .", "1") for n in range(30)] + [("Dev , text 3", "2")],
    )
    table("ids-sst-dev.csv", sentence, [(f"dev text {n}", "2") for n in range(8)])
    table("ids-sst-test-student.csv", ("sentence",), [("train text 7",)])
    graded = [(f"One {n}", f"Two {n}", "2.5") for n in range(30)]
    table("sts-train.csv", pair, [*graded, ("a dev two!", "a dev one", "4.0")])
    table("sts-dev.csv", pair, [("A dev one", "A dev two", "3.0")])
    table("sts-test-student.csv", ("sentence1", "sentence2"), [("two 4", "one 4")])
    asked = [(f"Question {n // 2}?", f"Other {n}?", "1.0" if n % 3 else "0.0") for n in range(80)]
    table("quora-dev.csv", ("sentence1", "sentence2", "is_duplicate"), [*asked, ("no", "label", "")])
    more = [f"1\tquestion {n}\tnew {n}\t{n}" for n in range(40)] + ["1\tother 3\tQuestion 1\t99"]
    (tmp_path / "quora-10k/dev.tsv.gz").write_bytes(gzip.compress("\n".join(more).encode()))
    for part, number in (("dev", 9), ("test", 11)):
        (tmp_path / "sst-trees" / f"{part}.txt").write_text(f"(3 (2 Train) (3 (2 text) (2 {number})))\n")
    return SimpleNamespace(folder=lambda name: tmp_path / name)


def test_no_test_row_is_trained_on(course, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    data.prepare(course, out)
    rows = {file.name: [json.loads(line) for line in file.open()] for file in out.glob("*.jsonl")}

    trained = {
        normalise(row["text"]) for part in ("train", "choose") for row in rows[f"sentiment.{part}.jsonl"]
    }
    hidden = ("dev text 3", "train text 7", "train text 9", "train text 11")
    assert not trained & {normalise(text) for text in hidden}
    assert len(trained) == 27
    assert [row["text"] for row in rows["sentiment.test.jsonl"]] == [f"dev text {n}" for n in range(8)]

    pairs = [
        {row["first"], row["second"]}
        for part in ("train", "choose")
        for row in rows[f"similarity.{part}.jsonl"]
    ]
    assert {"One 4", "Two 4"} not in pairs
    assert not any("a dev one" in pair for pair in pairs)
    assert len(pairs) == 29
    assert [(row["first"], row["second"]) for row in rows["similarity.test.jsonl"]] == [
        ("A dev one", "A dev two")
    ]

    tested = {normalise(row[side]) for row in rows["paraphrase.test.jsonl"] for side in ("first", "second")}
    others = [*rows["paraphrase.train.jsonl"], *rows["paraphrase.choose.jsonl"]]
    assert 0 < len(rows["paraphrase.test.jsonl"]) <= 20
    assert not tested & {normalise(row[side]) for row in others for side in ("first", "second")}
    dropped = json.loads((out / "dropped.json").read_text())
    assert dropped["sentiment"] == {"SST train": 4}
    assert dropped["similarity"] == {"STS train": 2}
    assert dropped["paraphrase"]["Quora 10k: stands in the other file too"] == 1


def test_no_rated_text_holds_a_row_for_testing_or_choosing(course, tmp_path, monkeypatch):
    tested = "The whole of this sentence stands among the rows that are tested on"
    trees = "(3 " + " ".join(f"(2 {word})" for word in tested.split()) + ")\n"
    (tmp_path / "sst-trees/test.txt").write_text(trees)
    rated = tmp_path / "rated"
    rated.mkdir()
    lines = [
        "id\tsentiment\ttext",
        f"1\t2.6\tBefore it. {tested}!",
        '2\t-3.51\tSome "other" text',
        "3\t0\tdev text 3",
    ]
    (rated / "tweets_GroundTruth.txt").write_bytes("\r\n".join(lines).encode())
    monkeypatch.setattr(data, "find", lambda name: rated)
    out = tmp_path / "out"
    out.mkdir()
    data.prepare(course, out)
    data.prepare_valence(course, out, out)
    assert data.read_rows(out / "valence.train.jsonl") == [{"text": 'Some "other" text', "label": "-4"}]
    assert json.loads((out / "dropped.json").read_text()) == {"valence": {"rated texts, tweets": 2}}


def test_no_row_for_testing_or_choosing_is_among_the_extra_rows(course, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    data.prepare(course, out)
    chosen = data.read_rows(out / "similarity.choose.jsonl")[0]
    (tmp_path / "sick").mkdir()
    (tmp_path / "nltk").mkdir()
    lines = [
        "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment",
        f"1\t{chosen['second']}\t{chosen['first']}\t3\tNEUTRAL",
        "2\tA dev one\tA dev two\t4\tNEUTRAL",
        "3\tA new one\tA new two\t3\tENTAILMENT",
    ]
    sentence = data.read_rows(out / "sentiment.choose.jsonl")[0]["text"]
    reviews = f"zoom[+3]##dev text 3\nzoom[+3]##{sentence}\nzoom[+3]##great zoom"
    for part in ("train", "trial"):
        (tmp_path / f"sick/SICK_{part}.txt").write_text("\n".join(lines) + "\n")
    for number in (1, 2):
        with zipfile.ZipFile(tmp_path / f"nltk/product_reviews_{number}.zip", "w") as archive:
            archive.writestr("reviews/camera.txt", reviews)
    data.prepare_extra(course, out, out)
    pairs, sentences = (data.read_rows(out / f"{name}.extra.jsonl") for name in ("similarity", "sentiment"))
    # The middle of 1 to 5 is that of 0 to 5; the strongest praise is the last class.
    assert {(row["first"], row["score"]) for row in pairs} == {("A new one", 2.5)}
    assert {(row["text"], row["label"]) for row in sentences} == {("great zoom", "4")}


def test_what_stands_twice_in_train_is_not_both_trained_on_and_chosen_by():
    rows = [{"text": f"Text {n % 20}{'!' * (n // 20)}"} for n in range(40)]
    train, choose = data._split(rows, 8)
    assert len(choose) == 8
    assert not {normalise(row["text"]) for row in train} & {normalise(row["text"]) for row in choose}
    assert len(train) >= 40 - 16


def test_no_row_for_testing_or_choosing_is_among_the_further_rows(course, tmp_path):
    rows, more = tmp_path / "rows", tmp_path / "more"
    for folder in (rows, more, tmp_path / "semeval-sts/2012", tmp_path / "sick"):
        folder.mkdir(parents=True)
    data.prepare(course, rows)
    chosen = data.read_rows(rows / "sentiment.choose.jsonl")[0]["text"].split()
    trees = [
        f"(1 (4 ({1} {chosen[0]}) ({2} {chosen[1]})) (1 (2 {chosen[2]}) (2 .)))",  # a tree that is chosen by
        "(2 (3 dev) (3 (2 text) (2 3)))",  # one that is tested
        "(3 (4 (2 a) (4 fine)) (2 film))", "(1 (0 (2 dev) (0 (2 text) (2 4))) (2 bores))",
    ]  # fmt: skip
    (tmp_path / "sst-trees/train.txt").write_text("\n".join(trees) + "\n")
    apart = data.read_rows(rows / "similarity.choose.jsonl")[0]
    known = data.read_rows(rows / "similarity.train.jsonl")[0]  # is learned from as it is
    graded = [("4.0", "A dev two", "a DEV one"), ("1.0", apart["second"], apart["first"]),
              ("", "not", "scored"), ("3.5", "brand", "new"), ("3.0", "Brand!", "new."),
              ("4.5", known["first"], known["second"])]  # fmt: skip
    lines = ["\t".join(row) for row in graded]
    (tmp_path / "semeval-sts/2012/MSRvid.train.tsv").write_text("\n".join(lines) + "\n")
    for year in ("2013", "2014"):
        (tmp_path / "semeval-sts" / year).mkdir()
        (tmp_path / "semeval-sts" / year / "OnWN.test.tsv").write_text("\tnot\tscored\n")
    for part in ("train", "trial"):
        head = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
        text = "1\tx\ty\t3\tENTAILMENT\n2\ttwo 4\tone 4\t1\tNEUTRAL\n"
        (tmp_path / f"sick/SICK_{part}.txt").write_text(head + text)

    labelled = [("one", "two", "1"), ("Two?", "three", "0")]
    data.write_rows(
        rows / "paraphrase.train.jsonl",
        [{"first": first, "second": second, "label": label} for first, second, label in labelled],
    )
    data.prepare_more(course, rows, more)
    phrases = data.read_rows(more / "sentiment.more.jsonl")
    # "text 4" stands in a tree that is free; the dev sentence above it does not come with it.
    assert [(row["text"], row["label"]) for row in phrases] == [("a fine", "4"), ("text 4", "0")]
    pairs = data.read_rows(more / "similarity.more.jsonl")
    assert pairs == [
        {"first": "brand", "second": "new", "score": 3.5}, {"first": "x", "second": "y", "score": 2.5},
    ]  # fmt: skip
    implied = data.read_rows(more / "paraphrase.more.jsonl")
    assert [(*data.texts_of(row), row["label"]) for row in implied] == [("one", "three", "0")]
    dropped = json.loads((more / "dropped.json").read_text())
    assert dropped["sentiment"] == {"trees of SST train": 2, "phrases of SST train": 1}
    assert dropped["similarity"] == {"SemEval STS 2012-2014": 2, "SICK": 2}


def test_own_rows_count_as_often_as_asked_beside_further_ones(course, tmp_path):
    from tenor.recipes.minbert import training

    rows, more = tmp_path / "rows", tmp_path / "further"
    for folder in (rows, more):
        folder.mkdir()
    data.write_rows(rows / "sentiment.train.jsonl", [{"text": "a -LRB- fine -RRB- film", "label": "4"}])
    data.write_rows(more / "sentiment.more.jsonl", [{"text": "fine", "label": "3"}])
    context = SimpleNamespace(work=tmp_path, data=None, shared=lambda *_, **__: more)
    setup = training.Setup(tasks={}, further={"sentiment": 2}, usual_marks=True)
    file = training._train_file(context, rows, "sentiment", setup)
    assert [row["text"] for row in data.read_rows(file)] == ["a ( fine ) film", "a ( fine ) film", "fine"]


def test_the_marks_are_judged_as_scores_not_as_differences():
    marks = [claim for claim in minbert_best.RECIPE.claims if claim.headline]
    assert [claim.reference for claim in marks] == [0.88, 0.84, 0.51]
    assert all(list(claim.contrast.weights.values()) == [1.0] for claim in marks)
    plan = minbert_best.RECIPE.scales["full"]
    assert ([cell.name for cell in plan.cells][:2], plan.seeds) == (["best", "lean"], 3)
    assert all(cell.seeds(3) == 1 and cell.settings["trial"] for cell in plan.cells[2:])
