"""Aligning files: whole, in bounded windows, resumed, and refusing what is wrong."""

import json

import pytest

import tenor
from tenor.errors import TenorError
from tenor.text.alignments import read_alignments
from tenor.text.problems import Problems
from tenor.use.align import file as align_module
from tenor.use.align.file import PairSource, align_file
from tenor.use.align.pairs import Aligner

PAIRS = [
    ("The cat sat on the mat.", "A cat was on a mat."),
    ("How do I learn python?", "What is the way to learn python?"),
    ("He can play the guitar", "They eat bad food in the city"),
    ("Good music!", "Good music!"),
    ("Where is the river", "The river is where"),
]


@pytest.fixture(scope="module")
def aligner(tiny_folder):
    return Aligner(tenor.load(tiny_folder, precision="fp32"))


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{one}\t{two}\n" for one, two in PAIRS))
    return PairSource(path)


def _stop(count, _):
    if count:
        raise KeyboardInterrupt


def test_every_pair_becomes_a_line_that_the_reader_takes(aligner, source, tmp_path):
    seen = []
    done = align_file(aligner, source, tmp_path / "a.jsonl", progress=lambda *step: seen.append(step))
    found = list(read_alignments(tmp_path / "a.jsonl", problems=Problems(strict=True)))
    assert [" ".join(pair.first) for pair in found][3] == "Good music !"
    assert done.pairs == len(found) == len(PAIRS)
    assert done.links == sum(len(pair.links) for pair in found)
    assert done.alignments == sum(len(pair.alignments) for pair in found)
    assert done.unaligned == sum(not pair.alignments for pair in found)
    assert done.cut == 0
    assert (sum(count for count, _ in seen), seen[-1][1]) == (len(PAIRS), len(PAIRS))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "pairs.tsv"]


def test_windows_do_not_change_the_file(aligner, source, tmp_path, monkeypatch):
    align_file(aligner, source, tmp_path / "a.jsonl")
    monkeypatch.setattr(align_module, "WINDOW_PAIRS", 2)
    align_file(aligner, source, tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_a_killed_run_goes_on_and_ends_in_the_same_file(aligner, source, tmp_path, monkeypatch):
    align_file(aligner, source, tmp_path / "whole.jsonl")
    monkeypatch.setattr(align_module, "WINDOW_PAIRS", 2)

    out = tmp_path / "a.jsonl"
    with pytest.raises(KeyboardInterrupt):
        align_file(aligner, source, out, progress=_stop)
    assert not out.exists()
    with open(tmp_path / "a.jsonl.part/rows", "a") as rows:
        rows.write('{"s": ["half a li')  # what a kill in the middle of a window leaves
    notes, seen = [], []
    align_file(aligner, source, out, note=notes.append, progress=lambda count, _: seen.append(count))
    assert notes == ["Resuming after the 2 pairs that an earlier run has done."]
    assert seen == [2, 2, 1]
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_beginning_of_other_pairs_is_thrown_away(aligner, source, tmp_path, monkeypatch):
    monkeypatch.setattr(align_module, "WINDOW_PAIRS", 2)

    with pytest.raises(KeyboardInterrupt):
        align_file(aligner, source, tmp_path / "a.jsonl", progress=_stop)
    source.path.write_text("Other text\tAnother text\n" + source.path.read_text())
    notes = []
    done = align_file(aligner, source, tmp_path / "a.jsonl", note=notes.append)
    assert "the pairs have changed" in notes[0]
    assert done.pairs == len(PAIRS) + 1


def test_a_beginning_with_other_columns_beside_the_texts_is_thrown_away(aligner, tmp_path, monkeypatch):
    path = tmp_path / "pairs.csv"

    def write(ids):
        lines = [f'{number},"{one}","{two}"' for number, (one, two) in zip(ids, PAIRS, strict=True)]
        path.write_text("\n".join(["id,first,second", *lines]) + "\n")

    write(range(5))
    monkeypatch.setattr(align_module, "WINDOW_PAIRS", 2)
    with pytest.raises(KeyboardInterrupt):
        align_file(aligner, PairSource(path, rows=True), tmp_path / "a.jsonl", progress=_stop)
    write(range(10, 15))
    noted = []
    align_file(aligner, PairSource(path, rows=True), tmp_path / "a.jsonl", note=noted.append)
    found = [json.loads(line)["id"] for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert found == [str(number) for number in range(10, 15)]
    assert "the pairs have changed" in noted[0]


def test_given_words_and_trees(aligner, tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("do n't go-there !\tU.S. cat 's\n")
    align_file(aligner, PairSource(path, shape="words"), tmp_path / "a.jsonl")
    record = json.loads((tmp_path / "a.jsonl").read_text())
    assert (record["s"], record["t"]) == (["do", "n't", "go-there", "!"], ["U.S.", "cat", "'s"])
    path.write_text("(S (NP (D the) (N cat)) (V sat))\t(S (N cat) (V sat))\n(S (N\t(N cat)\n")
    done = align_file(aligner, PairSource(path, shape="trees"), tmp_path / "b.jsonl")
    record = json.loads((tmp_path / "b.jsonl").read_text())
    assert record["s_phrases"] == [[0, 1], [1, 1], [2, 2]]
    assert record["t_phrases"] == [[0, 0], [1, 1]]
    assert "words.tsv:2: the first tree cannot be read" in done.problems.summary()


def test_lists_of_words_are_words(aligner, tmp_path):
    rows = [{"s": ["the", "cat", "'s", "mat"], "t": ["a", "cat"]}, {"s": "we read", "t": "we write"}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    align_file(aligner, PairSource(tmp_path / "in.jsonl", shape="words"), tmp_path / "a.jsonl")
    found = list(read_alignments(tmp_path / "a.jsonl", problems=Problems(strict=True)))
    assert [pair.first for pair in found] == [("the", "cat", "'s", "mat"), ("we", "read")]
    done = align_file(aligner, PairSource(tmp_path / "in.jsonl"), tmp_path / "b.jsonl")
    assert done.pairs == 1
    assert "--pretokenized takes such lists" in done.problems.first[0].what


def test_bad_rows_are_reported_with_their_line(aligner, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("a cat sat\tthe cat sat\n\u200b\tthe dog\nthe man\t\n")
    done = align_file(aligner, PairSource(path), tmp_path / "a.jsonl")
    assert (done.pairs, done.problems.count) == (1, 2)
    assert "pairs.tsv:2: the first text has no word" in done.problems.summary()
    with pytest.raises(TenorError, match=":2"):
        align_file(aligner, PairSource(path, strict=True), tmp_path / "b.jsonl")


def test_outputs_that_cannot_be(aligner, source, tmp_path):
    for out, says in (("a.txt", "name ending in .jsonl"), ("no/a.jsonl", "does not exist")):
        with pytest.raises(TenorError, match=says):
            align_file(aligner, source, tmp_path / out)
    own = tmp_path / "own.jsonl"
    own.write_text('{"first": "a cat", "second": "a dog"}\n')
    with pytest.raises(TenorError, match="is the file that is to be read"):
        align_file(aligner, PairSource(own), own)
