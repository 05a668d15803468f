"""`tenor compare` as a person calls it."""

import csv
import json
import os
import subprocess
import sys
from functools import partial

import pytest

from tenor.cli.main import run


@pytest.fixture
def tenor(on_tiny):
    return partial(on_tiny, "compare")


def test_two_texts_side_by_side_without_colours(tenor):
    code, printed, noted = tenor("the cat sat on the mat", "the cat sat on the mat.")
    assert code == 0, noted
    assert "similarity " in printed
    assert " of 5 " in printed
    assert "the cat sat on the mat  =  the cat sat on the mat" in printed
    assert "only in the first" in printed
    assert "\x1b" not in printed
    assert "no scale fitted" in noted


def test_phrases_can_be_left_out_or_asked_for(tenor):
    texts = ("the cat sat", "the dog sat")
    _, printed, noted = tenor(*texts)
    assert "only in the first" in printed
    assert "phrasal classifier" not in noted
    _, printed, noted = tenor(*texts, "--explain")
    assert "has no phrasal classifier" in noted
    _, printed, noted = tenor(*texts, "--no-explain")
    assert "only in the first" not in printed
    _, printed, _ = tenor(*texts, "--no-explain", "--json")
    left = json.loads(printed)
    assert "similarity" in left
    assert not {"words", "links", "phrases", "only_first", "only_second"} & left.keys()


def test_json_of_two_texts(tenor):
    code, printed, noted = tenor("the cat sat", "the dog sat", "--json")
    assert (code, noted) == (0, "")
    found = json.loads(printed)
    assert found["first"] == "the cat sat"
    assert 0 <= found["similarity"] <= 5


def test_quiet_leaves_the_result_only(tenor):
    assert tenor("the cat sat", "the dog sat", "--quiet")[2] == ""


def test_markup_and_terminal_commands_in_a_text_do_nothing(tenor):
    _, printed, _ = tenor("[red]the cat[/red] \x1b[31m\x07", "[red]the cat[/red] :smile:")
    assert "[red" not in printed or "[/red" in printed
    assert "\x1b" not in printed
    assert "\x07" not in printed


def test_long_texts_are_told(tenor):
    _, _, noted = tenor("the cat sat " * 50, "the dog")
    assert "Beyond the limit of 40 tokens: the first text by 112 tokens" in noted


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["only one"], "Expected two texts"),
        ([], "Expected two texts"),
        (["a", "b", "--file", "x.tsv"], "not both"),
        (["a", "b", "--columns", "x,y"], "give them with --file"),
        (["--file", "pairs.tsv", "--explain"], "phrases of two texts"),
        (["", "b"], "The first text"),
        (["a", " \n"], "The second text"),
        (["--file", "missing.tsv"], "missing.tsv"),
        (["--file", "empty.tsv"], "empty.tsv"),
        (["--file", "pairs.tsv", "--columns", "one"], "--columns question1,question2"),
        (["--file", "pairs.tsv", "--columns", "sentence1,third"], "third"),
        (["--file", "broken.tsv"], "broken.tsv"),
    ],
)
def test_mistakes_are_told_in_one_sentence(tenor, tmp_path, arguments, told):
    (tmp_path / "empty.tsv").write_text("")
    (tmp_path / "broken.tsv").write_bytes(b"\x00\xff\xfe\x00" * 50)
    (tmp_path / "pairs.tsv").write_text("sentence1\tsentence2\nthe cat\ta dog\n")
    code, printed, noted = tenor(*arguments)
    assert (code, printed) == (2, "")
    assert told in noted
    assert "Traceback" not in noted


def test_a_file_as_tsv_and_as_json_lines(tenor, tmp_path):
    (tmp_path / "pairs.csv").write_text('id,q1,q2\n1,"the cat, old","a\tdog"\n2,,x\n3,money,money\n')
    code, printed, noted = tenor("--file", "pairs.csv", "--columns", "q1,q2")
    assert code == 0
    lines = [line.split("\t") for line in printed.splitlines()]
    assert lines[0] == ["line", "similarity", "cosine", "first", "second"]
    assert [line[0] for line in lines[1:]] == ["2", "4"]
    assert lines[1][3:] == ["the cat, old", "a dog"]
    assert lines[2][1] == "5.00"
    assert "pairs.csv:3" in noted
    code, printed, _ = tenor("--file", "pairs.csv", "--columns", "q1,q2", "--json")
    found = [json.loads(line) for line in printed.splitlines()]
    assert [one["line"] for one in found] == [2, 4]
    assert found[1]["similarity"] == 5.0


