"""Two processes give the losses of one, under both launchers; what looks across rows is gathered first."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from small_runs import MATCH, logged, step_losses, tenor, write_run
from tenor.errors import TenorError
from tenor.training.distributed import DistributedContext

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def launcher(kind):
    if kind == "torchrun":
        # It finds a port by itself: one that is free now may be taken when the processes start.
        return ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")
    return (
        "-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1",
        "--mixed_precision", "no", "--dynamo_backend", "no", "--main_process_port", free_port(),
    )  # fmt: skip


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """A run in one process: batch norm, in-batch negatives, passes of few tokens, gradient surgery later."""
    folder = tmp_path_factory.mktemp("one")
    match = MATCH.replace("{{", "{").replace("}}", "}")
    run = write_run(
        folder, mood='head = "residual"', more=match, dropout=0.0, training="micro_batch_tokens = 60"
    )
    done = tenor("train", run, "--out", folder / "out", "--quiet")
    assert done.returncode == 0, done.stderr
    return run, step_losses(folder / "out")


@pytest.mark.parametrize("kind", ["torchrun", "accelerate"])
def test_two_processes_have_the_losses_of_one(one, tmp_path, kind):
    run, expected = one
    done = tenor("train", run, "--out", tmp_path / "two", launcher=launcher(kind))
    assert done.returncode == 0, done.stderr
    found = step_losses(tmp_path / "two")
    assert len(found) == len(expected) == 10
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-4)
    assert done.stdout.count("model:") == 1, "only the first process speaks"


@pytest.mark.parametrize(
    ("loss_weighting", "surgery"),
    [("uncertainty", "none"), ("uncertainty", "pcgrad"), ("fixed", "equal_norm")],
)
def test_uncertainty_and_surgery_agree_as_well(tmp_path, loss_weighting, surgery):
    training = f'loss_weighting = "{loss_weighting}"\ngradient_balancing = "{surgery}"\nsteps = 4'
    run = write_run(tmp_path / "run", dropout=0.0, training=training)
    for name, start in (("one", ()), ("two", launcher("torchrun"))):
        done = tenor("train", run, "--out", tmp_path / name, "--quiet", launcher=start)
        assert done.returncode == 0, done.stderr
    one, two = (step_losses(tmp_path / name) for name in ("one", "two"))
    for ours, theirs in zip(two, one, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-4)


def test_two_processes_go_on_after_a_kill_and_mpi_is_understood(tmp_path):
    """Processes as mpirun would start them, which kill themselves in the midst of the second epoch."""
    run = write_run(tmp_path / "run", training="checkpoint_steps = 1")
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    driver = tmp_path / "driver.py"
    driver.write_text(KILLING)
    for out, kills in ((whole, [0]), (cut, [7, 0])):
        for kill in kills:
            port = free_port()
            processes = [
                subprocess.Popen(
                    [sys.executable, driver, run, out, str(kill)], stderr=subprocess.PIPE,
                    env=os.environ | mpi(rank, port),
                )
                for rank in range(2)
            ]  # fmt: skip
            codes = [process.wait(timeout=800) for process in processes]
            said = b"".join(process.stderr.read() for process in processes)
            for process in processes:
                process.stderr.close()
            assert (codes == [0, 0]) == (kill == 0), said
    assert logged(whole)[-1]["evaluation"] == logged(cut)[-1]["evaluation"]
    files = [(out / "model" / "model.safetensors").read_bytes() for out in (whole, cut)]
    assert files[0] == files[1]


def mpi(rank, port):
    number = str(rank)
    theirs = {"SIZE": "2", "RANK": number, "LOCAL_RANK": number}
    own = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": "1"}
    return {f"OMPI_COMM_WORLD_{name}": value for name, value in theirs.items()} | own


KILLING = """
import os, signal, sys
from tenor.training.callbacks import Callback
from tenor.training.building import with_found_encoder
from tenor.training.running import train_run
from tenor.training.runfile import read_run
from pathlib import Path

class Kill(Callback):
    def on_step_end(self, learner, progress, report):
        if progress.step == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)

run = with_found_encoder(read_run(sys.argv[1]), Path(sys.argv[1]).parent)
train_run(run, out=sys.argv[2], callbacks=[Kill()])
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux to list threads")
def test_nothing_of_the_group_is_left_after_leaving():
    """Its threads would now and then abort the process when Python ends: torch imports some parts late."""
    driver = """
import torch
from pathlib import Path
from tenor.training.distributed import DistributedContext
world = DistributedContext.from_environment()
world.join(torch.device("cpu"))
import torch._dynamo
world.collect(torch.ones(2))
world.leave()
print(sum("gloo" in path.read_text() for path in Path("/proc/self/task").glob("*/comm")))
"""
    port = free_port()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", driver], stdout=subprocess.PIPE, env=os.environ | mpi(rank, port)
        )
        for rank in range(2)
    ]
    said = [process.communicate(timeout=300)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert said == [b"0\n", b"0\n"]


def test_an_odd_environment_is_told(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "two")
    with pytest.raises(TenorError, match="not whole numbers"):
        DistributedContext.from_environment()


def test_bf16_learns_like_fp32_with_weights_in_fp32(tmp_path):
    """In a process of its own: the guard against bad instructions counts only before the first kernel."""
    run = write_run(tmp_path / "run", dropout=0.0, training="steps = 6")
    for precision in ("fp32", "bf16"):
        out = tmp_path / precision
        done = tenor("train", run, "--out", out, "--quiet", "--set", f"training.precision={precision}")
        assert done.returncode == 0, done.stderr
    exact, coarse = (step_losses(tmp_path / name) for name in ("fp32", "bf16"))
    assert exact != coarse
    for one, two in zip(exact, coarse, strict=True):
        assert two == pytest.approx(one, rel=0.05, abs=0.02)
