"""Make the heads that come with the starter: `python bench/starter_heads.py DATA_FOLDER [--out FOLDER]`.

On the frozen vectors of minilm: sentiment (negative, positive), paraphrase, and the scale from cosine to a
similarity of 0 to 5. DATA_FOLDER holds `minbert`, `sentence-cls`, `sst-trees` and `stsb`. Trained on are only
sets with a stated licence; rows whose text stands in a dev or test file of SST, STS, the STS Benchmark or
Quora's held-out pairs, or for sentiment shares a passage with one, are dropped first by `tenor.text.overlap`,
and counted. Every choice is made by cross-validation on train; the dev figures are computed once, at the end,
and written beside the weights.
"""

import argparse
import csv
import gzip
import json
import re
from hashlib import blake2b
from pathlib import Path

import numpy as np
import torch
from scipy.optimize import lsq_linear
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

import tenor
from tenor.files import write_json
from tenor.metrics.correlation import pearson
from tenor.metrics.intervals import bootstrap
from tenor.model.heads import HEADS, TrainedTask, write_heads
from tenor.tasks.heads.head import TaskHead
from tenor.tasks.heads.in_numpy import row_cosines, run_head
from tenor.tasks.table import task_spec
from tenor.tasks.texts.jaccard import jaccard, special_ids
from tenor.text.grouped_split import components, hold_out
from tenor.text.overlap import overlap, shares_passage

HELD_OUT_PAIRS = 4000
POINTS = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
SEEDS = (1, 2, 3)
# Heads tried for paraphrase: name, settings, epochs, learning rate.
CANDIDATES = (
    ("linear", {"head": "linear", "dropout": 0.1}, 10, 1e-3),
    ("mlp 64", {"head": "mlp", "hidden_size": 64, "dropout": 0.2}, 6, 1e-3),
    ("residual 64, 1 epoch", {"head": "residual", "hidden_size": 64, "blocks": 2, "dropout": 0.4}, 1, 2e-3),
    ("residual 64, 2 epochs", {"head": "residual", "hidden_size": 64, "blocks": 2, "dropout": 0.4}, 2, 2e-3),
    ("residual 64, 4 epochs", {"head": "residual", "hidden_size": 64, "blocks": 2, "dropout": 0.4}, 4, 2e-3),
)
# Sources of the STS Benchmark whose texts come under terms of their own (Microsoft Research, DEFT).
RESTRICTED = ("MSR", "deft")


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def labelled(path):
    """Read "label text" per line."""
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        return [(text.strip(), int(label)) for label, _, text in (line.partition(" ") for line in file)]


def trees(path):
    """Read the sentences of a file of trees."""
    return [" ".join(re.findall(r"([^\s()]+)\)", line)) for line in path.open(encoding="utf-8")]


def sts(path):
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row[1], float(row[4]), row[5], row[6]) for row in rows]


def never_trained_on(data):
    """Return all texts, and all pairs of texts, that measure anything."""
    texts, pairs = [], []
    for part in ("dev", "test-student"):
        texts += [row["sentence"] for row in table(data / f"minbert/ids-sst-{part}.csv")]
        pairs += [(row["sentence1"], row["sentence2"]) for row in table(data / f"minbert/sts-{part}.csv")]
    for part in ("dev", "test"):
        texts += trees(data / f"sst-trees/{part}.txt")
        pairs += [(first, second) for _, _, first, second in sts(data / f"stsb/sts-{part}.csv")]
        for kind in ("binary", "fine"):
            texts += [text for text, _ in labelled(data / f"sentence-cls/stsa.{kind}.{part}.gz")]
    questions = [pair for pair, _ in quora(data)]
    pairs += [pair for pair, held in zip(questions, hold_out(questions, HELD_OUT_PAIRS), strict=True) if held]
    return texts + [text for pair in pairs for text in pair], pairs


def quora(data):
    """Read the pairs of questions that have a label."""
    rows = [row for row in table(data / "minbert/quora-dev.csv") if row["is_duplicate"] in ("0.0", "1.0")]
    return [((row["sentence1"], row["sentence2"]), int(float(row["is_duplicate"]))) for row in rows]


