"""Claims: intervals against closed forms and scipy, their coverage by simulation, the rule of verdicts."""

import numpy as np
import pytest
from scipy import stats

from tenor.errors import TenorError
from tenor.metrics.intervals import Interval
from tenor.metrics.judge import Judge, resample
from tenor.metrics.outcomes import Outcome, constant_answer
from tenor.metrics.verdicts import Claim, Contrast, Judgement, Verdict, holm, p_value, verdict_of

_DIFFERENCE = Contrast.difference("new", "old", metric="x")


def _claim(**settings):
    return Claim(text="new is better", contrast=_DIFFERENCE, **{"smallest": 0.1, **settings})


def _means(values, items="dev"):
    return {"x": Outcome.of("mean", values, items=items)}


# --- intervals -------------------------------------------------------------------------------------------


def test_items_alone_give_the_interval_of_a_paired_mean():
    draw = np.random.default_rng(0)
    old, gain = draw.normal(size=400), draw.normal(0.2, 0.5, size=400)
    found = Judge({"old": {None: _means(old)}, "new": {None: _means(old + gain)}}).interval(_DIFFERENCE)
    # Pairing removes the spread of `old`; the closed form is that of the differences.
    expected = stats.norm.interval(0.95, gain.mean(), gain.std(ddof=1) / 20)
    assert found.estimate == pytest.approx(gain.mean())
    assert (found.low, found.high) == pytest.approx(expected, abs=0.01)


def test_other_items_are_not_paired():
    draw = np.random.default_rng(0)
    old, new = draw.normal(size=400), draw.normal(0.2, 1, size=300)
    measured = {"old": {None: _means(old, "one")}, "new": {None: _means(new, "two")}}
    found = Judge(measured).interval(_DIFFERENCE)
    error = np.sqrt(old.var(ddof=1) / 400 + new.var(ddof=1) / 300)
    centre = new.mean() - old.mean()
    assert (found.low, found.high) == pytest.approx((centre - 1.96 * error, centre + 1.96 * error), abs=0.02)


@pytest.mark.parametrize("seeds", [2, 3, 5, 30])
def test_seeds_alone_give_the_paired_t_interval(seeds):
    draw = np.random.default_rng(seeds)
    old, new = draw.normal(size=seeds), draw.normal(1, 1, size=seeds)
    measured = {
        name: {seed: {"x": Outcome.number(value)} for seed, value in enumerate(values)}
        for name, values in (("old", old), ("new", new))
    }
    found = Judge(measured).interval(_DIFFERENCE)
    exact = stats.ttest_rel(new, old).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), rel=0.02)


@pytest.mark.parametrize(("name", "reference"), [("pearson", stats.pearsonr), ("spearman", stats.spearmanr)])
def test_correlations_are_computed_again_on_the_drawn_items(name, reference):
    draw = np.random.default_rng(1)
    gold = draw.normal(size=60)
    outcome = Outcome.of(name, gold, gold + draw.normal(size=60), items="pairs")
    assert outcome.score == pytest.approx(reference(*outcome.columns).statistic)
    # The same draws, made again here by hand from the same generator.
    ours = resample(outcome, repeats=5, seed=3)
    from zlib import crc32

    rows = np.random.default_rng([3, 60, crc32(b"pairs")]).integers(0, 60, size=(5, 60), dtype=np.int32)
    by_hand = [reference(outcome.columns[0][row], outcome.columns[1][row]).statistic for row in rows]
    assert ours == pytest.approx(by_hand)


@pytest.mark.parametrize("ties", [False, True])
def test_ranks_of_a_draw_are_those_that_sorting_gives(ties):
    from tenor.metrics.correlation import spearman

    draw = np.random.default_rng(4)
    first = draw.integers(0, 5, 40).astype(float) if ties else draw.normal(size=40)
    second = draw.integers(0, 3, 40) + (0 if ties else draw.normal(size=40))
    outcome = Outcome.of("spearman", first, second, items="pairs")
    rows = draw.integers(0, 40, size=(30, 40), dtype=np.int32)
    assert outcome.on(rows) == pytest.approx(spearman(first[rows], outcome.columns[1][rows]))
    constant = Outcome.of("spearman", np.ones(40), outcome.columns[1], items="pairs")
    assert np.isnan(constant.on(rows)).all()


