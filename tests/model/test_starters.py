"""The heads that come with the starter: small, whole, honest; the starter itself is not needed here."""

import json

import numpy as np
import pytest

from tenor.layers.pooling_config import PoolingConfig
from tenor.model.heads import tasks_from
from tenor.model.starters import FOLDER, STARTERS
from tenor.tasks.heads.in_numpy import run_head

WIDTHS = {"minilm": 384}


@pytest.mark.parametrize("name", STARTERS.values())
def test_the_heads_are_whole_and_small(name):
    told, heads = FOLDER / f"{name}.json", FOLDER / f"{name}.safetensors"
    assert told.stat().st_size + heads.stat().st_size < 2_000_000
    content = json.loads(told.read_text())
    assert STARTERS[content["fingerprint"]] == name
    tasks = tasks_from(content["tasks"], told, heads, width=WIDTHS[name], pooling=PoolingConfig())
    assert list(tasks) == ["sentiment", "paraphrase", "similarity"]
    random = np.random.default_rng(0)
    vectors = random.normal(size=(2, 5, WIDTHS[name])).astype(np.float32)
    for task in tasks.values():
        overlap = np.ones(5, dtype=np.float32)
        found = [
            task.spec.predictions(run_head(task.spec, task.weights, sides, overlap[: len(sides[0])]))
            if task.spec.sides == 2
            else task.spec.predictions(run_head(task.spec, task.weights, sides))
            for sides in (list(vectors[: task.spec.sides]), list(vectors[: task.spec.sides][::-1]))
        ]
        assert np.isfinite(found[0]).all()
        if task.spec.sides == 2:  # the order of two texts makes no difference
            np.testing.assert_allclose(found[0], found[1], rtol=1e-5)


@pytest.mark.parametrize("name", STARTERS.values())
def test_they_say_from_what_they_were_made_and_how_good_they_are(name):
    tasks = json.loads((FOLDER / f"{name}.json").read_text())["tasks"]
    for task in tasks.values():
        assert all("rows" in source and "dropped" in source for source in task["made"]["sources"].values())
    assert min(tasks[task]["scores"]["accuracy"] for task in ("sentiment", "paraphrase")) >= 0.78
    assert tasks["similarity"]["scores"]["pearson"] >= 0.85
    assert tasks["paraphrase"]["scores"]["parts"]["dev"]["rows"] == 4000
