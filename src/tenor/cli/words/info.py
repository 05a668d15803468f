"""Bad lines are counted and the first of them shown; --strict stops at the first."""

import json

from tenor.cli.console import one_line, out
from tenor.cli.options import Json
from tenor.cli.words.options import Reading, Vectors, reads_vectors


@reads_vectors()
def info(vectors: Vectors, reading: Reading, json_: Json = False) -> None:
    """Show what a file of word vectors holds, and what is wrong with it."""
    from tenor.words.describing import describe

    facts = describe(reading.open(vectors))
    if json_:
        out.print(json.dumps(facts, ensure_ascii=False, indent=2))
        return
    for name, value in facts.items():
        out.print(f"{name:<24} {_shown(value)}")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return one_line(" ".join(value), 80)
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else str(value)
    )
