"""Heads: torch against numpy, and what specs 01 and 02 ask of pair features, cosine and shared heads."""

import numpy as np
import pytest
import torch

from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.heads import check_weights
from tenor.tasks.heads.head import TaskHead
from tenor.tasks.heads.in_numpy import run_head, weight_shapes
from tenor.tasks.heads.networks import BatchNorm, ResidualHead
from tenor.tasks.heads.pairs import cosine, pair_features
from tenor.tasks.table import task_spec

WIDTH = 6
ALL = ("u", "v", "diff", "abs", "product", "cosine", "jaccard")
SPECS = {
    "classify linear": task_spec("classify", labels=("a", "b", "c")),
    "classify mlp": task_spec("classify", labels=("a", "b"), head="mlp", hidden_size=5),
    "classify residual": task_spec("classify", labels=("a", "b", "c"), head="residual", blocks=3),
    "pair linear": task_spec("pair", labels=("0", "1"), features=("diff",)),
    "pair mlp, all features": task_spec("pair", labels=("0", "1"), head="mlp", features=ALL),
    "pair residual": task_spec("pair", labels=("0", "1"), head="residual", features=("diff", "jaccard")),
    "pair of three": task_spec("pair", labels=("e", "n", "c"), head="mlp", features=("u", "v", "abs")),
    "pair affine": task_spec("pair", labels=("0", "1"), head="affine"),
    "similarity cosine": task_spec("similarity", head="cosine", range=(0, 5), metric="pearson"),
    "similarity affine": task_spec("similarity", head="affine", range=(0, 5), metric="pearson"),
    "similarity linear": task_spec(
        "similarity", head="linear", output="linear", features=("abs",), range=(0, 5)
    ),
    "joint": task_spec("pair", labels=("0", "1"), encoding="cross"),
    "joint with overlap": task_spec("pair", labels=("0", "1"), encoding="cross", features=("jaccard",)),
}


def head_of(spec, seed=0):
    torch.manual_seed(seed)
    head = TaskHead(spec, WIDTH, hidden=WIDTH)
    for norm in (module for module in head.modules() if isinstance(module, BatchNorm)):
        torch.nn.init.normal_(norm.running_mean)
        torch.nn.init.uniform_(norm.running_var, 0.5, 2)
        torch.nn.init.normal_(norm.weight)
        torch.nn.init.normal_(norm.bias)
    for parameter in head.parameters():
        torch.nn.init.normal_(parameter)
    return head.eval()


def weights_of(head):
    return {k: v.numpy() for k, v in head.state_dict().items() if not k.endswith("num_batches_tracked")}


def shapes_of(spec):
    return spec.weight_shapes(WIDTH, pooling=PoolingConfig())


def inputs_of(spec, rows=7):
    random = np.random.default_rng(1)
    sides = [random.normal(size=(rows, WIDTH)).astype(np.float32) for _ in range(spec.sides)]
    overlap = random.random(rows).astype(np.float32) if "jaccard" in spec.features else None
    return sides, overlap


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("rows", [0, 1, 7])
def test_numpy_gives_what_torch_gives(name, rows):
    spec = SPECS[name]
    head = head_of(spec)
    sides, overlap = inputs_of(spec, rows)
    features = None if overlap is None else torch.from_numpy(overlap)[:, None]
    with torch.no_grad():
        expected = head([torch.from_numpy(side) for side in sides], features).numpy()
    found = run_head(spec, weights_of(head), sides, overlap)
    assert found.shape == (rows, spec.outputs)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", SPECS)
def test_the_shapes_that_a_file_is_checked_by_are_those_of_torch(name):
    spec = SPECS[name]
    weights = weights_of(head_of(spec))
    assert (
        shapes_of(spec)
        == weight_shapes(spec, WIDTH, WIDTH)
        == {key: value.shape for key, value in weights.items()}
    )
    check_weights(weights, shapes_of(spec), where="a file")


@pytest.mark.parametrize("name", SPECS)
def test_the_same_seed_gives_the_same_head_and_rows_do_not_meet_in_evaluation(name):
    spec = SPECS[name]
    one, two = head_of(spec), head_of(spec)
    sides, overlap = inputs_of(spec)
    tensors = [torch.from_numpy(side) for side in sides]
    features = None if overlap is None else torch.from_numpy(overlap)[:, None]
    with torch.no_grad():
        together = one(tensors, features)
        assert torch.equal(together, two(tensors, features))
        alone = one([side[3:4] for side in tensors], None if features is None else features[3:4])
    torch.testing.assert_close(alone, together[3:4])


