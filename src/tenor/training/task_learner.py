"""The usual learner: one network with tasks, and objectives that press on it beside the tasks' own losses.

A step packs the texts of all its tasks, both sides of every pair, into one pass through the encoder. A batch
that is too long for one pass is cut by rows and put together again by the sizes of its parts, so that the
number of passes bounds memory and changes no result beyond rounding (and, where there is dropout, which units
it drops).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import numpy as np
from torch import Tensor, nn

from tenor.errors import TenorError
from tenor.model.frozen_states import FrozenStates
from tenor.model.network import Network
from tenor.tasks.task import Seen, TaskBatch, TaskData
from tenor.training.distributed import own_rows
from tenor.training.evaluation import evaluate_tasks
from tenor.training.gathering import gather_seen
from tenor.training.learner import Context, Cut, Evaluation, Learner, Named
from tenor.training.plan import Update
from tenor.training.sampling import MixedSampler, Sampler, Source, Step, flatten_steps, unflatten_steps
from tenor.training.state import State
from tenor.training.weighing import FixedWeights

Batch = dict[str, TaskBatch]
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Piece:
    """What one pass computes of a batch.

    ``shares`` say how much of the whole batch's loss each task's part is. ``whole`` holds, for tasks that
    look across rows and are spread over processes, the rows of all of them.
    """

    batches: Batch
    shares: Mapping[str, float]
    whole: Mapping[str, TaskBatch] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pass:
    """What an objective sees: the batches, the encoder's states and the heads' outputs, by task."""

    network: Network
    batches: Mapping[str, TaskBatch]
    seen: Mapping[str, Seen]
    outputs: Mapping[str, Any]

    def look_up(self) -> Tensor:
        """Return the word embeddings [T, d] of all texts of the pass."""
        return self.network.look_up(self.batches)

    def again(self, embeddings: Tensor | None = None) -> dict[str, Any]:
        """Run encoder and heads again, for instance with other embeddings, and return the outputs."""
        return self.network(self.batches, embeddings=embeddings)  # type: ignore[no-any-return]


class Objective(Protocol):
    """Extra pressure on training; the weights of one that is an ``nn.Module`` are trained, as a group."""

    name: str

    def losses(self, seen: Pass, context: Context) -> Mapping[str, Tensor]:
        """Return a loss for each task that it presses on, a mean over the same as the task's own."""


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
        weighing: FixedWeights | None = None,
        tokens_per_pass: int = 4096,
    ) -> None:
        self.network = network
        if network.frozen:
            network.kept = FrozenStates()
        self.train, self.dev = dict(train), dict(dev or {})
        self.sampler = sampler or MixedSampler()
        self.objectives = list(objectives)
        self.weighing = weighing or FixedWeights({name: network.task(name).weight for name in train})
        self._tokens_per_pass = tokens_per_pass
        self._steps: list[Step] = []
        self._sources = {name: self._source(name, (batches or {}).get(name, 16)) for name in self.train}
        modules = {each.name: each for each in self.objectives if isinstance(each, nn.Module)}
        parts = {"network": network, "weighing": self.weighing, "objectives": nn.ModuleDict(modules)}
        self._module = nn.ModuleDict(parts)

    def _source(self, name: str, batch: int) -> Source:
        data, smallest = self.train[name], 2 if self.network.task(name).couples_rows else 1
        if not len(data):
            raise TenorError(f"The task {name!r} has no training rows; give it a train file with rows.")
        if min(len(data), batch) < smallest:
            raise TenorError(
                f"The task {name!r} compares the rows of a batch with one another, but its batches have "
                f"{min(len(data), batch)} row; give it more rows, or batch = 2 or more."
            )
        lengths = data.tokens.lengths.reshape(-1, data.sides).sum(axis=1)
        return Source(rows=len(data), batch=batch, lengths=lengths, smallest=smallest)

    @property
    def module(self) -> nn.Module:
        """Network, objectives and learned loss weights."""
        return self._module

    def begin_epoch(self, epoch: int, generator: np.random.Generator) -> int:
        """Draw the rows of every step; a sampler may look at the network as it stands."""
        for name, data in self.train.items():
            self.network.task(name).begin_epoch(data, self.network.vectors, epoch=epoch, generator=generator)
        self._steps = self.sampler.draw(self._sources, epoch=epoch, generator=generator, learner=self)
        if not self._steps:
            raise TenorError("The epoch has no steps; lower the batch sizes or give more rows.")
        return len(self._steps)

    def batch(self, position: int, generator: np.random.Generator) -> Batch:
        """Cut the rows of a step out of the data."""
        device = self.network.device
        return {
            name: self.network.task(name).collate(self.train[name], rows, generator=generator).to(device)
            for name, rows in self._steps[position].items()
        }

    def pieces(self, batch: Batch, cut: Cut, update: Update) -> Sequence[Piece]:
        """Cut a batch by rows into passes of so many tokens; what looks across rows stays whole."""
        wanted = {name: each for name, each in batch.items() if update.touches(name)}
        coupled = {name: each for name, each in wanted.items() if self.network.task(name).couples_rows}
        own = {name: each.take(own_rows(len(each), cut.rank, cut.world)) for name, each in wanted.items()}
        if cut.world == 1:
            own, coupled_whole = wanted, {}
        else:
            coupled_whole = coupled
        parts = _passes({name: own[name] for name in wanted}, frozenset(coupled), cut.tokens)
        whole_sizes = {name: self.network.task(name).size(each) for name, each in wanted.items()}
        pieces = []
        for part in parts:
            shares = {
                name: 1.0 / cut.world
                if name in coupled
                else self.network.task(name).size(each) / whole_sizes[name]
                for name, each in part.items()
            }
            whole = {name: each for name, each in coupled_whole.items() if name in part}
            pieces.append(Piece(batches=part, shares=shares, whole=whole))
        return pieces

    def tasks(self, batch: Batch) -> Sequence[str]:
        """Return the tasks of a batch."""
        return list(batch)

    def losses(self, piece: Piece, context: Context) -> dict[str, Tensor]:
        """Run one pass, then the tasks' own losses and those of the objectives, each scaled by its share."""
        due = self._due(piece, context)
        # An objective may look at any state of the pass.
        seen, batches = self.network.see(piece.batches, whole=bool(due)), dict(piece.batches)
        for name, whole in piece.whole.items():
            seen[name] = gather_seen(seen[name], whole, context.rank, context.world)
            batches[name] = whole
        outputs = {name: self.network.task(name)(seen[name], each) for name, each in batches.items()}
        found: dict[str, Tensor] = {}
        for name, output in outputs.items():
            own = self.network.task(name).losses(output, batches[name])
            found |= {
                loss_name(name, each, len(own)): value * piece.shares[name] for each, value in own.items()
            }
        passed = Pass(network=self.network, batches=batches, seen=seen, outputs=outputs)
        for objective in due:
            for name, value in objective.losses(passed, context).items():
                found[f"{name}.{objective.name}"] = value * piece.shares[name]
        return {name: value for name, value in found.items() if context.wants(name)}

    def _due(self, piece: Piece, context: Context) -> list[Objective]:
        due = [o for o in self.objectives if any(context.wants(f"{name}.{o.name}") for name in piece.batches)]
        if due and piece.whole:
            raise TenorError(
                f"The objective {due[0].name!r} runs the encoder again for a task that looks across the "
                "rows of a batch, which is not spread over processes; run it in one process."
            )
        return due

    def weigh(self, losses: Mapping[str, Tensor]) -> Tensor:
        """Put the losses together by the tasks' weights."""
        return cast(Tensor, self.weighing(losses))

    def settle(self, names: Sequence[str]) -> Tensor | None:
        """Return the price of learned weights."""
        return self.weighing.penalty(names)

    def groups(self) -> dict[str, list[Named]]:
        """Return encoder, heads, learned loss weights, and a group for each objective with weights."""
        parts: dict[str, nn.Module] = {"encoder": self.network.encoder, "heads": self.network.tasks}
        parts |= {each.name: each for each in self.objectives if isinstance(each, nn.Module)}
        parts["loss_weights"] = self.weighing
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
        }
        own = getattr(self.sampler, "state", None)
        return kept | ({"sampler": own()} if own else {})

    def load_state(self, state: State) -> None:
        """Go on with the epoch's order as it was drawn."""
        self._steps = unflatten_steps(state["steps"])
        for name, kept in state["tasks"].items():
            self.network.task(name).load_state(kept)
        if "sampler" in state:
            cast(Any, self.sampler).load_state(state["sampler"])


def loss_name(task: str, name: str, count: int) -> str:
    """Name a task's loss: after the task alone where it has just one."""
    return task if count == 1 else f"{task}.{name}"


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
        costs = each.tokens.lengths.reshape(each.sides, -1).sum(axis=0)
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
