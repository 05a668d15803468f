"""A BiLSTM-CRF tagger beside flair's SequenceTagger: CPU time of an epoch and of tagging, on one thread.

    python bench/tagging.py [--data train.conll] [--sentences 600] [--repeats 3] [--python PEER]

Both sides have the same sentences, static vectors, an LSTM over characters, one BiLSTM layer, a CRF and
batches of 32. Without ``--data`` the sentences are made up, with Zipf's frequencies. The primary figure is
the ratio of CPU times of the second epoch, and of tagging all sentences from their words; the sides
alternate. ``--profile`` shows where our epoch goes.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import numpy as np
from encode import cpu_name
from peers import ROOT, interpreter

RESULTS = ROOT / "bench" / "results" / "tagging.json"
TARGETS = {"epoch": 2.0, "tagging": 5.0}
SIZES = {"vectors": 100, "characters": 50, "character_size": 25, "hidden_size": 256, "batch_size": 32}
TYPES = ("PER", "LOC", "ORG", "MISC")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sentences", type=int, default=600)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--python", type=Path, help="the interpreter of an environment with flair")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    rows = read(options.data, options.sentences) if options.data else made_up(options.sentences)
    with tempfile.TemporaryDirectory() as folder:
        files = write(rows, Path(folder))
        if options.profile:
            return profile(rows, files[0], Path(folder))
        python = options.python or interpreter(".venv-peers-tagging")
        measured = [
            (ours(rows, files[0], Path(folder) / f"run{turn}"), theirs(python, files))
            for turn in range(options.repeats)
        ]
    result = {
        "cpu": cpu_name(),
        "flair": measured[0][1]["version"],
        "sizes": SIZES,
        "data": "CoNLL columns" if options.data else "made up",
        "sentences": len(rows),
        "words": sum(len(words) for words, _ in rows),
        "flair_making_sentences": statistics.median(pair[1]["sentences"] for pair in measured),
        "rows": [compared(what, measured) for what in TARGETS],
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for row in result["rows"]:
        print(
            f"{row['what']}: ours {row['ours']:.2f} s, flair {row['flair']:.2f} s of CPU, "
            f"{row['ratio']:.2f} x (target {row['target']})"
        )


def compared(what, measured):
    """Compare the medians of both sides."""
    mine, other = (statistics.median(pair[side][what] for pair in measured) for side in (0, 1))
    return {"what": what, "ours": mine, "flair": other, "ratio": other / mine, "target": TARGETS[what]}


def read(path, count):
    """Read sentences of CoNLL columns."""
    from tenor.text.problems import Problems
    from tenor.text.tag_schemes import convert, guess_scheme
    from tenor.text.tagged import read_tagged

    some = list(islice(read_tagged(path, problems=Problems()), count))
    scheme = guess_scheme([each.tags for each in some])
    return [(list(each.words), convert(list(each.tags), scheme, "bio")[0]) for each in some]


def made_up(count):
    """Make sentences of words with Zipf's frequencies; one word in ten begins an entity."""
    random = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    vocabulary = ["".join(random.choice(letters, random.integers(2, 10))) for _ in range(8000)]
    weights = 1 / np.arange(1, len(vocabulary) + 1)
    rows = []
    for _ in range(count):
        length = int(random.integers(4, 30))
        words = random.choice(vocabulary, length, p=weights / weights.sum()).tolist()
        tags = ["O"] * length
        for at in np.flatnonzero(random.random(length - 1) < 0.1).tolist():
            if tags[at] == "O":
                words[at] = words[at].title()
                tags[at] = f"B-{TYPES[len(words[at]) % 4]}"
        rows.append((words, tags))
    return rows


def write(rows, folder):
    """Write vectors (ours and arrays) and sentences."""
    from tenor.words import WordVectors

    words = list(dict.fromkeys(word.lower() for some, _ in rows for word in some))
    vectors = np.random.default_rng(1).normal(size=(len(words), SIZES["vectors"])).astype(np.float32) * 0.3
    WordVectors(words, vectors).save(folder / "vectors.safetensors")
    np.savez(folder / "vectors.npz", words=np.array(words), vectors=vectors)
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder / "vectors.safetensors", folder / "vectors.npz", folder / "rows.jsonl"


def settings(vectors):
    """Return the encoder of both sides, as ours is begun."""
    return {
        "model_type": "lstm",
        "hidden_size": SIZES["hidden_size"],
        "dropout": 0.5,
        "input_dropout": 0.5,
        "embeddings": [
            {"type": "static", "vectors": str(vectors)},
            {
                "type": "characters",
                "network": "lstm",
                "size": SIZES["characters"],
                "character_size": SIZES["character_size"],
            },
        ],
    }


def ours(rows, vectors, out):
    """Train three epochs by ``tenor.train``, time the last two, and tag."""
    import torch

    import tenor
    from tenor.training.callbacks import Callback

    torch.set_num_threads(1)

    class Clock(Callback):
        def __init__(self):
            self.times = []

        def on_step_end(self, learner, progress, report):
            self.times.append(time.process_time())

    clock = Clock()
    task = {"kind": "tag", "train": rows, "head": "crf", "batch_size": SIZES["batch_size"], "dropout": 0.0}
    run = tenor.train(
        None,
        {"entities": task},
        from_scratch=settings(vectors),
        out=out,
        callbacks=[clock],
        epochs=3,
        encoder_lr=1e-3,
        precision="fp32",
        checkpoint_minutes=0.0,
    )
    steps = len(clock.times) // 3
    epoch = (clock.times[-1] - clock.times[steps - 1]) / 2
    model = run.load()
    words = [some for some, _ in rows]
    tenor.tag(words[:40], model=model)  # the network is built at the first call
    begin = time.process_time()
    tenor.tag(words, model=model)
    return {"epoch": epoch, "tagging": time.process_time() - begin}


def theirs(python, files):
    """Run flair's side."""
    command = [python, ROOT / "bench" / "tagging_worker_flair.py", json.dumps(SIZES), *files[1:]]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(f"flair failed: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def profile(rows, vectors, folder):
    """Show what our side spends its time in."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as profiler

    with profiler(activities=[ProfilerActivity.CPU]) as watched:
        ours(rows, vectors, folder / "profiled")
    print(watched.key_averages().table(sort_by="self_cpu_time_total", row_limit=15))


if __name__ == "__main__":
    main()
