"""Bad files of tagged words: one clear sentence each, and the exit code of an error."""

import pytest

from small_tagger import train_tagger

GOOD = "the O\ncat B-ANIMAL\n\nthe O\ndog B-ANIMAL\nin O\ncity B-PLACE\n"
RUN = '[tasks.x]\nkind = "tag"\ntrain = "a.conll"\n'


@pytest.fixture(scope="module")
def folder(tiny_folder, tmp_path_factory):
    return train_tagger(tiny_folder, tmp_path_factory.mktemp("bad") / "run")


@pytest.mark.parametrize(
    ("content", "more", "message"),
    [
        ("the\ncat\n\na\ndog\n", "", "no word has a tag; the file seems to hold words alone"),
        ("the O\ncat O\n\na O\n", "", "every tag is 'O'; at least two values are needed"),
        (GOOD, "word = 7\n", "has no column '7'. The columns are: 0, 1"),
        (GOOD, "word = 1\ntag = 0\n", "column 1 holds tags such as 'B-ANIMAL' where words were expected"),
        (GOOD, "word = 0\ntag = 0\n", "word and tag are both column 0"),
        ("\n\n\n", "", "no sentences that could be read"),
        ("# a comment\n# and another\n", "", "holds comments alone (2 lines with #)"),
        ("", "", "is empty"),
    ],
)
def test_what_cannot_be_trained_on(run_command, tmp_path, content, more, message):
    (tmp_path / "a.conll").write_text(content, encoding="utf-8")
    (tmp_path / "run.toml").write_text(RUN + more, encoding="utf-8")
    code, _, told = run_command("train", "run.toml", "--out", "out")
    assert code == 2
    assert message in " ".join(told.split())
    assert "Traceback" not in told


def test_empty_sentences_and_mixed_schemes_are_read_and_counted(run_command, tmp_path):
    mixed = "\n\n\nthe O\ncat S-ANIMAL\n\n\n\nold B-PLACE\ncity I-PLACE\n\na O\nriver S-PLACE\n"
    (tmp_path / "a.conll").write_text(mixed, encoding="utf-8")
    code, printed, _ = run_command("check", "a.conll")
    assert code == 0
    shown = " ".join(printed.split())
    assert "rows 3" in shown
    assert "1 tag is illegal in bioes (1 sentence, first a.conll:9)" in shown


def test_a_bad_line_is_named_with_its_file_and_line(run_command, tmp_path):
    (tmp_path / "a.conll").write_text(GOOD + "\nbroken\nline O\n", encoding="utf-8")
    code, printed, _ = run_command("check", "a.conll")
    assert "a.conll:9: the line has 1 column where the others have 2" in " ".join(printed.split())
    code, _, told = run_command("check", "a.conll", "--strict")
    assert code == 2
    assert "a.conll:9" in told


def test_tags_that_the_model_never_learned(run_command, tmp_path, folder):
    (tmp_path / "new.conll").write_text("the O\ncat B-ANIMAL\n\nred B-COLOUR\nwe O\n", encoding="utf-8")
    code, printed, told = run_command("evaluate", "new.conll", "--model", folder)
    assert code == 0
    assert "1 word has a tag that the model never learned (B-COLOUR)" in " ".join(told.split())
    assert "COLOUR" in printed
    (tmp_path / "pos.conll").write_text("the DET\ncat NOUN\n\nwe PRON\n", encoding="utf-8")
    code, _, told = run_command("evaluate", "pos.conll", "--model", folder)
    assert code == 2
    assert "none of the examples'" in told
