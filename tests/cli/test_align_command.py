"""`tenor align` as a person calls it."""

import json
import subprocess
import sys
from functools import partial

import pytest


@pytest.fixture
def tenor(on_tiny):
    return partial(on_tiny, "align")


def test_named_columns_and_a_bad_row(tenor, tmp_path):
    (tmp_path / "in.csv").write_text("id,one,two\n1,the cat sat,a cat sat\n2,the dog,\n")
    code, printed, noted = tenor("in.csv", "--columns", "one,two", "--out", "a.jsonl")
    assert code == 0, noted
    assert printed.startswith("1 pair")
    assert "in a.jsonl." in printed
    assert "in.csv:3: the second text is empty" in noted
    (line,) = (tmp_path / "a.jsonl").read_text().splitlines()
    record = json.loads(line)
    assert list(record)[:3] == ["id", "one", "two"]
    assert set(record) == {"id", "one", "two", "s", "t", "links", "alignments", "s_phrases", "t_phrases"}


def test_all_columns_are_kept_and_standard_output_gets_the_same_lines(tenor, tmp_path):
    rows = [
        {"id": 7, "s": "mine", "doc": {"q": "the cat sat", "a": "a cat sat"}, "tags": ["x", "y"]},
        {"id": 8, "s": None, "doc": {"q": "we read books", "a": "we read a book"}},
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert tenor("in.jsonl", "--columns", "doc.q,doc.a", "--out", "a.jsonl")[0] == 0
    code, printed, noted = tenor("in.jsonl", "--columns", "doc.q,doc.a", "--out", "-")
    assert (code, printed) == (0, (tmp_path / "a.jsonl").read_text()), noted
    found = [json.loads(line) for line in printed.splitlines()]
    assert [(line["id"], line["doc"], line["s_input"]) for line in found] == [
        (row["id"], row["doc"], row["s"]) for row in rows
    ]
    assert (found[0]["s"], found[0]["tags"]) == (["the", "cat", "sat"], ["x", "y"])
    assert not list(tmp_path.glob("-*"))


def test_blocks_can_be_chosen(tenor, tmp_path):
    text = "the old man read a good book"
    (tmp_path / "in.tsv").write_text(f"{text}\t{text}\n")
    counts = {}
    for blocks in ("all", "minimal", "maximal"):
        assert tenor("in.tsv", "--out", f"{blocks}.jsonl", "--blocks", blocks)[0] == 0
        counts[blocks] = len(json.loads((tmp_path / f"{blocks}.jsonl").read_text())["alignments"])
    assert counts["all"] > max(counts["minimal"], counts["maximal"]) > 0


def test_standard_input_in_a_process_of_its_own_without_torch(tiny_folder, tmp_path):
    code = "import sys; from tenor.cli.main import run\n"
    code += "try: run(sys.argv[1:])\nfinally: print('torch' in sys.modules)"
    command = [sys.executable, "-c", code, "align", "-", "--pretokenized", "--out", "o.jsonl", "--quiet"]
    command += ["--model", str(tiny_folder)]
    texts = "a cat\ta dog\nwe read\twe write\n"
    done = subprocess.run(command, input=texts, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("False\n")
    assert len((tmp_path / "o.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["missing.tsv", "--out", "o.jsonl"], "missing.tsv does not exist"),
        (["in.tsv", "--out", "o.txt"], "name ending in .jsonl"),
        (["in.tsv", "--out", "o.jsonl", "--columns", "one"], "expected two columns"),
        (["in.tsv", "--out", "o.jsonl", "--columns", "0,7"], "has no column '7'"),
        (["in.tsv", "--out", "o.jsonl", "--columns", "0,0"], "two different columns"),
        (["in.tsv", "--out", "o.jsonl", "--trees", "--pretokenized"], "either --pretokenized or --trees"),
        (["in.tsv", "--out", "o.jsonl", "--aligner", "in.tsv"], "is not a whole safetensors file"),
        (
            ["in.tsv", "--out", "o.jsonl", "--aligner", "missing.safetensors"],
            "Cannot read missing.safetensors",
        ),
        (["in.tsv", "--learn", "--trees", "--out", "a.safetensors"], "leave out --columns"),
        (["in.jsonl", "--learn", "--out", "a.jsonl"], "name ending in .safetensors"),
        (["in.tsv", "--learn", "--unlabelled", "--out", "a.jsonl"], "name ending in .safetensors"),
        (["in.tsv", "--learn", "--unlabelled", "--out", "a.safetensors"], "at least 16 pairs; there are 1"),
        (["in.tsv", "--unlabelled", "--out", "a.jsonl"], "what --learn learns from"),
        (["in.tsv", "--learn", "--out", "a.safetensors"], "For pairs without links add --unlabelled"),
        (["in.jsonl", "--learn", "--out", "a.safetensors"], "has no aligned pairs that could be read"),
        (["in.tsv", "--out", "o.jsonl", "--trees"], "does not begin with an opening bracket"),
        (["one.txt", "--out", "o.jsonl"], "one text in a row"),
    ],
)
def test_what_a_person_can_mend_is_one_sentence(tenor, tmp_path, arguments, says):
    for name in ("in.tsv", "in.jsonl"):
        (tmp_path / name).write_text("the cat\ta cat\n")
    (tmp_path / "one.txt").write_text("only one text here\nand one here\n")
    code, _, noted = tenor(*arguments)
    assert code == 2
    assert says in noted
    assert "Traceback" not in noted
    assert not (tmp_path / "o.jsonl").exists()


def test_an_aligner_is_learned_and_used(tenor, tmp_path):
    words = "the old man read a good book at home".split()  # noqa: SIM905
    lines = []
    for place in range(20):
        first = [words[(place + k) % 9] for k in range(3 + place % 4)]
        second = [*first[1:], f"n{place}"]
        links = [[k + 1, k] for k in range(len(first) - 1)]
        lines.append(json.dumps({"s": first, "t": second, "links": links, "alignments": []}))
    (tmp_path / "gold.jsonl").write_text("\n".join(lines))
    code, printed, noted = tenor("gold.jsonl", "--learn", "--seed", "1", "--out", "a.safetensors")
    assert (code, noted) == (0, "Looking at the words of 20 pairs, then learning.\n"), noted
    assert printed.startswith("Learned from 1")
    assert printed.endswith("The aligner is in a.safetensors.\n")
    (tmp_path / "in.tsv").write_text("the old man\tthe old house\n")
    code, _, noted = tenor("in.tsv", "--aligner", "a.safetensors", "--out", "o.jsonl")
    assert code == 0, noted
    assert len((tmp_path / "o.jsonl").read_text().splitlines()) == 1


def test_an_aligner_is_learned_from_texts_alone_and_used(tenor, tmp_path):
    words = "the old man read a good book at home".split()  # noqa: SIM905
    texts = [" ".join(words[(place + k) % 9] for k in range(3 + place % 4)) for place in range(20)]
    rows = [f"{text}\t{text} {place}" for place, text in enumerate(texts)]
    (tmp_path / "in.tsv").write_text("\n".join(rows))
    code, printed, noted = tenor("in.tsv", "--learn", "--unlabelled", "--out", "a.safetensors")
    assert code == 0, noted
    assert noted.startswith("Linking the words of 20 pairs")
    assert "without links" in printed
    assert "which is not their accuracy" in printed
    code, _, noted = tenor("in.tsv", "--aligner", "a.safetensors", "--out", "o.jsonl")
    assert code == 0, noted
    assert len((tmp_path / "o.jsonl").read_text().splitlines()) == 20


def test_parsed_phrases_ask_for_what_is_missing(tenor, tmp_path, monkeypatch):
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path / "cache"))
    (tmp_path / "in.tsv").write_text("a cat sat\ta dog sat\n")
    monkeypatch.setitem(sys.modules, "spacy", None)
    code, _, noted = tenor("in.tsv", "--phrases", "spacy", "--out", "a.jsonl")
    assert (code, "pip install 'tenor[spacy]'" in noted) == (2, True), noted
    assert not (tmp_path / "a.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--trees", "--phrases", "spacy"], "not both"),
        (["--learn", "--trees"], "leave out"),
        (["--learn", "--phrases", "spacy"], "leave out"),
    ],
    ids=["trees", "learn trees", "learn phrases"],
)
def test_options_that_do_not_go_together(tenor, tmp_path, options, says):
    (tmp_path / "in.tsv").write_text("a cat\ta dog\n")
    code, _, noted = tenor("in.tsv", *options, "--out", "a.jsonl")
    assert code == 2
    assert says in noted
