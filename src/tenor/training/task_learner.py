"""The usual learner: one network with tasks, and objectives that press on it beside the tasks' own losses.

A step packs the texts of all its tasks, both sides of every pair, into one pass through the encoder. A batch
that is too long for one pass is cut by rows and put together again by the sizes of its parts, so that the
number of passes bounds memory and changes no result beyond rounding (and, where there is dropout, which units
it drops).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from tenor.errors import TenorError
from tenor.model.frozen_states import FrozenStates
from tenor.model.network import Network
from tenor.objectives.objective import ForwardPass, Objective
from tenor.tasks.task import Reads, TaskBatch, TaskData
from tenor.text.tokenizer import Tokenizer
from tenor.training.all_gather import gather_output
from tenor.training.distributed import own_rows
from tenor.training.evaluation import evaluate_tasks
from tenor.training.learner import Cut, Evaluation, Learner, Named, StepContext
from tenor.training.loss_weighting import FixedWeights
from tenor.training.plan import Update
from tenor.training.sampling import Sampler, Source, Step, TaskSampler, flatten_steps, unflatten_steps
from tenor.training.state import State

Batch = dict[str, TaskBatch]
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MicroBatch:
    """What one pass computes of a batch.

    ``shares`` say how much of the whole batch's loss each task's part is. ``whole`` holds, for tasks that
    look across rows and are spread over processes, the rows of all of them.
    """

    batches: Batch
    shares: Mapping[str, float]
    parts: int
    """How many tasks and objectives have rows in the whole batch."""
    whole: Mapping[str, TaskBatch] = field(default_factory=dict)


class TaskLearner(Learner):
    """A network, the data of its tasks, a sampler and objectives."""

    def __init__(
        self,
        network: Network,
        train: Mapping[str, TaskData],
        *,
        dev: Mapping[str, TaskData] | None = None,
        batches: Mapping[str, int] | None = None,
        sampler: Sampler | None = None,
        objectives: Sequence[Objective] = (),
        loss_weighting: FixedWeights | None = None,
        micro_batch_tokens: int = 4096,
        tokenizer: Tokenizer | None = None,
        own_groups: Sequence[str] = (),
        seed: int = 1,
    ) -> None:
        """``own_groups`` are tasks whose heads are parameter groups of their own, called ``heads.NAME``."""
        self.network, self._own_groups = network, frozenset(own_groups)
        if network.frozen:
            network.kept = FrozenStates()
        self.train, self.dev = dict(train), dict(dev or {})
        self.sampler = sampler or TaskSampler()
        self.objectives = list(objectives)
        self.loss_weighting = loss_weighting or FixedWeights(
            {name: network.task(name).weight for name in train}
        )
        self._tokens_per_pass = micro_batch_tokens
        self._steps: list[Step] = []
        self._sources = {name: self._source(name, (batches or {}).get(name, 16)) for name in self.train}
        for objective in self.objectives:
            if objective.name in network.tasks:
                raise TenorError(f"An objective and a task are both called {objective.name!r}; rename one.")
            objective.prepare(network, tokenizer, seed=seed)
        modules = {each.name: each.module for each in self.objectives if each.module is not None}
        parts = {
            "network": network,
            "loss_weighting": self.loss_weighting,
            "objectives": nn.ModuleDict(modules),
        }
        self._module = nn.ModuleDict(parts)

    def _source(self, name: str, batch: int) -> Source:
        data, smallest = self.train[name], 2 if self.network.task(name).couples_rows else 1
        if not len(data):
            raise TenorError(f"The task {name!r} has no training rows; give it a train file with rows.")
        if min(len(data), batch) < smallest:
            raise TenorError(
                f"The task {name!r} compares the rows of a batch with one another, but its batches have "
                f"{min(len(data), batch)} row; give it more rows, or batch_size = 2 or more."
            )
        return Source(rows=len(data), batch=batch, lengths=data.costs(), smallest=smallest)

    @property
    def module(self) -> nn.Module:
        """Network, objectives and learned loss weights."""
        return self._module

    def begin_epoch(self, epoch: int, generator: np.random.Generator) -> int:
        """Draw the rows of every step; a sampler may look at the network as it stands."""
        for name, data in self.train.items():
            self.network.task(name).begin_epoch(data, self.network.vectors, epoch=epoch, generator=generator)
        for objective in self.objectives:
            objective.begin_epoch(epoch, generator)
        self._steps = self.sampler.draw(self._sources, epoch=epoch, generator=generator, learner=self)
        if not self._steps:
            raise TenorError("The epoch has no steps; lower the batch sizes or give more rows.")
        return len(self._steps)

    def batch(self, position: int, generator: np.random.Generator) -> Batch:
        """Cut the rows of a step out of the data; objectives add texts of their own under their names."""
        device = self.network.device
        self._look_ahead(position)
        batch = {
            name: self.network.task(name).collate(self.train[name], rows, generator=generator).to(device)
            for name, rows in self._steps[position].items()
        }
        for objective in self.objectives:
            if (own := objective.batch(generator)) is not None:
                batch[objective.name] = own.to(device)
        return batch

    def _look_ahead(self, position: int) -> None:
        """Show the tasks that ask for it the rows of their next batches."""
        for name, data in self.train.items():
            task = self.network.task(name)
            if task.looks_ahead and position % task.looks_ahead == 0:
                coming = self._steps[position : position + task.looks_ahead]
                rows = [step[name] for step in coming if name in step]
                if rows:
                    task.look_ahead(data, np.unique(np.concatenate(rows)), self.network.vectors)

    @property
    def has_objectives(self) -> bool:
        """Whether there are losses that need not belong to a task."""
        return bool(self.objectives)

    def _touched(self, name: str, batch: Batch, update: Update) -> bool:
        """Whether an update needs the texts of a task, or those of an objective that presses on tasks."""
        if name in self.network.tasks:
            return update.touches(name)
        return update.wants(name) or any(update.wants(f"{task}.{name}") for task in self.tasks(batch))

    def _couples(self, name: str) -> bool:
        if name not in self.network.tasks:
            return False
        pressed = any(each.couples_rows(name) for each in self.objectives)
        return pressed or self.network.task(name).couples_rows

    def _size(self, name: str, batch: TaskBatch) -> float:
        return self.network.task(name).size(batch) if name in self.network.tasks else float(len(batch))

    def micro_batches(self, batch: Batch, cut: Cut, update: Update) -> Sequence[MicroBatch]:
        """Cut a batch by rows into passes of so many tokens; what looks across rows stays whole."""
        wanted = {name: each for name, each in batch.items() if self._touched(name, batch, update)}
        coupled = {name: each for name, each in wanted.items() if self._couples(name)}
        own = {name: each.take(own_rows(len(each), cut.rank, cut.world)) for name, each in wanted.items()}
        if cut.world == 1:
            own, coupled_whole = wanted, {}
        else:
            coupled_whole = coupled
        parts = _passes({name: own[name] for name in wanted}, frozenset(coupled), cut.tokens)
        whole_sizes = {name: self._size(name, each) for name, each in wanted.items()}
        pieces = []
        for part in parts:
            shares = {
                name: 1.0 / cut.world if name in coupled else self._size(name, each) / whole_sizes[name]
                for name, each in part.items()
            }
            whole = {name: each for name, each in coupled_whole.items() if name in part}
            pieces.append(MicroBatch(batches=part, shares=shares, parts=len(wanted), whole=whole))
        return pieces

    def tasks(self, batch: Batch) -> Sequence[str]:
        """Return the tasks of a batch."""
        return [name for name in batch if name in self.network.tasks]

    def losses(self, piece: MicroBatch, context: StepContext) -> dict[str, Tensor]:
        """Run one pass, then the tasks' own losses and those of the objectives, each scaled by its share."""
        due = self._due(piece, context)
        reads = Reads(
            layers=any(each.reads.layers for each in due), pooler=any(each.reads.pooler for each in due)
        )
        every = any(each.reads_states for each in due)
        seen, batches = self.network.see(piece.batches, whole=every, reads=reads), dict(piece.batches)
        for name, whole in piece.whole.items():
            seen[name] = gather_output(seen[name], whole, context.rank, context.world)
            batches[name] = whole
        outputs = {
            name: self.network.task(name)(seen[name], each)
            for name, each in batches.items()
            if name in self.network.tasks
        }
        losses: dict[str, Tensor] = {}
        for name, output in outputs.items():
            own = self.network.task(name).losses(output, batches[name])
            losses |= {
                loss_name(name, each, len(own)): value * piece.shares[name] for each, value in own.items()
            }
        forward = ForwardPass(network=self.network, batches=batches, seen=seen, outputs=outputs)
        for objective in due:
            for name, value in objective.losses(forward, context).items():
                losses |= self._objective_loss(objective.name, name, value, piece, context)
        return {name: value for name, value in losses.items() if context.wants(name)}

    def _objective_loss(
        self, objective: str, name: str, value: Tensor, piece: MicroBatch, context: StepContext
    ) -> dict[str, Tensor]:
        """Name a loss of an objective and scale it by its part of the whole batch."""
        if name in self.network.tasks:
            return {f"{name}.{objective}": value * piece.shares[name]}
        share = piece.shares.get(name)
        if share is None:  # of no rows of its own: by the part of all rows that the pass has
            share = sum(piece.shares.values()) / max(1, piece.parts)
        return {objective: value * share}

    def _due(self, piece: MicroBatch, context: StepContext) -> list[Objective]:
        due = [
            each
            for each in self.objectives
            if context.wants(each.name) or any(context.wants(f"{name}.{each.name}") for name in piece.batches)
        ]
        if due and piece.whole:
            raise TenorError(
                f"The objective {due[0].name!r} runs the encoder again for a task that looks across the "
                "rows of a batch, which is not spread over processes; run it in one process."
            )
        return due

    def weigh(self, losses: Mapping[str, Tensor]) -> Tensor:
        """Put the losses together by the tasks' weights."""
        return cast(Tensor, self.loss_weighting(losses))

    def settle(self, names: Sequence[str]) -> Tensor | None:
        """Return the price of learned weights."""
        return self.loss_weighting.penalty(names)

    def groups(self) -> dict[str, list[Named]]:
        """Return encoder, heads, learned loss weights, and a group for each objective with weights.

        Heads with a learning rate of their own are groups by themselves.
        """
        parts: dict[str, nn.Module] = {"encoder": self.network.encoder}
        parts |= {f"heads.{name}": self.network.task(name) for name in self._own_groups}
        parts["heads"] = self.network.tasks
        if self.network.adapter is not None:
            parts["adapter"] = self.network.adapter
        parts |= {each.name: each.module for each in self.objectives if each.module is not None}
        parts["loss_weights"] = self.loss_weighting
        taken: set[int] = set()
        groups: dict[str, list[Named]] = {}
        for group, module in parts.items():
            named = [
                (name, p) for name, p in module.named_parameters() if p.requires_grad and id(p) not in taken
            ]
            taken |= {id(parameter) for _, parameter in named}
            if named:
                groups[group] = [(f"{group}.{name}", parameter) for name, parameter in named]
        return groups

    def evaluate(self) -> dict[str, Evaluation]:
        """Score every task that has dev rows."""
        return evaluate_tasks(self.network, self.dev, budget=self._tokens_per_pass)

    def tokens(self, batch: Batch) -> int:
        """Return the number of tokens of all texts of a batch."""
        return sum(int(each.tokens.starts[-1]) for each in batch.values())

    def where(self, batch: Batch, names: Sequence[str]) -> str:
        """Name the rows of the tasks that these losses belong to."""
        tasks = {name.partition(".")[0] for name in names} & set(batch) or set(batch)
        shown = []
        for task in (name for name in batch if name in tasks):
            if task not in self.train:
                continue
            examples = self.train[task].examples
            rows = [examples[row] for row in batch[task].rows.tolist()]
            origins = [str(getattr(example, "origin", "a row without origin")) for example in rows]
            more = f" and {len(origins) - _SHOWN} more" if len(origins) > _SHOWN else ""
            shown.append(f"{task}: {', '.join(origins[:_SHOWN])}{more}")
        return "; ".join(shown)

    def state(self) -> State:
        """Return the order of the current epoch and what tasks and sampler keep of it."""
        kept: State = {
            "steps": flatten_steps(self._steps),
            "tasks": {name: self.network.task(name).state() for name in self.train},
            "objectives": {each.name: each.state() for each in self.objectives},
        }
        own = getattr(self.sampler, "state", None)
        return kept | ({"sampler": own()} if own else {})

    def load_state(self, state: State) -> None:
        """Go on with the epoch's order as it was drawn."""
        self._steps = unflatten_steps(state["steps"])
        for name, kept in state["tasks"].items():
            self.network.task(name).load_state(kept)
        for objective in self.objectives:
            objective.load_state(state["objectives"][objective.name])
        if "sampler" in state:
            cast(Any, self.sampler).load_state(state["sampler"])


