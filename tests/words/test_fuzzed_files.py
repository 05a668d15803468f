"""Files of word vectors, mutated at random: read, or refused in a sentence; never anything else."""

import io
import struct

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tenor.errors import TenorError
from tenor.text.problems import Problems
from tenor.words import WordVectors

EXAMPLES = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def _fasttext():
    out = io.BytesIO()
    out.write(struct.pack("<ii12id", 793712314, 12, 3, 5, 5, 1, 5, 1, 2, 2, 4, 2, 3, 100, 1e-4))
    out.write(struct.pack("<iiiqq", 2, 2, 0, 9, -1))
    for word in (b"ab", b"c"):
        out.write(word + b"\0" + struct.pack("<qb", 4, 0))
    for rows in (6, 2):
        out.write(struct.pack("<bqq", 0, rows, 3) + np.arange(rows * 3, dtype="<f4").tobytes())
    return out.getvalue()


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    vectors = WordVectors(["the", "fée", "漢"], np.random.default_rng(0).normal(size=(3, 3)), [3, 2, 1])
    for name in ("v.vec", "v.bin", "v.safetensors"):
        vectors.save(folder / name)
    wink = b'{"dimensions": 2, "vectors": {"a": [1, 2, 3], "b": [3, 4, 5]}}'
    return [(folder / name).read_bytes() for name in ("v.vec", "v.bin", "v.safetensors")] + [
        _fasttext(),
        wink,
    ]


def _load(path):
    try:
        vectors = WordVectors.load(path, problems=Problems())
        assert vectors.vectors.shape == (len(vectors.words), vectors.vector_size)
        assert len(list(vectors.words)) == len(vectors)
        for word in vectors.words:
            vectors.index(word)
    except TenorError:
        pass


def test_the_originals_are_read(originals, tmp_path):
    for content in originals:
        (tmp_path / "v").write_bytes(content)
        assert len(WordVectors.load(tmp_path / "v")) in (2, 3)


CHANGES = st.lists(st.tuples(st.integers(0, 4000), st.binary(max_size=4)), max_size=4)


@EXAMPLES
@given(which=st.integers(0, 4), changes=CHANGES, cut=st.integers(0, 4000))
def test_changed_and_cut(originals, tmp_path, which, changes, cut):
    content = originals[which]
    for place, new in changes:
        place %= len(content)
        content = content[:place] + new + content[place + len(new) :]
    (tmp_path / "v").write_bytes(content if cut > len(content) else content[:cut])
    _load(tmp_path / "v")


@EXAMPLES
@given(content=st.binary(max_size=200))
@example(b"\x1f\x8b")
@example(b"1 1\n")
@example(b"1 1\na")
@example(b"9999999999 65536\nw " + b"\0" * 50)
@example(b"65535 65536\nw 1 2 3\n")
@example(b'{"dimensions": 1e400}')
@example(b"[" * 100)
def test_random_bytes(tmp_path, content):
    (tmp_path / "v").write_bytes(content)
    _load(tmp_path / "v")


@EXAMPLES
@given(text=st.text(alphabet="ab 0123456789.-e\t\r\n:漢", max_size=300))
def test_random_lines(tmp_path, text):
    (tmp_path / "v").write_text(text, encoding="utf-8", newline="")
    _load(tmp_path / "v")
