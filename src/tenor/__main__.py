"""``python -m tenor`` is the command ``tenor``, which begins here: Ctrl-C is heard before all imports."""

import sys


def run() -> None:
    """Run the command line."""
    try:
        from tenor.cli.main import run as run_command
    except KeyboardInterrupt:
        sys.stderr.write("tenor: stopped.\n")
        sys.exit(130)
    run_command()


if __name__ == "__main__":
    run()
