"""One side of the training benchmark: makes some updates for every line on stdin, and says what they took.

Started by bench/training.py in the interpreter of the side's own environment. All sides begin with the same
weights and see the same rows: 3 tasks, the same number of examples per update, AdamW (fused), clipping at 1,
dropout as the checkpoint says. A round is timed from the end of its first update, so that no set-up counts.
"""

import argparse
import contextlib
import json
import sys
from pathlib import Path

from training_worker_ours import linears_side, tenor_side
from training_worker_st import st_side
from training_worker_transformers import transformers_side

SIDES = {"tenor": tenor_side, "transformers": transformers_side, "st": st_side, "linears": linears_side}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=list(SIDES))
    parser.add_argument("data", type=Path, help="a folder with TASK.train.json and TASK.dev.json")
    parser.add_argument("--model", required=True)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--batch", type=int, default=16, help="examples of each task in an update")
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--scores", action="store_true", help="score dev after every round")
    options = parser.parse_args()
    data = {
        task: {
            part: json.loads((options.data / f"{task}.{part}.json").read_text()) for part in ("train", "dev")
        }
        for task in ("sentiment", "paraphrase", "similarity")
    }
    start = SIDES[options.side](options, data)
    say({"ready": options.side})
    for number, _ in enumerate(sys.stdin):
        with contextlib.redirect_stdout(sys.stderr):  # trainers print tables of their own
            told = start(options.seed + number)
        say(told)


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
