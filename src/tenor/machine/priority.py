"""Threads that step back: what computes for long runs after what somebody waits for."""

import contextlib
import os
import sys
import threading

_LEAST = 19  # the lowest priority of Linux


def lower_priority(by: int) -> None:
    """Let this thread, and those that it starts from now on, run after others that want the CPU.

    Only Linux has priorities of threads; elsewhere nothing happens.
    """
    if by and sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):
            now = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, min(_LEAST, now + by))