def loss_name(task: str, name: str, count: int) -> str:
    """Name a task's loss: after the task alone where it has just one."""
    return task if count == 1 else f"{task}.{name}"


def _costs(batch: TaskBatch) -> NDArray[np.int64]:
    """Return the tokens of each row of a batch."""
    if batch.text_starts is None:
        sums: NDArray[np.int64] = batch.tokens.lengths.reshape(batch.sides, -1).sum(axis=0)
        return sums
    return batch.tokens.starts[batch.text_starts[1:]] - batch.tokens.starts[batch.text_starts[:-1]]


def _passes(batches: Batch, whole: frozenset[str], tokens: int) -> list[Batch]:
    """Cut batches by rows, in their order, into passes of at most ``tokens`` tokens, or of one row."""
    if sum(int(each.tokens.starts[-1]) for each in batches.values()) <= tokens:
        # A process may have no row at all of a small batch.
        own = {name: each for name, each in batches.items() if len(each) or name in whole}
        return [own] if own else []
    passes: list[Batch] = [{name: each for name, each in batches.items() if name in whole}]
    room = tokens - sum(int(each.tokens.starts[-1]) for each in passes[0].values())
    for name, each in batches.items():
        if name in whole or not len(each):
            continue
        costs = _costs(each)
        begin = 0
        for row, cost in enumerate(costs.tolist()):
            if cost > room and (row > begin or passes[-1]):
                if row > begin:
                    passes[-1][name] = each.take(np.arange(begin, row, dtype=np.int64))
                passes.append({})
                begin, room = row, tokens
            room -= cost
        passes[-1][name] = each.take(np.arange(begin, len(each), dtype=np.int64))
    return [each for each in passes if each]
