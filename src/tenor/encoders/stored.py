"""The tensors of a checkpoint folder as they lie on disk, read without trusting the folder.

safetensors files are memory-mapped, so nothing is copied before it is needed and torch is not imported;
``pytorch_model.bin`` goes through torch's weights-only loading, which runs no code of the file. Every name
that a file gives for another file must be a plain name inside the folder. What cannot be read, and numbers
that are not finite, are told in one sentence that names the file.
"""

import warnings
from pathlib import Path
from typing import Any

from tenor.assets.untouched import remembered
from tenor.errors import TenorError
from tenor.files import read_json, why
from tenor.tensors import Stored, read_safetensors, refuse_not_finite, write_safetensors

__all__ = [
    "SAFETENSORS",
    "Stored",
    "read_finite",
    "read_safetensors",
    "read_stored",
    "weight_files",
    "write_safetensors",
]

SAFETENSORS, SAFETENSORS_INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLED, PICKLED_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"


def weight_files(folder: str | Path) -> list[Path]:
    """List the files that hold a checkpoint's weights, safetensors before ``pytorch_model.bin``."""
    folder = Path(folder)
    if not folder.is_dir():
        raise TenorError(
            f"{folder} is not a folder; a checkpoint is a folder with config.json and {SAFETENSORS}."
        )
    for whole, index in ((SAFETENSORS, SAFETENSORS_INDEX), (PICKLED, PICKLED_INDEX)):
        if (folder / whole).is_file():
            return [folder / whole]
        if (folder / index).is_file():
            return _shards(folder / index)
    raise TenorError(
        f"{folder} holds no weights: neither {SAFETENSORS} (or its index) nor {PICKLED} is there."
    )


def read_stored(folder: str | Path) -> dict[str, Stored]:
    """Read every tensor of a checkpoint folder under its own name."""
    tensors: dict[str, Stored] = {}
    for path in weight_files(folder):
        part = read_finite(path)
        if twice := sorted(tensors.keys() & part.keys()):
            raise TenorError(f"{path} repeats the tensor {twice[0]!r} of another part of the checkpoint.")
        tensors |= part
    return tensors


def read_finite(path: Path) -> dict[str, Stored]:
    """Read the tensors of one file, refusing NaN and infinity; an untouched file is looked through once."""
    tensors = read_safetensors(path) if path.suffix == ".safetensors" else _read_pickled(path)

    def look_through() -> str:
        refuse_not_finite(tensors, path)
        return "finite"

    remembered([path], what="finite", find_out=look_through)
    return tensors


def _shards(index: Path) -> list[Path]:
    """List the parts that an index names, refusing any name that leaves the folder."""
    content = read_json(index)
    places = content.get("weight_map") if isinstance(content, dict) else None
    if (
        not isinstance(places, dict)
        or not places
        or not all(isinstance(name, str) for name in places.values())
    ):
        raise TenorError(f"{index} has no 'weight_map' from tensor names to file names.")
    names = sorted(set(places.values()))
    suffix = ".bin" if index.name == PICKLED_INDEX else ".safetensors"
    for name in names:
        if Path(name).name != name or "\\" in name or "\0" in name or Path(name).suffix != suffix:
            raise TenorError(f"{index} names {name!r}, which is not a plain {suffix} file of its own folder.")
        if not (index.parent / name).is_file():
            raise TenorError(f"{index} names {name!r}, which is not in the folder; fetch the missing part.")
    return [index.parent / name for name in names]


def _read_pickled(path: Path) -> dict[str, Stored]:
    import torch

    try:
        with warnings.catch_warnings(action="ignore"):  # It warns of odd pickles before it refuses them.
            content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error
    except Exception as error:  # The unpickler fails in many ways on a damaged or hostile file.
        raise TenorError(
            f"{path} cannot be loaded as weights only ({_first_sentence(error)}); it is damaged or carries "
            f"code, which is never run. Save the checkpoint as {SAFETENSORS} and try again."
        ) from error
    if not isinstance(content, dict) or not all(
        isinstance(name, str) and isinstance(tensor, torch.Tensor) for name, tensor in content.items()
    ):
        raise TenorError(f"{path} does not hold a plain table of named tensors.")
    return {name: from_torch(tensor, f"{path}: {name!r}") for name, tensor in content.items()}


def from_torch(tensor: Any, where: str) -> Stored:
    """Return a tensor of torch as it is stored, without copying where it is contiguous."""
    import torch

    formats = {
        torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16",
        torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8",
        torch.uint16: "U16", torch.uint32: "U32", torch.uint64: "U64",
        torch.bool: "BOOL",
    }  # fmt: skip
    if tensor.layout != torch.strided or tensor.dtype not in formats or tensor.is_meta:
        raise TenorError(f"{where} is stored as {tensor.layout} {tensor.dtype}, which is not read here.")
    tensor = tensor.detach().contiguous()
    bits = tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor
    return Stored(formats[tensor.dtype], bits.numpy())


def _first_sentence(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:160].split(". ")[0].rstrip(".")
