"""The keys of a task in a run file: what is refused, in which words, and what defaults come to."""

import json
from pathlib import Path

import numpy as np
import pytest

from small_training import encoder
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.tasks.table import joined, kind_of, spec_from_json, task_config, task_spec, tasks_of
from tenor.tasks.texts.vectors import packing_apart
from tenor.text.examples import Origin, Pair, Sentence
from tenor.text.tokens import Tokens
from tenor.training.runfile import read_run


def config(kind, **settings):
    return task_config(
        kind, train=Path("a"), columns={role: role for role in kind_of(kind).config.roles}, **settings
    )


def settle(config, examples, *, name):
    return kind_of(config.kind).settle(config, examples, name=name)


def texts(*labels):
    return [Sentence("a text", Origin("a.tsv", n), label=label) for n, label in enumerate(labels, 1)]


def pairs(*labels, scores=None):
    scores = scores or [None] * len(labels)
    rows = zip(labels or [None] * len(scores), scores or [], strict=False)
    return [Pair("one", "two", Origin("a.tsv", n), label, score) for n, (label, score) in enumerate(rows, 1)]


REFUSED = {
    "head of another kind": ("classify", {"head": "cosine"}, "head is 'cosine', but a 'classify' task"),
    "features of a cosine": ("similarity", {"features": ("abs",)}, "features is not for the head 'cosine'"),
    "features twice": ("pair", {"features": ("abs", "abs")}, "twice"),
    "no features": ("pair", {"features": ()}, "features is empty"),
    "whole of one text": ("pair", {"features": ("abs", "whole")}, "'whole', which is for a cross-encoder"),
    "joint cosine": (
        "similarity",
        {"encoding": "cross", "head": "cosine"},
        "but a cross-encoder can have linear",
    ),
    "blocks of an mlp": ("pair", {"head": "mlp", "blocks": 3}, "blocks is for the head 'residual'"),
    "share and head": (
        "similarity",
        {"share_head_with": "a", "head": "mlp"},
        "cannot be chosen beside share_head_with",
    ),
    "range upside down": ("similarity", {"range": (5.0, 0.0)}, "range is"),
    "range not a number": ("similarity", {"range": (0.0, float("nan"))}, "range is"),
    "range and scale": ("similarity", {"range": (0.0, 5.0), "scale": 5.0}, "only one"),
    "one label": ("classify", {"labels": ("a",)}, "at least two"),
    "labels twice": ("classify", {"labels": ("a", "a")}, "each once"),
    "no separator": ("classify", {"multi_label": ""}, "multi_label is empty"),
    "cold": ("contrastive", {"temperature": 0.0}, "temperature is 0.0"),
    "no margin": ("contrastive", {"margin": 0.0}, "margin is 0.0"),
    "mega-batch without margin": ("contrastive", {"mega_batch": 3}, "set margin"),
    "temperature beside a margin": ("contrastive", {"margin": 0.4, "temperature": 0.1}, "for the softmax"),
    "mined beside Gaussians": ("contrastive", {"head": "gaussian", "hard_negatives": 1}, "for the softmax"),
    "scrambled too often": ("contrastive", {"scramble": 1.5}, "scramble is 1.5"),
    "temperature of mse": ("similarity", {"temperature": 0.1}, "temperature is for the loss"),
    "all dropped": ("classify", {"dropout": 1.0}, "below 1"),
    "no width": ("classify", {"head": "mlp", "hidden_size": 0}, "hidden_size is 0"),
    "other metric": ("similarity", {"metric": "accuracy"}, "metric is 'accuracy'"),
    "calibrate without dev": ("pair", {"calibrate": True}, "has no dev file"),
    "calibrate several labels": ("classify", {"calibrate": True, "multi_label": "|"}, "beside multi_label"),
    "calibrate another's head": (
        "pair",
        {"calibrate": True, "share_head_with": "a"},
        "beside share_head_with",
    ),
    "both orders side by side": (
        "pair",
        {"symmetrize": True},
        "symmetrize is for a cross-encoder",
    ),
    "chances of a cosine": ("similarity", {"loss": "cross_entropy"}, "needs a head with a sigmoid"),
    "chances without bounds": (
        "similarity",
        {"loss": "cross_entropy", "head": "mlp", "output": "linear"},
        'output = "sigmoid"',
    ),
    "unknown pooling": ("classify", {"pooling": "cls!"}, "pooling is not understood"),
}


