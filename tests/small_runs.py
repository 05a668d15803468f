"""Small run files with data, and the command that trains them, for tests of whole runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from tiny import WORDS, write_tiny_model

RUN = """
encoder = "model"
seed = 3

[tasks.mood]
kind = "classify"
train = "mood-train.tsv"
dev = "mood-dev.tsv"
columns = {{ text = "text", label = "label" }}
batch_size = 4
dropout = {dropout}
{mood}

[tasks.near]
kind = "similarity"
train = "near-train.tsv"
dev = "near-dev.tsv"
columns = {{ first = "first", second = "second", score = "score" }}
range = [0, 5]
batch_size = 4

{more}
[training]
epochs = 2
dropout = {dropout}
encoder_lr = 1e-3
precision = "fp32"
checkpoint_minutes = 0
{training}
"""
MATCH = """
[tasks.pairs]
kind = "contrastive"
train = "near-train.tsv"
columns = {{ first = "first", second = "second" }}
batch_size = 4
"""


def write_run(
    folder: Path, *, mood: str = "", more: str = "", training: str = "", dropout: float = 0.1
) -> Path:
    """Write a tiny model, data and a run file, and return the run file."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tiny_model(folder / "model")
    write_data(folder)
    text = RUN.format(mood=mood, more=more, training=training, dropout=dropout)
    (folder / "run.toml").write_text(text, encoding="utf-8")
    return folder / "run.toml"


def write_data(folder: Path, *, train: int = 18, dev: int = 8) -> None:
    random = np.random.default_rng(0)

    def words() -> list[str]:
        return [WORDS[place] for place in random.integers(0, len(WORDS), size=random.integers(3, 12))]

    for part, count in (("train", train), ("dev", dev)):
        moods = [(f"{' '.join(words())} {part} {n}", ("good", "bad")[n % 2]) for n in range(count)]
        nears = []
        for n in range(count):
            first = words()
            kept = [word if random.random() < n / count else "game" for word in first]
            nears.append((f"{' '.join(first)} {part} {n}", " ".join(kept), f"{5 * n / (count - 1):.2f}"))
        _table(folder / f"mood-{part}.tsv", ("text", "label"), moods)
        _table(folder / f"near-{part}.tsv", ("first", "second", "score"), nears)


def _table(path: Path, names: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    path.write_text("".join("\t".join(row) + "\n" for row in [names, *rows]), encoding="utf-8")


def tenor(*arguments: object, launcher: tuple[str, ...] = (), environment: dict[str, str] | None = None):
    """Run the command line in a process of its own."""
    command = [*launcher, "-m", "tenor.cli.main", *map(str, arguments)]
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=800,
        env=os.environ | {"OMP_NUM_THREADS": "1"} | (environment or {}),
    )  # fmt: skip


def logged(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def step_losses(folder: Path) -> list[dict[str, float]]:
    return [line["losses"] for line in logged(folder) if "losses" in line]
