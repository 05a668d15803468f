"""The tensors of a checkpoint folder as they lie on disk, read without trusting the folder.

safetensors files are memory-mapped, so nothing is copied before it is needed and torch is not imported;
``pytorch_model.bin`` goes through torch's weights-only loading, which runs no code of the file. Every name
that a file gives for another file must be a plain name inside the folder. What cannot be read is told in one
sentence that names the file.
"""

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.files import atomic_file, read_json, why

SAFETENSORS, SAFETENSORS_INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLED, PICKLED_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"

# Formats of the safetensors standard that numpy holds; formats that it lacks are kept as bits of equal size.
_NUMPY: Mapping[str, str] = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "F8_E4M3": "u1", "F8_E5M2": "u1",
    "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """One tensor of a file: its format's name in the safetensors standard and its bits.

    >>> Stored("BF16", np.array([0x3F80], dtype=np.uint16)).to_float32()
    array([1.], dtype=float32)
    """

    format: str
    bits: NDArray[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its axes."""
        return self.bits.shape

    def to_float32(self) -> NDArray[np.float32]:
        """Return it in float32, without copying where it is so already."""
        if self.format == "BF16":
            # bfloat16 is the upper half of a float32.
            return (self.bits.astype(np.uint32) << 16).view(np.float32)
        if self.format not in ("F32", "F16"):
            raise TenorError(f"A weight is stored as {self.format}; weights are read from F32, F16 or BF16.")
        return self.bits.astype(np.float32, copy=False)


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
        part = read_safetensors(path) if path.suffix == ".safetensors" else _read_pickled(path)
        if twice := sorted(tensors.keys() & part.keys()):
            raise TenorError(f"{path} repeats the tensor {twice[0]!r} of another part of the checkpoint.")
        tensors |= part
    return tensors


def read_safetensors(path: str | Path) -> dict[str, Stored]:
    """Map the tensors of one safetensors file, after the safetensors library has checked its header."""
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    try:
        with safe_open(path, framework="numpy"):
            pass
        mapped = np.memmap(path, dtype=np.uint8, mode="r")
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error
    except (SafetensorError, ValueError) as error:
        raise TenorError(
            f"{path} is not a whole safetensors file ({error}); truncated or damaged, so fetch it again."
        ) from error
    data = 8 + int.from_bytes(mapped[:8].tobytes(), "little")
    header = json.loads(mapped[8:data].tobytes())
    header.pop("__metadata__", None)
    return {name: _mapped_tensor(mapped[data:], entry, f"{path}: {name!r}") for name, entry in header.items()}


def write_safetensors(path: str | Path, tensors: Mapping[str, Stored]) -> None:
    """Write tensors as one safetensors file, atomically and without holding a second copy of them.

    The safetensors library cannot write formats that numpy lacks without torch, hence these few lines.
    """
    # Wide formats first keeps every number aligned; the format allows no gaps.
    order = sorted(tensors, key=lambda name: (-tensors[name].bits.itemsize, name))
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name in order:
        begin, end = end, end + tensors[name].bits.nbytes
        shape = list(tensors[name].shape)
        header[name] = {"dtype": tensors[name].format, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    with atomic_file(path) as aside, aside.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in order:
            file.write(np.ascontiguousarray(tensors[name].bits).data)


def _mapped_tensor(data: NDArray[np.uint8], entry: Mapping[str, Any], where: str) -> Stored:
    format_ = entry["dtype"]
    if format_ not in _NUMPY:
        raise TenorError(
            f"{where} is stored as {format_}, which is not read here; save it as F32, F16 or BF16."
        )
    first, last = entry["data_offsets"]
    piece = np.asarray(data[first:last])
    if piece.ctypes.data % 8:
        piece = (
            piece.copy()
        )  # Torch and the CPU engine want aligned numbers; few writers leave them unaligned.
    return Stored(format_, piece.view(_NUMPY[format_]).reshape(entry["shape"]))


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
    return {name: _from_torch(tensor, f"{path}: {name!r}") for name, tensor in content.items()}


def _from_torch(tensor: Any, where: str) -> Stored:
    import torch

    formats = {
        torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16",
        torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8",
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
