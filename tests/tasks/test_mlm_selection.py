"""Which tokens a masked language model hides: frequency-weighted draws, and one head for several tasks."""

import math

import numpy as np
import pytest
import torch

from paraphrase_corpus import aligned_pairs
from tasks.test_mlm import folder, texts, tokenizer  # noqa: F401 (fixtures)
from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.tasks.mlm.kind import MlmConfig, MlmSpec
from tenor.tasks.mlm.masking import KEPT, MaskingConfig, Vocabulary, inverse_sqrt_frequency, mask_tokens
from tenor.tasks.mlm.task import MlmTask, vocabulary_of
from tenor.tasks.table import build_tasks, task_config
from tenor.text.tokens import Tokens
from tenor.training.api import train

# ids 0 to 3 are special: begin, end, mask, padding
KNOWN = Vocabulary(mask=2, usual=np.arange(4, 40, dtype=np.int32), inside=np.zeros(40, dtype=bool))
RARE = "inverse_sqrt_frequency"


def two_types(first: int, second: int) -> Tokens:
    """One text of two types with these counts, between special tokens."""
    return Tokens.from_lists([[0, *[4] * first, *[5] * second, 1]])


def chosen_of(tokens, weights, *, probability=0.15, seed=0, known=KNOWN):
    config = MaskingConfig(probability=probability)
    return mask_tokens(tokens, known, config, np.random.default_rng(seed), weights=weights)


@pytest.mark.parametrize(("lists", "length"), [(1, 1), (1, 20), (4, 5), (3, 41), (8, 64), (7, 13)])
def test_the_ceiling_of_the_share_is_chosen_and_no_special_token(lists, length):
    random = np.random.default_rng(lists)
    tokens = Tokens.from_lists([[0, *random.integers(4, 40, length).tolist(), 1] for _ in range(lists)])
    weights = inverse_sqrt_frequency(tokens.ids, 40)
    seen, labels = chosen_of(tokens, weights)
    chosen = labels != KEPT
    assert chosen.sum() == math.ceil(15 * lists * length / 100)
    assert not chosen[np.isin(tokens.ids, (0, 1, 2, 3))].any()
    assert np.array_equal(labels[chosen], tokens.ids[chosen])
    assert np.array_equal(seen[~chosen], tokens.ids[~chosen])


@pytest.mark.parametrize(("first", "second"), [(30, 10), (90, 10), (50, 50)])
def test_the_odds_of_a_draw_go_by_the_square_root_of_counts(first, second):
    tokens = two_types(first, second)
    weights = inverse_sqrt_frequency(tokens.ids, 40)
    draws = 20_000
    hits = np.zeros(2)
    for seed in range(draws):  # one token is drawn
        _, labels = chosen_of(tokens, weights, probability=0.5 / (first + second), seed=seed)
        hits += [(labels == 4).sum(), (labels == 5).sum()]
    assert hits.sum() == draws
    odds = (hits[0] / first) / (hits[1] / second)
    assert odds == pytest.approx((first / second) ** -0.5, rel=0.06)


def test_many_draws_are_those_of_one_after_the_other():
    tokens = two_types(12, 3)
    weights = inverse_sqrt_frequency(tokens.ids, 40)
    random, draws = np.random.default_rng(0), 4000
    w = weights[tokens.ids[1:-1]]
    theirs = np.mean(
        [(random.choice(15, size=6, replace=False, p=w / w.sum()) >= 12).sum() for _ in range(draws)]
    )
    ours = [(chosen_of(tokens, weights, probability=0.4, seed=seed)[1] == 5).sum() for seed in range(draws)]
    assert np.mean(ours) == pytest.approx(theirs, abs=0.06)


def test_eight_in_ten_are_masked_and_the_others_stay_or_are_random():
    random = np.random.default_rng(1)
    tokens = Tokens.from_lists([random.integers(4, 40, 20_000).tolist()])
    seen, labels = chosen_of(tokens, inverse_sqrt_frequency(tokens.ids, 40), probability=0.5)
    chosen = labels != KEPT
    assert (seen[chosen] == KNOWN.mask).mean() == pytest.approx(0.8, abs=0.015)
    # A random token of 36 is the same now and then.
    assert (seen[chosen] == tokens.ids[chosen]).mean() == pytest.approx(0.1 + 0.1 / 36, abs=0.015)
    assert set(seen[chosen]) <= {KNOWN.mask, *range(4, 40)}


