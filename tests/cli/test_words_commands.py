"""`tenor words …` as a person calls it."""

import json
import sys

import numpy as np
import pytest

from tenor.cli.main import run
from tenor.words import WordVectors

WORDS = ["king", "queen", "man", "woman", "Paris", "x"]
TABLE = [[1, 0, 1], [1, 1, 1], [0.1, 0, 1], [0.1, 1, 1], [-1, 0.3, 0], [0, 0, -1]]


@pytest.fixture
def tenor(tmp_path, monkeypatch, capsys):
    """Run the command in this process, in a folder with a file of vectors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    WordVectors(WORDS, TABLE).save("v.vec")

    def run_here(*arguments):
        try:
            run(["words", *map(str, arguments)])
            code = 0
        except SystemExit as end:
            code = end.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run_here


def test_help_names_all_commands_and_imports_none(tenor):
    for name in [name for name in sys.modules if name.startswith("tenor.cli.words.")]:
        del sys.modules[name]
    code, printed, _ = tenor("--help")
    assert code == 0
    from tenor.cli.words import COMMANDS

    assert all(name in printed for name in COMMANDS)
    assert not [name for name in sys.modules if name.startswith("tenor.cli.words.")]


def test_every_command_has_a_help(tenor):
    from tenor.cli.words import COMMANDS

    for name in COMMANDS:
        code, printed, noted = tenor(name, "--help")
        assert code == 0, noted
        assert "Usage: tenor words" in printed


def test_neighbours_analogy_similarity(tenor):
    code, printed, noted = tenor("neighbours", "v.vec", "king", "-k", 2)
    assert code == 0, noted
    assert printed.split()[0] == "king"
    assert len(printed.strip().splitlines()) == 3
    _, printed, _ = tenor("neighbours", "v.vec", "king", "man", "--json", "--method", "csls", "-k", 1)
    assert list(json.loads(printed)) == ["king", "man"]
    _, printed, _ = tenor("analogy", "v.vec", "man", "king", "woman", "-k", 1, "--json")
    assert json.loads(printed)["answers"][0]["word"] == "queen"
    _, printed, _ = tenor("similarity", "v.vec", "man", "man")
    assert printed == "1.0000\n"
    code, _, noted = tenor("similarity", "v.vec", "man", "Queen")
    assert code == 2
    assert "Did you mean 'queen'" in noted


def test_info_and_convert_and_what_is_wrong(tenor, tmp_path):
    (tmp_path / "bad.txt").write_text("a 1 2\nb 3\na 4 5\nc 6 7\n")
    code, printed, noted = tenor("info", "bad.txt")
    assert code == 0
    assert "words                    2" in printed
    assert "2 problems" in noted
    assert "bad.txt:2: the line has 1 numbers" in noted
    code, _, noted = tenor("info", "bad.txt", "--strict")
    assert (code, "bad.txt:2" in noted) == (2, True)
    assert tenor("convert", "v.vec", "--out", "v.safetensors", "--lowercase", "--limit", 5)[0] == 0
    assert list(WordVectors.load("v.safetensors").words) == ["king", "queen", "man", "woman", "paris"]
    _, printed, _ = tenor("info", "v.safetensors", "--json")
    assert json.loads(printed)["words"] == 5
    code, _, noted = tenor("convert", "v.vec", "--out", "v.pkl")
    assert (code, "ending" in noted) == (2, True)


def test_postprocess_by_method_file_and_fitted(tenor, tmp_path):
    code, _, noted = tenor(
        "postprocess",
        "v.vec",
        "--method",
        "whiten",
        "--components",
        2,
        "--out",
        "w.safetensors",
        "--save-fitted",
        "fit",
    )
    assert code == 0, noted
    made = WordVectors.load("w.safetensors")
    assert made.vector_size == 2
    assert tenor("postprocess", "v.vec", "--fitted", "fit", "--out", "again.safetensors")[0] == 0
    np.testing.assert_array_equal(WordVectors.load("again.safetensors").vectors, made.vectors)
    assert (
        tenor("postprocess", "v.vec", "--method", "nth-order", "--alpha", "-0.25", "--out", "n.vec")[0] == 0
    )
    (tmp_path / "steps.toml").write_text('[[step]]\nmethod = "centre"\n[[step]]\nmethod = "unit"\n')
    assert tenor("postprocess", "v.vec", "--pipeline", "steps.toml", "--out", "p.safetensors")[0] == 0
    assert np.linalg.norm(WordVectors.load("p.safetensors").vectors, axis=1) == pytest.approx([1] * 6)
    _, printed, _ = tenor("postprocess", "v.vec", "--list")
    assert "whiten" in printed


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--method", "whiten"], "--out"),
        (["--out", "o.vec"], "Choose one of"),
        (["--method", "whiten", "--pipeline", "x", "--out", "o.vec"], "Choose one of"),
        (["--method", "whitn", "--out", "o.vec"], "Did you mean 'whiten'"),
        (["--method", "whiten", "--component", "2", "--out", "o.vec"], "Did you mean 'components'"),
        (["--pipeline", "none.toml", "--out", "o.vec"], "none.toml"),
        (["--pipeline", "none.toml", "--alpha", "1", "--out", "o.vec"], "not an option"),
        (["--method", "nth-order", "--alpha", "-9e9", "--out", "o.vec"], "alpha"),
    ],
    ids=["out", "none", "two", "method", "setting", "file", "stray", "blow-up"],
)
def test_postprocess_mistakes(tenor, arguments, says, tmp_path):
    code, _, noted = tenor("postprocess", "v.vec", *arguments)
    assert code == 2
    assert says in noted
    assert not (tmp_path / "o.vec").exists()


@pytest.mark.parametrize("method", ["skip-gram", "ppmi-svd"])
def test_train_and_use(tenor, tmp_path, method):
    lines = ["the king rules the land", "the queen rules the land", "a dog barks", "a cat sleeps"] * 10
    (tmp_path / "text.txt").write_text("\n".join(lines))
    code, _, noted = tenor(
        "train",
        "text.txt",
        "--method",
        method,
        "--vector-size",
        4,
        "--min-count",
        2,
        "--out",
        "t.safetensors",
    )
    assert code == 0, noted
    made = WordVectors.load("t.safetensors")
    assert made.words[0] == "the"
    assert (made.counts[0], made.contexts.shape) == (40, made.vectors.shape)
    code, _, noted = tenor("train", "text.txt", "--min-count", 99, "--out", "u.safetensors")
    assert (code, "--min-count" in noted) == (2, True)


def test_evaluate_prints_and_draws(tenor, tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/pairs.tsv").write_text(
        "king\tqueen\t9\nman\twoman\t8\nking\tParis\t1\nman\tnowhere\t2\n"
    )
    code, printed, noted = tenor("evaluate", "v.vec", "v.vec", "--tests", "tests", "--plot", "p.svg")
    assert code == 0, noted
    assert "similarity pairs" in printed
    assert "3/4" in printed
    assert (tmp_path / "p.svg").read_text().startswith("<svg")
    _, printed, _ = tenor("evaluate", "v.vec", "--tests", "tests", "--json")
    assert json.loads(printed)["results"][0]["used"] == 3
    code, _, noted = tenor("evaluate", "v.vec", "--tests", "tests", "--kind", "taste")
    assert (code, "no kind of test" in noted) == (2, True)


def test_names_that_lead_nowhere(tenor):
    code, _, noted = tenor("info", "glove-30d")
    assert (code, "Did you mean 'glove-300d'" in noted) == (2, True)
    code, _, noted = tenor("info", "minilm")
    assert (code, "Known are: glove-300d" in noted) == (2, True)
    code, _, noted = tenor("postprocess", "--method", "whiten", "--components", 2, "v.vec", "--out", "o.vec")
    assert (code, "The vectors come first" in noted) == (2, True)


def test_a_mistyped_command_names_the_nearest(tenor):
    code, _, noted = tenor("neighbour")
    assert code == 2
    assert "Did you mean 'neighbours'" in noted


def test_evaluate_takes_a_single_file_and_reports_what_it_cannot_read(tenor, tmp_path):
    pairs = "word1,word2,score\nking,queen,9\nman,woman,8\nking,Paris,1\n"
    (tmp_path / "pairs.csv").write_text(pairs)
    code, printed, noted = tenor("evaluate", "v.vec", "--tests", "pairs.csv")
    assert (code, "3/3" in printed) == (0, True), noted
    (tmp_path / "some").mkdir()
    (tmp_path / "some/pairs.csv").write_text(pairs)
    (tmp_path / "some/prose.txt").write_text("Nothing here.\nNor here, nor there.\n")
    code, printed, noted = tenor("evaluate", "v.vec", "--tests", "some")
    assert (code, "3/3" in printed, "Not used: prose.txt" in noted) == (0, True, True)
    _, printed, _ = tenor("evaluate", "v.vec", "--tests", "some", "--json")
    assert json.loads(printed)["skipped"][0]["test"] == "prose.txt"
    code, _, noted = tenor("evaluate", "v.vec", "--tests", "some/prose.txt")
    assert (code, "no pairs of words with a score" in " ".join(noted.split())) == (2, True)


@pytest.mark.parametrize("command", ["train", "combine", "postprocess"])
def test_the_target_is_looked_at_before_any_work(tenor, tmp_path, monkeypatch, command):
    def fail(*_, **__):
        raise AssertionError("worked before it looked at --out")

    monkeypatch.setattr("tenor.words.corpus.read_corpus", fail)
    monkeypatch.setattr("tenor.words.reading.load", fail)
    (tmp_path / "text.txt").write_text("a b c\n" * 50)
    (tmp_path / "file").write_text("")
    given = {
        "train": ["train", "text.txt"],
        "combine": ["combine", "v.vec", "v.vec"],
        "postprocess": ["postprocess", "v.vec", "--method", "unit"],
    }[command]
    refused = {
        "x.docx": "chosen by the ending",
        ".": "ending",
        "file/x.vec": "no folder",
        "no/x.vec": "not exist",
    }
    for out, says in refused.items():
        code, _, noted = tenor(*given, "--out", out)
        assert (code, says in " ".join(noted.split())) == (2, True), noted


def test_unknown_words_are_made_from_subwords(tenor, tmp_path):
    from tenor.words.subwords import Subwords

    table = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    WordVectors(WORDS, TABLE, subwords=Subwords(table, min_n=3, max_n=4)).save("f.safetensors")
    code, _, noted = tenor("similarity", "f.safetensors", "king", "kingly")
    assert (code, "no vector for 'kingly'" in noted) == (2, True)
    code, printed, noted = tenor("similarity", "f.safetensors", "king", "kingly", "--oov", "subword")
    assert (code, "1 unknown word" in noted) == (0, True)
    expected = WordVectors.load("f.safetensors").with_subwords_for(["kingly"]).similarity("king", "kingly")
    assert printed.strip() == f"{expected:.4f}"
    code, printed, _ = tenor("neighbours", "f.safetensors", "kingly", "-k", 2, "--oov", "subword")
    assert (code, "kingly" in printed.splitlines()[1:]) == (0, False)
    (tmp_path / "pairs.csv").write_text("king,queen,9\nman,womanly,8\nking,kingly,1\n")
    code, printed, _ = tenor("evaluate", "f.safetensors", "--tests", "pairs.csv", "--oov", "subword")
    assert (code, "3/3" in printed) == (0, True)
    code, _, noted = tenor("similarity", "v.vec", "king", "kingly", "--oov", "subword")
    assert (code, "has no subwords" in noted) == (2, True)
