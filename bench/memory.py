"""Peak memory of embedding many lines and of finding duplicates among many texts, above the loaded model.

    python bench/memory.py                 # all, results to bench/results/memory.json
    python bench/memory.py embed --lines 200000

Each measurement runs in a process of its own. What counts is *anonymous* memory (RssAnon of Linux, sampled
every 5 ms): pages of mapped files can be dropped at any moment and are shown beside it. Embedding is measured
from a model that has encoded one batch, so that the engine's own buffers count as loaded model; its lines are
made here, short questions with a paragraph now and then, one in ten of them a repeat. For duplicates the
model is replaced by random vectors of the same width, a fifth of them near-twins of others: what is measured
is the comparing, and the 300,000 texts themselves.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "memory.json"
LIMITS = {"embed": 600, "dedupe": 1000}  # MB above the model
WORDS = """
how do i what is the best way to learn a new language can you why does my which city has good food where
should we go for an old friend who likes music and quiet places without much money before next winter
improve write travel phone price water engine doctor garden school market bridge river answer question
""".split()  # noqa: SIM905


def memory() -> tuple[float, float]:
    """Anonymous and file-backed megabytes of this process."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) / 1024 for name in ("RssAnon", "RssFile"))


class Watch:
    """Keeps the highest memory seen."""

    def __init__(self):
        self.anonymous = self.file = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        while not self._stop.wait(0.005):
            anonymous, file = memory()
            self.anonymous, self.file = max(self.anonymous, anonymous), max(self.file, file)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()


def made_lines(count: int, seed: int = 0) -> Iterator[str]:
    pick, before = random.Random(seed), []
    for number in range(count):
        if before and number % 10 == 0:
            yield pick.choice(before)
            continue
        words = pick.randint(4, 16) if number % 50 else pick.randint(80, 160)
        text = " ".join(pick.choices(WORDS, k=words)) + "?"
        if len(before) < 1000:
            before.append(text)
        yield text


@contextmanager
def measured(name: str, told: dict):
    base, _ = memory()
    began, cpu = time.perf_counter(), time.process_time()
    with Watch() as watch:
        yield
    above = watch.anonymous - base
    told |= {
        "measure": name,
        "loaded_mb": round(base), "peak_mb": round(watch.anonymous), "above_mb": round(above),
        "file_mb": round(watch.file), "limit_mb": LIMITS[name], "holds": above <= LIMITS[name],
        "seconds": round(time.perf_counter() - began, 1), "cpu_seconds": round(time.process_time() - cpu, 1),
    }  # fmt: skip


def embed(lines: int, model_name: str) -> dict:
    import tenor
    from tenor.use.embed.embedding import embed_file

    model = tenor.load(model_name)
    model.encode(list(made_lines(2000, seed=1)))
    told = {"lines": lines, "model": model_name, "engine": model.engine.name, "precision": model.precision}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "lines.txt")
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in made_lines(lines))
        with measured("embed", told):
            embed_file(model, source, Path(folder, "out.npy"))
    return told


def dedupe(lines: int, width: int = 384) -> dict:
    import numpy as np

    from tenor.use.dedupe.deduping import DEFAULT_THRESHOLD, EXACT_LIMIT, group_texts

    def encode(_, out):
        generator = np.random.default_rng(0)
        for start in range(0, len(out), 10_000):
            some = out[start : start + 10_000]
            some[:] = generator.standard_normal(some.shape, dtype=np.float32)
            twins = len(some) // 5
            noise = generator.standard_normal((twins, width), dtype=np.float32)
            some[:twins] = some[twins : 2 * twins] + 0.3 * noise

    texts: list[str] = []
    told = {"texts": lines, "width": width, "threshold": DEFAULT_THRESHOLD}
    with measured("dedupe", told):
        texts.extend(f"{line} {number}" for number, line in enumerate(made_lines(lines)))
        said: list[str] = []  # above the limit: that an index is used, and what it finds
        groups = group_texts(texts, encode, width, DEFAULT_THRESHOLD, EXACT_LIMIT, note=said.append)
    return told | {"groups": len(groups), "notes": said}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("measure", nargs="?", choices=["embed", "dedupe"])
    parser.add_argument("--lines", type=int)
    parser.add_argument("--model", default="minilm")
    given = parser.parse_args()
    if given.measure == "embed":
        print(json.dumps(embed(given.lines or 200_000, given.model)))
        return
    if given.measure == "dedupe":
        print(json.dumps(dedupe(given.lines or 300_000)))
        return
    rows = []
    for name in LIMITS:
        done = subprocess.run([sys.executable, __file__, name], check=True, capture_output=True, text=True)
        rows.append(json.loads(done.stdout.splitlines()[-1]))
        print(f"{name}: {rows[-1]['above_mb']} MB above the model, at most {rows[-1]['limit_mb']} wanted")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
