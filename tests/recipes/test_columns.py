"""The file of items: every column comes back as it was; nothing of a damaged or hostile file is trusted."""

import io
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.metrics.outcomes import Outcome, column_from_json
from tenor.recipes.columns import items_file, read_columns, write_columns
from tenor.recipes.import_results import rewrite
from tenor.recipes.page import write_page
from tenor.recipes.results import read_results
from tenor.recipes.runner import run_recipe
from tenor.recipes.sources import fingerprint
from toy_recipe import make


def _six_digits(values):
    return np.array([float(f"{value:.6g}") for value in values])


DRAW = np.random.default_rng(0)
COLUMNS = {
    "bits": DRAW.integers(0, 2, 1000).astype(float),
    "ranks": DRAW.permutation(2000).astype(float),
    "cosines": _six_digits(DRAW.uniform(-1, 1, 500)),
    "wide": _six_digits(10.0 ** DRAW.uniform(-12, 12, 500) * DRAW.choice([-1, 1], 500)),
    "nearly ten": _six_digits([9.99999, 0.999999, 99999.9, 0.0999999, 1, 10, 100.5, 0]),
    "exact": DRAW.normal(size=50),
    "tiny": np.array([1e-300, 0.5]),
    "large": np.array([40000.0, -1e15]),
    "zeros": np.zeros(7),
    "empty": np.empty(0),
}


def test_columns_come_back_bit_for_bit(tmp_path):
    write_columns(tmp_path / "a-items.npz", COLUMNS)
    back = read_columns(tmp_path / "a-items.npz")
    assert set(back) == set(COLUMNS)
    for name, column in COLUMNS.items():
        assert back[name].dtype == np.float64
        assert np.array_equal(back[name], column), name


def test_each_column_takes_the_smallest_type_that_holds_it(tmp_path):
    write_columns(tmp_path / "a-items.npz", COLUMNS)
    with np.load(tmp_path / "a-items.npz", allow_pickle=False) as arrays:
        sizes = {name: (arrays[name].dtype.str, len(arrays[name])) for name in arrays.files}
    assert sizes["int8"] == ("|i1", 1007)
    assert sizes["int16"] == ("<i2", 2000)
    assert sizes["digits"] == ("<i4", 1010)
    assert sizes["exponents"] == ("|i1", 1010)
    assert sizes["float64"] == ("<f8", 52)


def test_the_same_columns_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_columns(tmp_path / name, COLUMNS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_no_columns_are_no_error(tmp_path):
    write_columns(tmp_path / "a", {})
    assert read_columns(tmp_path / "a") == {}


# --- damaged and hostile files ---------------------------------------------------------------------------


def _arrays():
    return {
        "keys": np.array([b"a", b"b"], dtype="S12"),
        "kinds": np.array([0, 2], dtype="i1"),
        "lengths": np.array([3, 2], dtype="<i4"),
        "int8": np.array([1, 0, 1], dtype="i1"),
        "int16": np.empty(0, dtype="<i2"),
        "digits": np.array([5, 7], dtype="<i4"),
        "exponents": np.array([-1, 0], dtype="i1"),
        "float64": np.empty(0, dtype="<f8"),
    }


def _npy(array, **header):
    stream = io.BytesIO()
    about = np.lib.format.header_data_from_array_1_0(array) | header
    np.lib.format.write_array_header_1_0(stream, about)
    return stream.getvalue() + array.tobytes()


def _write(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)


def _members(**changed):
    return {name: _npy(array) for name, array in _arrays().items()} | changed


def test_the_file_made_here_by_hand_is_a_good_one(tmp_path):
    _write(tmp_path / "x.npz", _members())
    found = read_columns(tmp_path / "x.npz")
    assert {name: column.tolist() for name, column in found.items()} == {"a": [1, 0, 1], "b": [0.5, 7]}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"digits": _npy(np.array([5, 7], dtype="<i8"))}, "digits is not an array of <i4"),
        ({"int8": _npy(np.ones((3, 1), dtype="i1"))}, "int8 is not an array of i1 with one dimension"),
        ({"int8": _npy(np.ones(3, dtype="i1"), shape=(10**15,))}, "1,000,000,000,000,000 values"),
        ({"int8": _npy(np.ones(3, dtype="i1"), shape=(-3,))}, "holds another number"),
        ({"int8": _npy(np.ones(2, dtype="i1"))}, "the lengths of its columns do not fit int8"),
        ({"lengths": _npy(np.array([-1, 2], dtype="<i4"))}, "do not fit each other"),
        ({"kinds": _npy(np.array([0, 9], dtype="i1"))}, "a kind of column that there is not"),
        ({"exponents": _npy(np.array([120, 0], dtype="i1"))}, "an exponent that there is not"),
        ({"exponents": _npy(np.array([0], dtype="i1"))}, "do not fit each other"),
        ({"keys": _npy(np.array(["ä".encode(), b"b"], dtype="S12"))}, "is damaged"),
        ({"int8": b"\x93NUMPY\x09\x00rubbish"}, "is damaged"),
        ({"int8": b""}, "is damaged"),
    ],
    ids=[
        "type",
        "dimensions",
        "huge shape",
        "negative shape",
        "short",
        "negative length",
        "kind",
        "exponent",
        "exponents",
        "key",
        "version",
        "nothing",
    ],
)
def test_a_hostile_array_is_one_sentence(tmp_path, changed, told):
    _write(tmp_path / "x-items.npz", _members(**changed))
    tracemalloc.start()
    with pytest.raises(TenorError, match=told) as caught:
        read_columns(tmp_path / "x-items.npz")
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()
    assert "\n" not in str(caught.value)


