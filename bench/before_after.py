"""Encoding, training, cold start and serving of this tree beside an earlier commit, in one run.

    python bench/before_after.py REV [--repeats 7] [encode train coldstart serve]

The commit is checked out into a worktree and run by the same interpreter. Before and after alternate, on one
thread, after a round that warms both; compared are CPU times, whose ratio holds on a machine that does other
things beside. Serving is CPU time per request, by a few clients with one short text each.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from coldstart import PAIR
from encode import sts_sentences
from peers import ROOT, Side

from serve import Server, free_port
from tenor.assets import fetch, find

RUN = """
encoder = "{model}"
[tasks.length]
kind = "classify"
train = "rows.tsv"
columns = {{ text = "text", label = "label" }}
head = "linear"
{batch_size} = 16
[training]
epochs = 1
steps = 30
{encoder_lr} = 1e-5
{head_lr} = 1e-3
schedule = "constant"
freeze = "none"
precision = "fp32"
"""

# What settings were called in run files before they got the names of the field.
OLD_NAMES = {"batch_size": "batch", "encoder_lr": "encoder_rate", "head_lr": "head_rate"}


class Tree:
    """A source tree: what its jobs took, round by round."""

    def __init__(self, root, work):
        self.root, self.work, self.seconds, self._open = root, work, {}, {}
        work.mkdir()
        self.environment = os.environ | {
            "PYTHONPATH": str(root / "src"),
            "OMP_NUM_THREADS": "1",
            "RAYON_NUM_THREADS": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "HF_HUB_OFFLINE": "1",
        }

    def round(self, job):
        self.seconds.setdefault(job, []).append(getattr(self, job)())

    def encode(self):
        if "encode" not in self._open:
            texts = self.work / "texts.json"
            texts.write_text(json.dumps(sts_sentences()[:600]))
            arguments = ["tenor", texts, "--model", find("minilm"), "--precision", "fp32"]
            self._open["encode"] = Side(
                "tenor", sys.executable, arguments, threads=1, environment=self.environment
            )
        self._open["encode"].round()
        return self._open["encode"].rounds[-1]["cpu"]

    def train(self):
        rows = "".join(f"{text}\t{len(text) % 2}\n" for text in sts_sentences()[:480])
        (self.work / "rows.tsv").write_text("text\tlabel\n" + rows, encoding="utf-8")
        config = (self.root / "src/tenor/training/config.py").read_text(encoding="utf-8")
        names = {new: new if "encoder_lr" in config else old for new, old in OLD_NAMES.items()}
        (self.work / "run.toml").write_text(RUN.format(model=find("minilm"), **names), encoding="utf-8")
        with tempfile.TemporaryDirectory(dir=self.work) as out:
            return self._process("train", self.work / "run.toml", "--out", Path(out) / "run", "--quiet")

    def coldstart(self):
        return self._process("compare", *PAIR)

    def serve(self):
        if "serve" not in self._open:
            port = free_port()
            command = [sys.executable, "-m", "tenor.cli.main", "serve", "--port", str(port)]
            self._open["serve"] = Server("tenor", command, port, 1, self.environment)
            (self.work / "short.json").write_text(json.dumps(sts_sentences()[:1000]))
        loaded = self._open["serve"].load(self.work / "short.json", clients=16, seconds=5, warm_up=0)
        if loaded["errors"]:
            raise RuntimeError(f"Requests failed: {loaded['errors'][0]}")
        return loaded["cpu_ms"] / 1000

    def close(self):
        for job in self._open.values():
            job.close()

    def _process(self, *arguments):
        before = _spent()
        command = [sys.executable, "-m", "tenor.cli.main", *map(str, arguments)]
        done = subprocess.run(command, env=self.environment, cwd=self.work, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} in {self.root}: {done.stderr[-800:]}")
        return _spent() - before


def _spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(trees, jobs, repeats):
    """Alternate the trees, each first in every other round; the first round only warms."""
    for job in jobs:
        for round_ in range(repeats + 1):
            for tree in trees if round_ % 2 else trees[::-1]:
                tree.round(job)
        yield job, *(tree.seconds[job][1:] for tree in trees)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("revision", help="the commit before")
    jobs = ("encode", "train", "coldstart", "serve")
    parser.add_argument("jobs", nargs="*", choices=[*jobs, []], default=[])
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_intermixed_args()
    fetch("minilm")
    fetch("stsb")
    with tempfile.TemporaryDirectory() as folder:
        work, before = Path(folder), Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run(
            [*git, "add", "--detach", str(before), options.revision], check=True, capture_output=True
        )
        trees = [Tree(before, work / "before"), Tree(ROOT, work / "after")]
        try:
            for job, *seconds in measure(trees, options.jobs or jobs, options.repeats):
                show(job, *seconds)
        finally:
            for tree in trees:
                tree.close()
            subprocess.run([*git, "remove", "--force", str(before)], check=False)


def show(job, before, after):
    ratios = sorted(new / old for old, new in zip(before, after, strict=True))
    old, new = (1000 * statistics.median(each) for each in (before, after))
    print(
        f"{job:10} {old:9.1f} -> {new:9.1f} ms of CPU, median of {len(ratios)} pairs; ratio "
        f"{statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})",
        flush=True,
    )


if __name__ == "__main__":
    main()
