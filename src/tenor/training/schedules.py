"""Learning-rate schedules: the factor of every rate at a step, a pure function of the step.

    constant          1
    linear            up to 1 over the warm-up, then straight down to 0 at the last step
    cosine            up over the warm-up, then half a cosine down to 0
    slanted           slanted triangular (Howard & Ruder, 2018): up over a tenth, down to 1/32
    inverse_sqrt      up over the warm-up w, then √(w / step)
    plateau           halved whenever the watched score has not improved for some evaluations

The warm-up is a part of all steps when below 1, else a number of steps. Only ``plateau`` looks at results;
its factor is part of the loop's progress.
"""

import math
from typing import Literal

ScheduleKind = Literal["constant", "linear", "cosine", "slanted", "inverse_sqrt", "plateau"]
_SLANTED_CUT, _SLANTED_RATIO = 0.1, 32.0


def rate_factor(kind: ScheduleKind, step: int, *, total: int, warmup: float = 0.0) -> float:
    """Return the factor at a step, counted from 1 to ``total``.

    >>> [round(rate_factor("linear", step, total=10, warmup=0.2), 3) for step in (1, 2, 3, 10)]
    [0.5, 1.0, 0.889, 0.111]
    >>> [round(rate_factor("slanted", step, total=100), 3) for step in (1, 10, 100)]
    [0.128, 1.0, 0.042]
    """
    if kind == "slanted":
        return _slanted(step, total)
    before = warmup_steps(warmup, total)
    if step < before:
        return step / before
    if kind in ("constant", "plateau"):
        return 1.0
    if kind == "inverse_sqrt":
        return math.sqrt(max(before, 1) / step)
    # The last step still moves a little: 0 would waste it.
    left = (total + 1 - step) / max(1, total + 1 - before)
    left = min(1.0, max(0.0, left))
    return left if kind == "linear" else 0.5 * (1.0 - math.cos(math.pi * left))


def warmup_steps(warmup: float, total: int) -> int:
    """Return the number of steps of a warm-up that is given as a part of all steps or as their number."""
    return round(warmup * total) if warmup < 1 else round(warmup)


def _slanted(step: int, total: int) -> float:
    cut = max(1, math.floor(total * _SLANTED_CUT))
    part = step / cut if step <= cut else 1 - (step - cut) / max(1, total - cut + 1)
    return (1 + max(0.0, part) * (_SLANTED_RATIO - 1)) / _SLANTED_RATIO
