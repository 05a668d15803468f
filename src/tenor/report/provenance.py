"""Where figures come from: the machine, the versions of what computed them, the commit.

Nothing here names a user, a host or a path: it is printed on pages.
"""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tenor.version import VERSION

_PACKAGES = ("torch", "numpy", "scipy", "scikit-learn", "tokenizers", "gensim", "openvino")


def machine() -> dict[str, str | int]:
    """Describe the machine: processor, cores that this process may use, memory, system, Python.

    >>> sorted(machine())
    ['cores', 'cpu', 'memory_gb', 'python', 'system']
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "cpu": _cpu(),
        "cores": cores,
        "memory_gb": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def versions() -> dict[str, str]:
    """Give the versions of Tenor and of the packages that it computes with, without importing them."""
    installed = {"tenor": VERSION}
    for package in _PACKAGES:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return installed


def commit() -> str:
    """Return the commit of Tenor's own source, with ``+`` where it was changed since; "" where unknown."""
    folder = Path(__file__).parent.parent
    # The package may lie, installed, inside somebody else's repository: ask whether its files are tracked.
    tracked = _git(folder, "ls-files", "--error-unmatch", "version.py")
    if not tracked:
        return ""
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".")
    return (_git(folder, "rev-parse", "--short=12", "HEAD") or "") + ("+" if changed else "")


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", os.fspath(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory() -> int:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    except (ValueError, OSError, AttributeError):
        return 0
