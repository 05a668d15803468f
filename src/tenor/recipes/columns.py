"""Per-item outcomes in one compressed file beside the results: NAME-items.npz for NAME.json.

Columns that occur often, such as gold labels, stand there once, under the hash of their values, which is what
the results name them by. All columns of a kind are joined into one array:

    keys [c]          bytes, the hash of each column
    kinds [c]         int8: 0 int8, 1 int16, 2 decimal, 3 float64
    lengths [c]       int32
    int8, int16       labels, ranks, right and wrong
    digits, exponents int32 and int8: other values have 6 decimal digits and are digits · 10^exponent exactly
    float64           what none of these can hold exactly

Nothing in such a file is ever executed: only arrays of these types are read, and never more bytes than the
file can hold.
"""

import lzma
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import IO

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.files import atomic_file, why

Floats = NDArray[np.float64]

MOST_BYTES = 256 * 2**20
"""More than this is neither written nor read: a published page has a few MB."""
_TYPES = {
    "keys": "S12",
    "kinds": "i1",
    "lengths": "<i4",
    "int8": "i1",
    "int16": "<i2",
    "digits": "<i4",
    "exponents": "i1",
    "float64": "<f8",
}
_KINDS = ("int8", "int16", "digits", "float64")
_DECIMAL = _KINDS.index("digits")
_DIGITS = 6
# What zipfile and numpy raise on files that are cut off, changed or made up (RuntimeError: encrypted).
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    KeyError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    # of numpy, for a header that it cannot make sense of, and of a further compression
    SyntaxError,
    TokenError,
    TypeError,
    OverflowError,
    lzma.LZMAError,
)


def items_file(results: str | Path) -> Path:
    """Return where the columns of a results file lie.

    >>> items_file("docs/results/coin.json").name
    'coin-items.npz'
    """
    path = Path(results)
    return path.with_name(f"{path.stem}-items.npz")


def write_columns(path: Path, columns: Mapping[str, Floats]) -> None:
    """Write columns under their keys, atomically."""
    kinds = [_kind(column) for column in columns.values()]
    arrays: dict[str, NDArray[np.generic]] = {
        "keys": np.array([key.encode() for key in columns], dtype=_TYPES["keys"]),
        "kinds": np.array(kinds, dtype=_TYPES["kinds"]),
        "lengths": np.array([len(column) for column in columns.values()], dtype=_TYPES["lengths"]),
    }
    for number, name in enumerate(_KINDS):
        chosen = [column for column, kind in zip(columns.values(), kinds, strict=True) if kind == number]
        joined = np.concatenate([np.empty(0), *chosen])
        if number == _DECIMAL:
            digits, exponents = decimals(joined)
            arrays |= {"digits": digits.astype("<i4"), "exponents": exponents.astype("i1")}
        else:
            arrays[name] = joined.astype(_TYPES[name])
    if sum(array.nbytes for array in arrays.values()) > MOST_BYTES:
        raise TenorError(f"The items of these results take more than {MOST_BYTES >> 20} MB: {path}.")
    with (
        atomic_file(path) as aside,
        zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file,
    ):
        for name, array in arrays.items():
            with file.open(f"{name}.npy", "w") as stream:  # so the time of writing is not in the file
                np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)


def read_columns(path: Path) -> dict[str, Floats]:
    """Read what ``write_columns`` wrote, or say what is wrong with the file."""
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
                raise ValueError(f"it says that it holds more than {MOST_BYTES >> 20} MB")
            arrays = {name: _read_array(archive, name) for name in _TYPES}
        return _parted(arrays)
    except FileNotFoundError as error:
        raise TenorError(
            f"{path} does not exist: it holds the items of the results beside it. Put it there as well."
        ) from error
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error
    except _DAMAGE as error:
        found = f"it lacks {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise TenorError(f"{path} is damaged: {found}. Expected the items of a recipe's results.") from error


