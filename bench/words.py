"""Word vectors beside gensim, numpy and geoopt: reading, opening again, neighbours, CSLS, geometric solver.

    python bench/words.py                  # all, results to bench/results/words.json (an hour on two cores)
    python bench/words.py neighbours       # one measure, printed and kept

Every measure runs in a process of its own with one thread, and CPU seconds are what is compared: other work
on the machine moves them little. Vectors are random (what is in them changes nothing here), texts are made.
gensim answers one question after the other; it is timed on some of the questions, and its time multiplied.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

RESULTS = Path(__file__).parent / "results" / "words.json"
ASKED = {
    "read": "3 times gensim's speed",
    "reopen": "100 times gensim's speed of reading",
    "neighbours": "1.5 times the speed of gensim and of numpy",
    "csls": "at most 4 GB",
    "geometric": "20 times geoopt's speed, to within 0.1%",
}


def cpu(job, *, repeats=1):
    """Return the least CPU seconds of some runs, and what the last one returned."""
    spent = []
    for _ in range(repeats):
        begin = time.process_time()
        result = job()
        spent.append(time.process_time() - begin)
    return min(spent), result


def write_vectors(path, words, width):
    import numpy as np

    generator = np.random.default_rng(0)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{words} {width}\n")
        for begin in range(0, words, 5000):
            numbers = generator.normal(0, 0.4, (min(5000, words - begin), width))
            rows = np.char.mod("%.5f", numbers).tolist()
            file.writelines(f"w{begin + place}x {' '.join(row)}\n" for place, row in enumerate(rows))


def read(words=1_000_000, width=300, share=10):
    """Read text vectors; gensim reads a share of the file, and its time is multiplied."""
    from gensim.models import KeyedVectors

    from tenor.words import WordVectors

    with tempfile.TemporaryDirectory() as folder:
        path, part = Path(folder, "vectors.vec"), Path(folder, "part.vec")
        write_vectors(path, words, width)
        with open(path, encoding="utf-8") as file, open(part, "w", encoding="utf-8") as cut:
            next(file)
            cut.write(f"{words // share} {width}\n")
            cut.writelines(line for line, _ in zip(file, range(words // share), strict=False))
        theirs, keyed = cpu(lambda: KeyedVectors.load_word2vec_format(str(part)))
        ours, vectors = cpu(lambda: WordVectors.load(path))
        same = bool((vectors.vectors[: words // share] == keyed.vectors).all())
        vectors.save(Path(folder, "vectors.safetensors"))
        opened, again = cpu(lambda: WordVectors.load(Path(folder, "vectors.safetensors")), repeats=3)
        begin = time.process_time()
        assert again.index(f"w{words - 1}x") == words - 1
        look_up = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "words": words, "width": width, "same numbers": same,
        "gensim s": theirs * share, "gensim was given": words // share, "tenor s": ours,
        "ratio": theirs * share / ours, "reopen s": opened, "first look-up s": look_up,
        "reopen ratio": theirs * share / opened, "peak MB": round(peak),
    }  # fmt: skip


def neighbours(queries=10_000, words=200_000, width=300, k=10, for_gensim=50):
    import numpy as np
    from gensim.models import KeyedVectors

    from tenor.words.neighbours import nearest, unit_rows

    table = unit_rows(np.random.default_rng(0).standard_normal((words, width), dtype=np.float32))
    asked = table[:queries].copy()
    own = np.arange(queries)

    def plain():
        found = []
        for begin in range(0, queries, 500):
            scores = asked[begin : begin + 500] @ table.T
            rows = np.arange(len(scores))
            scores[rows, begin + rows] = -2
            top = np.argpartition(scores, words - k, axis=1)[:, words - k :]
            order = np.argsort(-np.take_along_axis(scores, top, axis=1), axis=1)
            found.append(np.take_along_axis(top, order, axis=1))
        return np.concatenate(found)

    ours, (numbers, _) = cpu(lambda: nearest(asked, table, k, exclude=own), repeats=2)
    numpys, right = cpu(plain, repeats=2)
    keyed = KeyedVectors(width)
    keyed.add_vectors([f"w{number}" for number in range(words)], table)
    keyed.fill_norms()
    gensims, _ = cpu(lambda: [keyed.most_similar(f"w{number}", topn=k) for number in range(for_gensim)])
    return {
        "queries": queries, "words": words, "width": width, "k": k, "tenor s": ours, "numpy s": numpys,
        "gensim s": gensims * queries / for_gensim, "gensim was asked": for_gensim,
        "ratio to numpy": numpys / ours, "ratio to gensim": gensims * queries / for_gensim / ours,
        "same neighbours": float(np.mean(numbers == right)),
    }  # fmt: skip


def csls(words=200_000, width=300):
    import numpy as np

    from tenor.words.neighbours import csls as retrieve
    from tenor.words.neighbours import unit_rows

    generator = np.random.default_rng(0)
    first = unit_rows(generator.standard_normal((words, width), dtype=np.float32))
    second = unit_rows(first + 0.05 * generator.standard_normal((words, width), dtype=np.float32))
    done = []
    spent, (numbers, _) = cpu(lambda: retrieve(first, second, 1, progress=done.append))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    right = float(np.mean(numbers[:, 0] == np.arange(words)))
    return {
        "words": words,
        "width": width,
        "tenor s": spent,
        "peak GB": peak,
        "right": right,
        "calls": len(done),
    }


def geometric(words=200_000, width=300, c=50.0, steps=5000):
    """Solve for rotations and metric exactly, and by geoopt's Riemannian Adam on the same Gram matrices.

    The objective begins at the number of words, and the best solution takes only a little of it away: being
    within 0.1% of it would already hold for no solution at all. So geoopt has to come within 0.1% of what the
    exact solution takes away.
    """
    import numpy as np

    from tenor.words.combine.geometric import Grams, objective, solve

    generator = np.random.default_rng(0)
    spectrum = np.geomspace(1, 0.05, width, dtype=np.float32)
    base = generator.standard_normal((words, width), dtype=np.float32) * spectrum
    sources = []
    for seed in range(2):
        turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((width, width)))[0].astype(np.float32)
        noisy = base @ turn + 0.1 * generator.standard_normal((words, width), dtype=np.float32)
        sources.append(noisy / np.linalg.norm(noisy, axis=1, keepdims=True))
    grams_s, grams = cpu(lambda: Grams.of(sources))
    ours, found = cpu(lambda: solve(grams, c=c), repeats=2)
    best = objective(grams, found.rotations, found.metric, c)
    runs = [riemannian(grams, c, best, steps, rate) for rate in (0.03, 0.1)]
    theirs = min(runs, key=lambda run: (not run["geoopt came within 0.1%"], run["geoopt s"]))
    return {
        "words": words, "width": width, "c": c, "gram matrices s": grams_s, "tenor s": ours,
        "objective": best, **theirs, "ratio": theirs["geoopt s"] / ours,
    }  # fmt: skip


def riemannian(grams, c, best, steps, rate):
    """Descend with geoopt from no rotation and the metric of the best scale, until it is near enough."""
    import geoopt
    import numpy as np
    import torch

    torch.set_num_threads(1)
    first, second, cross = (torch.from_numpy(gram) for gram in (*grams.own, grams.cross[0, 1]))
    turn = np.linalg.svd(grams.cross[0, 1])
    one = torch.eye(grams.dimension, dtype=torch.float64)
    # Procrustes' rotations are the customary start; the best scale of the metric is a closed form.
    left, right = torch.from_numpy(turn[0].T.copy()), torch.from_numpy(turn[2].copy())
    plain = left.T @ right
    scale = torch.sum(plain * cross) / (torch.sum((first @ plain @ second) * plain) + c * grams.dimension)
    kinds = (geoopt.EuclideanStiefel(), geoopt.EuclideanStiefel(), geoopt.SymmetricPositiveDefinite())
    parts = [
        geoopt.ManifoldParameter(value.clone(), manifold=kind)
        for value, kind in zip((left, right, one * scale), kinds, strict=True)
    ]
    optimizer = geoopt.optim.RiemannianAdam(parts, lr=rate)
    near = best + 0.001 * (grams.words - best)
    begin, lowest, used = time.process_time(), float("inf"), 0
    while used < steps and lowest > near and time.process_time() - begin < 60:
        optimizer.zero_grad()
        weight = parts[0].T @ parts[2] @ parts[1]
        fit = torch.sum((first @ weight @ second) * weight) - 2 * torch.sum(weight * cross)
        loss = fit + grams.words + c * torch.sum(weight * weight)
        loss.backward()
        optimizer.step()
        lowest, used = min(lowest, float(loss.detach())), used + 1
    return {
        "geoopt s": time.process_time() - begin, "geoopt objective": lowest, "geoopt steps": used,
        "geoopt rate": rate, "geoopt came within 0.1%": lowest <= near,
    }  # fmt: skip


MEASURES = {"read": read, "neighbours": neighbours, "csls": csls, "geometric": geometric}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("measure", nargs="?", choices=list(MEASURES))
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=N", help="smaller sizes, to try it out")
    given = parser.parse_args()
    settings = {name: int(value) for name, _, value in (pair.partition("=") for pair in given.set)}
    if given.measure:
        row = MEASURES[given.measure](**settings)
        print(json.dumps(row))
        if not settings:
            keep(given.measure, row)
        return
    for name in MEASURES:
        done = subprocess.run([sys.executable, __file__, name], check=True, capture_output=True, text=True)
        print(name, done.stdout.splitlines()[-1], flush=True)


def keep(name, row):
    """Put a measure of full size beside the others."""
    rows = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    rows |= {name: row}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