@pytest.mark.parametrize("pooling", ["cls", "pooler", "mean+token:-1"])
def test_a_part_of_a_sequence_has_no_first_token_of_its_own(pooling):
    spec = task_spec("pair", labels=("0", "1"), encoding="cross", features=("abs",), pooling=pooling)
    with pytest.raises(TenorError, match=r"one of a whole sequence.*mean, max"):
        tasks_of({"t": spec}, encoder=encoder(), pooling=PoolingConfig.parse("mean"))
    overlap = task_spec("pair", labels=("0", "1"), encoding="cross", features=("jaccard",), pooling="cls")
    assert tasks_of({"t": overlap}, encoder=encoder(), pooling=PoolingConfig.parse("mean"))


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence(name):
    kind, settings, words = REFUSED[name]
    with pytest.raises(TenorError, match=words):
        config(kind, **settings)


OF_ANOTHER_KIND = {
    "features of one text": ("classify", "features", '["abs"]'),
    "range of labels": ("pair", "range", "[0, 1]"),
    "several labels of a pair": ("pair", "multi_label", '"|"'),
    "calibrate a score": ("similarity", "calibrate", "true"),
    "orders of one text": ("classify", "symmetrize", "true"),
}


@pytest.mark.parametrize("name", OF_ANOTHER_KIND)
def test_a_setting_of_another_kind_is_refused_with_its_line(tmp_path, name):
    kind, key, value = OF_ANOTHER_KIND[name]
    (tmp_path / "a.csv").write_text("x,y,z\na b c,d e f,1\n")
    columns = ", ".join(f"{role} = {n}" for n, role in enumerate(kind_of(kind).config.roles))
    section = f'[tasks.p]\nkind = "{kind}"\ntrain = "a.csv"\ncolumns = {{ {columns} }}\n'
    (tmp_path / "run.toml").write_text(section)
    read_run(tmp_path / "run.toml")
    (tmp_path / "run.toml").write_text(f"{section}{key} = {value}\n")
    with pytest.raises(TenorError, match=rf"run.toml:5: \[tasks.p\] has no key '{key}'"):
        read_run(tmp_path / "run.toml")


def test_a_run_file_names_line_and_nearest_value(tmp_path):
    (tmp_path / "a.csv").write_text("x,y,z\na b c,d e f,1\n")
    front = (
        '[tasks.p]\nkind = "pair"\ntrain = "a.csv"\ncolumns = { first = "x", second = "y", label = "z" }\n'
    )
    for line, words in {
        'features = ["abs", "prodct"]': r"run.toml:5: features should be one of .* Did you mean 'product'\?",
        'features = "abs"': "features should be a list, each one of",
        'labels = ["a", 3]': "labels should be a text in quotes, not 3",
        'encodng = "joint"': r"no key 'encodng'. Did you mean 'encoding'\?",
        "dropout = 2": "run.toml:5: in .tasks.p., dropout is 2.0",
    }.items():
        (tmp_path / "run.toml").write_text(front + line + "\n")
        with pytest.raises(TenorError, match=words):
            read_run(tmp_path / "run.toml")
    (tmp_path / "run.toml").write_text(front + 'features = ["u", "v"]\nhead = "residual"\nblocks = 1\n')
    task = read_run(tmp_path / "run.toml").tasks["p"]
    assert (task.features, task.head, task.blocks) == (("u", "v"), "residual", 1)


def test_defaults():
    spec = settle(config("classify"), texts("b", "a", "b"), name="t")
    assert (spec.head, spec.labels, spec.metric, spec.outputs) == ("linear", ("a", "b"), "accuracy", 2)
    spec = settle(config("classify"), texts("10", "9", "-1"), name="t")
    assert spec.labels == ("-1", "9", "10")
    spec = settle(config("classify", multi_label="|"), texts("a|b", "c", "b | c"), name="t")
    assert (spec.labels, spec.metric) == (("a", "b", "c"), "f1_micro")
    spec = settle(config("pair"), pairs("0", "1"), name="t")
    assert (spec.head, spec.features, spec.outputs) == ("mlp", ("abs", "product", "cosine"), 1)
    assert settle(config("pair"), pairs("e", "n", "c"), name="t").features[:2] == ("u", "v")
    assert settle(config("pair", encoding="cross"), pairs("e", "n"), name="t").features == ()
    spec = settle(config("similarity"), pairs(scores=[0.2, 4.6]), name="t")
    assert (spec.head, spec.range, spec.metric) == ("cosine", (0, 5), "pearson")
    assert settle(config("similarity", scale=3), pairs(scores=[1, 2]), name="t").range == (0, 3)


