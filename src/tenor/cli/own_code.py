"""Running a person's own Python file before a command, for what it registers.

Only a file that was named on the command line is ever run (``tenor --import FILE.py COMMAND``): neither a run
file nor a model folder nor data can name code, so that one from elsewhere stays harmless.
"""

import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from tenor.errors import TenorError


def run_own_code(file: Path) -> None:
    """Run a file as a module of its own; what it imports must be installed or on ``PYTHONPATH``."""
    if not file.is_file() or file.suffix != ".py":
        what = "is not a Python file" if file.exists() else "does not exist"
        raise TenorError(f"--import {file} {what}; give the file that registers your kinds, such as mine.py.")
    name = f"own_code_{file.stem}"
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their annotations up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        said = str(error) if isinstance(error, TenorError) else f"{type(error).__name__}: {error}"
        raise TenorError(
            f"{file}{_line(error, file)} cannot be imported: {' '.join(said.split())}"
        ) from error


def _line(error: Exception, file: Path) -> str:
    """Return the last line of the file that led to an error, to be put behind its name."""
    if isinstance(error, SyntaxError):
        return f":{error.lineno}" if error.filename == str(file) else ""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(file)]
    return f":{lines[-1]}" if lines else ""
