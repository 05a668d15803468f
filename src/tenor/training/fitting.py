"""Training one learner: optimizers and updates, the run folder, going on after a kill, the best weights.

What every way of training shares, whatever it trains: tasks of a run file, a stage before them, an aligner, a
learner of one's own.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from torch.optim import Optimizer

from tenor.encoders.encoder import Encoder
from tenor.errors import TenorError
from tenor.training.callbacks import Callback, RunFolderCallback
from tenor.training.checkpoints import load_weights, read_checkpoint
from tenor.training.config import TrainingConfig, UpdateConfig
from tenor.training.distributed import DistributedContext
from tenor.training.ema import ExponentialMovingAverage
from tenor.training.head_fitting import HeadFitting
from tenor.training.learner import Learner
from tenor.training.loop import Trainer
from tenor.training.optimizers import ENCODER, build_optimizer
from tenor.training.plan import MAIN, Plan, Update
from tenor.training.progress import Progress
from tenor.training.run_folder import RunFolder


def make_trainer(
    learner: Learner,
    training: TrainingConfig,
    *,
    seed: int = 1,
    updates: Mapping[str, UpdateConfig] | None = None,
    learning_rates: Mapping[str, float] | None = None,
    encoder: Encoder | None = None,
    callbacks: Sequence[Callback] = (),
    world: DistributedContext | None = None,
    precision: Literal["fp32", "bf16"] = "fp32",
) -> Trainer:
    """Make the optimizers that the settings ask for, and the trainer.

    ``learning_rates`` are those of groups that have neither ``encoder_lr`` nor ``head_lr``.
    """
    if training.fit_heads != "never":
        callbacks = (HeadFitting(training.fit_heads, listeners=callbacks), *callbacks)
    if training.ema:
        callbacks = (*callbacks, ExponentialMovingAverage(training.ema))
    optimizers = _optimizers(learner, training, updates or {}, learning_rates or {}, encoder)
    return Trainer(
        learner,
        optimizers,
        settings=training,
        seed=seed,
        plan=_plan(training, updates or {}),
        callbacks=callbacks,
        world=world,
        precision=precision,
    )


def _plan(training: TrainingConfig, updates: Mapping[str, UpdateConfig]) -> Plan | None:
    if not updates:
        return None
    return tuple(
        Update(
            losses=each.losses,
            without=each.without,
            groups=each.groups,
            every=each.every,
            optimizer=name if each.has_optimizer else MAIN,
            surgery=training.gradient_balancing,
        )
        for name, each in updates.items()
    )


def _optimizers(
    learner: Learner,
    training: TrainingConfig,
    updates: Mapping[str, UpdateConfig],
    learning_rates: Mapping[str, float],
    encoder: Encoder | None,
) -> dict[str, Optimizer]:
    """Make the main optimizer over all groups, and one for each update that asks for its own."""
    groups = learner.groups()
    usual = dict.fromkeys(groups, training.head_lr) | {ENCODER: training.encoder_lr} | dict(learning_rates)
    settings: dict[str, Any] = {
        "weight_decay": training.weight_decay,
        "layer_decay": training.layer_decay,
        "encoder": encoder,
    }
    made = {MAIN: build_optimizer(groups, learning_rates=usual, kind=training.optimizer, **settings)}
    for name, update in updates.items():
        if update.has_optimizer:
            own = {group: named for group, named in groups.items() if update.moves(group)}
            rates = usual if update.lr is None else dict.fromkeys(own, update.lr)
            kind = update.optimizer or training.optimizer
            made[name] = build_optimizer(own, learning_rates=rates, kind=kind, **settings)
    return made


def fit(
    learner: Learner,
    training: TrainingConfig,
    *,
    folder: RunFolder,
    seed: int = 1,
    callbacks: Sequence[Callback] = (),
    world: DistributedContext | None = None,
    **settings: Any,
) -> Progress:
    """Train in a run folder that is locked and begun, or go on there, and give the learner its best weights.

    Further settings are those of :func:`make_trainer`.
    """
    world = world or DistributedContext()
    recorder = RunFolderCallback(folder, settings=training, world=world)
    trainer = make_trainer(
        learner, training, seed=seed, callbacks=(*callbacks, recorder), world=world, **settings
    )
    if folder.last.is_file():
        trainer.load_state(read_checkpoint(folder.last), where=str(folder.last))
    if world.first:
        # A run that was killed before its first checkpoint writes its first lines again.
        folder.cut_log(trainer.progress.step if folder.last.is_file() else -1)
        if trainer.progress.step:
            for callback in callbacks:
                callback.note(f"Resuming at step {trainer.progress.step + 1} of {trainer.progress.steps}.")
    progress = trainer.run()
    if world.first and folder.best().is_file():
        weights = read_checkpoint(folder.best())["weights"]
        load_weights(learner.module, weights, where=str(folder.best()))
    return progress


def open_folder(folder: RunFolder, config: str, data: Mapping[str, Any], world: DistributedContext) -> None:
    """Let the first process lock and begin the folder, and raise on all processes where it cannot."""
    wrong = ""
    if world.first:
        try:
            folder.lock()
            folder.begin(config, data)
        except TenorError as error:
            wrong = str(error)
    if wrong := world.tell(wrong):
        raise TenorError(wrong)
