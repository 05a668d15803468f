"""Corpora of running text, each from a few lines in its format."""

import io
import tarfile
from pathlib import Path

import pytest

from corpus_files import Write
from tenor.corpora.gutenberg import read_prose, read_prose_words
from tenor.corpora.nltk_texts import read_paragraphs
from tenor.corpora.reuters import read_reuters
from tenor.corpora.wikitext import read_wikitext
from tenor.errors import TenorError


def test_prose(write: Write) -> None:
    folder = write("gutenberg_prose.txt.gz", "The cat sat.\n\n" + "A dog ran.\n" * 5)
    paragraphs = list(read_prose(folder))
    assert (len(paragraphs), paragraphs[1].text, paragraphs[1].origin.line) == (6, "A dog ran.", 3)
    assert sorted(read_prose_words(folder).words) == ["a", "dog", "ran"]
    assert len(read_prose_words(folder, max_final_vocab=1).words) == 1


def test_wikitext(write: Write) -> None:
    folder = write("valid.txt.gz", " \n = Title = \n A @-@ b <unk> c . \n")
    assert [(text.text, text.origin.line) for text in read_wikitext(folder, "valid")] == [("A-b  c .", 3)]


def pack(folder: Path, members: dict[str, str]) -> None:
    """Write the tar archive of Reuters-21578."""
    with tarfile.open(folder / "reuters21578.tar.gz", "w:gz") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode("latin-1"))
            archive.addfile(info, io.BytesIO(text.encode("latin-1")))


def test_reuters(tmp_path: Path) -> None:
    text = "<!DOCTYPE>\n<BODY>Prices rose &lt;X>\nin caf\xe9s.\n Reuter\n\x03</BODY>\n<BODY>More.</BODY>\n"
    pack(tmp_path, {"reut2-000.sgm": text, "README.txt": "<BODY>no</BODY>"})
    articles = list(read_reuters(tmp_path))
    assert [(one.text, one.origin.line) for one in articles] == [
        ("Prices rose <X> in caf\xe9s.", 2),
        ("More.", 6),
    ]
    assert articles[0].origin.file.endswith("reuters21578.tar.gz/reut2-000.sgm")


def test_broken_reuters(tmp_path: Path) -> None:
    pack(tmp_path, {"reut2-000.sgm": "nothing"})
    with pytest.raises(TenorError, match=r"reut2-000.sgm: no article has a body"):
        list(read_reuters(tmp_path))
    pack(tmp_path, {"README.txt": "nothing"})
    with pytest.raises(TenorError, match=r"none of the expected files"):
        list(read_reuters(tmp_path))
    (tmp_path / "reuters21578.tar.gz").write_bytes(b"\x1f\x8bno archive")
    with pytest.raises(TenorError, match=r"damaged tar archive"):
        list(read_reuters(tmp_path))


def test_paragraphs_of_archives(write: Write) -> None:
    brown = {"brown/README": "not this", "brown/ca01": "\n\n\tThe/at jury/nn said/vbd\n\n\n\tYes/rb ./.\n"}
    folder = write("brown.zip", brown)
    write("abc.zip", {"abc/rural.txt": "One line\r\nand more.\r\n\r\nTwo and/or three.", "abc/README": "no"})
    found = list(read_paragraphs(folder, "brown"))
    assert [(one.text, one.origin.line) for one in found] == [("The jury said", 3), ("Yes .", 6)]
    assert [(one.text, one.origin.line) for one in read_paragraphs(folder, "abc")] == [
        ("One line and more.", 1), ("Two and/or three.", 4),
    ]  # fmt: skip
    with pytest.raises(TenorError, match=r"webtext.zip does not exist"):
        list(read_paragraphs(folder, "webtext"))
