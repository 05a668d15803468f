"""`tenor serve` under mixed load: look-ups must not wait for the encoder, and nothing is refused.

    python bench/serve_mixed.py [--seconds 30] [--clients 64]

64 clients over kept connections, each with one kind of request: look-ups (neighbours of a word, set queries,
lexical search) from a quarter of them, who pause 50 ms between two as a person's page does; embedding, the
same in OpenAI's form, comparing, hybrid search, classifying and grouping twenty texts from the others, who
never pause. The clients run in a process of their own and count answers by route and status. One row per
route is written to bench/results/serve_mixed.json. On a machine that does other work the latencies are mostly
those of waiting for a CPU; root may put the measurement before other sessions:

    setsid -w sh -c 'echo -10 > /proc/$$/autogroup; exec python bench/serve_mixed.py'
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

import numpy as np
from encode import cpu_name
from peers import ROOT

from serve import Server, free_port, short_texts
from tenor.assets import fetch
from tenor.use.search.index import build_index
from tenor.words.vectors import WordVectors

RESULTS = ROOT / "bench" / "results" / "serve_mixed.json"
ASKED = {"refused": 0, "lookup_p99_ms": 100.0}
LOOKUPS = ("/api/words/neighbours", "/api/words/ask", "/api/search lexical")
WORDS, DIMENSIONS = 50_000, 100


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    fetch("minilm")
    fetch("stsb")
    with tempfile.TemporaryDirectory() as folder:
        result = measure(options, Path(folder))
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    show(result)


def measure(options, folder):
    texts = short_texts()
    lines = folder / "texts.txt"
    lines.write_text("\n".join(texts[:2_000]) + "\n")
    build_index(lines, folder / "index", model="minilm")
    vectors = np.random.default_rng(0).standard_normal((WORDS, DIMENSIONS)).astype(np.float32)
    WordVectors([f"word{number}" for number in range(WORDS)], vectors).save(folder / "vectors.safetensors")
    kinds = folder / "kinds.json"
    kinds.write_text(json.dumps(requests(texts)))
    port = free_port()
    command = [sys.executable, "-m", "tenor.cli.main", "serve", "--port", str(port)]
    command += ["--index", str(folder / "index"), "--vectors", str(folder / "vectors.safetensors")]
    before = os.getloadavg()[0]  # of what else the machine does: latencies mean little where this is high
    server = Server("tenor", command, port, options.threads)
    try:
        server.load(kinds, clients=options.clients, seconds=5, warm_up=0, mixed=1)
        found = server.load(kinds, clients=options.clients, seconds=options.seconds, warm_up=3, mixed=1)
    finally:
        server.close()
    lookups = [found["routes"][name] for name in LOOKUPS]
    return {
        "machine": {"cpu": cpu_name(), "python": platform.python_version(), "threads": options.threads},
        "load": {"clients": options.clients, "seconds": options.seconds, "words": [WORDS, DIMENSIONS]},
        "load_average": [before, os.getloadavg()[0]],
        "session_nice": session_nice(),
        "routes": found["routes"],
        "memory_mb": server.memory[-1],
        "asked": ASKED,
        "verdict": {
            "refused": sum(route["refused"] for route in found["routes"].values()),
            "errors": len(found["errors"]),
            "lookup_p99_ms": max(route["p99"] for route in lookups),
        },
    }


def session_nice():
    """Return the priority of this session against others, 0 where Linux does not group sessions."""
    try:
        return int(Path("/proc/self/autogroup").read_text().split()[-1])
    except (OSError, ValueError):
        return 0


def requests(texts):
    """Return what the clients ask: kinds with their share, their pause and some bodies."""

    def kind(name, path, bodies, share, pause=0.0):
        return {"name": name, "path": path, "share": share, "pause": pause, "bodies": bodies}

    numbers = range(200)
    pairs = [{"first": texts[at], "second": texts[at + 1]} for at in numbers]
    return [
        kind(LOOKUPS[0], "/api/words/neighbours", [{"word": f"word{at}"} for at in numbers], 6, 0.05),
        kind(
            LOOKUPS[1], "/api/words/ask", [{"query": f"word{at} & word{at + 1}"} for at in numbers], 4, 0.05
        ),
        kind(LOOKUPS[2], "/api/search", [{"query": texts[at], "mode": "lexical"} for at in numbers], 6, 0.05),
        kind("/api/search hybrid", "/api/search", [{"query": texts[at]} for at in numbers], 8),
        kind("/api/embed", "/api/embed", [{"texts": [texts[at]]} for at in numbers], 14),
        kind(
            "/v1/embeddings", "/v1/embeddings", [{"input": texts[at], "model": "minilm"} for at in numbers], 8
        ),
        kind("/api/compare", "/api/compare", pairs, 8),
        kind("/api/classify", "/api/classify", [{"texts": [texts[at]]} for at in numbers], 6),
        kind("/api/dedupe", "/api/dedupe", [{"texts": texts[at : at + 20]} for at in numbers], 4),
    ]


def show(result):
    for name, route in result["routes"].items():
        points = "  ".join(f"{point} {route[point]:8.1f}" for point in ("p50", "p95", "p99"))
        load = f"{route['clients']:2} clients {route['per_second']:7.1f}/s"
        print(f"{name:24} {load}  {points} ms  refused {route['refused']}")
    print(json.dumps(result["verdict"]))


if __name__ == "__main__":
    main()