def test_a_difference_of_correlations_agrees_with_scipys_bootstrap():
    draw = np.random.default_rng(2)
    gold = draw.normal(size=150)
    good, bad = gold + draw.normal(size=150), gold + 2 * draw.normal(size=150)
    measured = {
        "new": {None: {"x": Outcome.of("pearson", gold, good, items="pairs")}},
        "old": {None: {"x": Outcome.of("pearson", gold, bad, items="pairs")}},
    }
    found = Judge(measured, repeats=4000).interval(_DIFFERENCE)

    def difference(gold, good, bad):
        return np.corrcoef(gold, good)[0, 1] - np.corrcoef(gold, bad)[0, 1]

    theirs = stats.bootstrap(
        (gold, good, bad),
        difference,
        paired=True,
        vectorized=False,
        n_resamples=2000,
        method="percentile",
        random_state=np.random.default_rng(0),
    )
    exact = theirs.confidence_interval
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=0.02)


def _simulated(draw, *, seeds, items, seed_spread):
    item, mixed = draw.normal(size=items), 0.5 * draw.normal(size=items)
    return {
        name: {
            seed: _means(
                item
                + side * (0.3 + mixed)
                + seed_spread * draw.normal()
                + 0.5 * draw.normal(size=items)
            )
            for seed in range(seeds)
        }
        for side, name in enumerate(("old", "new"))
    }  # fmt: skip


def _plainly_resampled(measured, draw, repeats):
    """The hierarchical bootstrap as it is usually written: seeds drawn from the seeds at hand."""
    seeds = len(measured["new"])
    sides = (
        np.stack([resample(measured[name][seed]["x"], repeats=repeats, seed=1) for seed in range(seeds)])
        for name in ("new", "old")
    )
    by_seed = np.subtract(*sides)
    drawn = draw.integers(0, seeds, size=(repeats, seeds))
    return np.quantile(by_seed[drawn, np.arange(repeats)[:, None]].mean(axis=1), [0.025, 0.975])


@pytest.mark.parametrize("seed_spread", [0.0, 0.1, 0.3])
def test_intervals_of_three_seeds_cover_the_truth_where_plain_resampling_does_not(seed_spread):
    draw, trials, ours, plain = np.random.default_rng(5), 150, 0, 0
    for _ in range(trials):
        measured = _simulated(draw, seeds=3, items=100, seed_spread=seed_spread)
        found = Judge(measured, repeats=300).interval(_DIFFERENCE)
        low, high = _plainly_resampled(measured, draw, 300)
        ours += found.low <= 0.3 <= found.high
        plain += low <= 0.3 <= high
    assert ours / trials >= 0.92
    if seed_spread == 0.3:
        assert plain / trials < 0.88


# --- contrasts -------------------------------------------------------------------------------------------


def test_a_main_effect_averages_one_half_of_a_grid_against_the_other():
    values = {"a0b0": 1.0, "a0b1": 2.0, "a1b0": 4.0, "a1b1": 9.0}
    measured = {cell: {s: {"x": Outcome.number(v + s)} for s in range(3)} for cell, v in values.items()}
    main = Contrast.difference(["a1b0", "a1b1"], ["a0b0", "a0b1"], metric="x")
    crossed = Contrast.difference("a1b1", "a1b0", metric="x").minus(
        Contrast.difference("a0b1", "a0b0", metric="x")
    )
    judge = Judge(measured)
    assert judge.interval(main).estimate == pytest.approx(5.0)
    assert judge.interval(crossed).estimate == pytest.approx(4.0)
    assert judge.interval(main.times(100)).estimate == pytest.approx(500.0)


