"""What tasks say of texts, pairs and files, and how good they are, against the heads themselves."""

import csv
import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

import tenor
from task_battery import config, examples_of, network_of
from tenor.cli.main import run
from tenor.errors import TenorError
from tenor.metrics.correlation import pearson
from tenor.model.folder import read_folder
from tenor.model.torch_heads import save_trained
from tenor.text.problems import Problems
from tenor.use.classify import classify, classify_file
from tenor.use.evaluate import evaluate

CONFIGS = {
    "mood": config("classify"),
    "topics": config("classify", multi_label="|"),
    "layers": config("classify", pooling="mean@mix", head="mlp"),
    "alike": config("pair", features=("abs", "jaccard")),
    "joint": config("pair", encoding="cross"),
    "score": config("similarity"),
    "found": config("contrastive"),
}
TEXTS = ["the cat sat", "good food", "a dog ran home", "bad water", "the old man", "no"]


@pytest.fixture(scope="module")
def folder(tiny_folder, tmp_path_factory):
    place = tmp_path_factory.mktemp("classify") / "model"
    save_trained(network_of(tiny_folder, CONFIGS), read_folder(tiny_folder), place, name="tiny")
    return place


@pytest.fixture(scope="module")
def model(folder):
    return tenor.load(folder, precision="fp32")


