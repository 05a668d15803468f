"""Attacks on what Tenor reads and writes: damaged files, kills and full disks at random points.

    python bench/hold.py damage --count 500   # values and bytes of files changed, under a memory limit
    python bench/hold.py kill --count 50      # SIGKILL at the n-th file operation of a job, then again
    python bench/hold.py full --count 50      # the disk is full from the n-th file operation on, then again

Nothing but an error of one sentence may come of damage, within ten seconds and 3 GB; a job that was killed or
stopped by a full disk must end as if nothing had been, with nothing left behind. Prints what was tried and
every fall; the exit code is 1 where there was one.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

MEMORY, SECONDS = 3 << 30, 10
DIGITS = "9" * 5_000
ODD: list[Any] = [
    None, True, -1, 0, 2**31, 2**63, 10**30, 1e308, float("nan"), float("inf"), "", "x" * 10_000, "\0",
    "../..", "/dev/zero",
    [], [[]], {}, [None], {"": None}, [1, "a", None], "hub:a/b", "\ud800",
]  # fmt: skip


def main() -> int:
    """Run one of the attacks and say what fell."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("attack", choices=["damage", "kill", "full"])
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tenor-hold-") as folder:
        os.environ["TENOR_CACHE"] = f"{folder}/cache"
        attack = damage if asked.attack == "damage" else interrupt
        falls = attack(Path(folder), asked.count, random.Random(asked.seed), asked.attack)
    for fall in falls:
        sys.stdout.write(f"FELL: {fall}\n")
    sys.stdout.write(f"{asked.attack}: {asked.count} tried, {len(falls)} fell (seed {asked.seed})\n")
    return 1 if falls else 0


# --- damage ------------------------------------------------------------------------------------------


def damage(folder: Path, count: int, draw: random.Random, _: str) -> list[str]:
    """Change a value or some bytes of a file, and read it."""
    in_child(lambda: make_files(folder / "whole"))
    loaders = make_loaders(folder / "whole")
    falls = []
    for number in range(count):
        name = draw.choice(sorted(loaders))
        shutil.rmtree(folder / "now", ignore_errors=True)
        shutil.copytree(folder / "whole", folder / "now")
        target = draw.choice(
            [path for path in sorted((folder / "now" / name).rglob("*")) if _is_target(path)]
        )
        how = change(target, draw)
        if wrong := in_child(lambda name=name: outcome(lambda: loaders[name](folder / "now" / name))):
            falls.append(f"{number}: {target.relative_to(folder / 'now')} {how}: {wrong}")
    return falls


