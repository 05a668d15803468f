"""From two spaces to a lexicon: exact cases, self-learning, alpha search, the folder, bad input."""

from pathlib import Path

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.text.problems import Problems
from tenor.words import WordVectors
from tenor.words.crosslingual.align import AlignConfig, align
from tenor.words.crosslingual.alpha_search import search_alphas, split_by_source
from tenor.words.crosslingual.build import build_lexicon
from tenor.words.crosslingual.lexicon import Lexicon
from tenor.words.crosslingual.lexicon_scores import score_lexicon
from tenor.words.crosslingual.maps import orthogonal_map
from tenor.words.crosslingual.seed import KnownPairs, known_pairs, read_dictionary
from tenor.words.crosslingual.self_learning import SelfLearningConfig, self_learn
from tenor.words.crosslingual.spaces import prepare
from tenor.words.postprocess.nth_order import nth_order

WORDS, WIDTH = 200, 12
GENERATOR = np.random.default_rng(2)
X = (GENERATOR.standard_normal((WORDS, WIDTH)) * np.linspace(2, 0.3, WIDTH)).astype(np.float32)
ROTATION = np.linalg.qr(GENERATOR.standard_normal((WIDTH, WIDTH)))[0].astype(np.float32)
SEED = [(f"s{number}", f"t{number}") for number in range(40)]
EVERY = KnownPairs(np.stack([np.arange(WORDS)] * 2, axis=1), WORDS)


def language(letter: str, rows: np.ndarray) -> WordVectors:
    return WordVectors([f"{letter}{number}" for number in range(len(rows))], rows, name=letter)


def noisy(amount: float) -> np.ndarray:
    noise = np.random.default_rng(5).standard_normal(X.shape)
    return (X @ ROTATION + amount * noise).astype(np.float32)


def mrr(source: WordVectors, target: WordVectors, retrieval: str = "cosine") -> float:
    return float(score_lexicon(source.vectors, target.vectors, EVERY, retrieval=retrieval).mrr().estimate)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["procrustes", "vecmap", "vecmap-self", "rcsls"])