def test_a_mean_over_metrics_and_a_constant():
    measured = {"c": {None: {"x": Outcome.number(1.0), "y": Outcome.number(3.0)}}}
    contrast = Contrast(Contrast.mean("c", metric=["x", "y"]).weights, offset=0.5)
    assert Judge(measured).interval(contrast).estimate == pytest.approx(2.5)


def test_terms_that_cancel_are_not_wanted():
    assert Contrast.difference(["a", "b"], ["b", "c"], metric="x").cells == ("a", "c")


# --- verdicts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("direction", "low", "high", "expected"),
    [
        ("greater", 0.05, 0.3, Verdict.holds),
        ("greater", 0.0, 0.3, Verdict.undecided),
        ("greater", -0.2, 0.09, Verdict.fails),
        ("greater", -0.2, 0.11, Verdict.undecided),
        ("greater", -0.3, -0.2, Verdict.fails),
        ("greater", 0.01, 0.05, Verdict.holds),
        ("less", -0.3, -0.05, Verdict.holds),
        ("less", -0.09, 0.2, Verdict.fails),
        ("less", -0.11, 0.2, Verdict.undecided),
        ("same", -0.05, 0.05, Verdict.holds),
        ("same", 0.1, 0.2, Verdict.fails),
        ("same", -0.2, -0.15, Verdict.fails),
        ("same", 0.05, 0.15, Verdict.undecided),
    ],
)
def test_the_rule(direction, low, high, expected):
    interval = Interval((low + high) / 2, low, high)
    verdict, mark = verdict_of(_claim(direction=direction), interval)
    assert verdict is expected
    assert (mark == "small") == (direction == "greater" and (low, high) == (0.01, 0.05))


def test_a_mark_is_a_reference_to_be_passed():
    claim = Claim(text="0.8 is reached", contrast=Contrast.mean("c", metric="x"), reference=0.8)
    assert verdict_of(claim, Interval(0.85, 0.81, 0.9))[0] is Verdict.holds
    assert verdict_of(claim, Interval(0.85, 0.79, 0.9))[0] is Verdict.undecided
    assert verdict_of(claim, Interval(0.75, 0.7, 0.79))[0] is Verdict.fails


def test_seeds_that_share_a_draw_count_as_one():
    """Five seeds of three draws: the paired t interval of the three means, not of five numbers."""
    gains = {1: 0.10, 2: 0.30, 3: 0.21, 4: 0.12, 5: 0.26}
    measured = {
        "ours": {seed: {"score": Outcome.number(0.5 + gain)} for seed, gain in gains.items()},
        "plain": {seed: {"score": Outcome.number(0.5)} for seed in gains},
    }
    contrast = Contrast.difference("ours", "plain", metric="score")

    def draws(cell, seed):
        return (seed - 1) % 3 if cell == "ours" else None

    found = Judge(measured, draws=draws, repeats=20_000).interval(contrast)
    means = np.array([0.11, 0.28, 0.21])
    half = stats.t.ppf(0.975, df=2) * means.std(ddof=1) / np.sqrt(3)
    assert found.estimate == pytest.approx(means.mean())
    assert (found.low, found.high) == pytest.approx((means.mean() - half, means.mean() + half), abs=1e-3)
    apart = Judge(measured).interval(contrast)
    assert apart.high - apart.low < 0.7 * (found.high - found.low)
    one = Judge(measured, draws=lambda cell, seed: 1)(Claim(text="", contrast=contrast))
    assert (one.verdict, one.seeds) == (Verdict.undecided, 5)


def test_one_seed_decides_nothing():
    measured = {"old": {1: _means(np.zeros(50))}, "new": {1: _means(np.ones(50))}}
    found = Judge(measured)(_claim())
    assert (found.verdict, found.seeds) == (Verdict.undecided, 1)
    assert "one seed" in found.note


