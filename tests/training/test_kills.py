"""A run that is killed with SIGKILL, again and again, ends with the very same bytes as one that is not."""

import os
import subprocess
import sys

import pytest

from small_runs import MATCH, logged, write_run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

DRIVER = """
import os, signal, sys
from pathlib import Path
from tenor.training import running
from tenor.training.building import with_found_encoder
from tenor.training.callbacks import Callback
from tenor.training.runfile import read_run

run_file, out, moment, step = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

class Kill(Callback):
    def on_backward_end(self, learner, progress):
        if moment == "backward" and progress.step == step: die()
    def on_step_end(self, learner, progress, report):
        if moment == "step" and progress.step == step: die()
    def on_evaluate(self, learner, progress, evaluations, better):
        if moment == "evaluation" and progress.step >= step: die()

if moment == "checkpoint":  # in the midst of writing one
    import tenor.training.checkpoints as checkpoints
    save, count = checkpoints.write_safetensors, []
    def half(path, tensors, metadata):
        count.append(1)
        if len(count) == step:
            aside = path.with_name(f".{path.name}.abcd_123.part")
            save(aside, tensors, metadata=metadata)
            content = aside.read_bytes()
            aside.write_bytes(content[: len(content) // 2])
            die()
        save(path, tensors, metadata=metadata)
    checkpoints.write_safetensors = half
if moment == "finish":
    running.write_json = die

run = with_found_encoder(read_run(run_file), Path(run_file).parent)
running.train_run(run, out=out, callbacks=[Kill()])
"""


@pytest.mark.parametrize("settings", ["plain", "mined and sampled"])
def test_killed_and_resumed_runs_end_with_the_same_bytes(tmp_path, settings):
    more, training = "", "checkpoint_steps = 3"
    if settings != "plain":
        more = MATCH.replace("{{", "{").replace("}}", "}") + "hard_negatives = 1\n"
        training = 'checkpoint_steps = 2\ntask_sampling = "temperature"\nloss_weighting = "uncertainty"'
        training += "\neval_steps = 4"
    run = write_run(tmp_path / "run", mood='head = "residual"', more=more, training=training)
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER)

    def go(out, moment="never", step=0):
        return subprocess.run(
            [sys.executable, driver, run, tmp_path / out, moment, str(step)], capture_output=True,
            timeout=800,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )  # fmt: skip

    assert go("whole").returncode == 0
    kills = [
        ("step", 1), ("backward", 5), ("checkpoint", 2), ("evaluation", 5), ("step", 8), ("finish", 0),
    ]  # fmt: skip
    for moment, step in kills:
        done = go("killed", moment, step)
        assert done.returncode == -9, (moment, done.stderr[-500:])
    done = go("killed")
    assert done.returncode == 0, done.stderr[-800:]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for name in ("model.safetensors", "heads.safetensors"):
        assert (whole / "model" / name).read_bytes() == (killed / "model" / name).read_bytes()
    assert (whole / "predictions.jsonl").read_bytes() == (killed / "predictions.jsonl").read_bytes()
    timeless = [
        [{key: value for key, value in line.items() if key != "seconds"} for line in logged(out)]
        for out in (whole, killed)
    ]
    assert timeless[0] == timeless[1]
