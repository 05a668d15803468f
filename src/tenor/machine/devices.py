"""The devices that arithmetic can run on here."""

from pathlib import Path
from typing import TYPE_CHECKING

from tenor.errors import TenorError

if TYPE_CHECKING:
    import torch


def find_gpu() -> str:
    """Return "cuda" where there is such a device, else "cpu"; torch is imported only if the system shows one.

    >>> find_gpu() in ("cpu", "cuda")
    True
    """
    if Path("/dev/nvidia0").exists():
        import torch

        if torch.cuda.is_available():
            return "cuda"
    return "cpu"


def find_device(device: "torch.device | str") -> "torch.device":
    """Resolve a device's name ("auto", "cpu", "cuda", "cuda:1", …), or say what is there."""
    import torch

    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        usable = torch.device(device)
        torch.empty(0, device=usable)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        here = "cpu and cuda" if torch.cuda.is_available() else "cpu"
        raise TenorError(f"The device {str(device)!r} is not usable here; torch has {here}.") from error
    return usable
