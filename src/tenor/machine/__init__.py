"""What this machine can do: the threads it may use, the arithmetic that is safe and fast here, its memory."""

from tenor.machine.arithmetic import best_precision, guard
from tenor.machine.blas import blas_threads, use_one_blas_thread
from tenor.machine.memory import kept_memory, use_huge_pages
from tenor.machine.priority import lower_priority
from tenor.machine.threads import thread_count

__all__ = [
    "best_precision",
    "blas_threads",
    "guard",
    "kept_memory",
    "lower_priority",
    "thread_count",
    "use_huge_pages",
    "use_one_blas_thread",
]
