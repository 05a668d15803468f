"""What all sides of the training benchmark keep to, and what is measured: times, and scores on dev rows."""

import time

ENCODER_RATE, HEAD_RATE, LIMIT = 2e-5, 1e-3, 128


class Clock:
    """CPU and wall time from the end of the first update to that of the last, and the tokens in between.

    Padding does not count. Batches differ in their tokens, above all those grouped by length, so that times
    are compared by the token.
    """

    def __init__(self):
        self.marks = []
        self.tokens = 0

    def count(self, tokens):
        self.tokens += tokens

    def tick(self):
        self.marks.append((time.process_time(), time.perf_counter(), self.tokens))

    def told(self):
        (cpu, wall, tokens), (last_cpu, last_wall, last_tokens) = self.marks[0], self.marks[-1]
        return {
            "cpu": last_cpu - cpu, "wall": last_wall - wall, "tokens": last_tokens - tokens,
            "updates": len(self.marks) - 1,
        }  # fmt: skip


def scores_of(data, guess):
    """Accuracy and Pearson's correlation on the dev rows, from functions that score rows of a task."""
    import numpy as np

    found = {}
    for task, parts in data.items():
        rows = parts["dev"]
        said = np.concatenate([guess(task, rows[at : at + 64]) for at in range(0, len(rows), 64)])
        gold = [row[-1] for row in rows]
        right = (
            np.corrcoef(said, gold)[0, 1]
            if task == "similarity"
            else np.mean([s == g for s, g in zip(said, gold, strict=True)])
        )
        found[task] = float(right)
    return found
