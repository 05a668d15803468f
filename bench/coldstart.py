"""Cold start of `tenor compare A B` beside a script that loads sentence-transformers and encodes two texts.

    python bench/coldstart.py [--repeats 5]

Whole processes, alternating, files warm in the page cache. CPU time (user and system, children included)
first; wall time beside it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

from peers import ROOT, interpreter

from tenor.assets import fetch, find

RESULTS = ROOT / "bench" / "results" / "coldstart.json"
PAIR = ("How do I reset my password?", "I forgot my password, what now?")
TARGET = 0.40
PEER = """
import sys
from sentence_transformers import SentenceTransformer
vectors = SentenceTransformer(sys.argv[1], device="cpu").encode(sys.argv[2:])
print(float(vectors[0] @ vectors[1]))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    fetch("minilm")
    commands = {
        "tenor compare": [sys.executable, "-m", "tenor.cli.main", "compare", *PAIR],
        "sentence-transformers": [interpreter(".venv-peers"), "-c", PEER, find("minilm"), *PAIR],
    }
    times = {name: [] for name in commands}
    for round_ in range(repeats + 1):
        for name, command in commands.items():
            spent = run(command)
            if round_:  # The first round warms the page cache.
                times[name].append(spent)
    ratios = {
        kind: [a[kind] / b[kind] for a, b in zip(*times.values(), strict=True)] for kind in ("cpu", "wall")
    }
    result = {
        "asked": TARGET,
        "ratio": {kind: statistics.median(values) for kind, values in ratios.items()},
        "range": {kind: [min(values), max(values)] for kind, values in ratios.items()},
        "seconds": {
            name: {kind: statistics.median(one[kind] for one in spent) for kind in ("cpu", "wall")}
            for name, spent in times.items()
        },
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


def run(command):
    before, begin = os.times(), time.perf_counter()
    environment = os.environ | {"HF_HUB_OFFLINE": "1"}
    subprocess.run(list(map(str, command)), check=True, capture_output=True, env=environment)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"cpu": cpu, "wall": time.perf_counter() - begin}


if __name__ == "__main__":
    main()