@pytest.fixture
def command(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run_here(*arguments):
        try:
            run([*map(str, arguments), "--model", str(folder), "--precision", "fp32"])
            code = 0
        except SystemExit as end:
            code = end.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run_here


def test_texts_get_the_answers_of_all_tasks_about_texts(model):
    found = classify(model, TEXTS)
    assert [list(answers) for answers in found] == [["mood", "topics", "layers"]] * len(TEXTS)
    for name in ("mood", "layers"):
        probabilities = model.predict(name, [[text] for text in TEXTS])
        for answers, row in zip(found, probabilities, strict=True):
            assert list(answers[name].probabilities.values()) == pytest.approx(row.tolist(), abs=1e-6)
            assert answers[name].label == "ab"[row.argmax()]
            assert sum(answers[name].probabilities.values()) == pytest.approx(1)
    several = model.predict("topics", [[text] for text in TEXTS])
    for answers, row in zip(found, several, strict=True):
        assert answers["topics"].labels == tuple(np.array(["a", "b", "c"])[row >= 0.5])


def test_pairs_get_the_answers_of_tasks_about_pairs(model):
    pairs = list(zip(TEXTS, TEXTS[::-1], strict=True))
    found = classify(model, pairs)
    assert list(found[0]) == ["alike", "joint", "score"]
    scores = model.predict("score", pairs)
    assert [answers["score"].score for answers in found] == pytest.approx(scores.tolist())
    only = classify(model, pairs, tasks=["joint"])
    assert [list(answers) for answers in only] == [["joint"]] * len(pairs)


def test_a_single_text_is_not_read_letter_by_letter(model):
    with pytest.raises(TypeError, match="list of its own"):
        classify(model, "the cat sat")
    with pytest.raises(TypeError, match="list of its own"):
        model.predict("mood", "the cat sat")
    np.testing.assert_array_equal(
        model.predict("mood", ["the cat sat", "no"]), model.predict("mood", [("the cat sat",), ("no",)])
    )


@pytest.mark.parametrize("task", ["alike", "joint"])
def test_a_pair_task_says_that_it_needs_two_texts(model, task):
    for rows in ([("the cat sat",)], ["the cat sat"]):
        with pytest.raises(TenorError, match=r"a tuple of 2 texts per row, but row 0 \(from 0\) is"):
            model.predict(task, rows)


def test_none_and_wrong_ones(model, tiny_folder):
    assert classify(model, []) == []
    with pytest.raises(TypeError, match="not a mixture"):
        classify(model, ["a", ("b", "c")])
    with pytest.raises(TenorError, match="Task mood is about single texts, but pairs were given"):
        classify(model, [("a", "b")], tasks=["mood"])
    with pytest.raises(TenorError, match="Task alike is about two texts"):
        classify(model, ["a"], tasks=["alike"])
    with pytest.raises(TenorError, match="gives vectors"):
        classify(model, [("a", "b")], tasks=["found"])
    with pytest.raises(TenorError, match="no task about single texts"):
        classify(tenor.load(tiny_folder), ["a"])


def test_a_file_is_read_in_windows_and_gives_the_same(model, tmp_path, monkeypatch):
    monkeypatch.setattr("tenor.use.classify.classifying.WINDOW_ROWS", 2)
    (tmp_path / "a.csv").write_text("id,text\n" + "".join(f"{n},{text}\n" for n, text in enumerate(TEXTS)))
    done = []
    rows = list(classify_file(model, tmp_path / "a.csv", problems=Problems(), progress=done.append))
    assert [row.example.text for row in rows] == TEXTS
    for row, answers in zip(rows, classify(model, TEXTS), strict=True):
        np.testing.assert_allclose(
            list(row.answers["mood"].probabilities.values()),
            list(answers["mood"].probabilities.values()),
            atol=1e-5,
        )
    assert sum(done) == len(TEXTS)


def test_the_command_prints_labels_with_probabilities(command, tmp_path):
    (tmp_path / "a.txt").write_text("the cat sat\n\ngood food\n")
    code, printed, noted = command("classify", "a.txt", "--task", "mood")
    assert code == 0
    header, first, second = [line.split("\t") for line in printed.splitlines()]
    assert header == ["line", "mood", "mood:a", "mood:b", "text"]
    assert (first[0], second[0], second[-1]) == ("1", "3", "good food")
    assert float(first[2]) + float(first[3]) == pytest.approx(1, abs=2e-4)
    assert first[1] == ("a" if float(first[2]) > 0.5 else "b")
    assert "a.txt:2: the text is empty" in noted


def test_the_command_writes_csv_where_the_name_says_so(command, tmp_path):
    text = 'the cat, "sat"\n' + "very long " * 100
    (tmp_path / "in.jsonl").write_text(json.dumps({"text": text}) + "\n")
    command("classify", "in.jsonl", "--column", "text", "--task", "mood", "--out", "c.csv")
    with (tmp_path / "c.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["text"] == text
    assert row["line"] == "1"


def test_the_command_keeps_the_columns_of_the_input_and_writes_what_the_name_says(command, tmp_path):
    (tmp_path / "in.csv").write_text("ID,mood,Review\n007,sad,the cat sat\n8,,good food\n")
    files = ("c.csv", "c.tsv", "c.jsonl", "c.json", "c.parquet")
    for name in files:
        assert command("classify", "in.csv", "--column", "review", "--task", "mood", "--out", name)[0] == 0
    with (tmp_path / "c.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    with (tmp_path / "c.tsv").open(newline="") as file:
        assert list(csv.DictReader(file, delimiter="\t")) == table
    # The column of labels in the input is kept, and ours has another name beside it.
    assert list(table[0]) == ["ID", "mood", "Review", "line", "tenor_mood", "mood:a", "mood:b"]
    assert [(row["ID"], row["mood"], row["line"]) for row in table] == [("007", "sad", "2"), ("8", "", "3")]
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert [line["tasks"]["mood"]["label"] for line in lines] == [row["tenor_mood"] for row in table]
    assert json.loads((tmp_path / "c.json").read_text()) == lines
    parquet = pq.read_table(tmp_path / "c.parquet")
    assert [str(field.type) for field in parquet.schema] == (
        ["string"] * 3 + ["int64", "string", "double", "double"]
    )
    assert parquet.column("mood:a").to_pylist() == [float(row["mood:a"]) for row in table]


def test_standard_output_by_a_dash_is_csv_or_json_lines(command, tmp_path):
    (tmp_path / "in.txt").write_text("the cat sat\n")
    code, printed, _ = command("classify", "in.txt", "--task", "mood", "--out", "-")
    assert code == 0
    header, row = csv.reader(printed.splitlines())
    assert (header[:3], row[:2]) == (["text", "line", "mood"], ["the cat sat", "1"])
    _, printed, _ = command("classify", "in.txt", "--task", "mood", "--out", "-", "--json")
    assert json.loads(printed)["text"] == "the cat sat"


def test_the_command_writes_no_format_that_its_name_does_not_say(command, tmp_path):
    (tmp_path / "in.txt").write_text("the cat sat\n")
    _, _, error = command("classify", "in.txt", "--task", "mood", "--out", "c.docx")
    assert "expected .csv, .tsv, .jsonl, .json or .parquet" in error
    assert not (tmp_path / "c.docx").exists()
    code, _, error = command("classify", "in.txt", "--task", "mood", "--out", "in.txt")
    assert (code, "is the file that is to be read" in error) == (2, True)


def test_quiet_says_that_rows_were_lost_and_the_encoding_guessed(command, tmp_path):
    (tmp_path / "in.txt").write_bytes(b"caf\xe9 good\n\nthe cat\n")
    code, _, noted = command("classify", "in.txt", "--task", "mood", "--quiet", "--out", "o.jsonl")
    assert code == 0
    assert "in.txt:2: the text is empty" in noted
    assert "in.txt is not UTF-8" in noted
    assert json.loads((tmp_path / "o.jsonl").read_text().splitlines()[0])["text"] == "café good"
    _, _, noted = command("classify", "in.txt", "--task", "mood", "--encoding", "cp1252", "--out", "o.jsonl")
    assert "not UTF-8" not in noted


def test_unknown_words_are_warned_of(command, tmp_path):
    (tmp_path / "in.txt").write_text("😀 🍕 🚀\nthe cat\n", encoding="utf-8")
    assert "unknown to" in command("classify", "in.txt", "--task", "mood")[2]


def test_the_command_writes_json_lines(command, tmp_path):
    (tmp_path / "p.tsv").write_text(
        "question1\tquestion2\nthe cat sat\ta cat sat\nthe dog ran\tgood food is\n"
    )
    code, printed, _ = command("classify", "p.tsv", "--task", "alike", "--task", "score", "--out", "o.jsonl")
    assert (code, printed) == (0, "2 rows in o.jsonl.\n")
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert (rows[0]["question1"], rows[0]["question2"], rows[0]["line"]) == ("the cat sat", "a cat sat", 2)
    assert set(rows[0]["tasks"]) == {"alike", "score"}
    assert set(rows[0]["tasks"]["alike"]["probabilities"]) == {"a", "b"}
    assert isinstance(rows[0]["tasks"]["score"]["score"], float)
    code, _, noted = command("classify", "missing.txt")
    assert code == 2
    assert "missing.txt does not exist" in noted
    assert command("classify", "p.tsv", "--task", "mod")[0] == 2


@pytest.fixture
def labelled(tmp_path):
    rows = [f"{text}\t{'good' if n % 3 else 'bad'}" for n, text in enumerate(TEXTS * 3)]
    (tmp_path / "l.tsv").write_text("text\tlabel\n" + "\n".join(rows) + "\n")
    return tmp_path / "l.tsv"


def test_evaluation_is_that_of_scikit_learn(model, labelled):
    rename = {"good": "a", "bad": "b"}
    found = evaluate(model, labelled, task="mood", rename=rename, problems=Problems())
    told = [answers["mood"].label for answers in classify(model, TEXTS * 3)]
    truth = ["a" if n % 3 else "b" for n in range(18)]
    assert found.rows == 18
    assert found.scores["accuracy"].estimate == pytest.approx(accuracy_score(truth, told))
    assert found.scores["f1_macro"].estimate == pytest.approx(f1_score(truth, told, average="macro"))
    assert found.confusion == tuple(map(tuple, confusion_matrix(truth, told).tolist()))
    json.dumps(found.to_json())


def test_labels_that_the_task_does_not_know_are_told(model, labelled):
    with pytest.raises(TenorError, match=r"l.tsv:2: the label 'bad' is none of task mood: 'a', 'b'"):
        evaluate(model, labelled, task="mood", problems=Problems())


def test_a_label_that_the_task_does_not_have_leaves_its_row_out(model, command, labelled):
    some = {"good": "a"}
    problems = Problems()
    found = evaluate(model, labelled, task="mood", rename=some, problems=problems)
    assert (found.rows, found.left_out, problems.count) == (12, 6, 6)
    assert "the label 'bad' is none of task mood" in problems.first[0].what
    assert problems.first[0].what.endswith("left out of the scores")
    told = [answers["mood"].label for answers in classify(model, TEXTS * 3)]
    right = [label == "a" for number, label in enumerate(told) if number % 3]
    assert found.scores["accuracy"].estimate == pytest.approx(np.mean(right))
    assert found.accuracy_with_left_out == pytest.approx(sum(right) / 18)
    code, printed, noted = command("evaluate", labelled, "--task", "mood", "--labels", "good=a", "--quiet")
    assert code == 0
    assert "6 rows left out, whose label or score the task does not have. Counted as wrong" in printed
    assert f"accuracy would be {sum(right) / 18:.3f}" in printed
    assert "6 problems" in noted
    code, _, noted = command("evaluate", labelled, "--task", "mood", "--labels", "good=a", "--strict")
    assert (code, "l.tsv:2: the label 'bad'" in noted) == (2, True)


def test_evaluation_takes_an_encoding(command, tmp_path):
    (tmp_path / "l.csv").write_bytes("Text,Label\nthe café,é\ngood food,a\nthe cat,b\n".encode("cp1250"))
    given = ("evaluate", "l.csv", "--task", "mood", "--columns", "text=text,label=LABEL")
    _, printed, noted = command(*given, "--labels", "é=a", "--encoding", "cp1250")
    assert "3 rows" in printed
    assert noted == ""


def test_scores_of_pairs_and_plain_cosines(model, tiny_folder, tmp_path):
    examples = [replace(each, second=TEXTS[n]) for n, each in enumerate(examples_of("similarity")[:6])]
    rows = [f"{each.first}\t{each.second}\t{each.score}" for each in examples]
    (tmp_path / "s.tsv").write_text("first\tsecond\tscore\n" + "\n".join(rows) + "\n")
    columns = {"first": "first", "second": "second", "score": "score"}
    pairs, gold = [each.texts for each in examples], [each.score for each in examples]
    found = evaluate(model, tmp_path / "s.tsv", task="score", columns=columns, problems=Problems())
    expected = float(pearson(gold, model.predict("score", pairs)))
    assert found.scores["pearson"].estimate == pytest.approx(expected)
    plain = tenor.load(tiny_folder, precision="fp32")
    first, second = (plain.encode([pair[side] for pair in pairs]) for side in range(2))
    cosines = (first * second).sum(axis=1)
    found = evaluate(plain, tmp_path / "s.tsv", columns=columns, problems=Problems())
    assert found.task == "cosine"
    assert found.scores["pearson"].estimate == pytest.approx(float(pearson(gold, cosines)), abs=1e-4)
    columns = {"first": "first", "second": "second"}
    found = evaluate(model, tmp_path / "s.tsv", task="found", columns=columns, problems=Problems())
    assert 0 < found.scores["mrr"].estimate <= 1


def test_the_command_prints_scores_and_the_table(command, labelled):
    code, printed, _ = command("evaluate", labelled, "--task", "mood", "--labels", "good=a,bad=b")
    assert code == 0
    assert "accuracy" in printed
    assert "true \\ predicted" in printed
    code, printed, _ = command("evaluate", labelled, "--task", "mood", "--labels", "good=a,bad=b", "--json")
    assert json.loads(printed)["scores"]["accuracy"]["low"] >= 0
    for wrong, words in {
        ("--labels", "good"): "Expected names and values",
        ("--columns", "text=nothing,label=label"): "no column 'nothing'",
        ("--columns", "txt=text,label=label"): "Did you mean 'text'",
    }.items():
        code, _, noted = command("evaluate", labelled, "--task", "mood", *wrong)
        assert code == 2
        assert words in noted
    code, _, noted = command("evaluate", labelled)
    assert code == 2
    assert "Name a task" in noted


def test_rows_without_a_label_are_scored_by_a_task_of_several(tiny_folder, tmp_path):
    rows = [("the cat", "a|b"), ("the dog", "a"), ("a river", ""), ("an old house", "b")] * 4
    task = {"kind": "classify", "multi_label": "|", "train": rows}
    trained = tenor.train(tiny_folder, {"many": task}, epochs=1, encoder_lr=1e-4)
    file = tmp_path / "rows.csv"
    file.write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in rows))
    problems = Problems()
    found = evaluate(trained.load(), file, task="many", problems=problems, repeats=2)
    assert (found.rows, problems.count) == (16, 0)


def test_a_file_is_read_as_the_tasks_were_trained(tiny_folder, tmp_path):
    lines = [f"{row},good old day {row},the cat sat on it,{'xy'[row % 2]}" for row in range(12)]
    (tmp_path / "train.csv").write_text("\n".join(["n,heading,story,mood", *lines]) + "\n")
    (tmp_path / "new.csv").write_text("heading,story\na good day,the old man sat here\nbad food,no water\n")
    task = {"kind": "classify", "train": tmp_path / "train.csv"}
    for column in ("heading", "story"):
        columns = {"text": column, "label": "mood"}
        model = tenor.train(tiny_folder, {"mood": task | {"columns": columns}}, epochs=1).load()
        read = classify_file(model, tmp_path / "new.csv", problems=Problems())
        expected = {"heading": ["a good day", "bad food"], "story": ["the old man sat here", "no water"]}
        assert [each.example.text for each in read] == expected[column]
        named = classify_file(model, tmp_path / "new.csv", column="heading", problems=Problems())
        assert [each.example.text for each in named] == expected["heading"]


def test_a_model_of_pairs_reads_pairs_without_being_told(tiny_folder, tmp_path):
    lines = [f"the cat {row},a dog {row},{'xy'[row % 2]}" for row in range(12)]
    (tmp_path / "train.csv").write_text("\n".join(["mine,yours,same", *lines]) + "\n")
    columns = {"first": "yours", "second": "mine", "label": "same"}
    task = {"kind": "pair", "train": tmp_path / "train.csv", "columns": columns}
    model = tenor.train(tiny_folder, {"same": task}, epochs=1).load()
    first = next(iter(classify_file(model, tmp_path / "train.csv", problems=Problems())))
    assert first.example.texts == ("a dog 0", "the cat 0")
    (tmp_path / "other.csv").write_text("q1,q2\nthe old man,the man\n")
    (only,) = classify_file(model, tmp_path / "other.csv", problems=Problems())
    assert (only.example.texts, set(only.answers)) == (("the old man", "the man"), {"same"})


def test_a_text_in_place_of_a_file_is_told_what_to_do(command):
    code, _, error = command("classify", "I love it", "--task", "mood")
    assert code == 2
    assert "A file is expected here; texts themselves can be given by '-'" in error
