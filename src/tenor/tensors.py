"""Tensors in safetensors files, mapped and written with numpy alone: the one format of all our weights.

A file is memory-mapped after the safetensors library has checked its header, so nothing is copied before it
is needed and torch is not imported. What cannot be read is an error of one sentence that names the file.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.files import atomic_file, why

# Formats of the safetensors standard that numpy holds; formats that it lacks are kept as bits of equal size.
_NUMPY: Mapping[str, str] = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "F8_E4M3": "u1", "F8_E5M2": "u1",
    "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}  # fmt: skip
# Formats kept as bits: those of a number's exponent, all set where it is NaN or infinite.
_EXPONENTS: Mapping[str, int] = {"BF16": 0x7F80, "F8_E5M2": 0x7C}
# What numpy raises for headers that it cannot make sense of, which it reads as Python.
_NPY_DAMAGE = (
    ValueError,
    EOFError,
    SyntaxError,
    TokenError,
    TypeError,
    OverflowError,
    KeyError,
    AttributeError,
)
_PIECE = 1 << 20  # numbers looked through at once, so that a big table takes no second memory


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

    def first_not_finite(self) -> int | None:
        """Return the position, on the flat axis, of the first number that is NaN or infinite, if any is."""
        flat = self.bits.reshape(-1)
        for begin in range(0, len(flat), _PIECE):
            wrong = _not_finite(flat[begin : begin + _PIECE], self.format)
            if wrong is not None and wrong.any():
                return begin + int(wrong.argmax())
        return None


def refuse_not_finite(tensors: Mapping[str, Stored], where: str | Path) -> None:
    """Refuse tensors with NaN or infinity, from which only more of them can be computed."""
    for name, tensor in tensors.items():
        if (place := tensor.first_not_finite()) is not None:
            raise TenorError(
                f"{where}: {name!r} holds a number that is not finite (at {place} of {tensor.bits.size}); "
                "the file is damaged, or its training diverged: copy, fetch or make it again."
            )


def read_safetensors(path: str | Path) -> dict[str, Stored]:
    """Map the tensors of one safetensors file, after the safetensors library has checked its header."""
    return read_with_metadata(path)[0]


def read_with_metadata(
    path: str | Path, *, mend: str = "copy, fetch or make it again"
) -> tuple[dict[str, Stored], dict[str, str]]:
    """Map the tensors of one safetensors file, and return the texts that its header carries beside them.

    ``mend`` is what a person should do about a file that is not whole.
    """
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
            f"{path} is not a whole safetensors file ({error}); truncated or damaged, so {mend}."
        ) from error
    data = 8 + int.from_bytes(mapped[:8].tobytes(), "little")
    header = json.loads(mapped[8:data].tobytes())
    metadata = header.pop("__metadata__", None) or {}
    tensors = {
        name: _mapped_tensor(mapped[data:], entry, f"{path}: {name!r}") for name, entry in header.items()
    }
    return tensors, metadata


def map_npy(path: str | Path) -> NDArray[Any]:
    """Map the array of a .npy file; one that is not whole, or that holds objects, is refused."""
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error
    except _NPY_DAMAGE as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise TenorError(
            f"{path} is not a whole .npy file ({reason}); copy, fetch or make it again."
        ) from error


def write_safetensors(
    path: str | Path, tensors: Mapping[str, Stored], *, metadata: Mapping[str, str] | None = None
) -> None:
    """Write tensors as one safetensors file, atomically and without holding a second copy of them.

    The safetensors library cannot write formats that numpy lacks without torch, hence these few lines.
    """
    # Wide formats first keeps every number aligned; the format allows no gaps.
    order = sorted(tensors, key=lambda name: (-tensors[name].bits.itemsize, name))
    header: dict[str, Any] = {"__metadata__": {"format": "pt", **(metadata or {})}}
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


def _not_finite(bits: NDArray[Any], format_: str) -> NDArray[np.bool_] | None:
    """Mark NaN and infinity; None for formats that have neither."""
    if format_ in _EXPONENTS:
        return np.asarray((bits & _EXPONENTS[format_]) == _EXPONENTS[format_])
    if format_ == "F8_E4M3":  # it has NaN only, all bits set but the sign
        return np.asarray((bits & 0x7F) == 0x7F)
    return ~np.isfinite(bits) if bits.dtype.kind == "f" else None


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
