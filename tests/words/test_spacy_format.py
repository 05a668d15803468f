"""The vocabulary folder of a spaCy pipeline, written here by hand."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.words.spacy_format import murmur, read_spacy, unpack_map


def write(folder: Path, rows: np.ndarray, keys: list[tuple[str, int]], strings: list[str]) -> Path:
    folder.mkdir()
    with (folder / "vectors").open("wb") as file:
        np.save(file, rows)
    packed = b"".join(b"\xcf" + struct.pack(">Q", murmur(word.encode())) + bytes([row]) for word, row in keys)
    (folder / "key2row").write_bytes(b"\xdf" + struct.pack(">I", len(keys)) + packed)
    (folder / "strings.json").write_text(json.dumps(strings))
    return folder


def test_hashes_are_those_that_spacy_documents() -> None:
    assert murmur(b"coffee") == 3197928453018144401


def test_every_row_goes_to_its_first_word(tmp_path: Path) -> None:
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    keys = [("le", 0), ("chien", 1), ("clebs", 1), ("forgotten", 2)]
    read = read_spacy(write(tmp_path / "v", rows, keys, ["clebs", "chien", "le", "\x01", "été"]))
    assert list(read.words) == ["le", "chien"]
    assert read.vectors.tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize("value", [0, 127, 128, 255, 65_535, 1 << 20, 1 << 40])
def test_integers_of_all_sizes_are_unpacked(value: int) -> None:
    forms = [
        (0x80, None, None),
        (1 << 8, 0xCC, ">B"),
        (1 << 16, 0xCD, ">H"),
        (1 << 32, 0xCE, ">I"),
        (1 << 64, 0xCF, ">Q"),
    ]
    _, first, form = next(row for row in forms if value < row[0])
    packed = bytes([value]) if first is None or form is None else bytes([first]) + struct.pack(form, value)
    assert list(unpack_map(b"\x81" + packed + b"\x05", "map")) == [(value, 5)]


@pytest.mark.parametrize(
    "packed", [b"", b"\xdf\x00", b"\xdf\x00\x00\x00\x02\x01\x01", b"\x81\xa1a\x01"], ids=range(4)
)
def test_damaged_maps_are_told(packed: bytes) -> None:
    with pytest.raises(TenorError, match="damaged"):
        list(unpack_map(packed, "key2row"))


def test_damaged_folders_are_told(tmp_path: Path) -> None:
    with pytest.raises(TenorError, match="Cannot read"):
        read_spacy(tmp_path)
    folder = write(tmp_path / "v", np.ones((1, 2), dtype=np.float32), [("a", 0)], ["b"])
    with pytest.raises(TenorError, match="no word"):
        read_spacy(folder)
    (folder / "vectors").write_bytes(b"not an array")
    with pytest.raises(TenorError, match="damaged"):
        read_spacy(folder)
