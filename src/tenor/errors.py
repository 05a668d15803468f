"""What goes wrong for a reason that the person can mend."""


class TenorError(Exception):
    """A mistake in input, files or settings, told in one sentence.

    The message says what was found, where, what was expected and what to do. The command line prints it
    without a traceback and exits with code 2; anything else that escapes is a bug of ours.
    """
