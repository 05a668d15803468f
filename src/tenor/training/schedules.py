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
from collections.abc import Callable

from tenor.errors import TenorError

Schedule = Callable[[int, int, int], float]
"""Takes the step, counted from 1, the number of all steps and that of the warm-up; returns the factor."""
_SLANTED_CUT, _SLANTED_RATIO = 0.1, 32.0


def rate_factor(kind: str, step: int, *, total: int, warmup: float = 0.0) -> float:
    """Return the factor at a step, counted from 1 to ``total``.

    >>> [round(rate_factor("linear", step, total=10, warmup=0.2), 3) for step in (1, 2, 3, 10)]
    [0.5, 1.0, 0.889, 0.111]
    >>> [round(rate_factor("slanted", step, total=100), 3) for step in (1, 10, 100)]
    [0.128, 1.0, 0.042]
    """
    return SCHEDULES[kind](step, total, warmup_steps(warmup, total))


def warmup_steps(warmup: float, total: int) -> int:
    """Return the number of steps of a warm-up that is given as a part of all steps or as their number."""
    return round(warmup * total) if warmup < 1 else round(warmup)


def _constant(step: int, total: int, warmup: int) -> float:
    return step / warmup if step < warmup else 1.0


def _linear(step: int, total: int, warmup: int) -> float:
    if step < warmup:
        return step / warmup
    # The last step still moves a little: 0 would waste it.
    return min(1.0, max(0.0, (total + 1 - step) / max(1, total + 1 - warmup)))


def _cosine(step: int, total: int, warmup: int) -> float:
    if step < warmup:
        return step / warmup
    return 0.5 * (1.0 - math.cos(math.pi * _linear(step, total, warmup)))


def _inverse_sqrt(step: int, total: int, warmup: int) -> float:
    return step / warmup if step < warmup else math.sqrt(max(warmup, 1) / step)


def _slanted(step: int, total: int, warmup: int) -> float:
    cut = max(1, math.floor(total * _SLANTED_CUT))
    part = step / cut if step <= cut else 1 - (step - cut) / max(1, total - cut + 1)
    return (1 + max(0.0, part) * (_SLANTED_RATIO - 1)) / _SLANTED_RATIO


SCHEDULES: dict[str, Schedule] = {
    "constant": _constant,
    "linear": _linear,
    "cosine": _cosine,
    "slanted": _slanted,
    "inverse_sqrt": _inverse_sqrt,
    "plateau": _constant,
}


def register(name: str, schedule: Schedule) -> None:
    """Add a schedule of one's own, for this process: ``schedule`` of run files knows it then."""
    if SCHEDULES.get(name, schedule) is not schedule:
        raise TenorError(f"There is a schedule {name!r} already; give yours another name.")
    SCHEDULES[name] = schedule
