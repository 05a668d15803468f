"""Thresholds picked on labelled pairs, against scikit-learn and by construction."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_recall_curve

import tenor
from tenor.errors import TenorError
from tenor.use.dedupe.calibrate import calibrate, calibrate_file


def drawn(n=400, seed=0, gap=1.0):
    generator = np.random.default_rng(seed)
    truth = generator.random(n) < 0.4
    scores = 1 / (1 + np.exp(-(generator.normal(size=n) + gap * truth)))
    return truth, np.round(scores, 2)  # with ties


@pytest.mark.parametrize("seed", range(5))
def test_best_f1_equals_scikit_learn(seed):
    truth, scores = drawn(seed=seed)
    precision, recall, thresholds = precision_recall_curve(truth, scores)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    picked = calibrate(truth, scores)
    assert picked.fitted.f1.estimate == pytest.approx(f1.max())
    assert f1_score(truth, scores >= picked.threshold) == pytest.approx(f1.max())
    assert thresholds.min() <= picked.threshold <= thresholds.max()


@pytest.mark.parametrize("wanted", [0.5, 0.7, 0.8])
def test_a_wanted_precision_at_the_best_recall(wanted):
    truth, scores = drawn(2000)
    precision, recall, _ = precision_recall_curve(truth, scores)
    picked = calibrate(truth, scores, precision_at=wanted)
    assert picked.fitted.precision.estimate >= wanted
    assert picked.fitted.recall.estimate == pytest.approx(recall[:-1][precision[:-1] >= wanted].max())


def test_a_precision_out_of_reach_is_told():
    truth, scores = [1, 0, 1, 0], [0.2, 0.9, 0.1, 0.3]
    with pytest.raises(TenorError, match=r"highest is 0\.5"):
        calibrate(truth, scores, precision_at=0.9)


def test_table_rises_and_holds_the_pick():
    picked = calibrate(*drawn())
    thresholds = [row.threshold for row in picked.table]
    assert thresholds == sorted(thresholds)
    assert picked.threshold in thresholds
    recalls = [row.scores.recall.estimate for row in picked.table]
    assert recalls == sorted(recalls, reverse=True)
    for row in picked.table:
        for scores in (row.scores.precision, row.scores.recall, row.scores.f1):
            assert scores.low <= scores.estimate <= scores.high


def test_cross_validation_is_honest_on_noise():
    """Where scores say nothing, the fit looks better than the held-out figure, on average over draws."""
    optimism = []
    for seed in range(15):
        generator = np.random.default_rng(seed)
        truth, scores = generator.random(60) < 0.5, generator.random(60)
        picked = calibrate(truth, scores, seed=seed)
        optimism.append(picked.fitted.f1.estimate - picked.cross_validated.f1.estimate)
    assert np.mean(optimism) > 0.005


def test_repeats_of_a_pair_do_not_flatter_the_crossfit(tiny_folder, tmp_path):
    """Five times the same pairs tell no more than once: no fold may see its own pairs elsewhere."""
    generator = np.random.default_rng(1)
    truth, scores = generator.random(60) < 0.5, generator.random(60)
    once = calibrate(truth, scores)
    again = calibrate(np.tile(truth, 5), np.tile(scores, 5), groups=np.tile(np.arange(60), 5))
    assert again.cross_validated.f1.estimate == once.cross_validated.f1.estimate < once.fitted.f1.estimate
    model = tenor.load(tiny_folder)
    swapped = [(two, one, label) for one, two, label in PAIRS]
    picked = [calibrate_file(model, write(tmp_path / "p.tsv", rows)) for rows in (PAIRS, PAIRS + swapped)]
    assert picked[0].cross_validated.f1.estimate == picked[1].cross_validated.f1.estimate


def test_cross_validation_equals_the_fit_where_classes_are_apart():
    truth = np.arange(100) % 2 == 0
    picked = calibrate(truth, np.where(truth, 0.9, 0.2))
    assert picked.cross_validated.f1.estimate == picked.fitted.f1.estimate == 1.0
    assert picked.threshold == pytest.approx(0.55)


def test_same_seed_same_figures():
    assert calibrate(*drawn(), seed=3).cross_validated == calibrate(*drawn(), seed=3).cross_validated


@pytest.mark.parametrize("truth", [[1, 1], [0, 0], []])
def test_one_kind_only(truth):
    with pytest.raises(TenorError, match="both kinds"):
        calibrate(truth, [0.5] * len(truth))


PAIRS = [
    ("the cat sat on a mat", "the cat sat on a mat.", "1"),
    ("a dog ran home", "a dog ran home", "1"),
    ("good music by the river", "good music by the river !", "1"),
    ("the cat sat on a mat", "how old is this book", "0"),
    ("a dog ran home", "what is the price", "0"),
    ("no money", "the big red tree", "0"),
]


def write(path, pairs, header="first\tsecond\tlabel\n"):
    path.write_text(header + "".join("\t".join(row) + "\n" for row in pairs), encoding="utf-8")
    return path


def test_a_file_of_pairs(tiny_folder, tmp_path):
    model = tenor.load(tiny_folder)
    picked = calibrate_file(model, write(tmp_path / "p.tsv", PAIRS))
    assert (picked.pairs, picked.same) == (6, 3)
    first, second = (model.encode([row[side] for row in PAIRS]) for side in (0, 1))
    scores = (first * second).sum(axis=1)
    assert picked.fitted.f1.estimate == pytest.approx(
        f1_score([1, 1, 1, 0, 0, 0], scores >= picked.threshold)
    )


def test_named_columns_and_missing_labels(tiny_folder, tmp_path):
    model = tenor.load(tiny_folder)
    rows = [(label, one, two) for one, two, label in PAIRS] + [("", "a cat", "a cat")]
    path = write(tmp_path / "p.tsv", rows, "dup\tq1\tq2\n")
    columns = {"first": "q1", "second": "q2", "label": "dup"}
    picked = calibrate_file(model, path, columns=columns)
    assert picked.pairs == 6
    assert picked.problems.count == 1


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([*PAIRS, ("a", "b", "perhaps")], r"p\.tsv:8.*'perhaps' is neither"),
        (PAIRS[:3], "both kinds"),
    ],
)
def test_bad_files_of_pairs(tiny_folder, tmp_path, rows, says):
    model = tenor.load(tiny_folder)
    columns = {"first": "first", "second": "second", "label": "label"}
    with pytest.raises(TenorError, match=says):
        calibrate_file(model, write(tmp_path / "p.tsv", rows), columns=columns)
