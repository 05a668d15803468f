"""Few labelled rows: `tenor train` with nothing set, beside logistic regression and the real setfit.

    python bench/few_labels.py --data DIR --jsonl cells.jsonl [--sides tenor lr setfit] [--sets …] [--sizes …]
    python bench/few_labels.py --jsonl cells.jsonl --write       # the page and the JSON in bench/results

A cell is a side, a set, a number of rows and a draw; each finished cell is one line of the JSONL file, and
cells that stand there are not measured again. One thread; CPU time is that of training, with loading the
encoder (but for setfit) and without predicting the test rows. ``DIR`` holds the folders sentence-cls, agnews,
hate-davidson, mrpc and stsb.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from few_labels_data import SETS, cell_rows

SIDES = ("tenor", "lr", "setfit")
SIZES = (8, 16, 64, 500)
HERE = Path(__file__).resolve().parent


def score(kind, predictions, test):
    """Return the accuracy, or of scores Spearman's correlation."""
    wanted = [row[-1] for row in test]
    if kind != "similarity":
        return sum(a == b for a, b in zip(predictions, wanted, strict=True)) / len(wanted)
    from scipy.stats import spearmanr

    return float(spearmanr(predictions, wanted).statistic)


def setfit(kind, train, test, options, seed):
    """Train and predict with setfit, in its own environment."""
    from tenor.assets import find

    with tempfile.TemporaryDirectory() as folder:
        job = {"encoder": str(find("minilm")), "train": train, "test": test, "seed": seed, "folder": folder}
        done = subprocess.run(
            [options.setfit_python, HERE / "few_labels_setfit.py"],
            input=json.dumps(job), capture_output=True, text=True, check=False,
            env=os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"setfit ended with {done.returncode}:\n{done.stderr[-2000:]}")
    result = json.loads(done.stdout.splitlines()[-1])
    return result["predictions"], result["cpu_seconds"]


def logistic(kind, train, test, options, seed):
    """Fit a tuned logistic regression on the frozen vectors; of scores, take the cosine itself."""
    import warnings

    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    import tenor

    begin = time.process_time()
    model = tenor.load("minilm")
    x = features(model, train)
    if kind == "similarity":  # one number: nothing to fit that would change an order
        return features(model, test)[:, -1], time.process_time() - begin
    y = np.array([row[-1] for row in train])
    most = int(np.unique(y, return_counts=True)[1].max())
    grid = {"C": [1, 0.1, 10, 100, 1000], "class_weight": [None, "balanced"]}
    folds = StratifiedKFold(min(5, most), shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer rows than folds
        search = GridSearchCV(LogisticRegression(max_iter=1000), grid, cv=folds, scoring="accuracy")
        fitted = search.fit(x, y) if most > 1 else LogisticRegression(max_iter=1000).fit(x, y)
    seconds = time.process_time() - begin
    return fitted.predict(features(model, test)).tolist(), seconds


def features(model, rows):
    """Return what the regression reads: the vector of a text, or |u - v|, u * v and the cosine of a pair."""
    import numpy as np

    if len(rows[0]) == 2:
        return np.asarray(model.encode([row[0] for row in rows]))
    u, v = (np.asarray(model.encode([row[side] for row in rows])) for side in (0, 1))
    cosine = (u * v).sum(axis=1, keepdims=True) / np.maximum(
        np.linalg.norm(u, axis=1, keepdims=True) * np.linalg.norm(v, axis=1, keepdims=True), 1e-8
    )
    return np.concatenate([np.abs(u - v), u * v, cosine], axis=1)


def ours(kind, train, test, options, seed):
    """Train with nothing set."""
    import tenor

    begin = time.process_time()
    run = tenor.train("minilm", {"task": {"kind": kind, "train": train}}, seed=seed + 1)
    seconds = time.process_time() - begin
    model = run.load()
    predictions = model.predict("task", [row[:-1] for row in test])
    if kind == "similarity":
        return predictions, seconds
    labels = model.tasks["task"].spec.labels_shown
    return [labels[place] for place in predictions.argmax(axis=1)], seconds


SIDE = {"setfit": setfit, "lr": logistic, "tenor": ours}


def measure(options):
    """Measure all cells that do not stand in the file yet."""
    done = {(c["side"], c["set"], c["size"], c["draw"]) for c in read(options.jsonl)}
    for number in range(options.first, options.first + options.draws):
        for size in options.sizes:
            for name in options.sets:
                kind, train, test = cell_rows(options.data, name, size, number)
                for side in options.sides:
                    if (side, name, size, number) in done or (side == "setfit" and kind != "classify"):
                        continue
                    begin = time.perf_counter()
                    predictions, seconds = SIDE[side](kind, train, test, options, number)
                    cell = {
                        "side": side, "set": name, "size": size, "draw": number, "kind": kind,
                        "score": score(kind, predictions, test), "cpu_seconds": round(seconds, 2),
                        "test_rows": len(test),
                    }  # fmt: skip
                    with open(options.jsonl, "a", encoding="utf-8") as file:
                        file.write(json.dumps(cell) + "\n")
                    print(cell, f"{time.perf_counter() - begin:.0f} s", flush=True)


def read(path):
    """Return the cells of a JSONL file."""
    if not Path(path).is_file():
        return []
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data")
    parser.add_argument("--jsonl", default="few_labels.jsonl")
    parser.add_argument("--sides", nargs="+", default=SIDES, choices=SIDES)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the number of the first draw")
    parser.add_argument("--setfit-python", default=sys.executable)
    options = parser.parse_args()
    measure(options)


if __name__ == "__main__":
    main()
