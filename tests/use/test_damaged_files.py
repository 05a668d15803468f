"""Cards of indexes and files of vectors that are damaged or made by an enemy end in a sentence."""

import json
from pathlib import Path

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.tensors import map_npy
from tenor.use.search.card import Card, read_card, write_card

CARD = Card("minilm", "f" * 64, "fp32", 8, "truncate", None, "text", None, (), True)
ODD = [None, [], {}, "x", -1, 1.5, True, 2**70, float("nan"), float("inf"), "9" * 20, [1, 2]]


@pytest.mark.parametrize("odd", ODD, ids=lambda value: str(value)[:12])
def test_odd_values_of_a_card_are_read_or_refused_in_a_sentence(tmp_path: Path, odd: object) -> None:
    refused = 0
    for name in CARD.to_json():
        (tmp_path / "index.json").write_text(json.dumps(CARD.to_json() | {name: odd}))
        try:
            card = read_card(tmp_path)
        except TenorError:
            refused += 1
        else:
            assert name in ("format", "columns") or isinstance(getattr(card, name), type(odd))
    assert refused > 5


def test_numbers_of_thousands_of_digits_are_a_sentence(tmp_path: Path) -> None:
    text = json.dumps(CARD.to_json() | {"rows": "HERE"}).replace('"HERE"', "9" * 5_000)
    (tmp_path / "index.json").write_text(text)
    with pytest.raises(TenorError, match="not valid JSON"):
        read_card(tmp_path)


def test_a_card_comes_back_as_it_was(tmp_path: Path) -> None:
    write_card(tmp_path, CARD)
    assert read_card(tmp_path) == CARD


def _npy(header: str) -> bytes:
    return b"\x93NUMPY\x01\x00\x76\x00" + header.encode().ljust(117) + b"\n" + bytes(99)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04",
        b"\x93NUMPY",
        b"\x93NUMPY\x01\x00\x10\x00{'descr': (((((  \n",
        _npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999, 9), }"),
        _npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"),
        _npy("{'descr': 7, 'fortran_order': [], 'shape': 'x', }"),
    ],
)
def test_arrays_that_are_not_whole_are_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "v.npy").write_bytes(content)
    with pytest.raises(TenorError, match=r"v\.npy"):
        map_npy(tmp_path / "v.npy")


def test_whole_arrays_are_mapped(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.eye(3))
    assert isinstance(map_npy(tmp_path / "v.npy"), np.memmap)
    assert map_npy(tmp_path / "v.npy")[2, 2] == 1


@pytest.mark.parametrize("change", [{"lines": [[float("inf"), 1]]}, {"rows": 2**60}, {"rows": 2**31}])
@pytest.mark.parametrize("ending", ["npy", "jsonl"])
def test_records_of_absurd_numbers_are_a_sentence(
    tmp_path: Path, tiny_folder: Path, change: dict[str, object], ending: str
) -> None:
    from tenor.model import load
    from tenor.use.embed.embedding import embed_file
    from tenor.use.embed.vector_reading import read_vectors

    (tmp_path / "texts.txt").write_text("a cat\nthe dog\n")
    out = tmp_path / f"v.{ending}"
    embed_file(load(tiny_folder), tmp_path / "texts.txt", out)
    record = tmp_path / f"v.{ending}.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | change))
    if ending == "jsonl" and "lines" in change:  # whose lines stand in the rows
        assert len(read_vectors(out).lines) == 2
        return
    with pytest.raises(TenorError, match=rf"v\.{ending}"):
        read_vectors(out)
