"""GLUE's files as published, written here in small, and answers as the server wants them."""

import pytest

from tenor.errors import TenorError
from tenor.text.glue import GLUE, glue_file, glue_task, read_glue, write_answers
from tenor.text.problems import Problems

TRAIN = {
    "mrpc": '\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\tHe said "no.\tNo, he said.\n',
    "stsb": "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
    "0\tm\tf\t2012\t1\tn\tn\tA plane.\tA jet.\t4.750\n",
    "qqp": "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n1\t2\t3\tWhy?\tHow so?\t1\n",
    "mnli": "index\tsentence1\tsentence2\tlabel1\tgold_label\n0\tIt rains.\tIt pours.\tneutral\tneutral\n",
    "mnli-mm": "index\tsentence1\tsentence2\tlabel1\tgold_label\n0\tIt rains.\tWet.\tneutral\tentailment\n",
    "rte": "index\tsentence1\tsentence2\tlabel\n0\tA died.\tA lived.\tnot_entailment\n",
    "qnli": "index\tquestion\tsentence\tlabel\n0\tWho?\tShe did.\tentailment\n",
    "sst2": "sentence\tlabel\na fine film \t1\n",
    "cola": "gj04\t1\t\tOne more and I'm off.\r\n",
}
GOLD = {
    "mrpc": "1", "stsb": 4.75, "qqp": "1", "mnli": "neutral", "mnli-mm": "entailment",
    "rte": "not_entailment", "qnli": "entailment", "sst2": "1", "cola": "1",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(GLUE))
def test_train_and_test_files(name, tmp_path):
    task = glue_task(name)
    path = tmp_path / "train.tsv"
    path.write_text(TRAIN[name], encoding="utf-8")
    (example,) = read_glue(task, path, problems=Problems(strict=True))
    assert (example.score if task.kind == "similarity" else example.label) == GOLD[name]
    assert len(example.texts) == len(task.texts)
    assert example.origin.line == (1 if name == "cola" else 2)
    cells = {text: f"text {n}" for n, text in enumerate(task.texts)}
    path.write_text("\t".join(["index", *cells]) + "\n" + "\t".join(["0", *cells.values()]) + "\n")
    (example,) = read_glue(task, path, part="test", problems=Problems(strict=True))
    assert example.texts == tuple(cells.values())
    assert example.label is None
    assert example.score is None


def test_a_quote_is_a_character(tmp_path):
    path = tmp_path / "train.tsv"
    path.write_text(TRAIN["mrpc"] + '0\t1\t2\t"Open\t"Shut"\n', encoding="utf-8")
    assert [each.first for each in read_glue(GLUE["mrpc"], path, problems=Problems())] == [
        'He said "no.',
        '"Open',
    ]


def test_bad_rows_are_told(tmp_path):
    path = tmp_path / "dev.tsv"
    rows = ["0\tA\tB\tentailment", "1\tA", "2\tA\t \tentailment", "3\tA\tB\tmaybe"]
    path.write_text("\n".join(["index\tsentence1\tsentence2\tlabel", *rows]), encoding="utf-8")
    problems = Problems()
    assert len(list(read_glue(GLUE["rte"], path, problems=problems))) == 1
    assert [problem.origin.line for problem in problems.first] == [3, 4, 5]
    with pytest.raises(TenorError, match="has no column 'question'"):
        list(read_glue(GLUE["qnli"], path, problems=Problems()))
    path.write_text("index\tsentence1\tsentence2\tlabel\n0\tA\tB\tmaybe\n")
    with pytest.raises(TenorError, match="no rows of rte"):
        list(read_glue(GLUE["rte"], path, problems=Problems()))
    for score in ("nan", "inf", "5.1", "x"):
        path.write_text(TRAIN["stsb"].replace("4.750", score))
        with pytest.raises(TenorError, match="no rows of stsb"):
            list(read_glue(GLUE["stsb"], path, problems=Problems()))
    with pytest.raises(TenorError, match="no task 'mprc'"):
        glue_task("mprc")


def test_no_row_of_a_test_file_is_left_out(tmp_path):
    """Answers are numbered by the row: one that is missing would shift all that follow."""
    task, path = GLUE["rte"], tmp_path / "test.tsv"
    path.write_text("index\tsentence1\tsentence2\n0\ta\tb\n1\t\tb\n2\tc\td\n")
    found = list(read_glue(task, path, part="test", problems=Problems(strict=True)))
    assert [(each.first, each.second) for each in found] == [("a", "b"), ("", "b"), ("c", "d")]
    path.write_text("index\tsentence1\tsentence2\n0\ta\tb\n1\ta\n")
    with pytest.raises(TenorError, match=r"test\.tsv:3: 2 cells, where 3 are needed.*every row"):
        list(read_glue(task, path, part="test", problems=Problems()))


@pytest.mark.parametrize("rows", ["0\ta\tb\n2\tc\td\n", "1\ta\tb\n0\tc\td\n", "0\ta\tb\nx\tc\td\n"])
def test_a_test_file_has_its_rows_in_order(tmp_path, rows):
    path = tmp_path / "test.tsv"
    path.write_text(f"index\tsentence1\tsentence2\n{rows}")
    with pytest.raises(TenorError, match="comes next"):
        list(read_glue(GLUE["rte"], path, part="test", problems=Problems()))


def test_answers(tmp_path):
    path = write_answers(GLUE["mnli-mm"], ["neutral", "entailment"], tmp_path)
    assert path.name == "MNLI-mm.tsv"
    assert path.read_text() == "index\tprediction\n0\tneutral\n1\tentailment\n"
    with pytest.raises(TenorError, match="Answer 1 is '2'"):
        write_answers(GLUE["sst2"], ["1", "2"], tmp_path)
    assert not (tmp_path / "SST-2.tsv").exists()
    for odd in (float("nan"), float("inf"), "x"):
        with pytest.raises(TenorError, match="Answer 1 is"):
            write_answers(GLUE["stsb"], [1.0, odd], tmp_path)
    assert not (tmp_path / "STS-B.tsv").exists()
    with pytest.raises(TenorError, match="no answers to write"):
        write_answers(GLUE["rte"], [], tmp_path)
    assert write_answers(GLUE["mrpc"], [0, 1], tmp_path).read_text().endswith("0\t0\n1\t1\n")
    assert glue_file(GLUE["mnli-mm"], tmp_path, "dev").name == "dev_mismatched.tsv"
