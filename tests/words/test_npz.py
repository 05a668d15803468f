"""Word vectors of numpy's .npz files: usual names, and what is refused in a sentence."""

from pathlib import Path

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.words import WordVectors

WORDS, ROWS = np.array(["sun", "mön", "sky"]), np.eye(3)


@pytest.mark.parametrize("names", [("words", "vectors"), ("vocab", "embeddings"), ("tokens", "matrix")])
def test_usual_names(tmp_path: Path, names: tuple[str, str]) -> None:
    np.savez_compressed(tmp_path / "v.npz", **dict(zip(names, (WORDS, ROWS), strict=True)))
    vectors = WordVectors.load(tmp_path / "v.npz")
    assert list(vectors.words) == WORDS.tolist()
    assert vectors.vectors.tolist() == ROWS.tolist()
    assert len(WordVectors.load(tmp_path / "v.npz", limit=2)) == 2


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"vectors": ROWS}, "no array of words"),
        ({"words": WORDS}, "no array of vectors"),
        ({"words": WORDS[:2], "vectors": ROWS}, "2 words and 3 vectors"),
        ({"words": WORDS.astype(object), "vectors": ROWS}, "Python objects"),
        ({"words": ROWS, "vectors": ROWS}, "expected a list of texts"),
    ],
    ids=["no words", "no vectors", "other lengths", "objects", "shapes"],
)
def test_what_is_refused(tmp_path: Path, arrays: dict[str, np.ndarray], says: str) -> None:
    np.savez(tmp_path / "v.npz", **arrays)
    with pytest.raises(TenorError, match=says):
        WordVectors.load(tmp_path / "v.npz")


def test_a_damaged_file(tmp_path: Path) -> None:
    (tmp_path / "v.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(TenorError, match="cannot be read"):
        WordVectors.load(tmp_path / "v.npz")
