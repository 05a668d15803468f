"""Corpora of tagged words, each from a few lines in its format."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from corpus_files import Write
from tenor.corpora import look_up
from tenor.errors import TenorError

PAIR = "Ada B-PER\nslept O\n\nRome B-LOC\n"


def tags(name: str, folder: Path, split: str) -> list[tuple[str, ...]]:
    return [sentence.tags for sentence in look_up(name).read(folder, split)]  # type: ignore[attr-defined]


def test_conll2003_takes_the_last_of_four_columns(write: Write) -> None:
    folder = write("eng.testa.gz", "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nran VBD I-VP O\n")
    assert tags("conll2003", folder, "dev") == [("I-ORG", "O")]


@pytest.mark.parametrize(
    ("name", "file", "split", "tab"),
    [
        ("wnut17", "wnut17train.conll", "train", "\t"),
        ("crossner", "ai/dev.txt", "ai-dev", "\t"),
        ("cbs-scitech-news", "tech_test", "test", " "),
        ("masakhaner", "hau/test.txt.gz", "hau-test", " "),
    ],
)
def test_words_and_tags_in_two_columns(write: Write, name: str, file: str, split: str, tab: str) -> None:
    folder = write(file, PAIR.replace(" ", tab))
    assert tags(name, folder, split) == [("B-PER", "O"), ("B-LOC",)]
    write(file, PAIR.replace(" ", tab) + "\nbroken\n")
    with pytest.raises(TenorError, match=r":6: the line has 1 column"):
        tags(name, folder, split)


def test_conll2002_in_its_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "conll2002.zip", "w") as archive:
        archive.writestr("conll2002/esp.testa", "Melbourne NP B-LOC\n( Fpa O\nEspaña NP B-LOC\n".encode())
    (sentence,) = look_up("conll2002").read(tmp_path, "es-dev")
    assert sentence.words == ("Melbourne", "(", "España")  # type: ignore[attr-defined]


def test_timexes_without_the_lines_that_date_a_document(write: Write) -> None:
    text = '*!-DCTVALUE="1989-10-30"-!*\tO\t-\n\nlast\tB-DATE\t1988\nyear\tI-DATE\t1988\n'
    folder = write("timebank/en/test.tsv.gz", text)
    assert tags("timex-bio", folder, "timebank-en-test") == [("B-DATE", "I-DATE")]


def test_tempeval_reads_the_documents_of_its_archives(tmp_path: Path) -> None:
    content = b'<TimeML><TEXT>In <TIMEX3 tid="t1" type="DATE">May</TIMEX3></TEXT></TimeML>'
    with tarfile.open(tmp_path / "TBAQ-cleaned.tar.gz", "w:gz") as archive:
        for name in ("TBAQ-cleaned/TimeBank/a.tml", "TBAQ-cleaned/AQUAINT/b.tml", "TBAQ-cleaned/readme"):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    (document,) = look_up("tempeval3").read(tmp_path, "timebank")
    assert document.spans[0].begin == 3  # type: ignore[attr-defined]
    assert len(list(look_up("tempeval3").read(tmp_path, "aquaint"))) == 1
    (tmp_path / "te3-platinum.tar.gz").write_bytes(b"no archive")
    with pytest.raises(TenorError, match="no archive that can be read"):
        list(look_up("tempeval3").read(tmp_path, "test"))


def test_supertags_with_pipes_and_of_derivations(write: Write) -> None:
    folder = write("qus_test.staggedGold.gz", "Who|WP|S[wq]/(S[dcl]\\NP) ran|VBD|S[dcl]\\NP ?|.|.\n")
    write(
        "geo-dev.auto.gz", "ID=1, Prob=-0.2\n(<T N 0 2> (<L N/N POS POS red N/N>) (<L N POS POS box N>) )\n"
    )
    assert tags("ccg", folder, "questions-test") == [("S[wq]/(S[dcl]\\NP)", "S[dcl]\\NP", ".")]
    assert tags("ccg", folder, "geometry-dev") == [("N/N", "N")]


def test_treebanks_by_their_names(write: Write) -> None:
    row = "1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_\n"
    folder = write("el_gdt/el_gdt-ud-dev.conllu.gz", row)
    (tree,) = look_up("ud").read(folder, "el_gdt-dev")
    assert (tree.tags, tree.heads) == (("INTJ",), (0,))  # type: ignore[attr-defined]
