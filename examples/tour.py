"""A tour of everyday use on three dozen questions of an imaginary shop: what `make demo` shows.

Every step is a command that you can type yourself; it is printed before it runs.
"""

import io
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
QUESTIONS, REVIEWS = HERE / "questions.txt", HERE / "reviews.csv"
TRAINED = HERE.parent / "out" / "tour"  # kept, so that its report can be looked at


def main() -> None:
    """Run the steps, and stop at the first that fails."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="tenor-tour-") as folder:
        vectors, index, run = (Path(folder) / name for name in ("vectors.npy", "index", "run.toml"))
        step("Which of these texts say the same?", "dedupe", QUESTIONS, "--threshold", "0.7")
        step("How close are two texts, and what matches?", "compare",
             "How do I send an item back?", "What is the way to return an item?")  # fmt: skip
        step("Turn texts into vectors", "embed", QUESTIONS, "--out", vectors)
        step("Build an index …", "index", QUESTIONS, "--out", index)
        step("… and ask it", "search", index, "my order is late", "--k", "3")
        step("Is this labelled file fit for training?", "check", REVIEWS)
        step("Draft a run file for it", "init", REVIEWS, "--out", run)
        step(
            "How do they read? (a head that comes with the starter)",
            "classify",
            REVIEWS,
            "--column",
            "text",
        )
        train(Path(folder) / "example")
    say(f"\nThe tour took {time.perf_counter() - begin:.0f} seconds. Try it on your own texts:")
    say("  .venv/bin/tenor dedupe your-texts.csv --column text --out groups.csv")
    say('  .venv/bin/tenor compare "one text" "another text"')
    say("  .venv/bin/tenor index your-texts.csv --out my-index")
    say('  .venv/bin/tenor search my-index "a question"')
    say("  .venv/bin/tenor init your-labelled.csv    # then: tenor train run.toml --out runs/first")
    say("  .venv/bin/tenor serve                     # a page for all of it")
    say("  .venv/bin/tenor --help")


def train(example: Path) -> None:
    """Train similarity and sentiment jointly, and show what that changed on rows that were not trained on."""
    shutil.rmtree(TRAINED, ignore_errors=True)
    step(
        "Real data with two tasks: STS-B's similarity, Rotten Tomatoes' sentiment",
        "train",
        "--example",
        example,
    )
    scores, moods = example / "similarity-dev.tsv", example / "sentiment-dev.tsv"
    step("Before: how well do the starter's cosines follow people's scores?", "evaluate", scores)
    say("\nSentiment gets a new head, which knows nothing: its before is the first line of scores below.")
    step("Train both tasks at once, for a minute", "train", example / "run.toml", "--out", TRAINED,
         "--set", "training.epochs=1")  # fmt: skip
    step("After: similarity …", "evaluate", scores, "--model", TRAINED / "model", "--task", "similarity")
    step("… and sentiment, from the same small model", "evaluate", moods, "--model", TRAINED / "model",
         "--task", "sentiment")  # fmt: skip
    say("\nCurves, right and wrong examples, all scores: open out/tour/report.html in a browser.")


def step(title: str, *arguments: str | Path) -> None:
    """Print a title and the command, then run it."""
    words = [str(argument) for argument in arguments]
    shown = [word.replace(f"{HERE}/", "examples/").replace(f"{HERE.parent}/", "") for word in words]
    say(f"\n── {title}\n$ tenor {shlex.join(shown)}")
    done = subprocess.run([sys.executable, "-m", "tenor.cli.main", *words], check=False)
    if done.returncode:
        sys.exit(f"The step above failed with exit code {done.returncode}.")


def say(text: str) -> None:
    """Print at once, so that titles and the output of commands stay in order."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without "─" gets the tour too
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
