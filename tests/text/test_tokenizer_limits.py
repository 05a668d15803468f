"""Tokenizers that ask for gigabytes or hours are refused before any text goes through them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenor.encoders.embedded.word_level import WORD
from tenor.errors import TenorError
from tenor.text.tokenizer import Tokenizer

PAD = {"direction": "Right", "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"}
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
    r"\s+(?!\S)|\s+"
)
BLOOM = " ?[^(\\s|[.,!?…。，、।۔،])]+"
Change = Callable[[dict[str, Any]], None]


def _split(regex: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def _replace(what: str, by: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": what}, "content": by}


def _changed(folder: Path, **parts: Any) -> Path:
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | parts))
    return folder


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"normalizer": {"type": "Sequence", "normalizers": [_replace("a", "a" * 10)] * 9}}, "times as long"),
        ({"normalizer": _replace("", "aaaaaaaaaaaaaaaaaaaa")}, "times as long"),
        ({"normalizer": {"type": "Prepend", "prepend": "a" * 5_000}}, "5,000 characters into texts"),
        ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Lowercase"}] * 20_000}}, "settings"),
        ({"pre_tokenizer": _split("(a+)+$")}, "take forever"),
        ({"pre_tokenizer": _split("(?:a|aa)*b")}, "take forever"),
        ({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [_split(r"(\w{1,9}x){2,}")]}}, "forever"),
    ],
)  # fmt: skip
def test_what_cannot_be_bounded_is_refused(make_tiny: Callable[..., Path], parts: Any, told: str) -> None:
    with pytest.raises(TenorError, match=told) as error:
        Tokenizer.load(_changed(make_tiny(), **parts))
    assert "tokenizer.json" in str(error.value)


@pytest.mark.parametrize(
    "regex", [GPT2, LLAMA3, BLOOM, WORD, r" {2,}", r"[(a+)]+", r"\(a+\)+", "(ab)+", r"(\p{L}[\p{N}+])+"]
)
def test_patterns_of_known_models_are_read(make_tiny: Callable[..., Path], regex: str) -> None:
    folder = _changed(make_tiny(), pre_tokenizer=_split(regex))
    assert Tokenizer.load(folder).tokenize(["a cat"]).lengths[0] > 2


def test_a_model_that_looks_up_endless_words_is_refused(make_tiny: Callable[..., Path]) -> None:
    folder = make_tiny()
    model = json.loads((folder / "tokenizer.json").read_text())["model"]
    for key, value, told in (
        ("max_input_chars_per_word", 10**9, "max_input_chars_per_word"),
        ("continuing_subword_prefix", "#" * 1_000, "1,000 characters"),
    ):
        with pytest.raises(TenorError, match=told):
            Tokenizer.load(_changed(folder, model=model | {key: value}))


@pytest.mark.parametrize(
    "padding",
    [PAD | {"strategy": {"Fixed": 10**9}}, PAD | {"strategy": "BatchLongest", "pad_to_multiple_of": 10**9}],
)
def test_padding_to_a_billion_is_dropped(make_tiny: Callable[..., Path], padding: Any) -> None:
    folder = _changed(make_tiny(), padding=padding)
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from tenor.text.tokenizer import Tokenizer
print(Tokenizer.load({str(folder)!r}).tokenize(["a cat"]).lengths.tolist())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[4]\n"), done.stderr[-500:]


def test_a_panic_of_the_library_amid_a_job_is_a_sentence(make_tiny: Callable[..., Path]) -> None:
    tokenizer = Tokenizer.load(_changed(make_tiny(), pre_tokenizer=_split("a?" * 27 + "a" * 31 + "c")))
    with pytest.raises(TenorError, match="fails on a text"):
        tokenizer.tokenize(["a" * 400])


def test_ids_beyond_our_numbers_are_told(make_tiny: Callable[..., Path]) -> None:
    folder = make_tiny()
    model = json.loads((folder / "tokenizer.json").read_text())["model"]
    model["vocab"]["cat"] = 2**32 - 1
    tokenizer = Tokenizer.load(_changed(folder, model=model))
    with pytest.raises(TenorError, match=r"2,147,483,647"):
        tokenizer.tokenize(["cat"])


def test_a_pipe_in_place_of_a_file_is_refused_at_once(make_tiny: Callable[..., Path]) -> None:
    from tenor.model import load

    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        folder = make_tiny(name.replace(".", "-"))
        (folder / name).unlink()
        os.mkfifo(folder / name)
        with pytest.raises(TenorError, match="a pipe"):
            load(folder)


def test_links_out_of_a_folder_are_refused_but_not_those_of_the_hub(
    make_tiny: Callable[..., Path], tmp_path: Path
) -> None:
    from tenor.model import load

    folder = make_tiny("outside")
    (folder / "config.json").rename(tmp_path / "elsewhere.json")
    (folder / "config.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(TenorError, match="outside of its folder"):
        load(folder)
    hub = make_tiny("hub/snapshots/rev")
    (tmp_path / "hub" / "blobs").mkdir()
    (hub / "config.json").rename(tmp_path / "hub" / "blobs" / "1234")
    (hub / "config.json").symlink_to(Path("../../blobs/1234"))
    assert load(hub).encode(["a cat"]).shape == (1, 32)
