"""`tenor tag` as a person calls it."""

import io
import json
import sys

import pytest

import tenor
from small_tagger import train_tagger
from tenor.training.api import train
from tenor.use.tag import tag

HEADER = ["line", "type", "begin", "end", "probability", "text"]


@pytest.fixture(scope="module")
def folder(tiny_folder, tmp_path_factory):
    return train_tagger(tiny_folder, tmp_path_factory.mktemp("tag") / "run")


@pytest.fixture(scope="module")
def plain(tiny_folder, tmp_path_factory):
    """A model whose tags are no spans."""
    return train_tagger(tiny_folder, tmp_path_factory.mktemp("plain") / "run", spans=False)


@pytest.fixture
def command(folder, run_command, monkeypatch):
    """Return a function that runs `tenor tag` on the tagger, or on another model."""

    def run_here(*arguments, stdin=b"", model=folder):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        return run_command("tag", *arguments, "--model", model, "--precision", "fp32")

    return run_here


def table(printed):
    return [line.split("\t") for line in printed.splitlines()]


def test_a_line_for_every_entity_separated_by_tabs(command, folder, tmp_path):
    texts = ["the cat was in the old city .", "we like red", "😀 the dog"]
    (tmp_path / "a.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    code, printed, _ = command("a.txt")
    assert code == 0
    header, *rows = table(printed)
    assert header == HEADER
    found = tag(tenor.load(folder, precision="fp32"), texts)
    assert rows == [
        [str(line), each.type, str(each.begin), str(each.end), f"{each.probability:.4f}", each.text]
        for line, one in enumerate(found, start=1)
        for each in one.entities
    ]
    assert [[*row[:4], row[5]] for row in rows if row[1] == "PLACE" or row[0] == "3"] == [
        ["1", "PLACE", "19", "27", "old city"],
        ["3", "ANIMAL", "6", "9", "dog"],
    ]


def test_an_entity_over_lines_and_tabs_stays_one_line(command, tmp_path):
    (tmp_path / "a.csv").write_text('text\n"see the old\t\ncity ."\n')
    code, printed, _ = command("a.csv", "--column", "text")
    assert code == 0
    header, *rows = table(printed)
    assert header == HEADER
    assert [len(row) for row in rows] == [6] * len(rows)
    assert ["PLACE", "8", "17", "old city"] in [[*row[1:4], row[5]] for row in rows]


def test_words_are_conll_columns_that_can_be_read_again(command, tmp_path):
    (tmp_path / "a.txt").write_text("see the old city\nthe cat\n")
    code, printed, _ = command("a.txt", "--words")
    assert code == 0
    assert printed == "see\tO\nthe\tO\nold\tB-PLACE\ncity\tI-PLACE\n\nthe\tO\ncat\tB-ANIMAL\n\n"
    (tmp_path / "a.conll").write_text(printed)
    assert command("a.conll", "--words")[1] == printed


def test_a_long_word_is_whole_in_conll_columns(command, tmp_path):
    word = "z" * 2000
    (tmp_path / "a.txt").write_text(f"the cat {word}\n")
    code, printed, _ = command("a.txt", "--words")
    assert code == 0
    assert [row[0] for row in table(printed) if row != [""]] == ["the", "cat", word]


def test_json_lines_on_the_screen_and_in_a_file(command, folder, tmp_path):
    texts = ["the cat was in the old city .", "漢字 we like red", "é 😀 the dog"]
    (tmp_path / "a.csv").write_text("id,review\n" + "".join(f"{n},{text}\n" for n, text in enumerate(texts)))
    code, printed, _ = command("a.csv", "--column", "review", "--json")
    assert code == 0
    rows = [json.loads(line) for line in printed.splitlines()]
    expected = [each.to_json() for each in tag(tenor.load(folder, precision="fp32"), texts)]
    for number, (row, each) in enumerate(zip(rows, expected, strict=True)):
        assert row == {
            "id": str(number), "review": each.pop("text"), "line": number + 2, **each,
        }  # fmt: skip
    assert "漢字" in printed
    code, told, _ = command("a.csv", "--column", "review", "--out", "o.jsonl")
    assert (code, told) == (0, "3 texts in o.jsonl.\n")
    assert (tmp_path / "o.jsonl").read_text(encoding="utf-8") == printed
    code, told, _ = command("a.csv", "--column", "1", "--out", "o.tsv")
    assert (code, told) == (0, "3 texts in o.tsv.\n")
    header, first, *_ = table((tmp_path / "o.tsv").read_text(encoding="utf-8"))
    assert header == ["id", "review", "line", "type", "begin", "end", "probability", "entity"]
    assert (first[:4], first[-1]) == (["0", texts[0], "2", "ANIMAL"], "cat")
    code, told, _ = command("a.csv", "--column", "1", "--out", "-")
    assert told.splitlines()[0] == ",".join(header)


def test_standard_input(command):
    code, printed, _ = command("-", stdin=b"the cat\nsee the old city\n")
    assert code == 0
    assert [[row[0], row[1], row[5]] for row in table(printed)[1:]] == [
        ["1", "ANIMAL", "cat"],
        ["2", "PLACE", "old city"],
    ]


def test_plain_tags_are_a_line_for_every_word(command, plain, tmp_path):
    (tmp_path / "a.txt").write_text("the old city\nsee\n")
    code, printed, _ = command("a.txt", model=plain)
    assert code == 0
    assert [[*row[:4], row[5]] for row in table(printed)] == [
        ["line", "type", "begin", "end", "text"],
        ["1", "OTHER", "0", "3", "the"],
        ["1", "PLACE", "4", "7", "old"],
        ["1", "PLACE", "8", "12", "city"],
        ["2", "OTHER", "0", "3", "see"],
    ]


def test_plain_tags_with_hyphens_or_called_o_are_words_too(command, tiny_folder, tmp_path):
    rows = [(["(", "cat", "."], ["-LRB-", "O", "-END-"])] * 8
    run = train(tiny_folder, {"pos": {"kind": "tag", "train": rows, "scheme": "plain"}}, epochs=1)
    (tmp_path / "a.txt").write_text("( cat .\n")
    code, printed, _ = command("a.txt", model=run.model)
    assert code == 0
    assert [row[5] for row in table(printed)[1:]] == ["(", "cat", "."]


def test_empty_lines_are_told_and_strict_stops(command, tmp_path):
    (tmp_path / "a.txt").write_text("the cat\n\nthe dog\n")
    code, printed, noted = command("a.txt")
    assert code == 0
    assert [row[0] for row in table(printed)[1:]] == ["1", "3"]
    assert "a.txt:2: the text is empty" in noted
    assert command("a.txt", "--quiet")[2] == "1 problem: a.txt:2: the text is empty; row left out\n"
    code, _, noted = command("a.txt", "--strict", "--out", "o.tsv")
    assert code == 2
    assert "a.txt:2" in noted
    assert not (tmp_path / "o.tsv").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none.txt",), "none.txt does not exist"),
        (("a.csv", "--column", "nothing"), "no column 'nothing'"),
        (("a.csv", "--column", "reveiw"), "Did you mean 'review'"),
        (("a.csv", "--column", "review", "--task", "nams"), "Did you mean 'names'"),
        (("a.csv", "--column", "review", "--out", "missing/o.tsv"), "its folder does not exist"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(command, tmp_path, arguments, said):
    (tmp_path / "a.csv").write_text("id,review\n1,the cat sat\n2,we see the dog\n")
    code, printed, noted = command(*arguments)
    assert (code, printed) == (2, "")
    assert said in noted
    assert "Traceback" not in noted


def test_a_model_without_a_tagger_says_what_to_do(command, tiny_folder, tmp_path):
    (tmp_path / "a.txt").write_text("the cat\n")
    code, printed, noted = command("a.txt", "--out", "o.tsv", model=tiny_folder)
    assert (code, printed) == (2, "")
    assert "has no task that tags words. Train one: tenor init FILE.conll, then tenor train." in noted
    assert not (tmp_path / "o.tsv").exists()


def test_a_name_of_conll_is_written_as_columns(command, tmp_path):
    (tmp_path / "a.txt").write_text("the cat\n", encoding="utf-8")
    code, _, _ = command("a.txt", "--out", "b.conll")
    assert code == 0
    assert (tmp_path / "b.conll").read_text().splitlines()[1].startswith("cat\tB-ANIMAL")


def test_a_terminal_shows_entities_in_colour_and_a_legend(command, folder, tmp_path, monkeypatch):
    from rich.console import Console

    from tenor.cli import tag as module

    written = io.StringIO()
    console = Console(file=written, force_terminal=True, color_system="standard", markup=False, width=200)
    monkeypatch.setattr(module, "out", console)
    (tmp_path / "a.txt").write_text("[red]the cat \x1b[31m saw\nno thing\n", encoding="utf-8")
    assert command("a.txt")[0] == 0
    shown = written.getvalue()
    assert "\x1b[30;106mcat\x1b[0m" in shown
    assert "ANIMAL" in shown.splitlines()[-1]
    assert "[red]the" in shown, "text is never markup"
    assert "\x1b[31m" not in shown, "nor does it command the terminal"
    written.seek(0)
    written.truncate()
    code, printed, _ = command("a.txt", "--list")
    assert code == 0
    assert printed.splitlines()[0].split("\t") == HEADER
    assert written.getvalue() == ""
