"""`tenor serve` under load, beside a plain FastAPI endpoint with sentence-transformers: same weights, texts.

    python bench/serve.py [--rounds 3] [--seconds 20] [--clients 64]

64 clients send one short sentence each over kept connections for 60 s in all, in rounds that alternate
between the sides, so that both meet the same machine. The clients run in a process of their own. Then one
client asks alone, for the latency of a single request. All sentences are different ones of STS-B. A round is
quiet when the bare products before and after it ran within 10% of the best; with fewer than three quiet pairs
of rounds the ratio is marked noisy, and the ratio of CPU seconds per request (clients not counted) is what is
left to go by.
"""

import argparse
import json
import os
import platform
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from encode import QUIET, bare_product, cpu_name, sts_sentences
from peers import ROOT, interpreter

from tenor.assets import fetch, find

RESULTS = ROOT / "bench" / "results" / "serve.json"
ASKED = {"throughput": 3.0, "p99": 1.0, "single": 1.0, "growth_mb": 30.0}
TICK = os.sysconf("SC_CLK_TCK")


class Server:
    """A side: its process, and what it used."""

    def __init__(self, label, command, port, threads, environment=None):
        self.label, self.port = label, port
        environment = (environment or os.environ) | {"OMP_NUM_THREADS": str(threads), "HF_HUB_OFFLINE": "1"}
        environment["TOKENIZERS_PARALLELISM"] = "false"  # one text at a time: threads would only cost
        self._process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        self.rounds, self.single, self.memory = [], [], []
        self._wait()

    def _wait(self):
        end = time.monotonic() + 180
        while time.monotonic() < end:
            if self._process.poll() is not None:
                raise RuntimeError(f"{self.label} ended with {self._process.returncode}.")
            if self._answers():
                return
            time.sleep(0.2)
        raise RuntimeError(f"{self.label} did not start.")

    def _answers(self):
        """Whether it answers at all: a port may be open while the model is still being loaded."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/health", timeout=180):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False

    def load(self, texts, **options):
        """Let clients at it; return what they saw, and the CPU seconds of the server per request."""
        arguments = [
            item for name, value in options.items() for item in (f"--{name.replace('_', '-')}", str(value))
        ]
        before = self._cpu()
        command = [sys.executable, ROOT / "bench" / "serve_load.py", str(self.port), texts, *arguments]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        self.memory.append(self._megabytes())
        return found | {"cpu_ms": (self._cpu() - before) * 1000 / max(1, found["requests"])}

    def close(self):
        self._process.terminate()
        self._process.wait()

    def _cpu(self):
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def _megabytes(self):
        status = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    fetch("minilm")
    fetch("stsb")
    result = measure(options, find("minilm"))
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    show(result)


def measure(options, model):
    python = interpreter(".venv-peers-serve")
    if python is None:
        sys.exit("The peer's environment cannot be built here.")
    sides = [
        Server(f"fastapi {kind}", peer(python, model, port, kind, options.threads), port, options.threads)
        for kind, port in (("def", free_port()), ("async", free_port()))
    ]
    port = free_port()
    ours = [sys.executable, "-m", "tenor.cli.main", "serve", "--model", str(model), "--port", str(port)]
    sides.append(Server("tenor", ours, port, options.threads))
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder) / "texts.json"
        texts.write_text(json.dumps(short_texts()))
        try:
            bracket = alternate(sides, texts, options)
        finally:
            for side in sides:
                side.close()
    return {
        "machine": {"cpu": cpu_name(), "python": platform.python_version(), "threads": options.threads},
        "load": {
            "clients": options.clients,
            "seconds": options.rounds * options.seconds,
            "rounds": options.rounds,
        },
        "sides": {
            side.label: {"rounds": side.rounds, "single": side.single, "memory_mb": side.memory}
            for side in sides
        },
        "bracket": bracket,
        "asked": ASKED,
        "verdict": verdict(sides, bracket),
    }


def peer(python, model, port, kind, threads):
    script = ROOT / "bench" / "serve_peer.py"
    return [str(python), str(script), str(model), str(port), "--kind", kind, "--threads", str(threads)]


def alternate(sides, texts, options):
    """Run all rounds; return the bare product around each, in the order of the rounds."""
    bracket = []
    for side in sides:  # so that memory is claimed and caches are filled before anything counts
        side.load(texts, clients=options.clients, seconds=30, warm_up=0)
        side.memory.clear()
    for _ in range(options.rounds):
        for side in sides:
            before = bare_product()
            side.rounds.append(side.load(texts, clients=options.clients, seconds=options.seconds, warm_up=2))
            bracket.append(max(before, bare_product()))
    for _ in range(options.rounds):
        for side in sides:
            side.single.append(side.load(texts, clients=1, seconds=min(5, options.seconds), warm_up=0.5))
    return bracket


def verdict(sides, bracket):
    """Compare ours with the better of the peer's two kinds."""
    *peers, ours = sides
    speed = {side.label: statistics.median(each["per_second"] for each in side.rounds) for side in sides}
    best = max(peers, key=lambda side: speed[side.label])
    quiet = [value <= min(bracket) * (1 + QUIET) for value in bracket]
    at = {side.label: quiet[place :: len(sides)] for place, side in enumerate(sides)}
    pairs = list(zip(ours.rounds, best.rounds, at[ours.label], at[best.label], strict=True))
    calm = [(one, other) for one, other, a, b in pairs if a and b]
    used = calm if len(calm) >= 3 else [(one, other) for one, other, *_ in pairs]
    ratios = sorted(one["per_second"] / other["per_second"] for one, other in used)
    single = {
        side.label: statistics.median(each["p50"] for each in side.single)
        for side in (ours, min(peers, key=_single))
    }
    return {
        "peer": best.label,
        "throughput": {"ratio": statistics.median(ratios), "low": ratios[0], "high": ratios[-1]},
        "noisy": len(calm) < 3,
        "cpu_ratio": _median(best, "cpu_ms") / _median(ours, "cpu_ms"),
        "p99_ms": {side.label: _median(side, "p99") for side in (ours, best)},
        "single_ms": single,
        "errors": {side.label: sum(len(each["errors"]) for each in side.rounds) for side in sides},
        "growth_mb": ours.memory[len(ours.rounds) - 1] - ours.memory[0],
    }


def _median(side, name):
    return statistics.median(each[name] for each in side.rounds)


def _single(side):
    return statistics.median(each["p50"] for each in side.single)


def short_texts():
    """Different sentences of at most 14 words, in an order that is always the same."""
    texts = [text for text in sts_sentences() if len(text.split()) <= 14]
    random.Random(0).shuffle(texts)
    return texts


def free_port():
    with socket.socket() as wire:
        wire.bind(("127.0.0.1", 0))
        return wire.getsockname()[1]


def show(result):
    for label, side in result["sides"].items():
        for name in ("rounds", "single"):
            for each in side[name]:
                points = "  ".join(f"{point} {each[point]:7.1f}" for point in ("p50", "p95", "p99"))
                used = f"CPU {each['cpu_ms']:6.2f} ms  errors {len(each['errors'])}"
                print(f"{label:15} {name:7} {each['per_second']:7.1f}/s  {points} ms  {used}")
        print(f"{label:15} memory  {' '.join(f'{value:.0f}' for value in side['memory_mb'])} MB")
    print(json.dumps(result["verdict"], indent=1))


if __name__ == "__main__":
    main()