def sentiment(data, model, held_texts):
    """Fit a logistic regression on the pooled vectors."""
    sst = [
        (row["sentence"].strip(), int(row["sentiment"])) for row in table(data / "minbert/ids-sst-train.csv")
    ]
    sources = {
        "minbert/ids-sst-train.csv (Apache-2.0), without its neutral rows": [
            (text, int(label > 2)) for text, label in sst if label != 2
        ],
        "sentence-cls/rt-polarity (MIT)": labelled(data / "sentence-cls/rt-polarity.all.gz"),
        "sentence-cls/custrev (MIT)": labelled(data / "sentence-cls/custrev.all.gz"),
    }
    rows, counts = [], {}
    for name, source in sources.items():
        texts = [text for text, _ in source]
        # Reviews whose two sentences SST has apart: no whole text is the same there.
        clash = overlap(texts, held_texts) | shares_passage(texts, held_texts)
        rows += [row for row, bad in zip(source, clash, strict=True) if not bad]
        counts[name] = {"rows": int((~clash).sum()), "dropped": int(clash.sum())}
    _, first = np.unique([text for text, _ in rows], return_index=True)
    rows = [rows[at] for at in sorted(first)]
    vectors, labels = model.pooled([text for text, _ in rows]), np.array([label for _, label in rows])
    mean, deviation = vectors.mean(axis=0), vectors.std(axis=0)
    deviation[deviation < 1e-5] = 1.0  # a dimension that hardly varies says nothing
    scaled = (vectors - mean) / deviation
    parts = StratifiedKFold(5, shuffle=True, random_state=0)
    folds = {
        strength: cross_val_score(
            LogisticRegression(C=strength, max_iter=500), scaled, labels, cv=parts
        ).mean()
        for strength in (0.0003, 0.001, 0.003, 0.01)
    }
    best = max(folds, key=folds.get)
    fitted = LogisticRegression(C=best, max_iter=500).fit(scaled, labels)
    slope = fitted.coef_[0] / deviation
    offset = float(fitted.intercept_[0] - slope @ mean)
    # Two numbers that sum to nothing: their softmax is the sigmoid of their difference.
    weights = {
        "network.out.weight": np.stack([-slope, slope]).astype(np.float32) / 2,
        "network.out.bias": np.array([-offset, offset], dtype=np.float32) / 2,
    }
    spec = task_spec("classify", labels=("negative", "positive"), head="linear", dropout=0.0)
    scores = {}
    dev = [
        (row["sentence"].strip(), int(int(row["sentiment"]) > 2))
        for row in table(data / "minbert/ids-sst-dev.csv")
        if row["sentiment"] != "2"
    ]
    for name, part in (("dev", dev), ("test", labelled(data / "sentence-cls/stsa.binary.test.gz"))):
        raw = run_head(spec, weights, [model.pooled([text for text, _ in part])])
        scores[name] = judged(spec, raw, np.array([label for _, label in part]), f"SST-2 {name}")
    told = {"rows": len(rows), "sources": counts, "chosen_by": {"5-fold accuracy": rounded(folds)}}
    return TrainedTask("sentiment", spec, weights, flat(scores), told)


