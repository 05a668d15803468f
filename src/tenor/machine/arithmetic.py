"""Which numeric precision (fp32, bf16, int8) is safe on this machine, and which is fast.

CPU flags are not to be trusted. A virtual machine may show AMX to its guest and hide what the kernels need to
use it; then bf16 and int8 end the process with an illegal instruction. And a CPU with bf16 instructions may
be slower with them than without. So the libraries' own kernels are tried once, in a process that may die,
and the finding is kept in the user's cache.
"""

import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from tenor.assets import cache_folder
from tenor.errors import TenorError
from tenor.files import read_json, write_json

# oneDNN reads this once per process, before its first kernel; both torch and OpenVINO carry oneDNN.
ISA_VARIABLE = "ONEDNN_MAX_CPU_ISA"
_WITHOUT_AMX = "AVX512_CORE_FP16"
# bf16 costs a little accuracy, so it must be clearly faster to be worth it.
_WORTHWHILE = 1.3
_PROBE_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What was measured on a machine.

    ``isa_limit`` is what oneDNN's environment variable must say, or "" for no limit; ``bf16_gain`` is the
    speed of a bf16 product relative to fp32, 0 where there is none.
    """

    isa_limit: str
    bf16_gain: float


def best_precision() -> Literal["fp32", "bf16"]:
    """Return bf16 where this CPU is clearly faster with it, else fp32."""
    return "bf16" if arithmetic().bf16_gain >= _WORTHWHILE else "fp32"


def guard() -> None:
    """Keep the libraries off instructions that would end the process; call before bf16 or int8 is used."""
    if ISA_VARIABLE not in os.environ and (limit := arithmetic().isa_limit):
        os.environ[ISA_VARIABLE] = limit


@lru_cache
def arithmetic() -> Arithmetic:
    """Return what this machine's arithmetic can do, from the cache or by trying."""
    flags = cpu_flags()
    if not flags & {"amx_tile", "avx512_bf16", "bf16"}:
        return Arithmetic("", 0.0)
    kept = cache_folder() / "machine" / f"{_signature(flags)}.json"
    try:
        return Arithmetic(**read_json(kept))
    except (TenorError, TypeError):
        measured = _try_arithmetic(has_amx="amx_tile" in flags)
    if not measured.bf16_gain:
        return measured  # Perhaps the trial only ran out of memory or time: try again next time.
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_json(kept, asdict(measured))
    except (OSError, TenorError):
        pass  # A cache that cannot be written costs a few seconds next time, nothing else.
    return measured


def _try_arithmetic(*, has_amx: bool) -> Arithmetic:
    gain = _run_probe("")
    if gain is None and has_amx and ISA_VARIABLE not in os.environ:
        return Arithmetic(_WITHOUT_AMX, _run_probe(_WITHOUT_AMX) or 0.0)
    return Arithmetic("", gain or 0.0)


def _run_probe(isa_limit: str) -> float | None:
    """Time bf16 against fp32 in another process; None if that process died."""
    environment = os.environ | ({ISA_VARIABLE: isa_limit} if isa_limit else {})
    command = [sys.executable, "-m", "tenor.machine.probe"]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False
        )
        return float(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def cpu_flags() -> frozenset[str]:
    """Return the features that the CPU declares, where the system tells them."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("flags", "Features")):
                return frozenset(line.split(":", 1)[1].split())
    except OSError:
        pass
    return frozenset()


def _signature(flags: frozenset[str]) -> str:
    """Name what the finding depends on: the CPU, the system, and the libraries that carry the kernels."""
    release = os.uname().release if hasattr(os, "uname") else sys.platform
    parts = [*sorted(flags), release, os.environ.get(ISA_VARIABLE, "")]
    for package in ("openvino", "torch"):
        try:
            parts.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            parts.append(f"no {package}")
    return sha256("\n".join(parts).encode()).hexdigest()[:16]
