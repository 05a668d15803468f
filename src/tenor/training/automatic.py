"""Settings that a person left out, chosen by what there is: rows, classes, lengths, tasks, encoder.

Four ways, each found on other sets and draws than those of ``bench/results/few_labels.md``:

    few rows, one class each   the encoder is trained by the supervised contrastive objective alone, and the
                               heads are fitted to its vectors, at every evaluation and in the end
    too few rows, no dev rows  heads are fitted to the encoder as it is
    other tasks, or more rows  heads begin fitted, then all is fine-tuned; fewer epochs for more rows
    a new encoder              all begins at random, at the learning rates of small networks

Whatever is chosen is a key of the run file, and a key that is given is never changed.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tenor.model.loading import find_model
from tenor.objectives.supervised_contrastive_config import SupervisedContrastiveConfig
from tenor.tasks.table import kind_of
from tenor.training.config import RunConfig, UpdateConfig
from tenor.training.reading import TaskExamples

CONTRAST = "contrast"
FEW = 1000
"""Rows of a task up to which the contrastive objective is chosen."""
_CONTRAST_BATCH = 32
_TOO_FEW = 32
"""Rows below which fine-tuning that no dev rows measure ended below its start."""
_LONG = 192  # words of a text beyond which a batch would hold too many tokens
_ENOUGH_PASSES = 8000  # texts that fine-tuning looks at, again and again where there are fewer
# What a person who sets any of these has in mind, the contrastive way would get in the way of.
_OWN_WAYS = ("objectives", "updates", "training.freeze", "training.train_last", "training.freeze_first",
             "training.loss_weighting", "training.gradient_balancing", "training.fit_heads",
             "training.ema", "training.task_sampling")  # fmt: skip
_LENGTHS_AND_RATES = ("training.epochs", "training.steps", "training.encoder_lr", "training.head_lr")


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting that was chosen, and why."""

    key: str
    value: Any
    why: str

    def __str__(self) -> str:
        value = f"{self.value:g}" if isinstance(self.value, float) else str(self.value)
        return f"{self.key} {value}" + (f" ({self.why})" if self.why else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomaticPlan:
    """A run with nothing left open, and what was chosen for it."""

    run: RunConfig
    choices: tuple[Choice, ...] = ()
    why: str = ""

    def notes(self) -> list[str]:
        """Return what a person should know of it."""
        if not self.choices:
            return []
        return [f"Settings chosen: {self.why}.", "  " + ", ".join(map(str, self.choices)) + "."]

    def comment(self) -> str:
        """Return the same as comments of the run file that the run's folder keeps."""
        return "".join(f"# {note.strip()}\n" for note in self.notes())

    def as_dict(self) -> dict[str, Any]:
        """Return it for the run's metrics."""
        return {"why": self.why, "chosen": {each.key: each.value for each in self.choices}}


def choose_settings(
    run: RunConfig, examples: Mapping[str, TaskExamples], *, processes: int = 1, plain: bool = True
) -> AutomaticPlan:
    """Settle what the person left open; ``plain``: there is neither adapter nor objective in memory."""
    if run.given is None:
        return AutomaticPlan(run=run)
    chooser = _Chooser(run)
    for name, config in run.tasks.items():
        suggested = kind_of(config.kind).suggest(config, examples[name].train)
        for key, (value, why) in suggested.items():
            chooser.task(name, key, value, why)
    few = _few(run, examples)
    if run.from_scratch is not None:
        _from_scratch(chooser, examples)
    elif few and plain and processes == 1 and not run.given & set(_OWN_WAYS) and _transformer(run):
        _contrast(chooser, few)
    elif plain and _unmeasured(chooser.run, examples) and _transformer(run):
        _fit_only(chooser, examples)
    else:
        _fine_tune(chooser, examples, transformer=_transformer(run))
    return AutomaticPlan(run=chooser.run, choices=tuple(chooser.choices), why=chooser.why)


class _Chooser:
    """Puts settings into a run where they were not given."""

    def __init__(self, run: RunConfig) -> None:
        assert run.given is not None
        self.run, self._given = run, run.given
        self.choices: list[Choice] = []
        self.why = ""

    def given(self, key: str) -> bool:
        """Return whether a person has given a setting."""
        return key in self._given

    def training(self, key: str, value: Any, why: str = "") -> None:
        """Choose a setting of training."""
        if not self.given(f"training.{key}"):
            self.run = replace(self.run, training=replace(self.run.training, **{key: value}))
            self.choices.append(Choice(key, value, why))

    def task(self, name: str, key: str, value: Any, why: str = "") -> None:
        """Choose a setting of a task."""
        if not self.given(f"tasks.{name}.{key}"):
            tasks = dict(self.run.tasks)
            tasks[name] = replace(tasks[name], **{key: value})
            self.run = replace(self.run, tasks=tasks)
            self.choices.append(Choice(f"{name}.{key}", value, why))

    def contrast(self, tasks: Mapping[str, Any]) -> None:
        """Let the contrastive objective train the encoder alone."""
        losses = tuple(f"{name}.{CONTRAST}" for name in tasks)
        objective = SupervisedContrastiveConfig(tasks=tuple(tasks))
        self.run = replace(
            self.run, objectives={CONTRAST: objective}, updates={"encoder": UpdateConfig(losses=losses)}
        )
        self.choices.append(
            Choice(f"objectives.{CONTRAST}", "supervised_contrastive", "the only loss of the encoder")
        )


def _transformer(run: RunConfig) -> bool:
    """Return whether the encoder is a trained transformer, whose weights want small steps."""
    return run.from_scratch is None and find_model(run.encoder).type.segments


def _few(run: RunConfig, examples: Mapping[str, TaskExamples]) -> dict[str, Mapping[str, int]] | None:
    """Return the classes of all trained tasks where each has few rows of one text and one class."""
    found = {}
    for name, config in run.tasks.items():
        if not config.weight:
            continue
        train = examples[name].train
        classes = kind_of(config.kind).classes(config, train)
        if classes is None or len(train) > FEW or sum(count > 1 for count in classes.values()) < 2:
            return None
        if sum(len(row.texts[0].split()) for row in train) > _LONG * len(train):
            return None
        found[name] = classes
    return found or None


def _contrast(chooser: _Chooser, few: Mapping[str, Mapping[str, int]]) -> None:
    rows = max(sum(classes.values()) for classes in few.values())
    told = ", ".join(
        f"{name} has {sum(each.values()):,} rows of {len(each)} classes" for name, each in few.items()
    )
    chooser.why = (
        f"{told}: few, so a contrastive stage trains the encoder and the heads are fitted to its vectors"
    )
    for name in few:
        chooser.task(name, "batch_size", _CONTRAST_BATCH, "pairs within a batch")
    sizes = [chooser.run.tasks[name].batch_size for name in few]
    texts = min(2000, max(320, 10 * rows))
    steps = max(10, math.ceil(texts / min(rows, *sizes)))
    epochs = math.ceil(steps / math.ceil(rows / min(sizes)))
    chooser.contrast(few)
    chooser.training("fit_heads", "always", "logistic regression")
    if chooser.given("training.steps"):
        steps = chooser.run.training.steps or steps
        chooser.training("epochs", math.ceil(steps / math.ceil(rows / min(sizes))), "for all steps")
    elif not chooser.given("training.epochs"):
        chooser.training("steps", steps, f"{steps * min(rows, *sizes):,} texts")
        chooser.training("epochs", epochs)
        chooser.training("eval_steps", steps)
    chooser.training("encoder_lr", 5e-5 if rows < 32 else 1e-4, "few rows")


def _unmeasured(run: RunConfig, examples: Mapping[str, TaskExamples]) -> bool:
    """Return whether rows are so few that only dev rows, which are not there, could justify fine-tuning."""
    assert run.given is not None
    if run.given & {*_OWN_WAYS, *_LENGTHS_AND_RATES} or any(each.dev for each in examples.values()):
        return False
    tasks = [config for config in run.tasks.values() if config.weight]
    fewest = max(len(each.train) for each in examples.values()) < _TOO_FEW
    return fewest and all(kind_of(config.kind).fits(config) for config in tasks)


def _fit_only(chooser: _Chooser, examples: Mapping[str, TaskExamples]) -> None:
    rows = max(len(each.train) for each in examples.values())
    chooser.why = (
        f"{rows:,} rows and no dev rows: too few to fine-tune without measuring, so heads are fitted to the "
        "encoder as it is"
    )
    chooser.training("freeze", "encoder")
    chooser.training("fit_heads", "always", "logistic regression")
    chooser.training("epochs", 1)


def _fine_tune(chooser: _Chooser, examples: Mapping[str, TaskExamples], *, transformer: bool) -> None:
    rows = max(len(each.train) for each in examples.values())
    asked = _suggested(chooser.run, rows) if transformer else {}
    usual = {"epochs": _epochs(rows), "encoder_lr": _encoder_lr(rows, transformer=transformer)}
    chooser.why = (
        f"{rows:,} rows: heads start from a fit where that is possible, then everything is fine-tuned"
    )
    dev = any(each.dev for each in examples.values())
    chooser.training("fit_heads", "start", "kept unless training does at least as well on dev" if dev else "")
    for key, value in (usual | dict(asked)).items():
        if not (key == "epochs" and chooser.given("training.steps")):
            chooser.training(key, value, "suits the tasks" if key in asked else f"{rows:,} rows")
    if dev:
        chooser.training("patience", 3, "stops when the dev score no longer improves")
    _score_start(chooser, examples)


def _suggested(run: RunConfig, rows: int) -> Mapping[str, int | float]:
    """Return the settings that the tasks' kinds ask for, where all of them ask for the same."""
    kinds = [kind_of(config.kind) for config in run.tasks.values() if config.weight]
    asked = [dict(kind.suggested_training(rows)) for kind in kinds]
    return asked[0] if asked and all(each == asked[0] for each in asked) else {}


def _encoder_lr(rows: int, *, transformer: bool) -> float:
    if not transformer:
        return 1e-3
    return 1e-5 if rows < 200 else 5e-5 if rows < 5000 else 3e-5


def _from_scratch(chooser: _Chooser, examples: Mapping[str, TaskExamples]) -> None:
    chooser.why = "a new encoder starts from random weights"
    chooser.training("encoder_lr", 1e-3, "a new encoder")
    _score_start(chooser, examples)


def _score_start(chooser: _Chooser, examples: Mapping[str, TaskExamples]) -> None:
    """Score before training where fitted heads are not scored anyway, for the report to compare with."""
    if chooser.run.training.fit_heads == "never" and any(each.dev for each in examples.values()):
        chooser.training("eval_on_start", True, "to compare with")


def _epochs(rows: int) -> int:
    """Return how often all rows are gone through: fewer times the more there are.

    >>> [_epochs(rows) for rows in (100, 2000, 10000, 50000)]
    [8, 4, 2, 1]
    """
    return max(2 if rows < 20000 else 1, min(8, round(_ENOUGH_PASSES / rows)))
