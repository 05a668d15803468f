"""Record what a change must leave as it is: a run of each kind of task, all recipes at `tiny`, a small tour.

    python bench/record.py before.json                  # at the commit before a change
    python bench/record.py after.json --against before.json

Everything runs at fixed seeds, in fp32, on one thread. Compared are losses step by step, scores, predictions
and weights, by value alone and not by name, so that a renaming does not count. Bit for bit on one machine;
figures of different machines differ in their last digits.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import fields
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

TEXT = 'columns = { text = "text", label = "label" }'
PAIR = 'columns = { first = "first", second = "second", label = "label" }'
SCORE = 'columns = { first = "first", second = "second", score = "score" }'
MATCH = 'columns = { first = "first", second = "second" }'


def section(kind: str, data: str, *lines: str) -> str:
    """Return one task of a run file."""
    return "\n".join(
        [
            f'kind = "{kind}"',
            f'train = "{data}-train.tsv"',
            f'dev = "{data}-dev.tsv"',
            "batch_size = 4",
            *lines,
        ]
    )


MOOD = section("classify", "mood", TEXT)
NEAR = section("similarity", "near", SCORE, "range = [0, 5]")
RUNS: dict[str, tuple[dict[str, str], str]] = {
    "classify": ({"mood": MOOD}, ""),
    "classify mlp": (
        {"mood": MOOD + '\nhead = "mlp"\nhidden_size = 8\npooling = "mean@mix"'},
        'schedule = "cosine"',
    ),
    "classify residual": (
        {"mood": MOOD + '\nhead = "residual"\nclass_weight = "balanced"\nlabel_smoothing = 0.1'},
        "ema = 0.9",
    ),
    "several labels": (
        {"mood": section("classify", "many", TEXT, 'multi_label = "|"')},
        "bucket_batches = 2",
    ),
    "pair": ({"same": section("pair", "same", PAIR, 'head = "mlp"')}, "layer_decay = 0.8"),
    "pair jointly": (
        {
            "same": section(
                "pair", "same", PAIR, 'encoding = "cross"', "symmetrize = true", "calibrate = true"
            )
        },
        "freeze_first = 1",
    ),
    "similarity": ({"near": NEAR}, 'schedule = "slanted"'),
    "similarity by order": ({"near": NEAR + '\nhead = "affine"\nloss = "cosent"'}, ""),
    "similarity by a network": (
        {"near": NEAR + '\nhead = "mlp"\nfeatures = ["abs", "jaccard"]'},
        'optimizer = "sgd"',
    ),
    "contrastive": ({"contrastive": section("contrastive", "near", MATCH, "hard_negatives = 1")}, ""),
    "mlm": ({"words": section("mlm", "mood", 'columns = { text = "text" }')}, "steps = 12"),
    "next sentences": (
        {
            "words": section(
                "mlm",
                "mood",
                'columns = { text = "text" }',
                "next_sentence = true",
                "whole_word_masking = true",
            )
        },
        "steps = 12",
    ),
    "frozen": ({"mood": MOOD, "near": NEAR}, 'freeze = "encoder"'),
    "jointly": ({"mood": MOOD, "near": NEAR}, "micro_batch_tokens = 60"),
    "gradient surgery": (
        {"mood": MOOD, "near": NEAR},
        'gradient_balancing = "pcgrad"\ntask_sampling = "joint"',
    ),
    "balanced gradients": ({"mood": MOOD, "near": NEAR}, 'gradient_balancing = "equal_norm"'),
    "learned weights": (
        {"mood": MOOD, "near": NEAR},
        'loss_weighting = "uncertainty"\ntask_sampling = "shuffled"',
    ),
    "annealed": ({"mood": MOOD, "near": NEAR}, 'task_sampling = "annealed"\npatience = 1'),
    "shared head": (
        {
            "same": section("pair", "same", PAIR, 'head = "mlp"'),
            "near": section("similarity", "near", SCORE, "range = [0, 5]", 'share_head_with = "same"'),
        },
        "",
    ),
}
CHOSEN = ("fit_heads", "patience", "eval_steps")
FROM_SCRATCH = (
    "[from_scratch]\nnum_layers = 1\nhidden_size = 16\nnum_heads = 2\nvocab_size = 120\nmax_positions = 32\n"
)


def write_data(folder: Path) -> None:
    """Write rows for every kind."""
    from small_runs import write_data as write_basic

    write_basic(folder, train=40, dev=20)
    random = np.random.default_rng(5)
    for part in ("train", "dev"):
        rows = [line.split("\t") for line in (folder / f"near-{part}.tsv").read_text().splitlines()[1:]]
        same = [(first, second, "yes" if float(score) > 2.5 else "no") for first, second, score in rows]
        moods = [line.split("\t")[0] for line in (folder / f"mood-{part}.tsv").read_text().splitlines()[1:]]
        many = [(text, "|".join(sorted(set(random.choice(["a", "b", "c"], 2))))) for text in moods]
        for name, head, table in (("same", "first\tsecond\tlabel", same), ("many", "text\tlabel", many)):
            lines = [head, *("\t".join(row) for row in table)]
            (folder / f"{name}-{part}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def digest_of(values: object) -> str:
    """Hash numbers and texts."""
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]


def weights_of(folder: Path) -> str:
    """Hash all tensors of a model folder, whatever their names."""
    from safetensors.numpy import load_file

    tensors = [value for name in sorted(folder.glob("*.safetensors")) for value in load_file(name).values()]
    return digest_of(sorted(hashlib.sha256(value.tobytes()).hexdigest() for value in tensors))


def tenor(*arguments: object, cwd: Path) -> str:
    """Run a command in a process of its own, and return what it printed."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "tenor.cli.main", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def numbers_of(value: object) -> list[float]:
    """List all numbers of nested tables, in their order."""
    if isinstance(value, dict):
        return [number for each in value.values() for number in numbers_of(each)]
    if isinstance(value, list):
        return [number for each in value for number in numbers_of(each)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


def run_of(name: str, folder: Path) -> dict[str, object]:
    """Train one of the runs and return what came out."""
    tasks, training = RUNS[name]
    fresh = "mlm" in tasks.get("words", "")
    text = FROM_SCRATCH if fresh else 'encoder = "model"\n'
    text = ("seed = 3\n" if fresh else "") + text + ("" if fresh else "seed = 3\n")
    text += "".join(f"\n[tasks.{task}]\n{lines}\n" for task, lines in tasks.items())
    text += '\n[training]\nepochs = 2\nencoder_lr = 1e-3\nprecision = "fp32"\ncheckpoint_minutes = 0\n'
    text += f"{training}\n{_pinned(training)}\n"
    place = folder / name.replace(" ", "-")
    (folder / "run.toml").write_text(text, encoding="utf-8")
    tenor("train", "run.toml", "--out", place, "--quiet", cwd=folder)
    log = [json.loads(line) for line in (place / "log.jsonl").read_text().splitlines()]
    metrics = json.loads((place / "metrics.json").read_text())
    predictions = [json.loads(line) for line in (place / "predictions.jsonl").read_text().splitlines()]
    return {
        "losses": [numbers_of(line["losses"]) for line in log if "losses" in line],
        "scores": sorted(numbers_of({task: each["scores"] for task, each in metrics["tasks"].items()})),
        "predictions": digest_of(
            [[row["predicted"], numbers_of(row.get("probabilities", {}))] for row in predictions]
        ),
        "weights": weights_of(place / "model"),
    }


def _pinned(training: str) -> str:
    """Write the settings that would be chosen by the rows if they were left out, as far as there are any."""
    from tenor.training.config import TrainingConfig

    config = {entry.name: entry.default for entry in fields(TrainingConfig)}
    names = [name for name in CHOSEN if name in config and f"{name} =" not in training]
    return "\n".join(f"{name} = {json.dumps(config[name])}" for name in names)


def transfer_of(folder: Path) -> dict[str, object]:
    """Learn from made-up paraphrases."""
    from paraphrase_corpus import aligned_pairs

    pairs = folder / "pairs.jsonl"
    pairs.write_text("".join(pair.to_line() + "\n" for pair in aligned_pairs(120)), encoding="utf-8")
    out, model = folder / "transfer", folder / "model"
    tenor("transfer", pairs, "--out", out, "--model", model, "--held-out", 20, "--quiet", cwd=folder)
    about = json.loads((folder / "transfer" / "transfer.json").read_text())
    return {"scores": numbers_of(about["scores"]), "weights": weights_of(folder / "transfer" / "explaining")}


def recipe_of(name: str, folder: Path) -> dict[str, object]:
    """Run a recipe at its smallest scale and return the digests of all cells."""
    tenor("run", name, "--scale", "tiny", "--out", folder / name, cwd=folder)
    kept = json.loads((folder / name / f"{name}-tiny.json").read_text())
    cells = {}
    for record in kept["cells"]:
        outcomes = [[each.get("score"), each.get("columns")] for each in record["outcomes"].values()]
        cells[f"{record['cell']} {record['seed']}"] = digest_of(outcomes)
    return {"cells": list(cells.values()), "names": list(cells)}


def tour_of(folder: Path) -> dict[str, object]:
    """Use the starter on the questions of the tour."""
    questions, reviews = (HERE.parent / "examples" / name for name in ("questions.txt", "reviews.csv"))
    fp32 = ("--precision", "fp32")
    found = {
        "compare": tenor("compare", "How do I send an item back?", "What is the way to return an item?",
                         *fp32, "--json", cwd=folder),
        "dedupe": tenor("dedupe", questions, "--threshold", "0.7", *fp32, "--json", cwd=folder),
        "classify": tenor("classify", reviews, "--column", "text", *fp32, cwd=folder),
    }  # fmt: skip
    return {
        name: digest_of([round(n, 4) for n in numbers_of(_parsed(text))] or text)
        for name, text in found.items()
    }


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def differences(before: dict, after: dict) -> list[str]:
    """Name what is not the same."""
    found = []
    for name, kept in before.items():
        for part, value in kept.items():
            if part != "names" and after.get(name, {}).get(part) != value:
                found.append(f"{name}: {part}")
    return found


def main() -> None:
    """Record, and compare where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--only", default="", help="a part of the names")
    asked = parser.parse_args()
    from tenor.recipes.table import RECIPES
    from tiny import write_tiny_model

    record: dict[str, dict] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tiny_model(folder / "model")
        write_data(folder)
        parts = {f"run: {each}": lambda each=each: run_of(each, folder) for each in RUNS}
        parts |= {"transfer": lambda: transfer_of(folder), "tour": lambda: tour_of(folder)}
        parts |= {f"recipe: {each}": lambda each=each: recipe_of(each, folder) for each in RECIPES}
        for part, make in parts.items():
            if asked.only in part:
                print(part, flush=True)
                record[part] = make()
    asked.out.write_text(json.dumps(record, indent=1), encoding="utf-8")
    if asked.against:
        before = json.loads(asked.against.read_text())
        changed = differences({name: before[name] for name in record if name in before}, record)
        print("\n".join(changed) or "all the same")
        sys.exit(bool(changed))


if __name__ == "__main__":
    main()
