"""`tenor transfer` as a person calls it."""

import json

import pytest

from paraphrase_corpus import aligned_pairs
from tenor.cli.main import run


@pytest.fixture
def tenor(tiny_folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    lines = ["one,two,id"]
    for number, pair in enumerate(aligned_pairs(30)):
        lines.append(f"{' '.join(pair.first)},{' '.join(pair.second)},{number}")
    (tmp_path / "pairs.csv").write_text("\n".join(lines) + "\n")

    def run_here(command, *arguments):
        try:
            run([command, *map(str, arguments)])
            code = 0
        except SystemExit as end:
            code = end.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return lambda *arguments: run_here("transfer", *arguments, "--model", tiny_folder), run_here


def test_pairs_become_an_encoder_that_explains(tenor, tmp_path):
    transfer, anything = tenor
    asked = ("pairs.csv", "--columns", "one,two", "--out", "out", "--batch-size", 5, "--max-tokens", 40)
    code, printed, noted = transfer(*asked)
    assert code == 0, noted
    assert "On 6 others: sentential accuracy" in printed
    assert "phrasal_accuracy" in noted, "a line for every evaluation"
    code, told, _ = anything("compare", "bami kelo", "bamix kelox", "--model", "out/explaining", "--json")
    assert code == 0
    phrases = json.loads(told)["phrases"]
    assert phrases
    code, _, noted = transfer(*asked)
    assert code == 2
    assert "is finished" in noted


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none.csv", "--out", "o"), "is not a file"),
        (("pairs.csv", "--out", "o", "--columns", "one"), "expected two columns"),
        (("pairs.csv", "--out", "o", "--columns", "one,three"), "three"),
        (("pairs.csv", "--out", "o", "--encoder-lr", "nan"), "learning rate"),
        (("pairs.csv", "--out", "o", "--epochs", "0"), "epochs"),
        (("pairs.csv", "--out", "o", "--variant", "4way"), "4way"),
        (("pairs.csv", "--out", "o", "--leave-out", "none.tsv"), "none.tsv is not a file"),
        (("pairs.csv", "--out", "pairs.csv"), "pairs.csv is a file"),
    ],
)
def test_mistakes_are_answered_with_a_sentence(tenor, tmp_path, arguments, said):
    transfer, _ = tenor
    code, _, noted = transfer(*arguments)
    assert code == 2
    assert said in noted
    assert "Traceback" not in noted
    assert not (tmp_path / "o" / "plain").exists()
