"""Training a learner of one's own in a run folder: log, checkpoints, going on after a kill, best weights.

``tenor train`` does the same for the tasks of a run file; stages before it (pre-training, paraphrases) come
with learners that no run file describes.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tenor.training.building import build_trainer
from tenor.training.checkpoints import load_weights, read_checkpoint
from tenor.training.config import RunConfig
from tenor.training.distributed import World
from tenor.training.hooks import Hook
from tenor.training.learner import Learner
from tenor.training.precision import choose_precision
from tenor.training.progress import Progress
from tenor.training.resolved import to_toml
from tenor.training.run_folder import RunFolder
from tenor.training.watching import Listener, RunWatcher


def train_in_folder(
    learner: Learner,
    run: RunConfig,
    *,
    out: str | Path,
    settings: Mapping[str, Any] | None = None,
    data: Mapping[str, Any] | None = None,
    hooks: Sequence[Hook] = (),
    listener: Listener | None = None,
) -> Progress:
    """Train a learner as ``run.training`` says, or go on where it stopped, and give it its best weights.

    ``settings`` are those that the run has beside the usual ones, ``data`` names its files and their hashes
    (``{task: {part: {"file": …, "sha256": …}}}``): a folder that was begun with others is refused.
    """
    folder, listener, world = RunFolder(Path(out)), listener or Listener(), World()
    watcher = RunWatcher(folder, learner, settings=run.training, listener=listener, world=world)
    precision = choose_precision(run.training.precision, next(learner.module.parameters()).device)
    trainer = build_trainer(learner, run, hooks=hooks, watcher=watcher, world=world, precision=precision)
    folder.lock()
    try:
        folder.begin(_told(run, settings or {}), data or {})
        if folder.last.is_file():
            trainer.load_state(read_checkpoint(folder.last), where=str(folder.last))
            listener.note(f"Going on with step {trainer.progress.step + 1} of {trainer.progress.steps}.")
        folder.cut_log(trainer.progress.step)
        progress = trainer.run()
        if folder.best().is_file():
            weights = read_checkpoint(folder.best())["weights"]
            load_weights(learner.module, weights, where=str(folder.best()))
        return progress
    finally:
        folder.unlock()


def _told(run: RunConfig, settings: Mapping[str, Any]) -> str:
    """Write the run out, with its own settings as a section of their own."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items() if value is not None]
    return to_toml(replace(run, tasks={})) + "\n".join(["", "[stage]", *lines, ""])
