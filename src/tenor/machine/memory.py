"""Memory for large tensors."""

import os

_VARIABLE = "THP_MEM_ALLOC_ENABLE"  # torch's own name for it


def use_huge_pages() -> None:
    """Let torch ask Linux for pages of 2 MB for large tensors, unless the environment says otherwise.

    A training step makes and drops some hundred of them; with large pages it takes 3 to 4% less time. torch
    looks at it when it makes its first tensor: later it does nothing, and neither does it on other systems.
    """
    os.environ.setdefault(_VARIABLE, "1")
