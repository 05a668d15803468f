"""Optimisers over parameter groups: rates for encoder and heads, decay by layer, what is frozen.

LayerNorm and biases (all parameters with one axis) are not decayed. With ``layer_decay`` below 1 a layer's
rate is the encoder's times that number for every layer above it, the embeddings being the lowest.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import nn
from torch.optim import Optimizer

from tenor.errors import TenorError
from tenor.training.learner import Named
from tenor.training.state import State

OptimiserKind = Literal["adamw", "adam", "rmsprop", "sgd"]
_BLOCK = re.compile(r"\.blocks\.(\d+)\.")


def build_optimiser(
    groups: Mapping[str, list[Named]],
    *,
    rates: Mapping[str, float],
    kind: OptimiserKind = "adamw",
    weight_decay: float = 0.0,
    layer_decay: float = 1.0,
    betas: tuple[float, float] = (0.9, 0.999),
) -> Optimizer:
    """Make an optimiser that moves these groups, each at its rate; every parameter is in just one group."""
    if missing := [group for group in groups if group not in rates]:
        raise TenorError(f"No learning rate is given for the parameter group {missing[0]!r}.")
    # Of the encoder alone: residual heads have blocks too.
    blocks = (_BLOCK.search(name) for name, _ in groups.get("encoder", ()))
    top = max((int(found[1]) + 1 for found in blocks if found), default=0)
    parts: dict[tuple[str, float, float], list[nn.Parameter]] = {}
    for group, named in groups.items():
        for name, parameter in named:
            factor = layer_decay ** (top - _depth(name, top)) if group == "encoder" else 1.0
            decay = weight_decay if parameter.ndim > 1 else 0.0
            parts.setdefault((group, rates[group] * factor, decay), []).append(parameter)
    settings: list[dict[str, Any]] = [
        {"params": parameters, "lr": rate, "base_rate": rate, "weight_decay": decay, "name": group}
        for (group, rate, decay), parameters in parts.items()
    ]
    if not settings:
        raise TenorError("Nothing is left to train: all weights are frozen.")
    return _make(kind, settings, betas)


def _make(kind: OptimiserKind, settings: list[dict[str, Any]], betas: tuple[float, float]) -> Optimizer:
    if kind == "sgd":
        return torch.optim.SGD(settings, momentum=0.9)
    if kind == "rmsprop":
        return torch.optim.RMSprop(settings)
    make = torch.optim.AdamW if kind == "adamw" else torch.optim.Adam
    return make(settings, betas=betas, fused=True)


def _depth(name: str, top: int) -> int:
    """Return how high a parameter stands: 0 the embeddings, then the blocks; what is above them is on top."""
    if found := _BLOCK.search(name):
        return int(found[1]) + 1
    return 0 if ".embeddings." in name else top


def set_rates(optimiser: Optimizer, factor: float) -> None:
    """Set every rate to its base times the schedule's factor."""
    for group in optimiser.param_groups:
        group["lr"] = group["base_rate"] * factor


def parameters_of(optimiser: Optimizer, groups: tuple[str, ...] | None = None) -> list[nn.Parameter]:
    """Return the parameters that an optimiser moves, perhaps only those of some groups."""
    known = {group["name"] for group in optimiser.param_groups}
    if unknown := [name for name in groups or () if name not in known]:
        raise TenorError(
            f"The plan names the parameter group {unknown[0]!r}; there are {', '.join(sorted(known))}."
        )
    chosen = [group for group in optimiser.param_groups if groups is None or group["name"] in groups]
    return [parameter for group in chosen for parameter in group["params"]]


def optimiser_state(optimiser: Optimizer) -> State:
    """Return the running averages of every parameter, by its number."""
    return {str(n): dict(optimiser.state.get(each, {})) for n, each in enumerate(parameters_of(optimiser))}


def load_optimiser_state(optimiser: Optimizer, state: State) -> None:
    """Take back the running averages, bit by bit."""
    for number, each in enumerate(parameters_of(optimiser)):
        kept = state[str(number)]
        if kept:
            optimiser.state[each] = {
                name: value.to(each.device) if isinstance(value, torch.Tensor) and value.ndim else value
                for name, value in kept.items()
            }


def freeze(encoder: nn.Module, *, embeddings: bool = False, first: int = 0, last: int | None = None) -> None:
    """Take parts of an encoder out of training: the embeddings, the first blocks, or all but the last ones.

    ``last=2`` trains the last two blocks and what stands above them; ``last=0`` freezes the whole encoder.
    """
    names = [name for name, _ in encoder.named_parameters()]
    top = max((int(found[1]) + 1 for name in names if (found := _BLOCK.search("." + name))), default=0)
    most = max(first, 0 if last is None else top - last)
    if first > top or (last or 0) > top:
        raise TenorError(f"The encoder has {top} layers; {max(first, last or 0)} cannot be chosen of them.")
    for name, parameter in encoder.named_parameters():
        depth = _depth("." + name, top + 1)
        below = embeddings or most > 0 or last is not None
        frozen = (depth == 0 and below) or 0 < depth <= most or last == 0
        if frozen:
            parameter.requires_grad_(False)