def test_strict_stops_at_the_first_bad_row(tenor, tmp_path):
    (tmp_path / "pairs.tsv").write_text("sentence1\tsentence2\nthe cat\ta dog\n\ta dog\n")
    code, _, noted = tenor("--file", "pairs.tsv", "--strict")
    assert code == 2
    assert "pairs.tsv:3" in noted


def call(*arguments, stdin=None, **environment):
    return subprocess.run(
        [sys.executable, "-m", "tenor.cli.main", "compare", *arguments],
        input=stdin, capture_output=True, timeout=120, env={**os.environ, **environment},
    )  # fmt: skip


def test_standard_input_and_bytes_that_are_not_text(tiny_folder):
    options = ("--model", str(tiny_folder), "--precision", "fp32")
    done = call("--file", "-", *options, stdin=b"sentence1\tsentence2\nthe cat\ta dog\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith(b"2\t")
    done = call(b"the cat \xff\xfe", b"the dog", *options, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["first"] == "the cat \ufffd\ufffd"


def test_an_old_terminal_encoding_is_no_crash(tiny_folder):
    done = call("the cat 漢", "the dog", "--model", str(tiny_folder), PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr


def test_nothing_heavy_is_imported(tiny_folder):
    pytest.importorskip("openvino")
    code = (
        "import sys; from tenor.cli.main import run\n"
        f"try: run(['compare', 'the cat', 'a dog', '--model', {str(tiny_folder)!r}, '--precision', 'fp32'])\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'scipy', 'sklearn', 'transformers', 'pyarrow', 'lancedb', 'pandas'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stderr.splitlines()[-1] == "[]", done.stderr


def test_a_sentiment_is_named_only_where_it_is_clear():
    from tenor.cli.compare import _label
    from tenor.tasks.answer import LabelAnswer

    assert _label(LabelAnswer(("positive",), {"negative": 0.02, "positive": 0.98})) == "positive (98%)"
    assert _label(LabelAnswer(("negative",), {"negative": 0.85, "positive": 0.15})) == "unclear"


def test_a_file_of_scores_keeps_the_columns_of_the_pairs(on_tiny, tmp_path):
    rows = b'id;sentence1;sentence2;cosine\n7;the caf\xe9;a dog;x\n8;;a dog;y\n9;"the; cat";the cat;z\n'
    (tmp_path / "p.csv").write_bytes(rows)
    code, printed, noted = on_tiny("compare", "--file", "p.csv", "--out", "s.csv")
    assert (code, printed) == (0, "2 rows in s.csv.\n")
    assert "p.csv is not UTF-8" in noted
    with open(tmp_path / "s.csv", encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert list(found[0]) == [
        "id", "sentence1", "sentence2", "cosine", "line", "similarity", "tenor_cosine",
    ]  # fmt: skip
    assert [(row["id"], row["sentence1"], row["cosine"], row["line"]) for row in found] == [
        ("7", "the café", "x", "2"), ("9", "the; cat", "z", "4"),
    ]  # fmt: skip
    assert -1 <= float(found[0]["tenor_cosine"]) <= 1
    _, printed, noted = on_tiny(
        "compare", "--file", "p.csv", "--out", "-", "--json", "--encoding", "cp1252", "-q"
    )
    assert [json.loads(line)["id"] for line in printed.splitlines()] == ["7", "9"]
    assert noted == "1 problem: p.csv:3: the first text is empty; row left out\n"


def test_unknown_words_of_a_file_are_warned_of(on_tiny, tmp_path):
    (tmp_path / "p.tsv").write_text("😀 🍕\tthe cat\n🚀\t🎉\n", encoding="utf-8")
    assert "unknown to" in on_tiny("compare", "--file", "p.tsv")[2]


@pytest.mark.parametrize(("first", "second"), [("xyzzy plugh", "cat dog"), ("cat", "plugh"), ("ก", "ข")])
def test_word_vectors_that_know_no_word_give_no_verdict(first, second, tmp_path, capsys):
    (tmp_path / "v.txt").write_text("cat 1 0 0\ndog 0.9 0.1 0\nriver 0 1 0\n")
    model = ("--model", str(tmp_path / "v.txt"))
    with pytest.raises(SystemExit):
        run(["compare", first, second, *model])
    told = capsys.readouterr()
    assert told.out.startswith("The model knows no word of at least one of the texts, so it cannot say")
    assert len(told.out.splitlines()) == 1
    assert "it leaves them out" in told.err
    with pytest.raises(SystemExit):
        run(["compare", "cat", "plugh dog", *model, "--json"])
    assert json.loads(capsys.readouterr().out)["verdict"]["says"] == "same"