def in_child(job: Callable[[], object]) -> str | None:
    """Run a job in a process of its own under the memory limit, and return what it returned."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        told = job()
        os.write(writing, str(told if isinstance(told, str) else "").encode()[:4_000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read().decode(errors="replace")
    code = os.waitpid(child, 0)[1]
    return told or (f"the process ended with {os.waitstatus_to_exitcode(code)}" if code else None)


def _is_target(path: Path) -> bool:
    return path.is_file() and path.name != ".lock" and path.stat().st_size > 0


def outcome(job: Callable[[], object]) -> str | None:
    """Run a job; None where it succeeds or fails in a sentence, else what it did."""
    from tenor.errors import TenorError

    def too_long(*_: object) -> None:
        raise TimeoutError(f"it took more than {SECONDS} s")

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        job()
    except TenorError as error:
        return f"a message of {len(str(error)):,} letters" if len(str(error)) > 5_000 else None
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if "/tenor/" in frame.filename]
        at = own[-1] if own else place
        return f"{type(error).__name__}: {str(error)[:100]} at {Path(at.filename).name}:{at.lineno}"
    finally:
        signal.alarm(0)
    return None


def change(path: Path, draw: random.Random) -> str:
    """Change a value of a JSON file, or bytes of any file."""
    content = path.read_bytes()
    if path.suffix == ".json" and draw.random() < 0.8:
        value = json.loads(content)
        places = list(_places(value))
        holder, key = draw.choice(places)
        if draw.random() < 0.1:
            mark = "THE-DIGITS"
            holder[key] = mark
            path.write_text(json.dumps(value).replace(f'"{mark}"', DIGITS))
            return f"{key!r} = 5,000 digits"
        if isinstance(holder, dict) and draw.random() < 0.1:
            del holder[key]
            path.write_text(json.dumps(value))
            return f"{key!r} gone"
        odd = draw.choice(ODD)
        holder[key] = odd
        path.write_text(json.dumps(value))
        return f"{key!r} = {str(odd)[:20]!r}"
    how = draw.choice(["cut", "flip", "zero", "double", "empty"])
    at = draw.randrange(len(content))
    if how == "flip":
        changed = bytearray(content)
        for _ in range(draw.randint(1, 4)):
            # Headers decide most; the rest of a big file is numbers.
            changed[draw.randrange(min(len(content), 400) if draw.random() < 0.7 else len(content))] ^= (
                1 << draw.randrange(8)
            )
        path.write_bytes(changed)
    else:
        gap = content[:at] + bytes(64) + content[at + 64 :]
        path.write_bytes({"cut": content[:at], "zero": gap, "double": content * 2, "empty": b""}[how])
    return f"{how} at {at}"


def _places(value: Any) -> Any:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in list(items)[:300]:
            yield value, key
            yield from _places(inner)


def make_files(folder: Path) -> None:
    """Write one of each thing that Tenor reads."""
    from tenor.model import load
    from tenor.recipes.columns import write_columns
    from tenor.training.checkpoints import write_checkpoint
    from tenor.use.embed.embedding import embed_file
    from tenor.use.search.index import build_index
    from tenor.words import WordVectors
    from tiny import write_tiny_model

    model = load(write_tiny_model(folder / "model"))
    _tasks(folder / "model")
    texts = folder.parent / "texts.txt"
    texts.write_text("a cat\nthe dog sat\nthe house is old\n")
    for name in ("npy", "safetensors", "jsonl", "parquet"):
        (folder / name).mkdir()
        embed_file(model, texts, folder / name / f"v.{name}")
    build_index(texts, folder / "index", model=str(folder / "model"))
    words = WordVectors(["cat", "dog", "house"], np.eye(3, dtype=np.float32))
    for name in ("safetensors", "bin", "txt"):
        (folder / f"words-{name}").mkdir()
        words.save(folder / f"words-{name}" / f"w.{name}")
    for name in ("checkpoint", "items"):
        (folder / name).mkdir()
    write_checkpoint(folder / "checkpoint" / "last.safetensors", {"step": 3, "weights": {"w": np.eye(2)}})
    write_columns(folder / "items" / "x-items.npz", {"a": np.arange(9.0), "b": np.linspace(0, 1, 5)})


def make_loaders(whole: Path) -> dict[str, Callable[[Path], object]]:
    """Return how each thing is read; the index with the model that was not damaged."""
    from tenor.recipes.columns import read_columns
    from tenor.training.checkpoints import read_checkpoint
    from tenor.use.embed.vector_reading import read_vectors
    from tenor.use.search.searching import search
    from tenor.words import WordVectors

    loaders: dict[str, Callable[[Path], object]] = {
        "model": _read_model,
        "index": lambda path: search(path, "a cat", model=str(whole / "model")),
        "checkpoint": lambda path: read_checkpoint(path / "last.safetensors"),
        "items": lambda path: read_columns(path / "x-items.npz"),
    }
    for name in ("npy", "safetensors", "jsonl", "parquet"):
        loaders[name] = lambda path, name=name: read_vectors(path / f"v.{name}")
    for name in ("safetensors", "bin", "txt"):
        loaders[f"words-{name}"] = lambda path, name=name: WordVectors.load(path / f"w.{name}").neighbours(
            "cat", k=2
        )
    return loaders


def _tasks(folder: Path) -> None:
    """Give the tiny model a head, so that tenor.json and heads.safetensors are read too."""
    from tenor.model.heads import TrainedTask, write_heads
    from tenor.tasks.table import spec_from_json

    spec = {"kind": "classify", "labels": ["good", "bad"]}
    task = TrainedTask("mood", spec_from_json(spec, where="here"))
    shapes = task.spec.weight_shapes(32, pooling=_pooling())
    weights = {name: np.zeros(shape, dtype=np.float32) for name, shape in shapes.items()}
    task = TrainedTask("mood", task.spec, weights, {"accuracy": 0.5}, {"how": "trained"})
    write_heads(folder, {"mood": task})
    (folder / "tenor.json").write_text(json.dumps({"format": 2, "tasks": {"mood": task.to_json()}}))


def _pooling() -> Any:
    from tenor.layers.pooling_config import PoolingConfig

    return PoolingConfig()


def _read_model(path: Path) -> None:
    from tenor.model import load

    model = load(path)
    model.encode(["a cat", "the dog"])
    model.predict("mood", ["a cat"])


# --- kills and full disks ------------------------------------------------------------------------------

INJECTED = """
import builtins, errno, os, signal, sys, io
how, at = sys.argv[1], int(sys.argv[2])
count = 0
def hit():
    global count
    count += 1
    if count >= at:
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.ENOSPC, "No space left on device")
OURS = sys.argv[3]
def wrap(module, name, mine):
    real = getattr(module, name)
    def wrapped(*given, **named):
        if mine(*given, **named):
            hit()
        return real(*given, **named)
    setattr(module, name, wrapped)
