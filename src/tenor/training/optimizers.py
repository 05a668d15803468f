"""Optimizers over parameter groups: learning rates for encoder and heads, decay by layer, what is frozen.

LayerNorm and biases (all parameters with one axis) are not decayed. With ``layer_decay`` below 1 a layer's
learning rate is the encoder's times that number for every layer above it, the embeddings being the lowest.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

import torch
from torch import nn
from torch.optim import Optimizer

from tenor.encoders.encoder import Encoder
from tenor.errors import TenorError
from tenor.training.learner import Named
from tenor.training.state import State

OptimizerKind = Literal["adamw", "adam", "rmsprop", "sgd"]
ENCODER = "encoder"
"""The parameter group of the encoder."""


def build_optimizer(
    groups: Mapping[str, list[Named]],
    *,
    learning_rates: Mapping[str, float],
    kind: OptimizerKind = "adamw",
    weight_decay: float = 0.0,
    layer_decay: float = 1.0,
    encoder: Encoder | None = None,
    betas: tuple[float, float] = (0.9, 0.999),
) -> Optimizer:
    """Make an optimizer that moves these groups, each at its learning rate; a parameter is in just one group.

    ``encoder`` tells the layers of its parameters, for ``layer_decay``.
    """
    if missing := [group for group in groups if group not in learning_rates]:
        raise TenorError(f"No learning rate is given for the parameter group {missing[0]!r}.")
    if layer_decay != 1.0 and encoder is None:
        raise TenorError(
            f"layer_decay is {layer_decay}, but no encoder is given that tells the layers apart."
        )
    parts: dict[tuple[str, float, float], list[nn.Parameter]] = {}
    for group, named in groups.items():
        for name, parameter in named:
            factor = _layer_factor(name, encoder, layer_decay) if group == ENCODER else 1.0
            decay = weight_decay if parameter.ndim > 1 else 0.0
            parts.setdefault((group, learning_rates[group] * factor, decay), []).append(parameter)
    settings: list[dict[str, Any]] = [
        {"params": parameters, "lr": lr, "base_lr": lr, "weight_decay": decay, "name": group}
        for (group, lr, decay), parameters in parts.items()
    ]
    if not settings:
        raise TenorError("Nothing is left to train: all weights are frozen.")
    return _make(kind, settings, betas)


def _layer_factor(name: str, encoder: Encoder | None, layer_decay: float) -> float:
    if encoder is None or layer_decay == 1.0:
        return 1.0
    depth = min(encoder.depth(name.removeprefix(f"{ENCODER}.")), encoder.num_layers)
    return float(layer_decay ** (encoder.num_layers - depth))


def _make(kind: OptimizerKind, settings: list[dict[str, Any]], betas: tuple[float, float]) -> Optimizer:
    if kind == "sgd":
        return torch.optim.SGD(settings, momentum=0.9)
    if kind == "rmsprop":
        return torch.optim.RMSprop(settings)
    make = torch.optim.AdamW if kind == "adamw" else torch.optim.Adam
    return make(settings, betas=betas, fused=True)


def set_learning_rates(optimizer: Optimizer, factor: float) -> None:
    """Set every learning rate to its base times the schedule's factor."""
    for group in optimizer.param_groups:
        group["lr"] = group["base_lr"] * factor


def parameters_of(optimizer: Optimizer, groups: tuple[str, ...] | None = None) -> list[nn.Parameter]:
    """Return the parameters that an optimizer moves, perhaps only those of some groups."""
    known = {group["name"] for group in optimizer.param_groups}
    if unknown := [each for each in groups or () if not any(fnmatchcase(name, each) for name in known)]:
        raise TenorError(
            f"An update names the parameter group {unknown[0]!r}; there are {', '.join(sorted(known))}."
        )
    chosen = [
        group
        for group in optimizer.param_groups
        if groups is None or any(fnmatchcase(group["name"], each) for each in groups)
    ]
    return [parameter for group in chosen for parameter in group["params"]]


def optimizer_state(optimizer: Optimizer) -> State:
    """Return the running averages of every parameter, by its number."""
    return {str(n): dict(optimizer.state.get(each, {})) for n, each in enumerate(parameters_of(optimizer))}


def load_optimizer_state(optimizer: Optimizer, state: State) -> None:
    """Take back the running averages, bit by bit."""
    for number, each in enumerate(parameters_of(optimizer)):
        kept = state[str(number)]
        if kept:
            optimizer.state[each] = {
                name: value.to(each.device) if isinstance(value, torch.Tensor) and value.ndim else value
                for name, value in kept.items()
            }


def freeze(encoder: Encoder, *, embeddings: bool = False, first: int = 0, last: int | None = None) -> None:
    """Take parts of an encoder out of training: the embeddings, the first layers, or all but the last ones.

    ``last=2`` trains the last two layers and what stands above them; ``last=0`` freezes the whole encoder.
    """
    top = encoder.num_layers
    most = max(first, 0 if last is None else top - last)
    if first > top or (last or 0) > top:
        raise TenorError(f"The encoder has {top} layers; {max(first, last or 0)} cannot be chosen of them.")
    for name, parameter in encoder.named_parameters():
        depth = encoder.depth(name)
        below = embeddings or most > 0 or last is not None
        if (depth == 0 and below) or 0 < depth <= most or last == 0:
            parameter.requires_grad_(False)