def paraphrase(data, model, held_texts, held_pairs):
    """Train a head on Quora's pairs outside of the held-out components."""
    pairs = [pair for pair, _ in quora(data)]
    labels = np.array([label for _, label in quora(data)])
    held = hold_out(pairs, HELD_OUT_PAIRS)
    clash = overlap(pairs, held_pairs) | overlap([one for one, _ in pairs], held_texts)
    clash |= overlap([two for _, two in pairs], held_texts)
    sides = [model.pooled([pair[side] for pair in pairs]) for side in range(2)]
    tokens = [model.tokenizer.tokenize([pair[side] for pair in pairs]) for side in range(2)]
    shared = jaccard(*tokens, specials=special_ids(model.tokenizer))
    train = np.flatnonzero(~held & ~clash)
    fold = components(pairs) % 3
    found = {}
    for name, settings, epochs, rate in CANDIDATES:
        right = []
        for part in range(3):
            inside, outside = train[fold[train] != part], train[fold[train] == part]
            spec, weights = train_pairs(settings, sides, shared, labels, inside, epochs, rate, seed=0)
            right.append(accuracy(spec, weights, sides, shared, labels, outside))
        found[name] = float(np.mean(right))
        print(f"paraphrase, 3-fold: {name}: {found[name]:.4f}", flush=True)
    best = max(found, key=found.get)
    settings, epochs, rate = next(rest for name, *rest in CANDIDATES if name == best)
    made = [train_pairs(settings, sides, shared, labels, train, epochs, rate, seed=seed) for seed in SEEDS]
    dev = np.flatnonzero(held)
    seeds = [accuracy(spec, weights, sides, shared, labels, dev) for spec, weights in made]
    spec, weights = made[0]
    raw = run_head(spec, weights, [side[dev] for side in sides], shared[dev])
    scores = flat({"dev": judged(spec, raw, labels[dev], f"{len(dev):,} held-out Quora pairs")})
    scores["accuracy_of_seeds"] = [round(value, 4) for value in seeds]
    told = {
        "rows": len(train),
        "sources": {
            "minbert/quora-dev.csv (Apache-2.0)": {"rows": len(train), "dropped": int((clash & ~held).sum())}
        },
        "held_out": "whole components of questions, chosen by hash; no question of theirs was trained on",
        "chosen_by": {"3-fold accuracy, folds of whole components": rounded(found)},
        "note": "The starter's own makers trained it on Quora's duplicate questions among others, so its "
        "vectors may know the held-out questions.",
    }
    return TrainedTask("paraphrase", spec, weights, scores, told)