def test_data_that_teaches_nothing_is_refused():
    with pytest.raises(TenorError, match="every label is 'a'"):
        settle(config("classify"), texts("a", "a"), name="mood")
    with pytest.raises(TenorError, match="every score is 2"):
        settle(config("similarity"), pairs(scores=[2.0, 2.0]), name="t")
    with pytest.raises(TenorError, match="f1 is for two labels"):
        settle(config("pair", metric="f1"), pairs("a", "b", "c"), name="t")


def test_sharing_is_checked():
    pair = task_spec("pair", labels=("0", "1"), head="mlp", features=("abs",), hidden_size=3)
    score = task_spec("similarity", share_head_with="p", range=(0, 5), output="sigmoid", metric="pearson")
    found = joined({"p": pair, "s": score})["s"]
    assert (found.head, found.features, found.hidden_size, found.range) == ("mlp", ("abs",), 3, (0, 5))
    wrong = {
        "no other task": {"q": pair, "s": score},
        "shares a head itself": {"p": score, "s": score, "q": pair},
        "single texts": {"p": task_spec("classify", labels=("a", "b")), "s": score},
        "cannot be shared": {"p": task_spec("similarity", head="cosine", metric="pearson"), "s": score},
        "would have 1 outputs": {
            "p": task_spec("pair", labels=("a", "b", "c"), features=("abs",)),
            "s": score,
        },
    }
    wrong["shares a head itself"]["p"] = task_spec("similarity", share_head_with="q", metric="pearson")
    for words, specs in wrong.items():
        with pytest.raises(TenorError, match=words):
            joined(specs)


def test_specs_come_back_from_json():
    for spec in (
        task_spec("classify", labels=("a", "b"), separator="|", metric="f1_micro"),
        task_spec("pair", labels=("0", "1"), head="residual", features=("diff", "jaccard"), blocks=1),
        task_spec(
            "similarity",
            head="cosine",
            range=(0.0, 5.0),
            points=((0.0, 1.0), (1.0, 5.0)),
            metric="pearson",
        ),
        task_spec("contrastive", head="cosine", temperature=0.1, symmetric=False, metric="mrr"),
    ):
        told = json.loads(json.dumps(spec.to_json()))
        assert spec_from_json(told, where="x") == spec


BROKEN = {
    "not a table": [1],
    "no kind": {"labels": ["a", "b"]},
    "unknown kind": {"kind": "guess"},
    "unknown key": {"kind": "classify", "labels": ["a", "b"], "hiden_size": 3},
    "labels a text": {"kind": "classify", "labels": "ab"},
    "labels numbers": {"kind": "classify", "labels": [1, 2]},
    "one label": {"kind": "classify", "labels": ["a"]},
    "equal labels": {"kind": "classify", "labels": ["a", "a"]},
    "huge": {"kind": "classify", "labels": ["a", "b"], "head": "mlp", "hidden_size": 1 << 40},
    "many blocks": {"kind": "classify", "labels": ["a", "b"], "head": "residual", "blocks": 10**9},
    "range of one": {"kind": "similarity", "head": "cosine", "metric": "pearson", "range": [1]},
    "range of nothing": {"kind": "similarity", "head": "cosine", "metric": "pearson", "range": [1, 1]},
    "bool for a number": {"kind": "similarity", "head": "cosine", "metric": "pearson", "temperature": True},
    "head of another kind": {"kind": "classify", "labels": ["a", "b"], "head": "cosine"},
    "unknown pooling": {"kind": "classify", "labels": ["a", "b"], "pooling": "../x"},
    "no features": {"kind": "pair", "labels": ["a", "b"], "head": "mlp"},
    "points not pairs": {"kind": "similarity", "head": "cosine", "metric": "pearson", "points": [[1]]},
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_specification_is_refused(name):
    with pytest.raises(TenorError):
        spec_from_json(BROKEN[name], where="tenor.json: task t")


def test_parts_of_a_sequence_that_nobody_numbered_are_told_in_a_sentence():
    tokens = Tokens.from_lists([[1, 5, 2, 6, 2], [1, 5, 2, 6, 2]])
    with pytest.raises(TenorError, match="does not number the two texts"):
        packing_apart(tokens)
    with pytest.raises(TenorError, match="does not number the two texts"):
        packing_apart(Tokens(tokens.ids, tokens.starts, np.zeros(10, dtype=np.int32)))
