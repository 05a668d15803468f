"""Checkpoints: everything that a run needs to go on as if it had never stopped.

A checkpoint is one safetensors file whose metadata hold a JSON text: weights, the optimizers' averages, the
state of every random generator, the place in the epoch, hooks, best scores. It is written aside and
renamed, so that a kill at any moment leaves the last whole one. On the same machine in fp32 a resumed run
ends with the very same weights.
"""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from tenor.encoders.stored import from_torch
from tenor.errors import TenorError
from tenor.tensors import write_safetensors
from tenor.training.state import State, join, split

FORMAT = 1
LAST = "last.safetensors"


def weights_of(module: nn.Module) -> dict[str, Tensor]:
    """Return parameters and buffers by name, each once even if two names lead to it."""
    named = dict(module.named_parameters()) | {
        name: buffer for name, buffer in module.named_buffers() if buffer is not None
    }
    return {name: value.detach() for name, value in named.items()}


@torch.no_grad()
def load_weights(module: nn.Module, weights: Mapping[str, Tensor], *, where: str) -> None:
    """Copy weights into a module, which must have just these names and shapes."""
    own = weights_of(module)
    if own.keys() != weights.keys():
        odd = sorted(own.keys() ^ weights.keys())
        raise TenorError(f"{where} belongs to another network: the weight {odd[0]!r} is on one side only.")
    for name, value in own.items():
        if value.shape != weights[name].shape:
            raise TenorError(
                f"{where} belongs to another network: {name!r} has the shape {tuple(weights[name].shape)}, "
                f"expected {tuple(value.shape)}."
            )
        value.copy_(weights[name])


def random_states() -> State:
    """Return the states of the generators of python, numpy and torch."""
    kind, keys, place, has_gauss, gauss = np.random.get_state()  # noqa: NPY002  (what users' code may draw from)
    states: State = {
        "python": list(random.getstate()),
        "numpy": {"kind": kind, "keys": keys, "place": place, "has_gauss": has_gauss, "gauss": gauss},
        "torch": torch.get_rng_state(),
    }
    if torch.cuda.is_available():
        states["cuda"] = torch.cuda.get_rng_state()
    return states


def load_random_states(states: State) -> None:
    """Set the generators as they were."""
    version, internal, gauss = states["python"]
    random.setstate((version, tuple(internal), gauss))
    legacy = states["numpy"]
    np.random.set_state(  # noqa: NPY002
        (legacy["kind"], legacy["keys"], legacy["place"], legacy["has_gauss"], legacy["gauss"])
    )
    torch.set_rng_state(states["torch"])
    if "cuda" in states and torch.cuda.is_available():
        torch.cuda.set_rng_state(states["cuda"])


def write_checkpoint(path: Path, state: State) -> None:
    """Write a state; it stands under its name only when it is whole."""
    tensors, rest = split(state)
    stored = {name: from_torch(tensor, f"{path}: {name!r}") for name, tensor in tensors.items()}
    # Not by the safetensors library, which says of a full disk what only its own users understand and leaves
    # a copy under a name of its own when it is killed.
    write_safetensors(path, stored, metadata={"format": str(FORMAT), "state": json.dumps(rest)})


def read_checkpoint(path: Path) -> State:
    """Read a state, or say what is wrong with the file."""
    try:
        with safe_open(path, framework="pt") as file:
            about: dict[str, str] = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (no iteration)
        if about.get("format") != str(FORMAT):
            raise TenorError(f"{path} is not a checkpoint of this version of Tenor; start the run over.")
        state: Any = join(tensors, json.loads(about["state"]))
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise TenorError(
            f"{path} is not a whole checkpoint ({error}); delete it to start the run over."
        ) from error
    if not isinstance(state, dict):
        raise TenorError(f"{path} is not a checkpoint; delete it to start the run over.")
    return state
