"""Encoding speed beside sentence-transformers: same weights, same texts, alternating, in one run.

    python bench/encode.py [--questions FILE] [--texts 2000] [--repeats 5]

Short texts are questions (a TSV with a column `sentence1`, one text per line otherwise) or, without a file,
the shorter sentences of STS-B; paragraphs of about 150 tokens are made by joining sentences. The primary
figure is the ratio of CPU times on one thread; ratios of wall time on two threads count only from rounds
whose bracketing bare product ran within 10% of the best one, else the row says noisy.
"""

import argparse
import csv
import json
import platform
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from peers import ROOT, Side, interpreter

from tenor.assets import fetch, find
from tenor.encoders.bert.config import BertConfig
from tenor.machine.arithmetic import arithmetic, best_precision
from tenor.metrics.correlation import spearman
from tenor.text.tokenizer import Tokenizer

RESULTS = ROOT / "bench" / "results" / "encode.json"
TARGETS = {  # ratio to sentence-transformers at its default that the project asks for
    "short": {"fp32": 1.65, "default": 3.0, "int8": 5.0},
    "paragraphs": {"fp32": 1.45, "default": 2.7, "int8": 3.8},
}
QUIET = 0.10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-openvino-peer", action="store_true")
    options = parser.parse_args()
    fetch("minilm")
    fetch("stsb")
    model = find("minilm")
    corpora = make_texts(options, model)
    result = {
        "machine": {"cpu": cpu_name(), "python": platform.python_version()},
        "arithmetic": {"isa_limit": arithmetic().isa_limit, "bf16_gain": arithmetic().bf16_gain},
        "default_precision": best_precision(),
        "short_texts_from": options.questions.name if options.questions else "STS-B",
        "texts": {name: {"count": len(texts), **lengths(texts, model)} for name, texts in corpora.items()},
        "rows": [],
        "fidelity": fidelity(corpora, model),
    }
    for name, texts in corpora.items():
        for threads in (1, 2):
            result["rows"] += measure(name, texts, model, threads, options)
            RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    show(result)


