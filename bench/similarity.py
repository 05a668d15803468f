"""Fit and judge the scale from cosine to similarity: `python bench/similarity.py DATA_FOLDER [--model NAME]`.

DATA_FOLDER holds `stsb/sts-{train,dev,test}.csv`, tab-separated, with score and texts in columns 4 to 6.
Fits on train; prints the points for `tenor.use.compare.similarity` and, for all parts, Pearson's correlation
and the mean difference to people's scores, fitted and plain.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.optimize import lsq_linear

import tenor
from tenor.use.compare.similarity import MOST, PLAIN, Scale, row_cosines

POINTS = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])


def read_part(path):
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return np.array([float(row[4]) for row in rows]), [row[5] for row in rows], [row[6] for row in rows]


def fit(cosines, scores):
    """Least squares over the values at the points: not falling, and MOST at the last."""
    clipped = np.clip(cosines, POINTS[0], POINTS[-1])
    hats = np.stack([np.interp(clipped, POINTS, row) for row in np.eye(len(POINTS))], axis=1)
    steps = np.tril(np.ones((len(POINTS), len(POINTS))))  # values = steps @ increments, increments >= 0
    heavy = 1e3  # makes the sum of the increments MOST
    design = np.vstack([hats @ steps, np.full((1, len(POINTS)), heavy)])
    found = lsq_linear(design, np.append(scores, heavy * MOST), bounds=(0, np.inf))
    values = np.round(steps @ found.x, 2)
    return Scale(tuple(POINTS.tolist()), tuple(values.tolist()), fitted=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", default="minilm")
    arguments = parser.parse_args()
    folder = arguments.data / "stsb"
    if not folder.is_dir():
        print(f"skipped: {arguments.data} holds no folder 'stsb'")
        return
    model = tenor.load(arguments.model, precision="fp32")
    parts = {}
    for name in ("train", "dev", "test"):
        scores, first, second = read_part(folder / f"sts-{name}.csv")
        parts[name] = row_cosines(model.encode(first), model.encode(second)), scores
    scale = fit(*parts["train"])
    print(f"{arguments.model} {model.fingerprint}\n{scale}")
    for name, (cosines, scores) in parts.items():
        for kind, one in (("fitted", scale), ("plain", PLAIN)):
            found = one.similarity(cosines)
            pearson, gap = np.corrcoef(found, scores)[0, 1], np.abs(found - scores).mean()
            print(f"{name:6} {len(scores):5}  {kind:7} Pearson {pearson:.4f}  mean difference {gap:.3f}")


if __name__ == "__main__":
    main()
