"""State that goes into a checkpoint: nested tables of tensors, arrays, numbers and texts.

A state is a ``dict`` whose values are tensors, numpy arrays, whatever JSON holds, or further such tables.
It is split into named tensors (for safetensors) and a JSON skeleton that says where each belongs, and put
together again; nothing is ever pickled.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

State = dict[str, Any]
_TENSOR, _ARRAY = "__tensor__", "__array__"


def split(state: State) -> tuple[dict[str, Tensor], Any]:
    """Return the tensors by name, and the rest for JSON.

    >>> tensors, rest = split({"mask": {"w": torch.ones(2)}, "best": 0.5})
    >>> list(tensors), rest
    (['mask/w'], {'mask': {'w': {'__tensor__': 'mask/w'}}, 'best': 0.5})
    >>> join(tensors, rest)["mask"]["w"].tolist()
    [1.0, 1.0]
    """
    tensors: dict[str, Tensor] = {}
    return tensors, _split(state, "", tensors)


def _split(value: Any, path: str, tensors: dict[str, Tensor]) -> Any:
    if isinstance(value, Tensor):
        tensors[path] = value.detach().cpu().contiguous()
        return {_TENSOR: path}
    if isinstance(value, np.ndarray):
        tensors[path] = torch.from_numpy(np.ascontiguousarray(value))
        return {_ARRAY: path}
    if isinstance(value, dict):
        return {
            str(key): _split(each, f"{path}/{key}" if path else str(key), tensors)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [_split(each, f"{path}/{number}", tensors) for number, each in enumerate(value)]
    return value


def join(tensors: dict[str, Tensor], rest: Any) -> Any:
    """Put together what ``split`` took apart; keys come back as texts, tuples as lists."""
    if isinstance(rest, dict):
        if _TENSOR in rest:
            return tensors[rest[_TENSOR]]
        if _ARRAY in rest:
            return tensors[rest[_ARRAY]].numpy()
        return {key: join(tensors, each) for key, each in rest.items()}
    if isinstance(rest, list):
        return [join(tensors, each) for each in rest]
    return rest
