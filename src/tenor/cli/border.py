"""What escapes a command: a sentence for the person, and a file with the details to attach to a report."""

import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tenor.errors import is_out_of_memory
from tenor.version import VERSION

DEBUG = "TENOR_DEBUG"


def sentence_for(error: BaseException) -> str:
    """Say in a sentence what happened to an error that no room has words for, and write the details down."""
    if is_out_of_memory(error):
        return out_of_memory(error)
    name = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    place = _write_report(error)
    attach = f"What led to it is in {place}; please attach that file to a report." if place else ""
    return f"Something went wrong that Tenor did not foresee ({name}). {attach} {DEBUG}=1 shows it here."


def out_of_memory(error: BaseException) -> str:
    """Say that the memory does not suffice, for what where it is known, and what may be done."""
    needed = " ".join(str(error).split())[:200]
    limit = _address_limit()
    return (
        "There is not enough memory for this"
        + (f" ({needed})" if needed else "")
        + (f"; this process may use {limit / 1e9:.1f} GB of addresses (ulimit -v)" if limit else "")
        + ". Close other programs or raise the limit, take a smaller model, or give fewer or shorter texts."
    )


def _address_limit() -> int | None:
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def _write_report(error: BaseException) -> Path | None:
    """Write the traceback, the versions and the command; texts and paths of the command stay in it."""
    lines = [
        f"tenor {VERSION}, Python {sys.version.split()[0]}, {sys.platform}",
        f"command: {' '.join(sys.argv[:1] + [arg[:200] for arg in sys.argv[1:20]])}",
        f"when: {time.strftime('%Y-%m-%d %H:%M:%S')}",
        "",
        *traceback.format_exception(error),
    ]
    try:
        descriptor, name = tempfile.mkstemp(prefix="tenor-report-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write("\n".join(lines))
    except OSError:
        return None
    return Path(name)