def task_of(place, **settings):
    encoder = BertCheckpoint.load(place).encoder
    return MlmTask("text", MlmSpec(**settings), encoder)


def test_the_setting_reaches_training_and_dev_stays_uniform(folder, tokenizer):  # noqa: F811
    rare, usual = (task_of(folder, mlm_selection=each) for each in (RARE, "uniform"))
    ours, theirs = (task.prepare(texts(80), tokenizer) for task in (rare, usual))
    assert theirs.weights is None
    ids = ours.tokens.ids
    counts = np.bincount(ids, minlength=len(ours.weights))
    assert ours.weights[ids] == pytest.approx(counts[ids] ** -0.5)
    rows = np.arange(80)
    batch = rare.collate(ours, rows, generator=np.random.default_rng(0))
    usual_ids = np.isin(ids, vocabulary_of(tokenizer).usual)
    assert (batch.extras["labels"] != KEPT).sum() == math.ceil(0.15 * usual_ids.sum())
    dev = [task.collate(data, rows) for task, data in ((rare, ours), (usual, theirs))]
    assert torch.equal(dev[0].extras["labels"], dev[1].extras["labels"])


def test_it_is_settled_and_kept(folder):  # noqa: F811
    spec = build_of(folder, {"text": {"mlm_selection": RARE}})["text"].spec
    assert spec.mlm_selection == RARE
    assert MlmSpec.from_json(spec.to_json(), where="here").mlm_selection == RARE
    with pytest.raises(TenorError, match="known are uniform"):
        MlmConfig(mlm_selection="rare")
    with pytest.raises(TenorError, match="chooses single tokens"):
        MlmConfig(mlm_selection=RARE, whole_word_masking=True)


def build_of(place, tasks):
    configs = {name: task_config("mlm", **settings) for name, settings in tasks.items()}
    encoder = BertCheckpoint.load(place).encoder
    return build_tasks(configs, dict.fromkeys(configs, texts(5)), encoder=encoder, pooling=PoolingConfig())


def test_a_head_is_shared(folder):  # noqa: F811
    tasks = build_of(folder, {"af": {"share_head_with": "nl"}, "nl": {}})
    assert list(tasks) == ["af", "nl"]
    for name in ("dense", "norm", "bias"):
        assert getattr(tasks["af"], name) is getattr(tasks["nl"], name)
    apart = build_of(folder, {"af": {}, "nl": {}})
    assert apart["af"].bias is not apart["nl"].bias


@pytest.mark.parametrize(
    ("tasks", "told"),
    [
        ({"a": {"share_head_with": "b"}}, "is no other task"),
        ({"a": {"share_head_with": "b"}, "b": {"share_head_with": "a"}}, "shares a head itself"),
        ({"a": {"share_head_with": "b"}, "b": {"next_sentence": True}}, "same next_sentence"),
    ],
)
def test_heads_that_cannot_be_shared_are_told(folder, tasks, told):  # noqa: F811
    with pytest.raises(TenorError, match=told):
        build_of(folder, tasks)


def test_languages_with_one_head_are_trained_and_open_elsewhere(folder, tmp_path):  # noqa: F811
    from transformers import BertForMaskedLM

    rows = [[{"text": " ".join(pair.first)} for pair in aligned_pairs(30, seed=n)] for n in (1, 2)]
    run = train(
        folder,
        {
            "nl": {"kind": "mlm", "train": rows[0], "dev": rows[0][:6], "mlm_selection": RARE},
            "af": {"kind": "mlm", "train": rows[1], "dev": rows[1][:6], "share_head_with": "nl"},
        },
        out=tmp_path / "run",
        steps=3,
        task_sampling="uniform",
        precision="fp32",
    )
    assert set(run.scores) == {"nl", "af"}
    _, loading = BertForMaskedLM.from_pretrained(run.model, output_loading_info=True)
    assert not loading["missing_keys"]
    assert set(run.load().tasks) == {"nl", "af"}
