"""Run folders made up for the tests of reports."""

import json
import math

import numpy as np

RUN = """encoder = "minilm"
pooling = "mean"
seed = 1

[tasks.mood]
kind = "classify"
train = "mood-train.tsv"
dev = "mood-dev.tsv"
batch_size = 16
weight = 0.5

[tasks.likeness]
kind = "similarity"
train = "pairs.tsv"
dev = "pairs-dev.tsv"
batch_size = 16
weight = 1.0

[training]
epochs = 3
encoder_lr = 1e-05
head_lr = 0.001
"""


def write_run(folder, *, rows=300, steps=96, text="The film number {} was rather good"):
    """Write what a finished run leaves, with texts and labels of the caller's choice."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(0)
    (folder / "run.toml").write_text(RUN)
    (folder / "log.jsonl").write_text("".join(_log(draw, steps)))
    (folder / "predictions.jsonl").write_text("".join(_predictions(draw, rows, text)), encoding="utf-8")
    interval = {"estimate": 0.71, "low": 0.66, "high": 0.76, "level": 0.95}
    metrics = {
        "steps": steps,
        "seconds": 321.5,
        "tokens_per_second": 1234.5,
        "encoder": "minilm",
        "stop": "all epochs are done",
        "best_step": steps,
        "precision": "fp32",
        "machine": {"cpu": "A fast one", "cores": 2, "memory_gb": 16, "system": "Linux"},
        "versions": {"tenor": "0.1.0", "torch": "2.13.0"},
        "tasks": {
            "mood": {
                "metric": "accuracy",
                "scores": {"accuracy": interval, "f1_macro": interval},
                "rows": rows,
            },
            "likeness": {"metric": "pearson", "scores": {"pearson": interval}, "rows": rows},
        },
        "data": {
            "mood": {"train": {"file": "mood-train.tsv", "rows": 640}, "dev": {"file": "d.tsv", "rows": rows}}
        },
    }
    (folder / "metrics.json").write_text(json.dumps(metrics))
    return folder


def _log(draw, steps):
    for step in range(1, steps + 1):
        fall = math.exp(-step / 40)
        losses = {
            "mood": 0.9 * fall + 0.4 + 0.1 * draw.random(),
            "likeness": 0.1 * fall + 0.02 * draw.random(),
        }
        line = {
            "step": step,
            "epoch": step // 32,
            "losses": losses,
            "lr": 1e-3,
            "tokens": 900,
            "seconds": step * 3.3,
        }
        yield json.dumps(line) + "\n"
        if step % 16 == 0:
            mood = {"accuracy": 0.7 - 0.3 * fall, "f1_macro": 0.6 - 0.3 * fall}
            likeness = {"pearson": 0.85 - 0.2 * fall}
            told = {
                "mood": {"loss": fall + 0.5, "metric": "accuracy", "scores": mood},
                "likeness": {"loss": 0.08 * fall + 0.03, "metric": "pearson", "scores": likeness},
            }
            yield json.dumps({"step": step, "epoch": step // 32, "evaluation": told}) + "\n"


def _predictions(draw, rows, text):
    labels = ["negative", "neutral", "positive"]
    for number in range(rows):
        gold = labels[int(draw.integers(3))]
        shares = draw.dirichlet([1, 1, 1])
        shares[labels.index(gold)] += 0.7
        shares /= shares.sum()
        line = {
            "task": "mood",
            "kind": "classify",
            "origin": f"d.tsv:{number + 2}",
            "texts": [text.format(number)],
        }
        line |= {"gold": gold, "predicted": labels[int(shares.argmax())]}
        yield json.dumps(line | {"probabilities": dict(zip(labels, shares.tolist(), strict=True))}) + "\n"
    for number in range(rows):
        gold = float(round(5 * draw.random(), 1))
        texts = [text.format(number), text.format(number + 1)]
        line = {"task": "likeness", "kind": "similarity", "origin": f"p.tsv:{number + 2}", "texts": texts}
        yield json.dumps(line | {"gold": gold, "predicted": 0.7 * gold + 0.5 + 0.5 * draw.normal()}) + "\n"
