"""Pair files of every shape that people have: delimiters, headers, quotes, columns, encodings."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.words import WordVectors
from tenor.words.evaluate import read_benchmarks
from tenor.words.evaluate.evaluating import evaluate

PAIRS = [("tiger", "cat"), ("book", "paper"), ("Maradona", "football"), ("car", "train")]
SCORES = [7.35, 7.46, 8.62, 6.31]


def _table(delimiter: str, header: str = "", *, before: str = "", after: str = "", quote: str = "") -> str:
    lines = [header] if header else []
    for number, ((first, second), score) in enumerate(zip(PAIRS, SCORES, strict=True)):
        cells = [f"{quote}{first}{quote}", f"{quote}{second}{quote}", str(score)]
        index = [str(number)] if before == "index" else [before] if before else []
        lines.append(delimiter.join([*index, *cells, *([after] if after else [])]))
    return "\n".join(lines) + "\n"


SHAPES = {
    "tab": _table("\t"),
    "comma": _table(","),
    "semicolon": _table(";"),
    "space": _table(" "),
    "several spaces": _table("   "),
    "tab, header": _table("\t", "word1\tword2\tsimilarity"),
    "comma, header": _table(",", "word1,word2,score"),
    "header of its own": _table(",", "Word 1,Word 2,Human (mean)"),
    "header of other names": _table(";", "left;right;value"),
    "space, header": _table(" ", "w1 w2 score"),
    "index": _table(",", ",word1,word2,similarity", before="index"),
    "index, no header": _table("\t", before="index"),
    "quoted": _table(",", '"word1","word2","score"', quote='"'),
    "quoted, no header": _table(";", quote='"'),
    "further columns": _table("\t", "word1\tword2\tSimLex999\tSD", after="1.25"),
    "part of speech first": "".join(
        f"{a}\t{b}\tN\t{score}\t3.1\n" for (a, b), score in zip(PAIRS, SCORES, strict=True)
    ),
    "score named, not first": "word1\tword2\trater1\tscore\n"
    + "".join(f"{a}\t{b}\t1\t{score}\n" for (a, b), score in zip(PAIRS, SCORES, strict=True)),
    "score first": "".join(f"{score}\t{a}\t{b}\n" for (a, b), score in zip(PAIRS, SCORES, strict=True)),
    "decimal comma": _table(";").replace(".", ","),
    "CRLF": _table(",", "word1,word2,score").replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + _table(",", "word1,word2,score"),
    "comments and empty lines": "# WordSim\n\n" + _table("\t"),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["pairs.csv", "pairs.txt", "sub/folder/pairs.tsv"])
def test_shapes_of_files(tmp_path: Path, shape: str, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SHAPES[shape], encoding="utf-8")
    for source in (path, tmp_path):
        (test,) = read_benchmarks(source).similarity
        assert (test.name, test.pairs, test.scores) == ("pairs", PAIRS, SCORES)


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_other_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "pairs.csv"
    path.write_bytes("word1,word2,score\ncafé,thé,3\nété,hiver,1\nnoël,fête,4\n".encode(encoding))
    (test,) = read_benchmarks(path).similarity
    assert test.pairs[0] == ("café", "thé")


@pytest.mark.parametrize("scale", [4, 5, 10, 100])
def test_scores_of_any_scale(tmp_path: Path, scale: int) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("word1,word2,score\n" + "".join(f"a{n},b{n},{n * scale / 10}\n" for n in range(11)))
    (test,) = read_benchmarks(path).similarity
    assert max(test.scores) == scale


def test_gzip_and_expressions_of_several_words(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv.gz"
    path.write_bytes(gzip.compress(b"New York\tcity\t9\nice_cream\tsweet\t8\nsun\train\t2\nsun\tsky\t5\n"))
    benchmarks = read_benchmarks(path)
    assert benchmarks.similarity[0].pairs[:2] == [("New York", "city"), ("ice_cream", "sweet")]
    words = ["new_york", "city", "ice_cream", "sweet", "sun", "rain", "sky"]
    vectors = WordVectors(words, np.random.default_rng(0).normal(size=(7, 4)))
    (result,) = evaluate([vectors], benchmarks, repeats=10)
    assert (result.used, result.total) == (4, 4)


def test_an_unreadable_file_beside_a_readable_one_is_reported(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text(SHAPES["comma, header"])
    (tmp_path / "prose.txt").write_text("This is a long text.\nIt holds no pairs at all, only words.\n")
    (tmp_path / "zeros.csv").write_bytes(b"\0\1\2" * 40)
    (tmp_path / "README.txt").write_text("Not data.\n")
    found = read_benchmarks(tmp_path)
    assert [test.name for test in found.similarity] == ["good"]
    assert [name for name, _ in found.skipped] == ["prose.txt", "zeros.csv"]
    assert "no pairs of words with a score" in found.skipped[0][1]


def test_lines_without_a_score_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("word1,word2,score\na,b,1\nc,d,\ne,f,nan\ng,h,2\ni,j,3\n")
    found = read_benchmarks(path)
    assert found.similarity[0].scores == [1, 2, 3]
    assert found.skipped == [
        ("a part of pairs.csv", "2 lines hold no pair with a score, the first of them line 3")
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("word1,word2,score\n", "no pair of words below it"),
        ("a b\nc d\ne f\n", "no pairs of words with a score"),
        ("1,2,3\n4,5,6\n7,8,9\n", "columns of words"),
        ("one,a,b\ntwo,c,d\nthree,e,f\nfour,g,h\n", "no column of scores"),
    ],
    ids=["empty", "header only", "no score", "numbers only", "words only"],
)
def test_a_single_file_that_holds_no_test_is_refused_in_one_sentence(
    tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(text)
    with pytest.raises(TenorError, match=says):
        read_benchmarks(path)


def test_files_of_other_kinds_are_known_by_their_header_in_any_folder(tmp_path: Path) -> None:
    texts = {
        "a.csv": ",type,word1,word2,word3,target\n0,cap,a,b,c,d\n",
        "b.csv": "word,category\ndog,animal\ncar,vehicle\n",
        "c.csv": "word1,word2,relation\ndog,animal,hyper\n",
        "d.txt": "king man queen woman\nboy man girl woman\n",
    }
    for name, text in texts.items():
        (tmp_path / "mine" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "mine" / name).write_text(text)
    found = read_benchmarks(tmp_path)
    assert [test.name for test in found.analogies] == ["a", "d"]
    assert found.analogies[1].questions[0] == ("king", "man", "queen", "woman")
    assert [test.name for test in found.categories] == ["b"]
    assert [test.name for test in found.relations] == ["c"]