def make_texts(options, model):
    sentences = sts_sentences()
    if options.questions:
        short = read_questions(options.questions)
    else:
        short = [text for text in sentences if len(text.split()) <= 14]
    short = list(dict.fromkeys(short))[: options.texts]
    tokenizer = Tokenizer.load(model, max_tokens=512)
    counts = tokenizer.tokenize(sentences).lengths - 2
    paragraphs, current, size = [], [], 0
    for text, count in zip(sentences, counts.tolist(), strict=True):
        current.append(text)
        size += count
        if size >= 145:
            paragraphs.append(" ".join(current))
            current, size = [], 0
    return {"short": short, "paragraphs": paragraphs[: max(50, options.texts // 5)]}


def sts_rows():
    rows = []
    for part in ("sts-dev.csv", "sts-test.csv", "sts-train.csv"):
        for path in find("stsb").rglob(part):
            with open(path, encoding="utf-8", newline="") as lines:
                for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                    rows.append((part, float(row[4]), row[5], row[6]))
    return rows


def sts_sentences():
    return list(dict.fromkeys(text for row in sts_rows() for text in row[2:]))


def read_questions(path):
    with open(path, encoding="utf-8", newline="") as lines:
        first = next(lines)
        lines.seek(0)
        if "sentence1" in first:
            return [row["sentence1"] for row in csv.DictReader(lines, delimiter="\t") if row["sentence1"]]
        return [line.strip() for line in lines if line.strip()]


def lengths(texts, model):
    counts = Tokenizer.load(model, max_tokens=256).tokenize(texts).lengths
    return {"mean_tokens": float(counts.mean()), "max_tokens": int(counts.max())}


def measure(name, texts, model, threads, options):
    """Run every side in turn, with a bare product before each round, and compare with the peer's default."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.json"
        file.write_text(json.dumps(texts))
        base = [file, "--model", model]
        mine = sys.executable
        sides = [Side("st fp32", interpreter(".venv-peers"), ["st", *base], threads=threads)]
        for precision in dict.fromkeys(("fp32", best_precision(), "int8")):
            arguments = ["tenor", *base, "--precision", precision]
            sides.append(Side(f"tenor {precision}", mine, arguments, threads=threads))
        sides.append(Side("linears fp32", mine, ["linears", *base], threads=threads))
        if best_precision() == "bf16":
            arguments = ["linears", *base, "--precision", "bf16"]
            sides.append(Side("linears bf16", mine, arguments, threads=threads))
        if not options.no_openvino_peer and (python := interpreter(".venv-peers-openvino")):
            for batch in (8, 32):
                arguments = ["st-openvino", *base, "--batch", batch, "--precision", best_precision()]
                try:
                    sides.append(Side(f"st-openvino batch {batch}", python, arguments, threads=threads))
                except RuntimeError as error:
                    print(error)
        bracket = []
        for _ in range(options.repeats):
            for side in sides:
                before = bare_product()
                side.round()
                bracket.append(max(before, bare_product()))
        for side in sides:
            side.close()
    best = min(bracket)
    quiet = [value <= best * (1 + QUIET) for value in bracket]
    return [
        summarise(side, sides[0], name, texts, threads, quiet[index :: len(sides)], quiet[:: len(sides)])
        for index, side in enumerate(sides)
    ]


def summarise(side, peer, name, texts, threads, quiet, peer_quiet):
    kind = "cpu" if threads == 1 else "wall"
    pairs = list(zip(side.rounds, peer.rounds, quiet, peer_quiet, strict=True))
    calm = [(a, b) for a, b, x, y in pairs if x and y]
    used = calm if threads > 1 and len(calm) >= 3 else [(a, b) for a, b, *_ in pairs]
    ratios = sorted(b[kind] / a[kind] for a, b in used)
    return {
        "texts": name, "threads": threads, "side": side.label, "measured": kind,
        "per_second": len(texts) / statistics.median(a[kind] for a, _ in used),
        "ratio": statistics.median(ratios), "low": ratios[0], "high": ratios[-1],
        "noisy": threads > 1 and len(calm) < 3, "about": side.about,
        "seconds": statistics.median(a[kind] for a, _ in used),
    }  # fmt: skip


def bare_product(size=512, repeats=4):
    """Return the wall seconds of a matrix product: what the machine gives at this moment."""
    import time

    values = np.ones((size, size), dtype=np.float32)
    begin = time.perf_counter()
    for _ in range(repeats):
        values @ values
    return time.perf_counter() - begin


def fidelity(corpora, model):
    """How close lower precisions stay to fp32: cosines on the texts, and Spearman on STS-B's test part."""
    import tenor

    rows = [row for row in sts_rows() if row[0] == "sts-test.csv"]
    gold = np.array([row[1] for row in rows])
    out, exact = {}, {}
    for precision in dict.fromkeys(("fp32", best_precision(), "bf16", "int8")):
        one = tenor.load(model, precision=precision)
        first, second = one.encode([row[2] for row in rows]), one.encode([row[3] for row in rows])
        out[precision] = {"stsb_spearman": float(spearman(gold, (first * second).sum(axis=1)))}
        for name, texts in corpora.items():
            vectors = one.encode(texts)
            exact.setdefault(name, vectors)
            cosines = (vectors * exact[name]).sum(axis=1)
            out[precision][name] = {"mean_cosine": float(cosines.mean()), "min_cosine": float(cosines.min())}
    return out


def effective(row, result, model):
    """Arithmetic per second of a row, attention counted, as a part of what bare linear layers reach."""
    config = BertConfig.load(model)
    texts = result["texts"][row["texts"]]
    mean = texts["mean_tokens"]
    per_token = config.num_hidden_layers * (
        8 * config.hidden_size**2 + 4 * config.hidden_size * config.intermediate_size
    )
    attention = config.num_hidden_layers * 4 * config.hidden_size * mean
    return texts["count"] * mean * (per_token + attention) / row["seconds"] / 1e9


def show(result):
    model = find("minilm")
    print(f"default precision here: {result['default_precision']}  ({result['arithmetic']})")
    for row in result["rows"]:
        if row["side"].startswith("linears"):
            speed = row["about"]["flops"] / row["seconds"] / 1e9
            print(f"{row['texts']:11} {row['threads']} thr  {row['side']:22} {speed:6.0f} GFLOPS")
            continue
        speed = effective(row, result, model)
        precision = row["side"].removeprefix("tenor ")
        name = "default" if precision == "bf16" else precision
        target = TARGETS[row["texts"]].get(name) if row["side"].startswith("tenor") else None
        print(
            f"{row['texts']:11} {row['threads']} thr  {row['side']:22} {row['per_second']:7.0f}/s  "
            f"{row['ratio']:.2f}x [{row['low']:.2f}, {row['high']:.2f}] by {row['measured']} time"
            f"{'  asked ' + str(target) + 'x' if target else ''}  {speed:4.0f} GFLOPS"
            f"{'  noisy' if row['noisy'] else ''}"
        )
    for precision, values in result["fidelity"].items():
        print(precision, json.dumps(values))


def cpu_name():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


if __name__ == "__main__":
    main()