def test_numbers_without_items_or_seeds_decide_nothing():
    measured = {"old": {None: {"x": Outcome.number(0)}}, "new": {None: {"x": Outcome.number(1)}}}
    found = Judge(measured)(_claim())
    assert found.verdict is Verdict.undecided
    assert "no interval" in found.note


def test_a_handful_of_items_decides_nothing():
    measured = {"old": {None: _means(np.zeros(9))}, "new": {None: _means(np.ones(9))}}
    found = Judge(measured)(_claim())
    assert (found.verdict, found.note) == (Verdict.undecided, "only 9 items: too few to draw from")


def test_two_sides_that_agree_on_every_item_do_not_differ():
    values = np.random.default_rng(0).random(50)
    found = Judge({"old": {None: _means(values)}, "new": {None: _means(values)}})(_claim())
    assert (found.verdict, found.interval.low, found.interval.high) == (Verdict.fails, 0.0, 0.0)


def test_a_cell_without_seeds_stands_beside_every_seed():
    measured = {
        "old": {None: {"x": Outcome.number(1.0)}},
        "new": {s: {"x": Outcome.number(2.0 + s / 100)} for s in (1, 2, 3)},
    }
    found = Judge(measured)(_claim())
    assert (found.verdict, found.seeds) == (Verdict.holds, 3)
    assert found.interval.estimate == pytest.approx(1.02)


def test_only_seeds_in_common_count():
    measured = {
        "old": {s: {"x": Outcome.number(float(s))} for s in (1, 2, 3, 4)},
        "new": {s: {"x": Outcome.number(10.0 * s)} for s in (3, 4, 5)},
    }
    found = Judge(measured)(_claim())
    assert found.seeds == 2
    assert found.interval.estimate == pytest.approx(9 * 3.5)


@pytest.mark.parametrize(
    ("measured", "told"),
    [
        ({"old": {1: {}}}, "no result of new"),
        ({"old": {1: {"x": Outcome.number(1)}}, "new": {2: {"x": Outcome.number(1)}}}, "no seed in common"),
        ({"old": {1: {"x": Outcome.number(1)}}, "new": {1: {"y": Outcome.number(1)}}}, "no x of new"),
    ],
    ids=["cell", "seeds", "metric"],
)
def test_what_is_missing_is_not_run(measured, told):
    found = Judge(measured)(_claim())
    assert (found.verdict, found.interval) == (Verdict.not_run, None)
    assert told in found.note


def test_a_claim_without_contrast_says_why():
    claim = Claim(text="BLEU falls", reason="no parallel text for it")
    assert Judge({})(claim).note == "no parallel text for it"
    with pytest.raises(TenorError, match="reason"):
        Claim(text="BLEU falls")


def test_items_of_one_name_must_be_the_same_items():
    measured = {"old": {None: _means([1, 2, 3])}, "new": {None: _means([1, 2])}}
    with pytest.raises(TenorError, match=r"'dev' are .* in one result and .* in another"):
        Judge(measured)(_claim())


def test_same_seed_same_interval_whatever_else_was_asked():
    draw = np.random.default_rng(0)
    measured = {name: {None: _means(draw.normal(size=50))} for name in ("old", "new", "other")}
    alone = Judge(measured).interval(_DIFFERENCE)
    judge = Judge(measured)
    judge.interval(Contrast.difference("other", "old", metric="x"))
    assert judge.interval(_DIFFERENCE) == alone


