"""What this machine can do: the threads it may use, the arithmetic that is safe and fast here."""

from tenor.machine.arithmetic import best_precision, guard
from tenor.machine.threads import thread_count

__all__ = ["best_precision", "guard", "thread_count"]
