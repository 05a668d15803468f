"""Folders, results and run files from before settings were renamed."""

import json
from pathlib import Path

import pytest

from small_runs import write_run
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.migration import RENAMED, migrated, unmigrated
from tenor.model.heads import read_tasks
from tenor.recipes.cells import make_job
from tenor.recipes.table import look_up
from tenor.training.runfile import read_run

OLD = {
    "format": 1,
    "tasks": {
        "same": {"spec": {"kind": "pair", "labels": ["no", "yes"], "encoding": "joint", "both_orders": True}},
        "near": {"spec": {"kind": "similarity", "share": "same", "output": "sigmoid", "metric": "pearson"}},
        "scored": {"spec": {"kind": "similarity", "features": ["diff"], "loss": "mse", "metric": "pearson"}},
        "pairs": {"spec": {"kind": "match", "head": "cosine", "mine": 2, "metric": "mrr"}},
    },
}


def test_an_old_folder_opens(tmp_path):
    import numpy as np
    from safetensors.numpy import save_file

    (tmp_path / "tenor.json").write_text(json.dumps(OLD))
    layer = {"weight": np.zeros((1, 8), "f4"), "bias": np.zeros(1, "f4")}
    heads = {
        f"{task}:network.out.{key}": value for task in ("same", "scored") for key, value in layer.items()
    }
    save_file(heads, tmp_path / "heads.safetensors")
    tasks = read_tasks(tmp_path, width=8, pooling=PoolingConfig())
    assert tasks["same"].spec.encoding == "cross"
    assert tasks["same"].spec.symmetrize
    assert tasks["near"].spec.share_head_with == "same"
    # What was left out is what the default was then, not the cosine and the sigmoid of today.
    assert (tasks["scored"].spec.head, tasks["scored"].spec.output) == ("linear", "linear")
    assert (tasks["pairs"].spec.kind, tasks["pairs"].spec.hard_negatives) == ("contrastive", 2)


def test_a_new_folder_is_not_migrated(tmp_path):
    (tmp_path / "tenor.json").write_text(json.dumps(OLD | {"format": 2}))
    with pytest.raises(TenorError, match="not understood"):
        read_tasks(tmp_path, width=8, pooling=PoolingConfig())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("encoder_lr = 1e-3", "encoder_rate = 1e-3"),
        ('precision = "fp32"', 'precision = "fp32"\nmixing = "joint"'),
        ('precision = "fp32"', 'precision = "fp32"\naverage = 0.9'),
        ("batch_size = 4", "batch = 4"),
        ("batch_size = 4", "batch_size = 4\nsmoothing = 0.1"),
    ],
)
def test_an_old_name_in_a_run_file_is_told_the_new_one(tmp_path, old, new):
    file = write_run(tmp_path)
    file.write_text(file.read_text().replace(old, new, 1))
    name = next(name for name in RENAMED if f"{name} =" in new and f"{name} =" not in old)
    with pytest.raises(TenorError, match=rf"run\.toml:\d+: .*It is called {RENAMED[name]} now"):
        read_run(file)


def test_old_values_and_sections_are_told_the_new_ones(tmp_path):
    file = write_run(tmp_path)
    text = file.read_text()
    file.write_text(text.replace('kind = "similarity"', 'kind = "match"'))
    with pytest.raises(TenorError, match="It is called 'contrastive' now"):
        read_run(file)
    file.write_text(text + "\n[fresh]\nlayers = 1\n")
    with pytest.raises(TenorError, match=r"called \[from_scratch\] now"):
        read_run(file)


def test_migration_goes_both_ways():
    for old in ({"encoder_rate": 1.0, "kind": "match"}, {"gradients": "balanced", "fresh": {}}, {"width": 3}):
        assert unmigrated(migrated(old)) == old


def test_published_results_are_found_under_their_old_keys():
    """Keys that stand in the published file are those that jobs had before settings were renamed."""
    published = Path(__file__).parents[2] / "docs/results/transfer-fine-tuning.json"
    content = json.loads(published.read_text(encoding="utf-8"))
    recipe = look_up("transfer-fine-tuning")
    known = {record["key"] for record in content["cells"]}
    cells = {cell.name: cell for cell in recipe.plan(content["scale"]).cells}
    jobs = [
        make_job(
            recipe, content["scale"], cells[record["cell"]], record["seed"] or 0,
            digests=content["data"], data=None, out=Path("out"),
        )
        for record in content["cells"]
    ]  # fmt: skip
    assert all(job.key in known or job.old_key in known for job in jobs)
