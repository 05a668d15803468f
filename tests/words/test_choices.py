"""What is tuned is tuned without the items that are scored, and settings reach what they set.

Every test here fails for one deliberate mistake: a held-out part that is fitted on, a setting that is not
passed on, a normalisation that is left out.
"""

from typing import Any

import numpy as np
import pytest

from tenor.words import WordVectors
from tenor.words.alpha.choice import cross_validate
from tenor.words.alpha.family import AlphaFamily
from tenor.words.alpha.references import model_unigram, uniform
from tenor.words.combine import CombineConfig, combine, combining
from tenor.words.corpus import Corpus, read_corpus
from tenor.words.counting import PpmiConfig, count_pairs, ppmi, train_ppmi
from tenor.words.crosslingual import align as align_module
from tenor.words.crosslingual import alpha_search, rcsls
from tenor.words.crosslingual.align import AlignConfig, Aligned, align
from tenor.words.crosslingual.alpha_search import AlphaSearch, search_alphas
from tenor.words.crosslingual.lexicon import Lexicon
from tenor.words.crosslingual.lexicon_scores import score_lexicon
from tenor.words.crosslingual.maps import orthogonal_map
from tenor.words.crosslingual.seed import KnownPairs
from tenor.words.crosslingual.self_learning import SelfLearningConfig, self_learn
from tenor.words.crosslingual.spaces import prepare
from tenor.words.dimensions import probe
from tenor.words.dimensions.probe import ProbeConfig, component_outcomes, split_outcomes
from tenor.words.evaluate import Benchmarks, evaluate, measures
from tenor.words.evaluate.sets import AnalogySet, CategorySet
from tenor.words.fuzzy import FuzzyWords, ask, sets
from tenor.words.fuzzy.readouts import analogies as fuzzy_analogies
from tenor.words.glove import GloveConfig, train_glove
from tenor.words.neighbours import csls, unit_rows
from tenor.words.postprocess.normalise import Whiten
from tenor.words.training import Word2VecConfig, train_word2vec


def _random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def _words(rows: np.ndarray, letter: str = "w") -> WordVectors:
    return WordVectors([f"{letter}{number}" for number in range(len(rows))], rows, name=letter)


@pytest.fixture
def corpus() -> Corpus:
    ids = np.random.default_rng(0).zipf(1.5, 600).clip(1, 12).astype(np.int32) - 1
    counts = np.bincount(ids, minlength=12)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(12, dtype=np.int32)
    rank[order] = np.arange(12)
    return Corpus([f"w{number}" for number in order], counts[order], rank[ids], np.array([0, 300, 600]))


