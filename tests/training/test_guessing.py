"""What `init` guesses, what a person says instead, and what `check` warns of."""

import json
import random

import numpy as np
import pytest

import tenor
from tenor.cli.main import run as run_command
from tenor.errors import TenorError
from tenor.training.api import train
from tenor.training.check import check_data, check_run
from tenor.training.init_config import draft_run, guess_task, write_draft
from tenor.training.reading import read_task

WORDS = ("the", "court", "said", "on", "monday", "that", "prices", "fell", "after", "a", "long", "summer")


def call(*arguments):
    with pytest.raises(SystemExit) as end:
        run_command([str(each) for each in arguments])
    return end.value.code


def words(generator, count):
    return " ".join(generator.choice(WORDS) for _ in range(count))


@pytest.fixture
def news(tmp_path):
    """A file without header: class, title, body."""
    generator = random.Random(1)
    lines = [f'"{1 + row % 4}","{words(generator, 6)}","{words(generator, 30)}"' for row in range(80)]
    (tmp_path / "news.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "news.csv"


def several(path, rows=60, empty=7):
    """Write rows with none, one or several of three labels."""
    generator, lines = random.Random(1), ["text,tags"]
    for row in range(rows):
        labels = [] if row % empty == 0 else generator.sample(["art", "news", "sport"], 1 + row % 2)
        lines.append(f"{words(generator, 6)} {row},{'|'.join(labels)}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_title_and_a_body_are_no_pair(news):
    task, _ = guess_task(news)
    assert (task.kind, task.columns) == ("classify", {"text": 2, "label": 0})


def test_two_texts_of_like_length_without_names_stay_a_pair(tmp_path):
    generator = random.Random(1)
    lines = [f"{row % 2}\t{words(generator, 9)}\t{words(generator, 11)}" for row in range(80)]
    (tmp_path / "pairs.tsv").write_text("\n".join(lines) + "\n")
    assert guess_task(tmp_path / "pairs.tsv")[0].kind == "pair"


def test_numbered_choices_are_no_pair(tmp_path):
    generator = random.Random(1)
    names = ["context", "question", "answer0", "answer1", "answer2", "answer3"]
    lines = [",".join([*(words(generator, 8) for _ in names), str(row % 4)]) for row in range(80)]
    (tmp_path / "choices.csv").write_text(",".join([*names, "label"]) + "\n" + "\n".join(lines) + "\n")
    with pytest.raises(TenorError, match="no task could be guessed"):
        guess_task(tmp_path / "choices.csv")


def test_what_a_person_says_is_written(news, tmp_path):
    text = draft_run(news, out=tmp_path / "run.toml", columns={"text": "1", "label": "0"})
    assert "columns = { text = 1, label = 0 }" in text
    pair = draft_run(news, out=tmp_path / "run.toml", columns={"first": "1", "second": "2", "label": "0"})
    assert 'kind = "pair"' in pair
    write_draft(news, out=tmp_path / "run.toml", kind="classify")
    assert check_run(tmp_path / "run.toml").wrong == []


def test_columns_and_kinds_that_are_none_are_refused(news, tmp_path):
    with pytest.raises(TenorError, match="these are the parts of tasks"):
        draft_run(news, out=tmp_path / "run.toml", columns={"txt": "1"})
    with pytest.raises(TenorError, match="no column 'nosuch'"):
        draft_run(news, out=tmp_path / "run.toml", columns={"text": "nosuch", "label": "0"})
    with pytest.raises(TenorError, match="does not look like a 'similarity' task"):
        draft_run(news, out=tmp_path / "run.toml", kind="similarity")


def test_the_command_reads_columns(news, tmp_path, capsys):
    out = tmp_path / "run.toml"
    assert call("init", news, "--out", out, "--columns", "text=1") == 2
    assert call("init", news, "--out", out, "--columns", "text") == 2
    assert "is not understood" in capsys.readouterr().err
    assert call("init", news, "--out", out, "--columns", "text=1,label=0") == 0
    assert "text = 1" in out.read_text()


def test_training_on_a_labelled_file_reads_kind_and_columns(tiny_folder, news, tmp_path, capsys):
    given = (news, "--out", tmp_path / "out", "--set", f"encoder={tiny_folder}", "--set", "training.epochs=1")
    assert call("train", *given, "--columns", "text=7,label=0") == 2
    assert "has no column '7'" in capsys.readouterr().err
    assert call("train", *given, "--kind", "classify", "--columns", "text=1,label=0") == 0
    assert "news: accuracy" in capsys.readouterr().out
    assert "columns = { text = 1, label = 0 }" in (tmp_path / "out/run.toml").read_text()


def test_several_labels_are_guessed_and_counted_one_by_one(tmp_path):
    several(tmp_path / "multi.csv")
    write_draft(tmp_path / "multi.csv", out=tmp_path / "run.toml")
    assert 'multi_label = "|"' in (tmp_path / "run.toml").read_text()
    (task,) = check_run(tmp_path / "run.toml").tasks
    assert set(task.train.labels) == {"art", "news", "sport"}
    assert task.train.tally.count == 60
    assert task.train.problems.count == 0


def test_labels_with_commas_in_them_are_one(tmp_path):
    lines = [f'"some text {row} here","{"yes, sure" if row % 2 else "no, never"}"' for row in range(40)]
    (tmp_path / "a.csv").write_text("text,label\n" + "\n".join(lines) + "\n")
    assert guess_task(tmp_path / "a.csv")[0].multi_label is None


def test_rows_without_a_label_are_learned_and_scored(tiny_folder, tmp_path):
    several(tmp_path / "multi.csv")
    write_draft(tmp_path / "multi.csv", out=tmp_path / "run.toml")
    done = train(tmp_path / "run.toml", out=tmp_path / "out", overrides=[f"encoder={tiny_folder}"], steps=2)
    data = done.metrics["data"]["multi"]
    assert data["train"]["rows"] + data["dev"]["rows"] == 60
    assert data["train"]["problems"] == 0
    rows = [("a day", "art|news"), ("a cat", ""), ("a dog", "art"), ("old city", None)] * 4
    task = {"kind": "classify", "train": rows, "dev": rows[:4], "multi_label": "|"}
    run = train(tiny_folder, {"tags": task}, epochs=1)
    assert run.metrics["tasks"]["tags"]["rows"] == 4


def test_a_row_without_its_one_label_is_still_a_bad_row(tiny_folder, tmp_path):
    (tmp_path / "a.csv").write_text("text,label\na day,x\na cat,y\na dog,\n" + "old city,x\nnew city,y\n" * 3)
    report = check_data(tmp_path / "a.csv")
    assert report.survey.empty == {"label": 1}


def test_spellings_of_a_label_and_tiny_files_are_warned_of(tmp_path, capsys):
    lines = [f"some text {row},{('pos', 'Pos', 'neg')[row % 3]}" for row in range(30)]
    (tmp_path / "a.csv").write_text("text,label\n" + "\n".join(lines) + "\n")
    assert call("check", tmp_path / "a.csv") == 0
    assert "warning: the labels 'pos' and 'Pos' differ only in case" in capsys.readouterr().out
    (tmp_path / "b.csv").write_text("text,label\na nice day,x\nanother day,y\nthird day,x\n")
    assert call("check", tmp_path / "b.csv") == 0
    assert "warning: there are only 3 examples" in capsys.readouterr().out


def test_without_dev_rows_no_step_is_called_the_best(tiny_folder, tmp_path, capsys):
    (tmp_path / "a.csv").write_text("text,label\n" + "a good day,x\nthe old city,y\n" * 4)
    write_draft(tmp_path / "a.csv", out=tmp_path / "run.toml")
    encoder = ["--set", f"encoder={tiny_folder}", "--set", "training.steps=1", "--quiet"]
    assert call("train", tmp_path / "run.toml", "--out", tmp_path / "out", *encoder) == 0
    assert "best at step" not in capsys.readouterr().out


TREES = "1\tAda\tAda\tPROPN\t_\t_\t2\tnsubj\t_\t_\n2\tslept\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def test_trees_are_drafted_for_who_asks_and_tags_otherwise(news, tmp_path):
    (tmp_path / "trees.conllu").write_text(TREES * 12)
    assert 'kind = "tag"' in draft_run(tmp_path / "trees.conllu", out=tmp_path / "run.toml")
    write_draft(tmp_path / "trees.conllu", out=tmp_path / "run.toml", kind="parse")
    assert 'kind = "parse"' in (tmp_path / "run.toml").read_text()
    assert check_run(tmp_path / "run.toml").wrong == []
    with pytest.raises(TenorError, match=r"does not look like a 'parse' task; found: [^.]*\.$"):
        draft_run(news, out=tmp_path / "run.toml", kind="parse")


def test_a_given_encoding_is_that_of_check_init_and_train(tiny_folder, tmp_path, capsys):
    file, out = tmp_path / "a.csv", tmp_path / "run.toml"
    rows = [f"{words(random.Random(row), 6)} žluť {row},{'ž' if row % 2 else 'č'}" for row in range(40)]
    file.write_bytes("\n".join(["text,label", *rows, ""]).encode("cp1250"))
    assert call("check", file, "--encoding", "cp1250") == 0
    assert "ž: 20" in capsys.readouterr().out
    assert call("init", file, "--out", out, "--encoding", "cp1250", "--columns", "text=text,label=label") == 0
    assert 'file_encoding = "cp1250"\n' in out.read_text()
    assert "guessed" not in out.read_text()
    given = ("--out", tmp_path / "out", "--set", f"encoder={tiny_folder}", "--set", "training.epochs=1")
    assert call("train", file, *given, "--encoding", "cp1250") == 0
    assert sorted(tenor.load(tmp_path / "out/model").tasks["a"].spec.labels) == ["č", "ž"]


def test_a_file_of_many_texts_says_that_its_text_cannot_be_guessed(tmp_path):
    row = ",".join(words(random.Random(1), 6) for _ in range(5))
    (tmp_path / "q.csv").write_text("context,question,answer0,answer1,answer2\n" + f"{row}\n" * 20)
    (wrong,) = check_data(tmp_path / "q.csv").wrong
    assert "cannot be guessed; name it" in wrong


def test_mostly_contradicting_labels_point_to_the_columns(tmp_path):
    lines = "".join(f"{words(random.Random(row // 2), 6)},{'ab'[row % 2]}\n" for row in range(40))
    (tmp_path / "a.csv").write_text("text,label\n" + lines)
    (warning,) = check_data(tmp_path / "a.csv").warnings
    assert warning.endswith("are the columns right?")


def test_labels_that_stand_together_and_alone_are_several(tmp_path, capsys):
    generator = random.Random(1)
    cells = ["news, money", "news", "sport", ""] * 20
    lines = [f'{words(generator, 6)} {row},"{cell}"' for row, cell in enumerate(cells)]
    (tmp_path / "a.csv").write_text("text,topics\n" + "\n".join(lines) + "\n")
    assert guess_task(tmp_path / "a.csv")[0].multi_label == ","
    report = check_data(tmp_path / "a.csv")
    assert report.labels == {"news": 40, "money": 20, "sport": 20}
    assert report.as_dict()["labels"] == {"news": 40, "money": 20, "sport": 20}
    assert call("check", tmp_path / "a.csv") == 0
    assert "separated by ',' where a row has several" in capsys.readouterr().out


def test_places_with_their_country_are_one_label(tmp_path):
    lines = [f'some text {row} here,"{"London, UK" if row % 2 else "Leeds, UK"}"' for row in range(40)]
    (tmp_path / "a.csv").write_text("text,place\n" + "\n".join(lines) + "\n")
    assert guess_task(tmp_path / "a.csv")[0].multi_label is None


def test_scores_with_a_decimal_comma_are_scores(tmp_path):
    generator = random.Random(1)
    rows = [f'"{words(generator, 5)}";"{words(generator, 6)}";{row % 50 / 10:.1f}' for row in range(80)]
    file = tmp_path / "paare.csv"
    file.write_text("Satz A;Satz B;Ähnlichkeit\n" + "\n".join(rows).replace(".", ",") + "\n")
    task, found = guess_task(file)
    assert (task.kind, task.header) == ("similarity", True)
    assert task.columns == {"first": "Satz A", "second": "Satz B", "score": "Ähnlichkeit"}
    assert found.statistics.scores().max == 4.9
    read = read_task("pairs", task)
    assert [each.score for each in read.train[:3]] == [0.0, 0.1, 0.2]
    assert sum(note.count("decimal comma") for note in read.notes) == 1


def test_labels_of_numbers_with_commas_are_no_scores(tmp_path):
    cells = ["1", "1,2", "2", "2,3", "3"] * 12
    lines = [f'some text {row} here,"{cell}"' for row, cell in enumerate(cells)]
    (tmp_path / "a.csv").write_text("text,codes\n" + "\n".join(lines) + "\n")
    assert guess_task(tmp_path / "a.csv")[0].multi_label == ","


def test_other_columns_that_could_be_the_label_are_named(tmp_path, capsys):
    generator = random.Random(1)
    rows = [f"{words(generator, 8)},{'ab'[row % 2]},{'xyz'[row % 3]}" for row in range(60)]
    (tmp_path / "a.csv").write_text("description,priority,queue\n" + "\n".join(rows) + "\n")
    text = draft_run(tmp_path / "a.csv", out=tmp_path / "run.toml")
    assert "# guessed (the label may also be queue); there are: description, priority, queue" in text
    assert call("check", tmp_path / "a.csv") == 0
    assert "label in priority (it may also be in queue)" in capsys.readouterr().out
    (tmp_path / "b.csv").write_text("description,label,queue\n" + "\n".join(rows) + "\n")
    assert "may also be" not in draft_run(tmp_path / "b.csv", out=tmp_path / "run.toml")


def test_a_label_that_is_always_the_same_stops_training(tmp_path, capsys):
    lines = [f"some text {row},pos" for row in range(12)]
    (tmp_path / "a.csv").write_text("text,label\n" + "\n".join(lines) + "\n")
    assert call("check", tmp_path / "a.csv") == 1
    assert "wrong: every label in the column 'label' is 'pos'" in capsys.readouterr().out


def test_a_file_is_named_once_in_what_is_said_of_it(tmp_path):
    file = tmp_path / "a.csv"
    lines = [f"schöner Tag {row};{'xy'[row % 2]}\n" for row in range(12)]
    file.write_text("".join(["text;label\n", *lines]), encoding="latin-1")
    (note,) = [note for note in read_task("a", guess_task(file)[0]).notes if "Windows-1252" in note]
    assert note.count("a.csv") == 1


def test_several_labels_are_written_as_they_were_read(tiny_folder, tmp_path):
    rows = [("a day", "art; news"), ("a cat", ""), ("a dog", "art"), ("old city", "news")] * 4
    run = train(tiny_folder, {"tags": {"kind": "classify", "train": rows, "multi_label": ";"}}, epochs=1)
    spec = run.load().tasks["tags"].spec
    (answer,) = spec.answers(np.array([[0.9, 0.8]]))
    assert answer.cells()[""] == "art;news"


def test_arrays_of_labels_are_several_labels(tmp_path):
    labels = [["art", "news"], [], ["art"], ["news"]]
    rows = [{"body": f"some text {row} here", "meta": {"tags": labels[row % 4]}} for row in range(40)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    named = draft_run(
        tmp_path / "a.jsonl", out=tmp_path / "run.toml", columns={"text": "body", "label": "meta.tags"}
    )
    assert 'multi_label = "|"' in named
    (tmp_path / "run.toml").write_text(named)
    (report,) = check_run(tmp_path / "run.toml").tasks
    assert report.train.labels == {"art": 20, "news": 20}
    assert report.train.problems.count == 0


def test_a_word_of_ten_thousand_characters_hides_no_tagger(tmp_path):
    lines = ["Ann B-PER", "saw O", "Rome B-LOC", ""] * 20 + ["x" * 10_000 + " B-PER", "slept O", ""]
    (tmp_path / "a.conll").write_text("\n".join(lines) + "\n")
    assert guess_task(tmp_path / "a.conll")[0].kind == "tag"


def test_a_first_line_with_a_tag_too_few_hides_no_tagger(tmp_path):
    good, bad = (
        '{"tokens": ["Ann", "saw"], "tags": ["B-PER", "O"]}',
        '{"tokens": ["Ann", "saw"], "tags": ["O"]}',
    )
    (tmp_path / "a.jsonl").write_text("\n".join([bad, good, good, good]) + "\n")
    assert guess_task(tmp_path / "a.jsonl")[0].kind == "tag"
    (tmp_path / "b.jsonl").write_text("\n".join([bad, bad, good, bad]) + "\n")
    with pytest.raises(TenorError, match="no task could be guessed"):
        guess_task(tmp_path / "b.jsonl")


def test_a_file_of_empty_lines_says_so(tmp_path):
    (tmp_path / "a.conll").write_text("\n\n\n")
    with pytest.raises(TenorError, match=r"a.conll has no row with a text"):
        guess_task(tmp_path / "a.conll")


def test_one_example_is_one(tmp_path, capsys):
    (tmp_path / "run.toml").write_text('[tasks.a]\nkind = "tag"\ntrain = "a.conll"\n')
    (tmp_path / "a.conll").write_text("Ann B-PER\nslept O\n")
    call("check", tmp_path / "run.toml")
    assert "there is only 1 example: too few" in capsys.readouterr().out


def test_arrays_are_several_labels_whatever_stands_in_them(tmp_path):
    rows = [{"text": f"some text {row} here", "tags": ["news", "ab"[row % 2]]} for row in range(20)]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert guess_task(tmp_path / "a.json")[0].multi_label == "|"
    assert check_data(tmp_path / "a.json").labels == {"news": 20, "a": 10, "b": 10}
    single = [row | {"tags": row["tags"][1:]} for row in rows]
    (tmp_path / "b.json").write_text(json.dumps(single))
    assert guess_task(tmp_path / "b.json")[0].multi_label is None
    assert check_data(tmp_path / "b.json").labels == {"a": 10, "b": 10}


def test_quiet_training_says_that_rows_were_lost(tiny_folder, tmp_path, capsys):
    lines = [f"some text {row} here,{'xy'[row % 2]}" for row in range(20)]
    (tmp_path / "a.csv").write_text("\n".join(["text,label", *lines, "a text without a label,", ",x"]) + "\n")
    given = ("--out", tmp_path / "out", "--set", f"encoder={tiny_folder}", "--set", "training.steps=1")
    assert call("train", tmp_path / "a.csv", *given, "--quiet") == 0
    said = capsys.readouterr().err
    assert "2 problems: the first: " in said
    assert "a.csv:22: the label is empty; row left out" in said
    assert "Settings chosen" not in said