class _Trap:
    def __reduce__(self):
        return (pytest.fail, ("it was executed",))


def test_no_object_is_ever_unpickled(tmp_path):
    content = _npy(np.empty(0, dtype="i1"), descr="|O", shape=(1,)) + pickle.dumps([_Trap()])
    _write(tmp_path / "x-items.npz", _members(int8=content))
    with pytest.raises(TenorError, match="int8 is not an array of i1"):
        read_columns(tmp_path / "x-items.npz")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    many = np.zeros(300 * 2**20, dtype="i1")
    _write(tmp_path / "x-items.npz", _members(int8=_npy(many)))
    assert (tmp_path / "x-items.npz").stat().st_size < 2**20
    del many
    tracemalloc.start()
    with pytest.raises(TenorError, match="more than 256 MB"):
        read_columns(tmp_path / "x-items.npz")
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()


def test_a_file_cut_anywhere_is_one_sentence(tmp_path):
    write_columns(tmp_path / "whole.npz", COLUMNS)
    whole = (tmp_path / "whole.npz").read_bytes()
    for length in [0, 1, 30, *range(100, len(whole), len(whole) // 40), len(whole) - 1]:
        (tmp_path / "cut.npz").write_bytes(whole[:length])
        with pytest.raises(TenorError, match=r"cut\.npz is damaged"):
            read_columns(tmp_path / "cut.npz")


def test_a_changed_byte_is_noticed(tmp_path):
    write_columns(tmp_path / "whole.npz", COLUMNS)
    whole = bytearray((tmp_path / "whole.npz").read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    (tmp_path / "changed.npz").write_bytes(whole)
    with pytest.raises(TenorError, match="is damaged"):
        read_columns(tmp_path / "changed.npz")


# --- beside results --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda file: file.unlink(), "does not exist: it holds the items of the results beside it"),
        (lambda file: file.write_bytes(file.read_bytes()[:-10]), "is damaged"),
        (lambda file: write_columns(file, {}), "is not the file of items that .* was written with"),
    ],
    ids=["missing", "cut", "another"],
)
def test_results_without_their_items_are_told(tmp_path, damage, told):
    run = run_recipe(make(), tmp_path, seeds=1)
    damage(items_file(run.file))
    with pytest.raises(TenorError, match=told):
        read_results(make(), run.file)


def _as_format_1(run):
    """What a results file was before: the columns in the JSON file itself."""
    content = {**run.results.kept, "format": 1, "columns": {}}
    for record in content["cells"]:
        for name, outcome in record["outcomes"].items():
            whole = run.results.measured[record["cell"]][record["seed"]][name].as_dict()
            content["columns"] |= dict(zip(outcome["columns"], whole["columns"], strict=True))
    return content


def test_a_file_of_format_1_is_read_and_rewritten_without_a_change(tmp_path):
    import json

    run = run_recipe(make(), tmp_path / "out", seeds=2)
    old = tmp_path / "toy.json"
    old.write_text(json.dumps(_as_format_1(run)))
    before = read_results(make(), old)
    assert before.judgements == run.results.judgements
    page = write_page(make(), old, tmp_path / "before").read_text()
    rewrite(make(), old)
    content = json.loads(old.read_text())
    assert content["format"] == 2
    assert "columns" not in content
    assert content["cells"] == run.results.kept["cells"]
    assert write_page(make(), old, tmp_path / "after").read_text() == page
    taken = run_recipe(make(), tmp_path / "new", seeds=2, earlier=old)
    assert (taken.taken.count, taken.computed) == (5, 0)


def test_the_hash_of_a_column_is_that_of_its_values(tmp_path):
    run = run_recipe(make(), tmp_path, seeds=1)
    back = read_results(make(), run.file)
    assert set(back.columns) == set(run.results.columns)
    for outcomes in (outcomes for seeds in run.results.measured.values() for outcomes in seeds.values()):
        for outcome in outcomes.values():
            for kept in outcome.as_dict()["columns"]:
                stored = back.columns[fingerprint(kept)[:12]]
                assert np.array_equal(stored, column_from_json(kept))
    assert Outcome.from_dict({"score": 1.0, "statistic": "mean", "items": "x", "columns": ["11"]}).score == 1