@pytest.mark.parametrize("alpha", [0.0, -0.25])
def test_a_rotated_language_is_found_again(method: str, alpha: float) -> None:
    config = AlignConfig(method=method, alpha=(alpha, alpha))  # type: ignore[arg-type]
    aligned = align(language("s", X), language("t", X @ ROTATION), SEED, config=config)
    assert mrr(aligned.source, aligned.target) == 1.0
    assert mrr(aligned.source, aligned.target, "csls") == 1.0
    assert np.allclose(np.linalg.norm(aligned.source.vectors, axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("gamma", [0.3, -0.2])
def test_exponents_that_fit_leave_no_residual_and_others_do(gamma: float) -> None:
    """For Z = X R_γ O the spaces agree wherever 2 α_s + 1 = (2 γ + 1)(2 α_t + 1)."""
    z = nth_order(X.astype(np.float64), gamma).astype(np.float32) @ ROTATION

    def residual(first: float, second: float) -> float:
        a, b = prepare(X, first), prepare(z, second)
        return float(np.abs(a @ orthogonal_map(a, b).source - b).max())

    for second in (0.0, 0.15, -0.25):
        first = ((2 * gamma + 1) * (2 * second + 1) - 1) / 2
        assert residual(first, second) < 1e-4
    assert residual(0.0, 0.0) > 0.05


def test_alpha_zero_is_the_baseline_to_the_last_digit() -> None:
    plain = prepare(X)
    assert (prepare(X, 0.0) == plain).all()
    rotated = prepare(nth_order(X.astype(np.float64), 0.0).astype(np.float32))
    assert np.allclose(rotated @ rotated.T, plain @ plain.T, atol=1e-5)


def test_prepared_rows_are_unit_centre_unit() -> None:
    wide = X.astype(np.float64)
    unit = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    centred = unit - unit.mean(axis=0)
    assert np.allclose(prepare(X), centred / np.linalg.norm(centred, axis=1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize("stochastic", [False, True])
@pytest.mark.parametrize("direction", ["mutual", "union"])
def test_self_learning_grows_a_small_seed(stochastic: bool, direction: str) -> None:
    x, z = prepare(X), prepare(noisy(0.3))
    config = SelfLearningConfig(stochastic=stochastic, direction=direction, patience=5, seed=1)  # type: ignore[arg-type]
    learned = self_learn(x, z, EVERY.pairs[:10], config=config)
    right = float((learned.pairs[:, 0] == learned.pairs[:, 1]).mean())
    assert learned.converged
    assert len(learned.pairs) > 100
    assert right > 0.9
    if stochastic:
        assert learned.iterations[0].keep_prob == 0.1
        assert learned.iterations[-1].keep_prob == 1.0


def test_self_learning_helps_where_the_seed_is_small() -> None:
    source, target = language("s", X), language("t", noisy(0.35))
    few = SEED[:8]
    alone = align(source, target, few, config=AlignConfig(method="procrustes"))
    grown = align(source, target, few, config=AlignConfig(method="vecmap-self"))
    assert mrr(grown.source, grown.target) > mrr(alone.source, alone.target) + 0.1


def test_self_learning_can_keep_the_seed_and_is_bounded() -> None:
    x, z = prepare(X), prepare(noisy(0.5))
    wrong = np.stack([np.arange(30), np.arange(30)[::-1]], axis=1)
    kept = self_learn(x, z, wrong, config=SelfLearningConfig(keep_seed=True, max_iterations=2))
    assert (kept.pairs[:30] == wrong).all()
    assert not kept.converged
    assert len(kept.iterations) == 2


def test_alpha_search_finds_the_exponent_that_was_used() -> None:
    z = nth_order(noisy(0.1).astype(np.float64), 1.5).astype(np.float32)
    seed = KnownPairs(EVERY.pairs[:120], 120)
    done: list[int] = []
    found = search_alphas(X, z, seed, grid=(0.0, 0.75, 1.5), orthogonal=True, progress=done.append)
    assert found.best == (1.5, 0.0)
    assert found.scores[found.best] > found.scores[0.0, 0.0] + 0.05
    assert (found.held_out, sum(done), len(found.scores)) == (120, 9, 9)


def test_folds_share_no_source_word() -> None:
    pairs = np.array([[word, target] for word in range(30) for target in range(3)])
    parts = split_by_source(pairs, 5, 0)
    assert sum(len(held_out) for _, held_out in parts) == len(pairs)
    assert all(not set(fitted[:, 0]) & set(held_out[:, 0]) for fitted, held_out in parts)
    with pytest.raises(TenorError, match="at least 10 seed words, and 4 "):
        split_by_source(pairs[:12], 5, 0)


def test_scores_are_those_of_the_ranks() -> None:
    x = np.eye(4, dtype=np.float32)
    z = x.copy()
    z[0] = [0.1, 1.0, 0.0, 0.0]  # the translation of word 1 is nearer to word 0's than its own
    score = score_lexicon(x, z, KnownPairs(np.array([[0, 0], [1, 1], [2, 3], [2, 2]]), 9))
    assert score.ranks.tolist() == [1, 1, 1]
    worse = score_lexicon(x, z, KnownPairs(np.array([[1, 0], [2, 2]]), 2))
    assert worse.ranks.tolist() == [2, 1]
    assert worse.mrr().estimate == 0.75
    assert worse.precision(1).estimate == 0.5
    assert worse.precision(5).estimate == 1.0


def test_a_dictionary_is_read_and_looked_up(tmp_path: Path) -> None:
    file = tmp_path / "seed.tsv"
    file.write_text("Dog\tHund\nCat\tKatze\nCat\tKater\n\tleer\nDog\tHund\n")
    problems = Problems()
    pairs = read_dictionary(file, lowercase=True, problems=problems)
    assert pairs == [("dog", "hund"), ("cat", "katze"), ("cat", "kater"), ("dog", "hund")]
    assert problems.count == 1
    known = known_pairs(pairs, {"dog": 0, "cat": 1}.get, {"hund": 5, "kater": 6, "katze": 7}.get)
    assert known.pairs.tolist() == [[0, 5], [1, 7], [1, 6]]
    rows, gold = known.by_source()
    assert (rows.tolist(), gold) == ([0, 1], [[5], [7, 6]])


@pytest.fixture
def seed_file(tmp_path: Path) -> Path:
    file = tmp_path / "seed.tsv"
    file.write_text("".join(f"{first}\t{second}\n" for first, second in SEED))
    return file


def test_the_folder_translates_both_ways(tmp_path: Path, seed_file: Path) -> None:
    test = tmp_path / "test.tsv"
    test.write_text("".join(f"s{number}\tt{number}\n" for number in range(30, 90)))
    source, target = language("s", X), language("t", noisy(0.1))
    done: list[int] = []
    made = build_lexicon(
        source, target, seed_file, tmp_path / "made", test=test, lexicon_size=50, progress=done.append
    )
    assert made.info["test"]["in_seed"] == 10
    assert made.info["test"]["words"] == 50
    assert made.info["test"]["cosine"]["mrr"][0] > 0.95
    assert sum(done) == 2 * WORDS + 50
    lexicon = Lexicon.load(tmp_path / "made")
    assert [one.word for one in lexicon.translate("s120", k=1)] == ["t120"]
    assert [one.word for one in lexicon.translate("t7", k=1, direction="backward")] == ["s7"]
    assert len(lexicon.translate("s0", k=10_000)) == WORDS
    table = (tmp_path / "made" / "lexicon.tsv").read_text().splitlines()
    assert table[0] == "source\ttarget\tcsls\tmutual"
    assert len(table) == 51
    assert sum(line.split("\t")[0][1:] == line.split("\t")[1][1:] for line in table[1:]) > 45


def test_scores_of_a_translation_are_csls_and_cosine() -> None:
    aligned = align(language("s", X), language("t", noisy(0.3)), SEED)
    lexicon = Lexicon.of(aligned, csls_k=3)
    cosine = aligned.source.vectors @ aligned.target.vectors.T
    near_x, near_z = np.sort(cosine, 1)[:, -3:].mean(1), np.sort(cosine, 0)[-3:].mean(0)
    csls = 2 * cosine - near_x[:, None] - near_z
    first = lexicon.translate("s4", k=1)[0]
    best = int(csls[4].argmax())
    assert first.word == f"t{best}"
    assert first.score == pytest.approx(csls[4, best], abs=1e-5)
    assert first.cosine == pytest.approx(cosine[4, best], abs=1e-5)


def test_bad_input_is_told(tmp_path: Path, seed_file: Path) -> None:
    source, target = language("s", X), language("t", X)
    with pytest.raises(TenorError, match=r"None of the 1 seed pairs .* try --lowercase"):
        align(source, target, [("S1", "T1")])
    with pytest.raises(TenorError, match="columns seem to be swapped"):
        align(source, target, [("t1", "s1")])
    with pytest.raises(TenorError, match="12 dimensions and t has 5"):
        align(source, language("t", X[:, :5]), SEED)
    broken = X.copy()
    broken[3] = np.nan
    with pytest.raises(TenorError, match="'t3'"):
        align(source, language("t", broken), SEED)
    with pytest.raises(TenorError, match="all vectors are zero"):
        align(source, language("t", 0 * X), SEED)
    with pytest.raises(TenorError, match="no words"):
        align(source, language("t", X[:0]), SEED)
    with pytest.raises(TenorError, match="Did you mean 'vecmap-self'"):
        AlignConfig(method="vecmap-slf")  # type: ignore[arg-type]
    with pytest.raises(TenorError, match="alpha"):
        align(source, target, SEED, config=AlignConfig(alpha=(float("inf"), 0.0)))
    with pytest.raises(TenorError, match="only 12 dimensions"):
        align(source, target, SEED, config=AlignConfig(method="vecmap", dim_reduction=40))
    with pytest.raises(TenorError, match="None of the 2 test pairs"):
        score_lexicon(X, X, known_pairs([("a", "b"), ("c", "d")], source.index, target.index))
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("")
    with pytest.raises(TenorError, match="exists already"):
        build_lexicon(source, target, seed_file, tmp_path / "there")


def test_a_folder_that_is_no_lexicon_is_refused(tmp_path: Path, seed_file: Path) -> None:
    with pytest.raises(TenorError, match="does not exist"):
        Lexicon.load(tmp_path)
    (tmp_path / "alignment.json").write_text('{"format": 99}')
    with pytest.raises(TenorError, match="format 1"):
        Lexicon.load(tmp_path)
    build_lexicon(language("s", X), language("t", X), seed_file, tmp_path / "made")
    language("t", X[:7]).save(tmp_path / "made" / "target.safetensors")
    with pytest.raises(TenorError, match="do not belong together"):
        Lexicon.load(tmp_path / "made")