def test_bad_weights_are_refused_in_a_sentence():
    spec = SPECS["classify linear"]
    weights = weights_of(head_of(spec))
    for change, match in (
        ({"network.out.bias": np.zeros(2, np.float32)}, "shape"),
        ({"network.out.bias": np.full(3, np.nan, np.float32)}, "not finite"),
    ):
        with pytest.raises(TenorError, match=match):
            check_weights(weights | change, shapes_of(spec), where="a file")
    with pytest.raises(TenorError, match="lacks the weight"):
        check_weights({}, shapes_of(spec), where="a file")


def test_a_residual_head_is_its_formula():
    head = ResidualHead(4, 3, hidden=5, blocks=2, dropout=0.5).eval()
    x = torch.randn(6, 4)
    h = x @ head.first.weight.T + head.first.bias
    for block in head.blocks:
        z = h @ block.linear.weight.T + block.linear.bias
        normed = (z - block.norm.running_mean) / (block.norm.running_var + 1e-5).sqrt()
        h = h + torch.relu(normed * block.norm.weight + block.norm.bias)
    torch.testing.assert_close(head(x), h @ head.out.weight.T + head.out.bias)


def test_batch_norm_takes_one_row_with_its_running_statistics():
    norm = BatchNorm(4)
    before = norm.running_mean.clone()
    x = torch.randn(1, 4)
    torch.testing.assert_close(norm(x), x / (1 + 1e-5) ** 0.5)
    assert torch.equal(norm.running_mean, before)
    norm(torch.randn(3, 4) + 5)
    assert not torch.equal(norm.running_mean, before)


def test_the_cosine_head_scores_as_spec_02_asks():
    spec = SPECS["similarity cosine"]
    head = TaskHead(spec, WIDTH, hidden=WIDTH).eval()
    u, v = torch.randn(2, 9, WIDTH)
    score = lambda a, b: spec.predictions(head([a, b]).numpy())  # noqa: E731
    np.testing.assert_allclose(score(u, u), 5, atol=1e-5)
    np.testing.assert_array_equal(score(u, v), score(v, u))
    np.testing.assert_allclose(score(3 * u, v), score(u, 0.2 * v), atol=1e-5)
    zero = torch.zeros(9, WIDTH, requires_grad=True)
    assert np.isfinite(score(zero.detach(), v)).all()
    cosine(zero, v).sum().backward()
    assert torch.isfinite(zero.grad).all()


def test_the_cosine_is_that_of_torch():
    u, v = torch.randn(2, 50, 7)
    torch.testing.assert_close(
        cosine(u, v), torch.nn.functional.cosine_similarity(u, v), atol=1e-6, rtol=1e-5
    )


def test_concatenated_features_of_spec_02():
    u, v = torch.randn(2, 5, WIDTH)
    features = pair_features(u, v, ("abs", "product"))
    assert features.shape == (5, 2 * WIDTH)
    assert torch.equal(features, pair_features(v, u, ("abs", "product")))
    assert not pair_features(u, u, ("abs", "product"))[:, :WIDTH].any()
    with pytest.raises(ValueError, match="jaccard"):
        pair_features(u, v, ("jaccard",))


def test_a_linear_head_on_the_difference_is_antisymmetric_up_to_its_bias():
    head = head_of(SPECS["pair linear"])
    u, v = torch.randn(2, 5, WIDTH)
    bias = head.network.out.bias
    with torch.no_grad():
        torch.testing.assert_close(head([u, v]) - bias, -(head([v, u]) - bias))


def test_probabilities_and_scores():
    logits = np.array([[0.0, 1.0, 2.0], [1000.0, 0.0, -1000.0]])
    found = SPECS["classify linear"].predictions(logits)
    expected = torch.softmax(torch.from_numpy(logits), dim=1).numpy()
    np.testing.assert_allclose(found, expected)
    several = task_spec("classify", labels=("a", "b", "c"), separator="|", metric="f1_micro")
    np.testing.assert_allclose(several.predictions(logits), torch.from_numpy(logits).sigmoid().numpy())
    raw = np.array([[-2.0], [0.5]])
    pair = SPECS["pair mlp, all features"].predictions(raw)
    np.testing.assert_allclose(pair.sum(axis=1), 1)
    shared = task_spec(
        "similarity", head="mlp", features=("abs",), range=(0, 5), output="sigmoid", metric="pearson"
    )
    assert (shared.predictions(raw) == 5 * pair[:, 1]).all()  # spec 01: exactly five times
    moved = task_spec("similarity", head="cosine", range=(1, 5), metric="pearson")
    np.testing.assert_allclose(moved.predictions(np.array([[0.5]])), [3])
    line = task_spec("similarity", head="cosine", metric="pearson", points=((0.0, 0.0), (1.0, 5.0)))
    np.testing.assert_allclose(line.predictions(np.array([[-1.0], [0.5]])), [0, 2.5])