def ours(path, *rest, **named):
    return isinstance(path, (str, os.PathLike)) and os.path.abspath(os.fspath(path)).startswith(OURS)
def written(path, *rest, **named):
    flags = rest[0] if rest and isinstance(rest[0], int) else 0
    mode = rest[0] if rest and isinstance(rest[0], str) else named.get("mode", "r")
    changes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) != 0
    return ours(path) and (changes or any(letter in str(mode) for letter in "wax+"))
def wrap_all():
    for name in ("rename", "replace", "mkdir"):
        wrap(os, name, ours)
    wrap(os, "open", written)
    wrap(os, "fsync", lambda *_: True)
    wrap(builtins, "open", written)
    wrap(io, "open", written)
"""
JOBS = {
    "train": "from tenor.training.api import train; train(work / 'run' / 'run.toml', out=work / 'out')",
    "embed": (
        "from tenor.model import load; from tenor.use.embed.embedding import embed_file; "
        "embed_file(load(work / 'run' / 'model'), work / 'texts.txt', work / 'out.npy', window=3)"
    ),
    "index": (
        "from tenor.use.search.index import build_index; "
        "build_index(work / 'texts.txt', work / 'out', model=str(work / 'run' / 'model'))"
    ),
    "save": (
        "from tenor.model import load; shutil.rmtree(work / 'out', ignore_errors=True); "
        "load(work / 'run' / 'model').save(work / 'out')"
    ),
    "words": (
        "from tenor.words import WordVectors; import numpy as np; "
        "WordVectors(['a', 'b'], np.eye(2)).save(work / 'out.safetensors')"
    ),
}  # fmt: skip
SCRIPT = (
    INJECTED
    + """
import shutil
from pathlib import Path
work = Path(OURS)
from tenor.errors import TenorError
if at:
    wrap_all()
try:
    {job}
except TenorError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
print(count)
"""
)


_DONE = ("is finished", "is an index already")  # what a job says that was stopped after its end


def interrupt(folder: Path, count: int, draw: random.Random, how: str) -> list[str]:
    """Stop jobs at random file operations, run them again, and compare what came out."""
    from small_runs import write_run

    base = folder / "base"
    write_run(base / "run", training="checkpoint_steps = 3")
    (base / "texts.txt").write_text("".join(f"the cat number {n}\n" for n in range(10)))
    whole, operations = {}, {}
    for job in JOBS:
        work = _copy(base, folder / "now")  # the same place as later: predictions name their files
        done = _job(job, work, how, 10**9)
        assert done.returncode == 0, done.stderr[-2_000:]
        whole[job], operations[job] = _content(work), int(done.stdout.split()[-1])
    sys.stdout.write(f"file operations: {operations}\n")
    falls = []
    for number in range(count):
        sys.stdout.write(f"{number} tried, {len(falls)} fell\n" if number and number % 5 == 0 else "")
        sys.stdout.flush()
        job = draw.choice(["train"] * 3 + list(JOBS))
        at = draw.randint(1, operations[job])
        work = _copy(base, folder / "now")
        first = _job(job, work, how, at)
        expected = (-9,) if how == "kill" else (0, 2)  # what only a cache wanted to write may fail in silence
        if first.returncode not in expected or "Traceback" in first.stderr:
            falls.append(f"{number}: {job} {how} at {at}: exit {first.returncode}, {first.stderr[-300:]!r}")
            continue
        _age(work)
        again = _job(job, work, how, 0)
        if again.returncode and not any(mark in again.stderr for mark in _DONE):
            falls.append(f"{number}: {job} {how} at {at}, then again: {again.stderr[-300:]!r}")
            continue
        if (wrong := _difference(whole[job], _content(work))) and job != "index":
            falls.append(f"{number}: {job} {how} at {at}: {wrong}")
    return falls


def _copy(base: Path, work: Path) -> Path:
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(base, work)
    return work


def _job(job: str, work: Path, how: str, at: int) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", SCRIPT.replace("{job}", JOBS[job]), how, str(at), str(work)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)


def _age(work: Path) -> None:
    """Let a minute go by for what stands aside, after which the next job removes it."""
    for path in work.rglob(".*.part"):
        if path.exists():
            os.utime(path, times=(0, 0))


_TIMELESS = ("model.safetensors", "heads.safetensors", "predictions.jsonl", "out.npy", "out.safetensors")


def _content(work: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(work)): path.read_bytes() for path in work.rglob("*") if path.name in _TIMELESS
    }


def _difference(whole: dict[str, bytes], now: dict[str, bytes]) -> str | None:
    return next((f"{name} differs" for name in sorted(whole | now) if whole.get(name) != now.get(name)), None)


if __name__ == "__main__":
    sys.exit(main())