@pytest.mark.parametrize("name", ["f1", "f1_macro", "matthews", "auc"])
def test_scores_of_classes_are_those_of_scikit_learn_also_when_resampled(name):
    from sklearn import metrics

    theirs = {
        "f1": metrics.f1_score,
        "f1_macro": lambda gold, told: metrics.f1_score(gold, told, average="macro"),
        "matthews": metrics.matthews_corrcoef,
        "auc": metrics.roc_auc_score,
    }[name]
    draw = np.random.default_rng(0)
    classes = 2 if name in ("f1", "auc") else 4
    gold = draw.integers(0, classes, 80)
    told = np.where(draw.random(80) < 0.6, gold, draw.integers(0, classes, 80))
    if name == "auc":
        told = told + draw.integers(0, 5, 80) / 4  # some scores are equal
    outcome = Outcome.of(name, gold, told, items="dev")
    assert outcome.score == pytest.approx(theirs(gold, told))
    rows = draw.integers(0, 80, size=(4, 80), dtype=np.int32)
    assert outcome.on(rows) == pytest.approx([theirs(gold[row], told[row]) for row in rows])


def test_a_ratio_of_sums_is_computed_again_on_drawn_sentences():
    """F1 of entities: counts of drawn sentences are summed, not the F1 of each sentence averaged."""
    from zlib import crc32

    draw = np.random.default_rng(7)
    gold, found = draw.integers(0, 6, 40), draw.integers(0, 6, 40)
    right = np.minimum(gold, found) - draw.integers(0, 2, 40) * (np.minimum(gold, found) > 0)
    outcome = Outcome.of("f1_of_counts", gold, found, right, items="sentences")
    assert outcome.score == pytest.approx(2 * right.sum() / (gold.sum() + found.sum()))
    rows = np.random.default_rng([3, 40, crc32(b"sentences")]).integers(0, 40, size=(6, 40), dtype=np.int32)
    by_hand = [2 * right[row].sum() / (gold[row].sum() + found[row].sum()) for row in rows]
    assert resample(outcome, repeats=6, seed=3) == pytest.approx(by_hand)
    # Two systems on the same sentences are drawn together: here their difference is the same in each draw.
    other = Outcome.of("f1_of_counts", gold, found, np.zeros(40), items="sentences")
    interval = Judge({"new": {None: {"x": outcome}}, "old": {None: {"x": other}}}).interval(_DIFFERENCE)
    alone = Judge({"new": {None: {"x": outcome}}}).interval(Contrast.mean("new", metric="x"))
    assert interval == alone
    # Against scipy's bootstrap of the same ratio.
    theirs = stats.bootstrap(
        (gold, found, right),
        lambda g, f, r, axis: 2 * r.sum(axis) / (g.sum(axis) + f.sum(axis)),
        paired=True,
        method="percentile",
        n_resamples=4000,
        random_state=np.random.default_rng(0),
    ).confidence_interval
    assert (alone.low, alone.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


# --- many claims ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("direction", "reference", "effects", "expected"),
    [
        ("greater", 0.0, [-1, 0, 1, 2], 3 / 5),
        ("less", 0.0, [-1, 0, 1, 2], 4 / 5),
        ("greater", 1.5, [-1, 0, 1, 2], 4 / 5),
        ("greater", 0.0, [1, 1, 1, 1], 1 / 5),
        ("same", 0.0, [-0.2, 0, 0.3, 0.05], 2 / 5),
    ],
)
def test_a_p_value_counts_the_resamples_that_speak_against_a_claim(direction, reference, effects, expected):
    claim = _claim(direction=direction, reference=reference)
    assert p_value(claim, np.array(effects, dtype=float)) == expected


def test_p_values_agree_with_the_t_test_and_with_the_verdict():
    draw = np.random.default_rng(3)
    for shift in (0.0, 0.4, 0.8, 1.6):
        old, new = draw.normal(size=6), draw.normal(shift, 1, size=6)
        measured = {
            name: {seed: {"x": Outcome.number(value)} for seed, value in enumerate(values)}
            for name, values in (("old", old), ("new", new))
        }
        found = Judge(measured)(_claim(smallest=0.0))
        assert found.p == pytest.approx(stats.ttest_rel(new, old, alternative="greater").pvalue, abs=0.002)
        assert (found.verdict is Verdict.holds) == (found.p <= 0.025)


def _judged(p, verdict=Verdict.holds):
    return Judgement(_claim(), verdict, p=p)


