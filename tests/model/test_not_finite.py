"""NaN and infinity are refused where they are read, and never written or compared."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from tenor.encoders.stored import read_finite
from tenor.errors import TenorError
from tenor.model import load
from tenor.tensors import Stored, write_safetensors
from tenor.use.search.passages import Passage, Passages
from tenor.words import WordVectors

Run = Callable[..., tuple[int, str, str]]
WORDS = "embeddings.word_embeddings.weight"


def _spoil(folder: Path, value: float, *, name: str = WORDS) -> None:
    weights = load_file(folder / "model.safetensors")
    weights[name].reshape(-1)[-1] = value
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(make_tiny: Callable[..., Path], value: float) -> None:
    folder = make_tiny()
    load(folder).encode(["a cat"])  # looked through while it was whole
    _spoil(folder, value)
    with pytest.raises(TenorError, match=r"word_embeddings.* not finite"):
        load(folder)


def test_weights_that_are_not_used_are_looked_at_too(make_tiny: Callable[..., Path]) -> None:
    folder = make_tiny()
    _spoil(folder, np.nan, name="pooler.dense.bias")
    with pytest.raises(TenorError, match="not finite"):
        load(folder)


def test_an_untouched_file_is_looked_through_once(
    make_tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_tiny() / "model.safetensors"
    read_finite(path)
    monkeypatch.setattr(Stored, "first_not_finite", lambda self: pytest.fail("looked through twice"))
    read_finite(path)
    path.touch()
    with pytest.raises(BaseException, match="twice"):
        read_finite(path)


@pytest.mark.parametrize(
    ("name", "bits", "place"),
    [
        ("F32", np.array([1, np.nan], dtype=np.float32), 1),
        ("F16", np.array([[1, 2], [np.inf, 0]], dtype=np.float16), 2),
        ("BF16", np.array([0x3F80, 0x7F80], dtype=np.uint16), 1),
        ("F8_E4M3", np.array([0x7F], dtype=np.uint8), 0),
        ("F8_E5M2", np.array([0x7C], dtype=np.uint8), 0),
        ("F32", np.array(np.nan, dtype=np.float32), 0),
        ("F32", np.array([3.4e38, -1e-45], dtype=np.float32), None),
        ("BF16", np.array([0x7F7F, 0xFF7F], dtype=np.uint16), None),
        ("I8", np.array([127, -128], dtype=np.int8), None),
        ("F32", np.zeros((0, 3), dtype=np.float32), None),
    ],
)
def test_the_first_number_that_is_not_finite_is_found(name: str, bits: np.ndarray, place: int | None) -> None:
    assert Stored(name, bits).first_not_finite() == place


def test_weights_too_large_to_compute_with_are_told(run_command: Run, make_tiny: Callable[..., Path]) -> None:
    folder = make_tiny("large", scale=1e30, normalize=False)
    Path("texts.txt").write_text("a cat\nthe dog\n")
    for command in (
        ["embed", "texts.txt", "--model", folder, "--out", "out.npy"],
        ["compare", "a cat", "the dog", "--model", folder],
        ["dedupe", "texts.txt", "--model", folder],
    ):
        code, _, told = run_command(*command)
        assert (code, "not finite" in told) == (2, True), (command, told)
    assert not Path("out.npy").exists()


def test_dedupe_refuses_vectors_with_a_row_that_is_no_number(run_command: Run, tiny_folder: Path) -> None:
    Path("texts.txt").write_text("a cat\nthe dog\nthe house\n")
    run_command("embed", "texts.txt", "--model", tiny_folder, "--out", "v.npy")
    vectors = np.load("v.npy")
    vectors[1, 3] = np.nan
    np.save("v.npy", vectors)
    code, shown, told = run_command("dedupe", "texts.txt", "--model", tiny_folder, "--vectors", "v.npy")
    assert (code, shown) == (2, "")
    assert "line 2" in told
    assert "not finite" in told


def test_static_tables_and_word_vectors_are_looked_through(tmp_path: Path) -> None:
    vectors = np.eye(3, dtype=np.float32)
    WordVectors(["a", "b", "c"], vectors).save(tmp_path / "words.safetensors")
    assert len(WordVectors.load(tmp_path / "words.safetensors")) == 3
    tensors = load_file(tmp_path / "words.safetensors")
    tensors["vectors"][2, 0] = np.inf
    about = {"kind": "tenor words", "version": "1"}
    save_file(tensors, tmp_path / "words.safetensors", metadata=about)
    with pytest.raises(TenorError, match=r"'vectors' holds .* not finite"):
        WordVectors.load(tmp_path / "words.safetensors")


def test_a_stored_vector_that_is_not_finite_is_no_hit(tmp_path: Path) -> None:
    pytest.importorskip("lancedb")
    passages = Passages.create(tmp_path / "index", (), dimensions=2)
    vectors = np.array([[1, 0], [np.inf, 0]], dtype=np.float32)
    passages.append([Passage("1", "a cat", ()), Passage("2", "a dog", ())], vectors)
    query = np.array([0, 1], dtype=np.float32)
    with pytest.raises(TenorError, match="id '2'"):
        passages.matching("a", 2, condition=None, vector=query)


def test_heads_that_are_not_finite_are_refused(tmp_path: Path, tiny_folder: Path) -> None:
    from tenor.layers.pooling_config import PoolingConfig
    from tenor.model.heads import HEADS, read_tasks
    from tenor.model.starters import FOLDER

    shutil.copytree(tiny_folder, tmp_path / "model")
    tensors = {
        name: Stored("F32", np.full_like(value, np.nan))
        for name, value in load_file(FOLDER / "minilm.safetensors").items()
    }
    write_safetensors(tmp_path / "model" / HEADS, tensors)
    text = (FOLDER / "minilm.json").read_text().replace("{", '{"format": 2, ', 1)
    (tmp_path / "model" / "tenor.json").write_text(text)
    with pytest.raises(TenorError, match="not finite"):
        read_tasks(tmp_path / "model", width=384, pooling=PoolingConfig())
