"""What functions say beside their results, to whoever listens to the logger ``tenor``."""

import logging

from tenor.text.problems import Problems

_log = logging.getLogger("tenor")


def log_note(text: str) -> None:
    """Say a sentence that a person should know."""
    _log.warning("%s", text)


def log_problems(problems: Problems) -> None:
    """Say what was wrong with the rows of a file, if anything."""
    if (summary := problems.summary()) is not None:
        log_note(summary)
