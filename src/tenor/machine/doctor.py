"""`tenor doctor`: what of this machine, the cache and the installation would keep Tenor from working.

Every finding says what was found and, where something is to be done, what. Nothing is downloaded or changed.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from tenor.assets import TABLE, cache_folder
from tenor.assets.cache import damage
from tenor.assets.find import at_hand
from tenor.errors import TenorError
from tenor.extras import EXTRAS
from tenor.files import why
from tenor.machine.arithmetic import arithmetic, best_precision
from tenor.machine.threads import cpu_quota, thread_count

STARTER = "minilm"
_CORE = ("numpy", "scipy", "torch", "tokenizers", "safetensors")
_LITTLE_SPACE = 1 << 30
_LITTLE_ADDRESSES = 4 << 30
_IMPORT_SECONDS = 120

State = Literal["ok", "note", "wrong"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at: ``wrong`` keeps something from working, a ``note`` is worth knowing."""

    what: str
    state: State
    found: str
    advice: str | None = None


def examine_machine() -> list[Diagnosis]:
    """Look at the cache, the assets, the machine and the packages, and say what was found."""
    checks = (_cache, _starter, _assets, _threads, _memory, _precision, _core, _extras)
    return [diagnosis for check in checks for diagnosis in check()]


def _cache() -> Iterator[Diagnosis]:
    try:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / f".doctor-{os.getpid()}"
        trial.write_bytes(b"")
        trial.unlink()
    except TenorError as error:
        yield Diagnosis("cache", "wrong", str(error), "Set TENOR_CACHE to a folder that you may write to.")
        return
    except OSError as error:
        found = f"{folder} cannot be written: {why(error)}."
        yield Diagnosis("cache", "wrong", found, "Set TENOR_CACHE to a folder that you may write to.")
        return
    free = shutil.disk_usage(folder).free
    found = f"{folder}, {free / 1e9:,.1f} GB free."
    advice = "Make room, or set TENOR_CACHE to a folder on another disk." if free < _LITTLE_SPACE else None
    yield Diagnosis("cache", "note" if advice else "ok", found, advice)


def _starter() -> Iterator[Diagnosis]:
    if at_hand(TABLE[STARTER]) is None:
        found = f"{STARTER}, the model of most commands, is not on this machine."
        yield Diagnosis("starter", "wrong", found, f"Get it with: tenor fetch {STARTER}")


def _assets() -> Iterator[Diagnosis]:
    """Take the digests of every asset that is there, whether it was touched or not."""
    for asset in TABLE.values():
        location = at_hand(asset)
        if location is None:
            continue
        if wrong := location.damage or damage(asset, location.folder, thoroughly=True):
            advice = f"Get it again with: tenor fetch {asset.name} --force"
            yield Diagnosis(asset.name, "wrong", f"Damaged: {wrong}.", advice)
        else:
            yield Diagnosis(asset.name, "ok", f"Whole, in the {location.where}.")


def _threads() -> Iterator[Diagnosis]:
    quota, asked = cpu_quota(), os.environ.get("OMP_NUM_THREADS", "")
    told = f"{thread_count()} used of {os.cpu_count()} CPUs"
    told += f", by the quota of {quota:g}" if quota is not None else ""
    told += f", OMP_NUM_THREADS={asked}" if asked else ""
    odd = bool(asked) and not (asked.isdigit() and int(asked) > 0)
    yield Diagnosis(
        "threads",
        "note" if odd else "ok",
        f"{told}.",
        "OMP_NUM_THREADS is no number; unset it." if odd else None,
    )


def _memory() -> Iterator[Diagnosis]:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < _LITTLE_ADDRESSES:
        found = f"This process may use {limit / 1e9:.1f} GB of addresses; libraries alone take more than one."
        yield Diagnosis("memory", "note", found, "Raise it with: ulimit -v unlimited")


def _precision() -> Iterator[Diagnosis]:
    """Try the arithmetic in a process that may die, or take the finding of an earlier trial."""
    measured = arithmetic()
    gain = (
        f"bf16 is {measured.bf16_gain:.1f} times as fast as fp32"
        if measured.bf16_gain
        else "bf16 is not used"
    )
    limit = (
        f"; instructions are limited to {measured.isa_limit}, as others end the process"
        if measured.isa_limit
        else ""
    )
    yield Diagnosis("precision", "ok", f"{best_precision()}: {gain}{limit}.")


def _core() -> Iterator[Diagnosis]:
    for module in _CORE:
        if wrong := _import_error(module):
            yield Diagnosis(
                module, "wrong", wrong, "Install Tenor again: pip install --force-reinstall tenor"
            )


def _extras() -> Iterator[Diagnosis]:
    for extra, modules in EXTRAS.items():
        install = f"Install it with: pip install 'tenor[{extra}]'"
        missing = [module for module in modules if find_spec(module) is None]
        if missing:
            yield Diagnosis(f"extra {extra}", "note", f"Not installed ({', '.join(missing)}).", install)
        elif broken := next(filter(None, map(_import_error, modules)), None):
            yield Diagnosis(
                f"extra {extra}",
                "wrong",
                broken,
                install.replace("install ", "install --force-reinstall ", 1),
            )
        else:
            yield Diagnosis(f"extra {extra}", "ok", "Installed.")


def _import_error(module: str) -> str | None:
    """Import a module in a process that may die, and say what went wrong."""
    code = f"import sys; sys.modules.setdefault('openvino_telemetry', None); import {module}"
    try:
        # Not from the folder where the person stands, which may have modules of these names.
        command = [sys.executable, "-P", "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_IMPORT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"Importing {module} failed: {error}."
    if done.returncode == 0:
        return None
    last = (done.stderr.strip().splitlines() or [f"the process ended with {done.returncode}"])[-1]
    return f"Importing {module} failed: {last[:200]}."