def test_holms_adjustment_by_hand():
    # Four tested claims: 0.025 / 4, / 3, / 2, / 1 = 0.00625, 0.0083, 0.0125, 0.025.
    judgements = [
        _judged(0.012),
        _judged(None, Verdict.not_run),
        _judged(0.006),
        _judged(0.02),
        _judged(0.008),
    ]
    assert holm(judgements) == [True, False, True, True, True]
    assert holm([_judged(0.007), _judged(0.001, Verdict.undecided), _judged(0.02), _judged(0.024)]) == [
        True,
        False,
        False,
        False,
    ]
    assert holm([_judged(0.02), _judged(0.02)]) == [False, False]
    assert holm([]) == []


def test_holm_keeps_the_number_of_false_claims_down():
    """Where nothing is true, ten claims on a page hold by chance in a fifth of all pages, after it in few."""
    draw, before, after = np.random.default_rng(0), 0, 0
    for _ in range(2000):
        judgements = [_judged(p, Verdict.holds if p <= 0.025 else Verdict.undecided) for p in draw.random(10)]
        before += any(one.verdict is Verdict.holds for one in judgements)
        after += any(holm(judgements))
    assert before / 2000 > 0.15
    assert after / 2000 < 0.035


def test_one_seed_has_no_p_value():
    measured = {"old": {1: _means(np.zeros(50))}, "new": {1: _means(np.ones(50))}}
    assert Judge(measured)(_claim()).p is None


# --- constant answers -------------------------------------------------------------------------------------


def test_the_constant_answer_is_the_best_that_one_label_can_do():
    from sklearn import metrics

    gold = np.array([0, 1, 1, 2, 1, 0, 1, 1], dtype=float)
    told = np.roll(gold, 1)
    macro = constant_answer(Outcome.of("f1_macro", gold, told, items="dev"))
    assert macro.score == pytest.approx(metrics.f1_score(gold, np.ones(8), average="macro"))
    binary = (gold == 1).astype(float)
    best = constant_answer(Outcome.of("f1", binary, 1 - binary, items="dev"))
    assert best.score == pytest.approx(metrics.f1_score(binary, np.ones(8)))
    right = Outcome.of("mean", gold == told, items="dev")
    assert constant_answer(right) is None
    assert constant_answer(right, gold).score == 5 / 8
    for name in ("pearson", "spearman", "matthews"):
        assert constant_answer(Outcome.of(name, gold, told, items="dev")).score == 0
    assert constant_answer(Outcome.of("auc", binary, told, items="dev")).score == 0.5
    counts = Outcome.of("f1_of_counts", gold, gold, gold, items="dev")
    assert constant_answer(counts) is None
    assert constant_answer(Outcome.number(0.5)) is None


# --- outcomes --------------------------------------------------------------------------------------------


def test_outcomes_come_back_from_json():
    import json

    for outcome in (
        Outcome.of("mean", [1, 0, 1], items="a"),
        Outcome.of("pearson", [0.5, 1.25, 3.0], [1.0, 2.0, 4.0], items="b"),
        Outcome.number(0.3),
    ):
        back = Outcome.from_dict(json.loads(json.dumps(outcome.as_dict())))
        assert (back.score, back.statistic, back.items) == (outcome.score, outcome.statistic, outcome.items)
        assert all(np.array_equal(one, two) for one, two in zip(back.columns, outcome.columns, strict=True))


@pytest.mark.parametrize(
    ("statistic", "columns", "told"),
    [
        ("mean", ([],), "equally long"),
        ("pearson", ([1, 2], [1, 2, 3]), "equally long"),
        ("pearson", ([1, 2],), "2 column"),
        ("mean", ([1, float("nan")],), "not finite"),
        ("median", ([1],), "no statistic 'median'"),
    ],
)
def test_bad_outcomes_are_refused(statistic, columns, told):
    with pytest.raises(TenorError, match=told):
        Outcome.of(statistic, *columns, items="dev")
