"""``python -m tenor`` is the command ``tenor``."""

from tenor.cli.main import run

if __name__ == "__main__":
    run()
