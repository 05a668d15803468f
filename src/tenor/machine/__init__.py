"""What this machine can do: the threads it may use, the arithmetic that is safe and fast here, its memory."""

from tenor.machine.arithmetic import best_precision, guard
from tenor.machine.memory import kept_memory, use_huge_pages
from tenor.machine.threads import thread_count

__all__ = ["best_precision", "guard", "kept_memory", "thread_count", "use_huge_pages"]