def decimals(values: Floats) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """Write values of at most 6 decimal digits as digits · 10^exponent.

    >>> digits, exponents = decimals(np.array([0.0125, -3.0, 0.0]))
    >>> digits.tolist(), exponents.tolist()
    ([125000, -300000, 0], [-7, -5, 0])
    """
    size = np.abs(np.where(values == 0, 1.0, values))
    exponents = np.where(values == 0, 0, np.floor(np.log10(size)) - (_DIGITS - 1)).astype(np.int64)
    digits = np.rint(_scaled(values, -exponents))
    over = np.abs(digits) >= 10**_DIGITS  # 0.99999995 has the logarithm of a number just below 1
    digits, exponents = np.where(over, np.rint(digits / 10), digits), exponents + over
    return digits.astype(np.int32), exponents.astype(np.int8)


def _scaled(values: NDArray[np.generic], exponents: NDArray[np.int64]) -> Floats:
    """Return values · 10^exponents, rounded once: powers of ten up to 22 are exact."""
    numbers = np.asarray(values, dtype=np.float64)
    up, down = np.maximum(exponents, 0), np.maximum(-exponents, 0)
    scaled: Floats = np.where(exponents < 0, numbers / 10.0**down, numbers * 10.0**up)
    return scaled


def _kind(column: Floats) -> int:
    """Return the first kind that holds a column exactly."""
    whole = np.rint(column)
    if np.array_equal(whole, column):
        for kind, name in enumerate(("int8", "int16")):
            limits = np.iinfo(_TYPES[name])
            if column.size == 0 or (limits.min <= column.min() and column.max() <= limits.max):
                return kind
    size = np.abs(column[column != 0])
    if size.size == 0 or (size.min() > 1e-16 and size.max() < 1e16):  # powers of ten beyond are not exact
        digits, exponents = decimals(column)
        if np.array_equal(_scaled(digits, exponents.astype(np.int64)), column):
            return _DECIMAL
    return _KINDS.index("float64")


def _read_array(archive: zipfile.ZipFile, name: str) -> NDArray[np.generic]:
    """Read one array; what its header says is checked against the size of its bytes before any is read."""
    member = archive.getinfo(f"{name}.npy")
    with archive.open(member) as stream:
        shape, dtype, header = _header(stream)
        if len(shape) != 1 or dtype != np.dtype(_TYPES[name]):
            raise ValueError(f"{name} is not an array of {_TYPES[name]} with one dimension")
        wanted = shape[0] * dtype.itemsize
        if wanted != member.file_size - header:
            raise ValueError(f"{name} says that it has {shape[0]:,} values and holds another number of them")
        content = stream.read(wanted)
    if len(content) != wanted:
        raise ValueError(f"{name} ends early")
    return np.frombuffer(content, dtype=dtype)


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[np.generic], int]:
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        raise ValueError(f"it has version {version} of numpy's format")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    return shape, dtype, stream.tell()


def _parted(arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, Floats]:
    """Cut joined arrays into columns."""
    keys, kinds = arrays["keys"], np.asarray(arrays["kinds"], dtype=np.int64)
    lengths = np.asarray(arrays["lengths"], dtype=np.int64)
    if not len(keys) == len(kinds) == len(lengths) or (lengths < 0).any():
        raise ValueError("its keys, kinds and lengths do not fit each other")
    if not np.isin(kinds, range(len(_KINDS))).all():
        raise ValueError("it holds a kind of column that there is not")
    joined = {
        **{name: np.asarray(arrays[name], dtype=np.float64) for name in ("int8", "int16", "float64")},
        "digits": _decimal_values(arrays["digits"], arrays["exponents"]),
    }
    names = [key.decode("ascii") for key in keys.tolist()]
    columns: dict[str, Floats] = {}
    for number, name in enumerate(_KINDS):
        chosen = np.flatnonzero(kinds == number)
        ends = np.cumsum(lengths[chosen])
        if (ends[-1] if len(ends) else 0) != len(joined[name]):
            raise ValueError(f"the lengths of its columns do not fit {name}")
        parts: Sequence[Floats] = np.split(joined[name], ends[:-1]) if len(ends) else ()
        columns |= {names[place]: part for place, part in zip(chosen, parts, strict=True)}
    return columns


def _decimal_values(digits: NDArray[np.generic], exponents: NDArray[np.generic]) -> Floats:
    if len(digits) != len(exponents):
        raise ValueError("its digits and exponents do not fit each other")
    powers = np.asarray(exponents, dtype=np.int64)
    if (np.abs(powers) > 22).any():
        raise ValueError("it holds an exponent that there is not")
    return _scaled(digits, powers)