# Training


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"sample": 0.0}, {"sample": 0.0}),
        ({"learning_rate": 0.1}, {"alpha": 0.1}),
        ({"negative": 2}, {"negative": 2}),
        ({"ns_exponent": 0.0}, {"ns_exponent": 0.0}),
        ({"window": 1}, {"window": 1}),
        ({"seed": 9}, {"seed": 9}),
    ],
    ids=lambda value: next(iter(value)),
)
def test_every_setting_of_word2vec_reaches_gensim(
    corpus: Corpus, ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    from gensim.models import Word2Vec

    made = train_word2vec(corpus, Word2VecConfig(vector_size=4, epochs=2, **ours))
    settings = {"vector_size": 4, "epochs": 2, "sg": 1, "seed": 1, "workers": 1, "min_count": 1, **theirs}
    np.testing.assert_array_equal(made.vectors, Word2Vec(list(corpus.sentences()), **settings).wv.vectors)
    plain = train_word2vec(corpus, Word2VecConfig(vector_size=4, epochs=2))
    assert (made.vectors != plain.vectors).any()


@pytest.mark.parametrize(
    "changed", [{"smoothing": 0.2}, {"weighting": "distance"}, {"window": 1}, {"shift": 1.5}]
)
def test_every_setting_of_ppmi_reaches_the_matrix(corpus: Corpus, changed: dict[str, Any]) -> None:
    config = PpmiConfig(vector_size=12, **changed)
    pairs = count_pairs(corpus, config.window, weighting=config.weighting)
    expected = ppmi(pairs, smoothing=config.smoothing, shift=config.shift).toarray()
    made = train_ppmi(corpus, config)
    assert made.contexts is not None
    np.testing.assert_allclose(made.vectors @ made.contexts.T, expected, atol=1e-5)
    plain = train_ppmi(corpus, PpmiConfig(vector_size=12))
    assert plain.contexts is not None
    assert np.abs(plain.vectors @ plain.contexts.T - expected).max() > 1e-3


def test_glove_counts_near_words_more_balances_its_sides_and_leaves_biases_free(corpus: Corpus) -> None:
    made = train_glove(corpus, GloveConfig(vector_size=3, window=2, iterations=60, ridge=0.1, x_max=1.0))
    words, contexts = made.vectors.vectors.astype(np.float64), made.vectors.contexts
    assert contexts is not None
    np.testing.assert_allclose(words.T @ words, contexts.T @ contexts, rtol=1e-3, atol=1e-3)
    counts = count_pairs(corpus, 2, weighting="distance").toarray()
    there = counts > 0
    weights = np.minimum(1.0, counts**0.75) * there
    missed = (
        words @ contexts.T + made.word_bias[:, None] + made.context_bias - np.log(np.where(there, counts, 1))
    )
    assert made.losses[-1] == pytest.approx((weights * missed**2).sum(), rel=1e-3)
    # A bias is not regularised: at the optimum the weighted residuals of each context sum to 0.
    np.testing.assert_allclose((weights * missed).sum(axis=0), 0.0, atol=0.02)


def test_a_word_of_exactly_the_least_count_stays(tmp_path: Any) -> None:
    (tmp_path / "text").write_text("a a a a a b b b b")
    assert read_corpus(tmp_path / "text").words == ["a"]
    assert read_corpus(tmp_path / "text", min_count=4).words == ["a", "b"]


# Alpha embeddings


def test_the_bias_of_the_contexts_is_part_of_the_models_distribution() -> None:
    """Skip-gram's products leave the noise distribution out; what is added to the logits makes up for it."""
    u, v, bias = _random(9, 3), _random(9, 3, seed=1), _random(9, seed=2)
    weights = np.exp(u @ v.T + bias)
    p = weights / weights.sum(axis=1, keepdims=True)
    made = AlphaFamily(u, v, uniform(9), label="U", bias=bias)
    # At α = −1 the embedding is I⁻¹ (E_p[V] − E_p0[V]).
    expected = np.linalg.solve(made.fisher, ((p - 1 / 9) @ v).T).T
    np.testing.assert_allclose(made.embed(-1.0), expected)
    np.testing.assert_allclose(model_unigram(u, v, bias=bias), weights.sum(axis=0) / weights.sum())


def test_folds_of_the_alpha_choice_follow_the_seed() -> None:
    items = np.random.default_rng(0).random((2, 30))
    made = [cross_validate((0.0, 1.0), items, seed=seed).items.tolist() for seed in range(6)]
    assert len({tuple(row) for row in made}) > 1


# Meta-embeddings


def _sources() -> list[WordVectors]:
    hidden = _random(60, 5) * np.linspace(3, 0.5, 5)
    return [_words(hidden @ _random(5, 5, seed=seed) * (1 + np.arange(60)[:, None])) for seed in (1, 2)]


def test_sources_and_latent_vectors_are_scaled_to_unit_length() -> None:
    sources = _sources()
    lengths = [1.0 + number for number in range(60)]
    scaled = [each.replace(each.vectors * np.array(lengths)[:, None]) for each in sources]
    made, same = (combine(each, CombineConfig(c=1.0)).vectors.vectors for each in (sources, scaled))
    np.testing.assert_allclose(made, same, atol=1e-5)  # the length of a source's vector does not matter
    plain = combine(sources, CombineConfig(method="conc")).vectors.vectors
    np.testing.assert_allclose(np.linalg.norm(plain[:, :5], axis=1), 1.0, atol=1e-5)
    latent = combine(sources, CombineConfig(method="geo-conc", c=1.0)).vectors.vectors
    np.testing.assert_allclose(np.linalg.norm(latent[:, :5], axis=1), 1.0, atol=1e-5)
    raw = combine(sources, CombineConfig(method="geo-conc", c=1.0, unit_latent=False)).vectors.vectors
    assert np.ptp(np.linalg.norm(raw[:, :5], axis=1)) > 1e-3


def test_rotations_bring_the_sources_together() -> None:
    rows = _random(60, 5)
    turn = np.linalg.qr(_random(5, 5, seed=3))[0]
    made = combine([_words(rows), _words(rows @ turn)], CombineConfig(method="rotate-conc")).vectors.vectors
    np.testing.assert_allclose(made[:, :5], made[:, 5:], atol=1e-5)


def test_words_that_choose_c_take_no_part_in_the_alignment(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [source.vectors for source in _sources()]
    aligned: list[int] = []
    made = combining.Grams.of
    monkeypatch.setattr(combining.Grams, "of", lambda some: (aligned.append(len(some[0])), made(some))[1])
    combining.self_retrieval(tables)
    assert aligned == [54]  # 60 words, a tenth held out


def test_of_equal_choices_the_smallest_c_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combining, "self_retrieval", lambda *_, **__: {1.0: 0.2, 10.0: 0.9, 50.0: 0.9})
    alignment = combine(_sources()).alignment
    assert alignment is not None
    assert alignment.c == 10.0


# Bilingual lexicon induction

_X = (_random(80, 6) * np.linspace(2, 0.3, 6)).astype(np.float32)
_Z = (_X @ np.linalg.qr(_random(6, 6, seed=4))[0] + 0.3 * _random(80, 6, seed=5)).astype(np.float32)
_SEED = KnownPairs(np.stack([np.arange(40)] * 2, axis=1), 40)


def test_the_search_over_alpha_fits_no_held_out_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    x, z = prepare(_X), prepare(_Z)
    fitted: list[list[int]] = []
    asked: list[list[int]] = []

    def indices(rows: np.ndarray, table: np.ndarray) -> list[int]:
        return [int(np.flatnonzero((table == row).all(axis=1))[0]) for row in rows]

    def fit(source: np.ndarray, target: np.ndarray) -> Any:
        assert indices(source, x) == indices(target, z)
        fitted.append(indices(source, x))
        return orthogonal_map(source, target)

    ranks = alpha_search.gold_ranks
    monkeypatch.setattr(alpha_search, "orthogonal_map", fit)
    monkeypatch.setattr(
        alpha_search,
        "gold_ranks",
        lambda queries, targets, gold: (
            asked.append([row for each in gold for row in each]),
            ranks(queries, targets, gold),
        )[1],
    )
    search_alphas(_X, _Z, _SEED, grid=(0.0,), folds=5, orthogonal=True)
    assert [len(each) for each in fitted] == [32] * 5
    assert sorted(row for each in asked for row in each) == list(range(40))
    assert all(not set(one) & set(two) for one, two in zip(fitted, asked, strict=True))


def test_ties_of_the_search_go_to_no_transform_and_few_pairs_get_a_rotation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alpha_search, "_fold", lambda *_: np.array([2]))
    assert search_alphas(_X, _Z, _SEED, grid=(-0.5, 0.0, 0.5)).best == (0.0, 0.0)
    used: list[str] = []
    monkeypatch.setattr(
        alpha_search, "_fold", lambda *some: (used.append(some[3].__name__), np.array([1]))[1]
    )
    few = KnownPairs(_SEED.pairs[:14], 14)  # 11 pairs in a fold, and 2 · 6 are needed
    for seed in (few, _SEED):
        search_alphas(_X, _Z, seed, grid=(0.0,))
    assert set(used[:5]) == {"orthogonal_map"}
    assert set(used[5:]) == {"advanced_map"}


