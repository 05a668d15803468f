"""The head of a language model that a published checkpoint carries."""

from pathlib import Path

import torch

from tenor.encoders.stored import read_stored
from tenor.errors import TenorError
from tenor.tasks.mlm.task import KEYS, MlmTask


@torch.no_grad()
def load_mlm_head(task: MlmTask, folder: str | Path) -> bool:
    """Give a task the head that a folder's checkpoint carries, and say whether there was one."""
    stored = read_stored(folder)
    own = task.state_dict()
    wanted = {key: name for key, name in KEYS.items() if name in own}
    if not any(key in stored for key in wanted):
        return False
    for key, name in wanted.items():
        if key not in stored or stored[key].shape != tuple(own[name].shape):
            raise TenorError(f"{folder}: {key!r} is missing or of another shape than the encoder asks for.")
        own[name].copy_(torch.from_numpy(stored[key].to_float32().copy()))
    return True
