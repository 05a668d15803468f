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
ABOUT = """\
`tenor train` with nothing set, beside logistic regression of scikit-learn on the frozen vectors (strength and class
weights by cross-validation; of STS-B the cosine) and the real `setfit` 1.2.0 (`num_iterations = 20`, batches of 16,
one epoch), all on the starter `minilm` with all drawn rows in training, one thread. Accuracy on at most 1,000 fixed
test rows, of STS-B Spearman's correlation: mean ± standard deviation over draws (number of draws; CPU seconds of a
training); the last column with its 95% interval by Student's t. A draw has one row of every class, the others at random. Settings were found on draws from 100 on, scored
on other rows than these, and on MR, MPQA and a misogyny set. `python bench/few_labels.py` measures; this page shows
what was measured so far, with the number of draws in each cell (one draw alone
says little of another), on a machine that others used too, which
makes CPU times longer than on a quiet one, perhaps not by the same factor on all sides."""  # noqa: E501


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


def interval(first, second):
    """Return the mean difference of paired scores, and half the width of its 95% interval over draws."""
    import numpy as np
    from scipy.stats import t as student

    gains = np.asarray(first) - np.asarray(second)
    # One draw says nothing of other draws: then the interval is that of the test rows alone.
    spread = float(gains.std(ddof=1)) / len(gains) ** 0.5 if len(gains) > 1 else float("nan")
    return float(gains.mean()), float(student.ppf(0.975, len(gains) - 1)) * spread


def table(cells):
    """Return the cells by (set, size): side -> {draw: cell}."""
    found = {}
    for cell in cells:
        found.setdefault((cell["set"], cell["size"]), {}).setdefault(cell["side"], {})[cell["draw"]] = cell
    return found


def mean(cells, key="score"):
    """Return the mean of a figure over draws."""
    return sum(cell[key] for cell in cells) / len(cells)


def shown(cells):
    """Return a mean score with the standard deviation over draws, the number of draws and the CPU seconds."""
    import numpy as np

    if not cells:
        return "–"
    scores = [cell["score"] for cell in cells]
    spread = f" ± {np.std(scores, ddof=1):.3f}" if len(scores) > 1 else ""
    return f"{mean(cells):.3f}{spread} ({len(cells)}; {mean(cells, 'cpu_seconds'):,.1f} s)"


def page(cells):
    """Yield the lines of the page."""
    found = table(cells)
    yield "# Few labelled rows"
    yield ""
    yield ABOUT
    for size in sorted({key[1] for key in found}):
        yield ""
        yield f"## {size} rows"
        yield ""
        yield "| set | tenor | logistic regression | setfit | tenor − regression, same draws |"
        yield "| --- | --- | --- | --- | --- |"
        for name in SETS:
            sides = found.get((name, size), {})
            if "tenor" not in sides:
                continue
            own, regression = sides["tenor"], sides.get("lr", {})
            same = sorted(own.keys() & regression.keys())
            gain, half = interval([own[d]["score"] for d in same], [regression[d]["score"] for d in same])
            told = f"{gain:+.3f}" + (f" ± {half:.3f}" if half == half else "")
            columns = [shown(list(sides.get(side, {}).values())) for side in SIDES]
            yield f"| {name} | {' | '.join(columns)} | {told} |"
    yield ""
    yield from beside_setfit(found)


def beside_setfit(found):
    """Yield the means over the cells that both have."""
    yield "## Beside setfit, on the cells that both have"
    yield ""
    yield "| rows | sets and draws | tenor | setfit | CPU time, tenor of setfit |"
    yield "| --- | --- | --- | --- | --- |"
    for size in sorted({key[1] for key in found}):
        pairs = [
            (sides["tenor"][draw], sides["setfit"][draw])
            for (_, rows), sides in found.items()
            if rows == size and "setfit" in sides and "tenor" in sides
            for draw in sorted(sides["tenor"].keys() & sides["setfit"].keys())
        ]
        if pairs:
            own, other = zip(*pairs, strict=True)
            share = mean(other, "cpu_seconds") / mean(own, "cpu_seconds")
            names = sorted({cell["set"] for cell in own})
            told = f"| {mean(own):.3f} | {mean(other):.3f} | 1/{share:.0f} |"
            yield f"| {size} | {len(pairs)}: {', '.join(names)} {told}"


def write(cells):
    """Write the page and its figures."""
    folder = HERE / "results"
    lines = "\n".join(page(cells)) + "\n"
    (folder / "few_labels.md").write_text(lines, encoding="utf-8")
    rows = ",\n".join(json.dumps(cell) for cell in cells)
    (folder / "few_labels.json").write_text(f"[\n{rows}\n]\n", encoding="utf-8")


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
    parser.add_argument("--write", action="store_true", help="only write the page from the JSONL file")
    options = parser.parse_args()
    if options.write:
        return write(read(options.jsonl))
    if options.data is None:
        parser.error("--data is missing")
    return measure(options)


if __name__ == "__main__":
    main()