def test_each_side_is_prepared_with_its_own_alpha(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = _words(_X, "s"), _words(_Z, "t")
    seed = [(f"s{number}", f"t{number}") for number in range(40)]
    seen: list[float] = []
    monkeypatch.setattr(
        align_module, "prepare", lambda rows, alpha=0.0: (seen.append(alpha), prepare(rows, alpha))[1]
    )
    align(source, target, seed, config=AlignConfig(method="procrustes", alpha=(-0.25, 0.15)))
    found = AlphaSearch((0.5, -0.15), {(0.5, -0.15): 0.9, (0.0, 0.0): 0.8}, 40)
    monkeypatch.setattr(align_module, "search_alphas", lambda *_, **__: found)
    config = AlignConfig(method="procrustes", alpha="supervised-search")
    report = align(source, target, seed, config=config).report
    assert seen == [-0.25, 0.15, 0.5, -0.15]
    assert report["alpha"] == [0.5, -0.15]


def test_settings_of_alignment_reach_the_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = _words(_X, "s"), _words(_Z, "t")
    seed = [(f"s{number}", f"t{number}") for number in range(40)]
    learning = SelfLearningConfig(max_iterations=1, direction="union", vocabulary_cutoff=30)
    made = align(source, target, seed, config=AlignConfig(self_learning=learning, dim_reduction=2))
    assert made.report["self_learning"]["iterations"] == 1
    assert made.report["self_learning"]["pairs"] == 60  # the union of both directions among 30 words
    assert made.source.vector_size == made.target.vector_size == 2
    given: list[Any] = []
    maps = orthogonal_map(_X[:40], _Z[:40])
    monkeypatch.setattr(
        align_module, "rcsls_map", lambda *_, config, progress: (given.append(config), maps)[1]
    )
    wanted = rcsls.RcslsConfig(iterations=3)
    align(source, target, seed, config=AlignConfig(method="rcsls", rcsls=wanted))
    assert given == [wanted]


def test_self_learning_stays_among_the_frequent_words_and_raises_its_probability() -> None:
    x, z = prepare(_X), prepare(_Z)
    learned = self_learn(x, z, _SEED.pairs[:20], config=SelfLearningConfig(vocabulary_cutoff=30))
    assert learned.pairs.max() < 30
    config = SelfLearningConfig(stochastic=True, patience=1, threshold=1.0)
    keeps = [each.keep_prob for each in self_learn(x, z, _SEED.pairs[:20], config=config).iterations]
    assert sorted(set(keeps)) == [0.1, 0.2, 0.4, 0.8, 1.0]


def test_test_words_are_ranked_by_cosine_whatever_the_norms() -> None:
    x, z = prepare(_X), prepare(_Z)
    maps = orthogonal_map(x[:40], z[:40])
    mapped = x @ maps.source.astype(np.float32)
    scaled = mapped * np.linspace(0.1, 9, 80, dtype=np.float32)[:, None]
    longer = z * np.linspace(5, 0.2, 80, dtype=np.float32)[:, None]
    for retrieval in ("cosine", "csls"):
        one = score_lexicon(mapped, z, _SEED, retrieval=retrieval)  # type: ignore[arg-type]
        two = score_lexicon(scaled, longer, _SEED, retrieval=retrieval)  # type: ignore[arg-type]
        assert one.ranks.tolist() == two.ranks.tolist()


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_translations_are_scored_by_the_r_of_either_side(direction: str) -> None:
    source, target = _words(prepare(_X), "s"), _words(prepare(_Z)[:50], "t")
    lexicon = Lexicon.of(Aligned(source, target, {}), csls_k=3)
    cosine = source.vectors @ target.vectors.T
    r_source, r_target = np.sort(cosine, 1)[:, -3:].mean(1), np.sort(cosine, 0)[-3:].mean(0)
    csls = 2 * cosine - r_source[:, None] - r_target
    word, row, letter = ("s4", csls[4], "t") if direction == "forward" else ("t4", csls[:, 4], "s")
    made = lexicon.translate(word, k=80, direction=direction)  # type: ignore[arg-type]
    assert [each.word for each in made] == [f"{letter}{index}" for index in np.argsort(-row, kind="stable")]
    np.testing.assert_allclose([each.score for each in made], -np.sort(-row), atol=1e-5)


def test_rcsls_undoes_a_step_that_raises_its_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    x, z = prepare(_X), prepare(_Z)
    losses, slope = iter([1.0, 2.0, 0.5]), np.full((6, 6), 0.1)
    monkeypatch.setattr(rcsls, "loss_and_gradient", lambda *_, **__: (next(losses), slope))
    seen: list[float] = []
    config = rcsls.RcslsConfig(iterations=2)
    maps = rcsls.rcsls_map(x, z, _SEED.pairs, config=config, progress=lambda _, loss: seen.append(loss))
    assert seen == [1.0, 0.5]
    # The first step is taken back, the second goes half as far from where the first began.
    np.testing.assert_allclose(maps.source, orthogonal_map(x[:40], z[:40]).source - 0.5 * slope)


# Probes


def test_c_is_chosen_on_training_items_that_were_not_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    features, labels = np.arange(50.0)[:, None], np.arange(50) % 2
    calls: list[tuple[set[float], set[float], float]] = []
    right = {0.1: 0.5, 1.0: 0.9, 10.0: 0.9}

    def predict(train: np.ndarray, gold: np.ndarray, test: np.ndarray, c: float, **_: Any) -> np.ndarray:
        calls.append((set(train[:, 0]), set(test[:, 0]), c))
        wanted = test[:, 0].astype(int) % 2
        return np.where(np.arange(len(test)) < right[c] * len(test), wanted, 1 - wanted)

    monkeypatch.setattr(probe, "_predict", predict)
    split_outcomes(features[:40], labels[:40], features[40:], labels[40:], ProbeConfig((0.1, 1.0, 10.0)))
    *trials, last = calls
    assert [c for *_, c in trials] == [0.1, 1.0, 10.0]
    for train, held, _ in trials:
        assert (len(train), len(held)) == (32, 8)
        assert not train & held
        assert max(train | held) < 40  # no test item
    assert last == (set(features[:40, 0]), set(features[40:, 0]), 1.0)  # the best, of equals the smaller


def test_single_components_are_standardised_by_the_training_items(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = _random(60, 3) * [1.0, 20.0, 0.01]
    scores[40:] *= 100.0
    seen: list[float] = []

    def predict(
        train: np.ndarray, gold: np.ndarray, test: np.ndarray, c: float, *, scale: bool
    ) -> np.ndarray:
        seen.append(float(train.std()))
        assert not scale
        return np.zeros(len(test))

    monkeypatch.setattr(probe, "_predict", predict)
    component_outcomes(scores, np.arange(60) % 2, np.arange(40), np.arange(40, 60))
    assert seen == pytest.approx([1.0, 1.0, 1.0])


# Evaluation, fuzzy words, post-processing, neighbours


def test_questions_with_their_own_answer_are_left_out_and_the_seed_reaches_the_clusters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vectors = _words(_random(20, 4))
    questions = [("w1", "w2", "w3", f"w{n}") for n in (3, 4, 5, 6)]
    test = Benchmarks(
        analogies=[AnalogySet("g", questions, ["x"] * 4)],
        categories=[CategorySet("c", [f"w{n}" for n in range(8)], ["a", "b"] * 4)],
    )
    seeds: list[int] = []
    monkeypatch.setattr(
        measures, "in_majority", lambda units, words, _, *, seed: (seeds.append(seed), np.ones(len(words)))[1]
    )
    analogy, _ = evaluate([vectors], test, repeats=10, seed=5)
    assert (analogy.used, analogy.total) == (3, 4)
    assert seeds == [5]


def test_a_single_word_is_not_rescaled_and_a_composed_set_is() -> None:
    fuzzy = FuzzyWords.of(_words(3 * _random(40, 6)))
    alone = fuzzy.nearest(fuzzy["w3"], 1, exclude=["w3"], measure="kl")[0]
    assert ask(fuzzy, "w3", 1)[0] == alone
    both = sets.rescaled(sets.intersection(fuzzy["w3"], fuzzy["w4"]), fuzzy.size)
    distances = np.delete(sets.kl_bernoulli(both, fuzzy.features), [3, 4])
    assert ask(fuzzy, "w3 & w4", 1)[0].distance == pytest.approx(float(distances.min()))


def test_the_union_of_fuzzy_analogies_is_the_clipped_one() -> None:
    fuzzy = FuzzyWords.of(_words(4 * _random(30, 4)), axis="row")  # rows have probabilities near 1
    questions = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    a, b, x = (fuzzy.features[questions[:, column]] for column in range(3))
    targets = {
        "clipped": sets.difference(np.minimum(1.0, b + x), a),
        "prob": sets.difference(b + x - b * x, a),
    }
    for union, target in targets.items():
        expected = fuzzy.nearest_many(target, 5, exclude=questions, rescale=True)[1]
        np.testing.assert_allclose(fuzzy_analogies(fuzzy, questions, 5, union=union)[1], expected)  # type: ignore[arg-type]
    np.testing.assert_array_equal(
        fuzzy_analogies(fuzzy, questions, 5)[1], fuzzy_analogies(fuzzy, questions, 5, union="clipped")[1]
    )
    assert not np.allclose(targets["clipped"], targets["prob"])


def test_whitening_keeps_the_strongest_components() -> None:
    rows = _random(200, 4) * [5.0, 3.0, 0.1, 0.01]
    made = Whiten(components=2, epsilon=0.0).fit_transform(_words(rows)).vectors
    for column, expected in enumerate((0, 1)):
        assert abs(np.corrcoef(made[:, column], rows[:, expected])[0, 1]) > 0.95


def test_csls_neighbours_are_measured_against_the_whole_vocabulary() -> None:
    vectors = _words(_random(50, 5).astype(np.float32))
    units = unit_rows(vectors.vectors)
    cosines = units.astype(np.float64) @ units.T
    mean = np.sort(cosines, axis=1)[:, -3:].mean(axis=1)  # each word is its own nearest too
    scores = 2 * cosines - mean[:, None] - mean
    np.fill_diagonal(scores, -np.inf)
    indices, found = vectors.neighbours(["w7", "w9"], 4, method="csls", csls_k=3)
    np.testing.assert_array_equal(indices, np.argsort(-scores, axis=1)[[7, 9], :4])
    np.testing.assert_allclose(found, -np.sort(-scores, axis=1)[[7, 9], :4], atol=1e-5)
    assert 7 not in indices[0]
    np.testing.assert_array_equal(csls(units[:5], units, 3)[0], csls(units[:5], units, 3, csls_k=10)[0])
