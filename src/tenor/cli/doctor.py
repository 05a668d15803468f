"""Looks at the cache, the assets in it, the machine and the installed packages. Nothing is changed.

\b
    tenor doctor
    tenor doctor --json

The exit code is 1 when something is wrong. An asset is verified by the digests of all its files.
"""

import json
import sys
from dataclasses import asdict

from tenor.cli.console import out
from tenor.cli.options import Json

_SHOWN = {"ok": "ok", "note": "note", "wrong": "WRONG"}


def doctor(as_json: Json = False) -> None:
    """Check this machine and installation: what is wrong, and what to do."""
    from tenor.machine.doctor import examine_machine

    found = examine_machine()
    wrong = [diagnosis for diagnosis in found if diagnosis.state == "wrong"]
    if as_json:
        out.print(json.dumps([asdict(diagnosis) for diagnosis in found], indent=2, ensure_ascii=False))
    else:
        for diagnosis in found:
            out.print(f"{_SHOWN[diagnosis.state]:<6} {diagnosis.what:<16} {diagnosis.found}")
            if diagnosis.advice:
                out.print(f"{'':<24}{diagnosis.advice}")
        out.print(f"{len(wrong)} of {len(found)} are wrong." if wrong else "Nothing is wrong.")
    if wrong:
        sys.exit(1)
