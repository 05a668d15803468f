"""How a long job tells its caller how far it is and what a person should know: the types of its callbacks."""

from collections.abc import Callable

Progress = Callable[[int], None]
"""Called with the number of items just done, since the last call."""

ProgressOf = Callable[[int, int | None], None]
"""Called with the number of items just done and the total, None where it cannot be known beforehand."""

StageProgress = Callable[[str, int, int | None], None]
"""Called with the name of a stage, the number of items just done in it, and the total of that stage."""

Note = Callable[[str], None]
"""Called with a sentence for the person who waits, such as that an earlier run is continued."""
