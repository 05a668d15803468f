"""Encodings: found out where they can be, said aloud where they are guessed, refused where they cannot."""

import pytest

from tenor.errors import TenorError
from tenor.text import Problems, read_rows
from tenor.text.opening import HEAD

FRENCH = "texte,humeur\nL'été à la plage était très agréable.,bien\nÇa coûte 20 €, déjà…,mal\n".replace(
    "20 €, déjà…", "20 € déjà…"
)


def read(path, **asked):
    problems = Problems()
    return [list(row.values.values()) for row in read_rows(path, problems=problems, **asked)], problems


@pytest.mark.parametrize(("encoding", "noted"), [("cp1252", True), ("utf-16", False), ("utf-8-sig", False)])
def test_a_table_in_another_encoding_keeps_its_letters(tmp_path, encoding, noted):
    (tmp_path / "a.csv").write_bytes(FRENCH.encode(encoding))
    rows, problems = read(tmp_path / "a.csv")
    assert rows == [["L'été à la plage était très agréable.", "bien"], ["Ça coûte 20 € déjà…", "mal"]]
    assert problems.count == 0
    assert bool(problems.notes) is noted
    if noted:
        assert "a.csv is not UTF-8" in problems.summary()
        assert "--encoding" in problems.brief()


def test_an_encoding_that_was_asked_for_is_no_guess(tmp_path):
    (tmp_path / "a.txt").write_bytes("žluťoučký kůň\n".encode("cp1250"))
    rows, problems = read(tmp_path / "a.txt", encoding="cp1250")
    assert rows == [["žluťoučký kůň"]]
    assert problems.summary() is None
    (tmp_path / "b.txt").write_bytes("café\n".encode("cp1252"))
    rows, problems = read(tmp_path / "b.txt", encoding="cp1252")
    assert (rows, problems.notes) == ([["café"]], [])


def test_one_bad_byte_in_utf8_is_a_flaw_of_its_line(tmp_path):
    (tmp_path / "a.txt").write_bytes("größer\nweiß\n".encode() + b"caf\xe9\n")
    rows, problems = read(tmp_path / "a.txt")
    assert rows[2] == ["caf\ufffd"]
    assert (problems.count, problems.notes) == (1, [])
    assert problems.first[0].origin.line == 3


def test_letters_that_come_late_are_read_as_one_encoding_too(tmp_path):
    many = b"plain ascii line of text\n" * (HEAD // 25 + 10)
    (tmp_path / "late.txt").write_bytes(many + b"caf\xe9\nfa\xe7ade\n")
    rows, problems = read(tmp_path / "late.txt")
    assert rows[-2:] == [["café"], ["façade"]]
    assert (problems.count, len(problems.notes)) == (0, 1)
    assert f"from line {len(rows) - 1:,} on" in problems.notes[0]


def test_utf8_whose_head_ends_inside_a_letter_is_utf8(tmp_path):
    line = b"ascii only here\n"
    fill = line * ((HEAD - 1) // len(line))
    fill += b"x" * (HEAD - 1 - len(fill))
    (tmp_path / "a.txt").write_bytes(fill + "é end\n".encode())
    rows, problems = read(tmp_path / "a.txt")
    assert rows[-1][0].endswith("é end")
    assert problems.summary() is None


def test_a_file_that_ends_in_a_letter_of_latin1_is_no_utf8(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"un caf\xe9")
    assert read(tmp_path / "a.txt")[0] == [["un café"]]


def test_other_scripts_are_refused_with_the_option_named(tmp_path):
    (tmp_path / "a.txt").write_bytes("Собака спит на старом диване.\n".encode("cp1251") * 5)
    with pytest.raises(TenorError, match="--encoding: cp1251"):
        read(tmp_path / "a.txt")
    rows, _ = read(tmp_path / "a.txt", encoding="cp1251")
    assert rows[0] == ["Собака спит на старом диване."]


def test_brief_has_one_line_for_notes_and_one_for_problems(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"text,mood\ncaf\xe9,1\nshort\nthe,9,8\n")
    _, problems = read(tmp_path / "a.csv")
    lines = problems.brief().splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("2 problems: the first: ")
    assert "a.csv:3" in lines[1]


def test_utf8_whose_letters_were_damaged_is_still_utf8(tmp_path):
    good = "marked as ‘need’\n".encode()
    (tmp_path / "a.txt").write_bytes(good.replace(b"\x99", b"?") * 2)
    rows, problems = read(tmp_path / "a.txt")
    assert rows[0] == ["marked as ‘need\ufffd?"]
    assert (problems.count, problems.notes) == (2, [])
