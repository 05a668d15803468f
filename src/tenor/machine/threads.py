"""How many threads this process may keep busy."""

import os
from functools import lru_cache
from pathlib import Path

_V2 = Path("/sys/fs/cgroup/cpu.max")
_V1 = Path("/sys/fs/cgroup/cpu")


@lru_cache
def thread_count() -> int:
    """Return the number of CPUs of this process, cut by its control group's quota and ``OMP_NUM_THREADS``.

    A container on a big host sees all the host's cores; as many threads would only wait for one another.
    """
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return min(cpus, int(asked))
    quota = cpu_quota()
    return max(1, cpus if quota is None else min(cpus, int(quota + 0.5)))


def cpu_quota(second: Path = _V2, first: Path = _V1) -> float | None:
    """Read the quota of the control group (version 2, else version 1) in CPUs; None where there is none."""
    try:
        most, period = second.read_text().split()
        return None if most == "max" else int(most) / int(period)
    except (OSError, ValueError):
        pass
    try:
        microseconds = int((first / "cpu.cfs_quota_us").read_text())
        period_us = int((first / "cpu.cfs_period_us").read_text())
        return microseconds / period_us if microseconds > 0 else None
    except (OSError, ValueError):
        return None
