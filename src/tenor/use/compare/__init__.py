"""How close two texts are in meaning, and why."""

from tenor.use.compare.comparing import Comparison, compare, compare_file

__all__ = ["Comparison", "compare", "compare_file"]