def train_pairs(settings, sides, shared, labels, rows, epochs, rate, *, seed):
    """Train a head on pairs; the features are symmetric, so no order of the texts is learned."""
    spec = task_spec(
        "pair",
        labels=("different", "paraphrase"),
        features=("abs", "product", "cosine", "jaccard"),
        **settings,
    )
    torch.manual_seed(seed)
    head = TaskHead(spec, sides[0].shape[1], hidden=sides[0].shape[1])
    optimizer = torch.optim.AdamW(head.parameters(), lr=rate, weight_decay=0.05)
    generator = np.random.default_rng(seed)
    first, second = (torch.from_numpy(side) for side in sides)
    overlaps, wanted = torch.from_numpy(shared)[:, None], torch.from_numpy(labels).float()
    steps = epochs * (len(rows) // 64)
    falling = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / steps))
    head.train()
    for _ in range(epochs):
        order = torch.from_numpy(generator.permutation(rows))
        for batch in order.split(64)[: len(rows) // 64]:
            raw = head([first[batch], second[batch]], overlaps[batch])[:, 0]
            loss = torch.nn.functional.binary_cross_entropy_with_logits(raw, wanted[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            falling.step()
    named = head.state_dict()
    return spec, {name: named[name].numpy().copy() for name in named if not name.endswith("tracked")}


def accuracy(spec, weights, sides, shared, labels, rows):
    raw = run_head(spec, weights, [side[rows] for side in sides], shared[rows])
    return float((spec.chosen(spec.predictions(raw)) == labels[rows]).mean())


def similarity(data, model, held_pairs):
    """Fit a line from cosine to people's scores: least squares, nowhere falling, equal vectors at 5."""
    parts = {name: sts(data / f"stsb/sts-{name}.csv") for name in ("train", "dev", "test")}
    free = [row for row in parts["train"] if not row[0].startswith(RESTRICTED)]
    clash = overlap([(first, second) for _, _, first, second in free], held_pairs)
    train = [row for row, bad in zip(free, clash, strict=True) if not bad]
    cosines, scores = measured(model, train)
    clipped = np.clip(cosines, POINTS[0], POINTS[-1])
    hats = np.stack([np.interp(clipped, POINTS, row) for row in np.eye(len(POINTS))], axis=1)
    steps = np.tril(np.ones((len(POINTS), len(POINTS))))  # values = steps @ increments, increments >= 0
    heavy = 1e3  # makes the sum of the increments 5
    design = np.vstack([hats @ steps, np.full((1, len(POINTS)), heavy)])
    values = np.round(steps @ lsq_linear(design, np.append(scores, heavy * 5), bounds=(0, np.inf)).x, 2)
    points = tuple(zip(POINTS.tolist(), values.tolist(), strict=True))
    spec = task_spec("similarity", head="cosine", range=(0.0, 5.0), metric="pearson", points=points)
    judged_parts = {}
    for name in ("dev", "test"):
        cosines, scores = measured(model, parts[name])
        told = spec.predictions(cosines[:, None])
        plain = 5 * np.maximum(cosines, 0)
        judged_parts[name] = {
            "on": f"STS Benchmark {name}",
            "rows": len(scores),
            "pearson": interval(bootstrap(pearson, scores, told)),
            "mean_difference": round(float(np.abs(told - scores).mean()), 4),
            "plain_pearson": round(float(pearson(scores, plain)), 4),
            "plain_mean_difference": round(float(np.abs(plain - scores).mean()), 4),
        }
    source = "stsb/sts-train.csv (scores CC BY-SA 4.0), without MSRpar, MSRvid and DEFT texts"
    made = {"rows": len(train), "sources": {source: {"rows": len(train), "dropped": int(clash.sum())}}}
    return TrainedTask("similarity", spec, {}, flat(judged_parts), made)


def measured(model, rows):
    first, second = (model.pooled([row[side] for row in rows]) for side in (2, 3))
    return row_cosines(first, second), np.array([row[1] for row in rows])


def judged(spec, raw, labels, name):
    scores = spec.scores(spec.predictions(raw), labels)
    return {"on": name, "rows": len(labels)} | {
        key: interval(scores[key]) for key in ("accuracy", "f1", "f1_macro", "matthews")
    }


def interval(found):
    return [round(found.estimate, 4), round(found.low, 4), round(found.high, 4)]


def flat(parts):
    """Put the main figures of dev on top, for tables; the parts with their intervals below."""
    top = {key: value[0] for key, value in parts["dev"].items() if isinstance(value, list)}
    return top | {"parts": parts}


def rounded(table_):
    return {str(name): round(float(value), 4) for name, value in table_.items()}


def remembering(encode, cache):
    """Return an encoder that looks into a folder first."""

    def encode_or_look(texts):
        if cache is None:
            return encode(texts)
        path = cache / f"{blake2b(json.dumps(texts).encode(), digest_size=16).hexdigest()}.npy"
        if not path.exists():
            cache.mkdir(parents=True, exist_ok=True)
            np.save(path, encode(texts))
        return np.load(path)

    return encode_or_look


def main():
    parser = argparse.ArgumentParser(
        description="Make the heads that come with the starter. " + __doc__.partition("\n\n")[2],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("data", metavar="DATA_FOLDER", type=Path, help="the folder of the data folders")
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path, default=Path("src/tenor/model/starter_heads"),
        help="where the heads and their scores are written",
    )  # fmt: skip
    parser.add_argument("--model", default="minilm", help="the encoder, by name or folder")
    parser.add_argument(
        "--cache", metavar="FOLDER", type=Path, help="keep encoded vectors here, for another run"
    )
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the same sums whatever the machine
    model = tenor.load(arguments.model, precision="fp32")
    model.pooled = remembering(model.pooled, arguments.cache)
    texts, pairs = never_trained_on(arguments.data)
    tasks = {
        "sentiment": sentiment(arguments.data, model, texts),
        "paraphrase": paraphrase(arguments.data, model, texts, pairs),
        "similarity": similarity(arguments.data, model, pairs),
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_heads(arguments.out, tasks)
    (arguments.out / HEADS).replace(arguments.out / f"{arguments.model}.safetensors")
    told = {
        "encoder": arguments.model,
        "fingerprint": model.fingerprint,
        "made_by": "bench/starter_heads.py",
        "tasks": {name: task.to_json() for name, task in tasks.items()},
    }
    write_json(arguments.out / f"{arguments.model}.json", told)
    for name, task in tasks.items():
        print(name, task.scores)


if __name__ == "__main__":
    main()
