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


WORDS = ["Küla", "1656-1661", "ja", "mai", "lõpul", "."]
ESTONIAN = {
    "base-segmentation-morph-syntax.gz": [
        "a.sol\t0\t0\t20.11.2002\tx\t1\t0",
        *(f"a.sol\t1\t{n}\t{word}\tx\t1\t0" for n, word in enumerate(WORDS)),
    ],
    "timex-annotation.gz": [
        'a.sol\t0\t0\t"20.11.2002"\tTIMEX DATE 2002-11-20 functionInDocument="CREATION_TIME"\tt1',
        'a.sol\t1\t1\t"1656"\tTIMEX DATE 1656 tokenSubstring="true"\tt2',
        'a.sol\t1\t1\t"1661"\tTIMEX DATE 1661 tokenSubstring="true"\tt3',
        'a.sol\t1\t3\t"mai lõpul"\tTIMEX DATE XXXX-05 mod="END" multiword="true"\tt4',
        'a.sol\t1\t4\t"mai lõpul"\tTIMEX multiword="true"\tt4',
    ],
}


def estonian(write: Write, **changed: list[str]) -> Path:
    folder = Path()
    for name, lines in ESTONIAN.items():
        rows = changed.get(name.partition("-")[0], lines)
        folder = write(name, "\n".join(["# fileName\tsentence_ID", *rows]) + "\n")
    return folder


def test_estonian_expressions_lie_on_the_words_of_another_table(write: Write) -> None:
    (sentence,) = look_up("timeml-estonian").read(estonian(write), "all")
    assert sentence.words == ("Küla", "1656-1661", "ja", "mai", "lõpul", ".")  # type: ignore[attr-defined]
    assert sentence.tags == ("O", "B-DATE", "O", "B-DATE", "I-DATE", "O")  # type: ignore[attr-defined]
    assert str(sentence.origin).endswith("base-segmentation-morph-syntax.gz:3")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a.sol\t1\t1\tx\tTIMEX PLACE 1656\tt9", r"timex-annotation.gz:2: 'TIMEX PLACE 1656'"),
        ("a.sol\t1\t9\tx\tTIMEX DATE 1656\tt9", r"syntax.gz:3: an expression up to word 10 of 6"),
        ("a.sol\t7\t1\tx\tTIMEX DATE 1656\tt9", r"there is no sentence 7 of a.sol"),
        ("a.sol\t1\t1", r"timex-annotation.gz:2: 3 cells"),
    ],
)
def test_estonian_expressions_that_cannot_be(write: Write, row: str, message: str) -> None:
    folder = estonian(write, timex=[row])
    with pytest.raises(TenorError, match=message):
        list(look_up("timeml-estonian").read(folder, "all"))


def test_estonian_words_must_follow_one_another(write: Write) -> None:
    rows = ["a.sol\t1\t0\tKüla\tx\t1\t0", "a.sol\t1\t2\tja\tx\t1\t0"]
    folder = estonian(write, base=rows)
    with pytest.raises(TenorError, match=r":3: word '2', where word 1 were expected"):
        list(look_up("timeml-estonian").read(folder, "all"))


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
