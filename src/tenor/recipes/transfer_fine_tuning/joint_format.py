"""A control: a stage that teaches the joint format and nothing of paraphrases.

Pre-trained encoders of sentences read one text at a time; the stage of paraphrases also teaches them to read
two as one sequence, and that alone may help fine-tuning. Here the encoder reads the same pairs, and as many
random partners, as one sequence in as many steps, and learns what it knew before: its own cosine of the two
texts. No label and no alignment is seen.
"""

import shutil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.files import atomic_folder, read_json, write_json
from tenor.recipes.recipe import Context
from tenor.recipes.rows import Row, TextPair, write_rows

TASK = "cosine"


def run_format(context: Context, base: Path, pairs: Path, folder: Path, *, rate: float, seed: int) -> None:
    """Learn the own cosine of joint sequences, or go on with it; leave ``plain`` and ``scores.json``."""
    files = {part: folder / f"{part}.jsonl" for part in ("train", "dev")}
    if not all(file.is_file() for file in files.values()):
        for number, (part, file) in enumerate(files.items()):
            texts = _texts(pairs / f"{part}.jsonl")
            given = with_random_partners(texts, np.random.default_rng([seed, number]))
            write_rows(file, own_cosines(base, given))
    run = _trained(context, base, files, folder / "run", rate, seed)
    score = read_json(run / "metrics.json")["tasks"][TASK]["scores"]["pearson"]["estimate"]
    write_json(folder / "scores.json", {TASK: score})
    with atomic_folder(folder / "plain") as aside:
        shutil.copytree(run / "model", aside, dirs_exist_ok=True)
    shutil.rmtree(run / "checkpoints", ignore_errors=True)


def _texts(file: Path) -> list[TextPair]:
    """Read the two texts of aligned pairs."""
    from tenor.tasks.phrases.aligned_file import AlignedFile

    return [(" ".join(pair.first), " ".join(pair.second)) for pair in AlignedFile(file)]


def with_random_partners(pairs: list[TextPair], generator: np.random.Generator) -> list[TextPair]:
    """Return the pairs, each followed by its first text with the second one of another pair.

    >>> with_random_partners([("a", "b"), ("c", "d")], np.random.default_rng(0))
    [('a', 'b'), ('a', 'd'), ('c', 'd'), ('c', 'b')]
    """
    turn = 1 + generator.integers(0, max(1, len(pairs) - 1), size=len(pairs))
    other = (np.arange(len(pairs)) + turn) % len(pairs)
    both = ((pair, (pair[0], pairs[place][1])) for pair, place in zip(pairs, other.tolist(), strict=True))
    return [pair for two in both for pair in two]


def own_cosines(base: Path, pairs: list[TextPair]) -> list[Row]:
    """Return rows of pairs with the encoder's cosine of each, below 0 as 0."""
    import tenor

    model = tenor.load(base, precision="fp32")
    first, second = (_unit(model.encode([pair[side] for pair in pairs])) for side in (0, 1))
    cosines = np.clip((first * second).sum(axis=1), 0.0, 1.0)
    return [
        {"first": one, "second": two, "score": round(float(cosine), 4)}
        for (one, two), cosine in zip(pairs, cosines, strict=True)
    ]


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    vectors = np.asarray(vectors, dtype=np.float64)
    unit: NDArray[np.float64] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return unit


def _trained(context: Context, base: Path, files: dict[str, Path], run: Path, rate: float, seed: int) -> Path:
    from tenor.recipes.fixed_training import POOLING, fixed_training
    from tenor.tasks.similarity.kind import SimilarityConfig
    from tenor.training.callbacks import StepProgress
    from tenor.training.config import RunConfig
    from tenor.training.running import train_run

    if (run / "metrics.json").is_file():
        return run
    settings = dict(context.settings["stage"])
    del settings["learning_rates"]
    batch, limit = 2 * settings.pop("batch_size"), settings.pop("max_tokens")  # each pair has its partner
    columns = {role: role for role in ("first", "second", "score")}
    task = SimilarityConfig(
        train=files["train"], dev=files["dev"], columns=columns, range=(0.0, 1.0), loss="mse", head="linear",
        dropout=0.0, output="sigmoid", encoding="cross", batch_size=batch, pooling="cls",
    )  # fmt: skip
    config = RunConfig(
        encoder=str(base), pooling=POOLING, seed=seed, max_tokens=limit, tasks={TASK: task},
        training=fixed_training(encoder_lr=rate, **settings),
    )  # fmt: skip
    train_run(config, out=run, callbacks=[StepProgress(context.progress)])
    return run
