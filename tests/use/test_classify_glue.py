"""GLUE from its official files to the file that its server takes."""

import pytest

import tenor
from tenor.cli.main import run as run_and_exit
from tenor.errors import TenorError
from tenor.text.glue import GLUE
from tenor.training.init_config import write_draft
from tenor.training.runfile import read_run
from tenor.use.classify.glue import answer_glue


def run(arguments):
    with pytest.raises(SystemExit) as end:
        run_and_exit(arguments)
    return end.value.code or 0


ROWS = [("the cat sat", "a cat sat", "1"), ("the old man", "we eat food", "0")] * 4


@pytest.fixture
def folder(tmp_path):
    """MRPC and STS-B as they come."""
    for name, first, second, answer in (
        ("MRPC", "#1 String", "#2 String", "Quality"),
        ("STS-B", "sentence1", "sentence2", "score"),
    ):
        own = tmp_path / name
        own.mkdir()
        lines = ["\t".join((first, second, answer)), *("\t".join(row) for row in ROWS)]
        for part in ("train", "dev"):
            (own / f"{part}.tsv").write_text("\n".join(lines) + "\n")
        tested = [f"index\t{first}\t{second}", "0\tthe cat\ta cat", '1\t\tthe "man', "2\tgood food\tbad food"]
        (own / "test.tsv").write_text("\n".join(tested) + "\n")
    return tmp_path


@pytest.mark.parametrize(("name", "where"), [("mrpc", "MRPC"), ("stsb", "STS-B")])
def test_from_official_files_to_answers(folder, tiny_folder, name, where, capsys):
    run_file = folder / "runs" / "glue.toml"
    run_file.parent.mkdir()
    assert run(["init", str(folder / where), "--glue", name, "--out", str(run_file), "--quiet"]) == 0
    assert read_run(run_file).tasks[name].train.resolve() == (folder / where / "train.tsv").resolve()
    settings = (f"encoder={tiny_folder}", "training.epochs=1", "max_tokens=40")
    given = [part for setting in settings for part in ("--set", setting)]
    assert run(["train", str(run_file), *given, "--out", str(folder / "out"), "--quiet"]) == 0
    capsys.readouterr()
    model, answers = folder / "out" / "model", folder / "new" / "answers"
    test = str(folder / where / "test.tsv")
    assert run(["classify", test, "--glue", name, "--model", str(model), "--out", str(answers)]) == 0
    assert "3 answers" in capsys.readouterr().out
    header, *lines = (answers / GLUE[name].file).read_text().splitlines()
    assert header == "index\tprediction"
    assert [line.split("\t")[0] for line in lines] == ["0", "1", "2"]
    said = [line.split("\t")[1] for line in lines]
    if name == "mrpc":
        assert set(said) <= {"0", "1"}
    else:
        pairs = [("the cat", "a cat"), ("", 'the "man'), ("good food", "bad food")]
        wanted = tenor.load(model).predict(name, pairs)
        assert [float(each) for each in said] == pytest.approx(wanted.clip(0, 5).tolist(), abs=2e-3)


def test_what_cannot_be_answered_is_said(folder, tiny_folder, tmp_path):
    with pytest.raises(TenorError, match="official files of rte"):
        write_draft(folder / "RTE", out=tmp_path / "rte.toml", glue="rte")
    with pytest.raises(TenorError, match=r"GLUE has no task 'mprc'.*mrpc"):
        write_draft(folder / "MRPC", out=tmp_path / "x.toml", glue="mprc")
    model = tenor.load(tiny_folder)
    with pytest.raises(TenorError, match="mrpc"):
        answer_glue(model, GLUE["mrpc"], folder / "MRPC" / "test.tsv", tmp_path)
    for arguments in (["--glue", "mrpc"], ["--glue", "mrpc", "--out", "o", "--json"]):
        test = str(folder / "MRPC" / "test.tsv")
        assert run(["classify", test, "--model", str(tiny_folder), *arguments]) == 2
    assert (
        run(["classify", test, "--model", str(tiny_folder), "--glue", "mrpc", "--out", str(tmp_path / "o")])
        == 2
    )
    assert not (tmp_path / "o").exists()
    assert not list(tmp_path.glob("*.toml"))
