"""Corpora of single sentences, each from a few lines in its format."""

from pathlib import Path

import pytest

from corpus_files import Write
from tenor.corpora.agnews import read_agnews
from tenor.corpora.glue import read_cola
from tenor.corpora.minbert import read_sst
from tenor.corpora.product_reviews import read_reviews
from tenor.corpora.sentence_cls import read_sentences
from tenor.corpora.sst_trees import read_trees
from tenor.corpora.treebank_spelling import untokenised
from tenor.corpora.valence import rated_sources, read_valence
from tenor.errors import TenorError
from tenor.text.examples import Origin, Sentence


def test_sst_of_the_course(write: Write) -> None:
    folder = write(
        "ids-sst-dev.csv", '\tid\tsentence\tsentiment\n0\tx\t "A ""fine"" film ."\t4\n1\ty\tDull .\t0\n'
    )
    write("ids-sst-test-student.csv", "\tid\tsentence\n0\tx\tOne .\n")
    first, second = read_sst(folder, "dev")
    assert second == Sentence("Dull .", Origin(str(folder / "ids-sst-dev.csv"), 3), "0")
    assert first.label == "4"
    assert [(one.text, one.label) for one in read_sst(folder, "test-student")] == [("One .", None)]
    write("ids-sst-train.csv", "\tid\tsentence\n0\tx\tOne .\n")
    with pytest.raises(TenorError, match=r"ids-sst-train.csv:1: there is no column 'sentiment'"):
        list(read_sst(folder, "train"))
    write("ids-sst-train.csv", "\tid\tsentence\tsentiment\n0\tx\tOne .\t1\n1\ty\n")
    with pytest.raises(TenorError, match=r"ids-sst-train.csv:3: 2 cells"):
        list(read_sst(folder, "train"))


def test_trees(write: Write) -> None:
    folder = write("test.txt", "(3 (2 A) (4 (3 fine) (2 film)))\n(1 (1 -LRB-) (2 b))\n")
    trees = list(read_trees(folder, "test"))
    assert [(phrase.text, phrase.label) for phrase in trees[0].phrases] == [
        ("A", "2"), ("fine", "3"), ("film", "2"), ("fine film", "4"), ("A fine film", "3"),
    ]  # fmt: skip
    assert trees[1].sentence == Sentence("-LRB- b", Origin(str(folder / "test.txt"), 2), "1")
    assert untokenised(trees[1].sentence.text) == "( b"


@pytest.mark.parametrize("line", ["(3 (2 A) (4 film)", "(3 (2 A)))", "(A (2 b))", "", "no tree", "((2 a))"])
def test_broken_trees(write: Write, line: str) -> None:
    folder = write("dev.txt", f"(2 (2 a) (2 b))\n{line}\n(2 c)\n")
    with pytest.raises(TenorError, match=r"dev.txt:2: brackets that do not fit, where a tree"):
        list(read_trees(folder, "dev"))


def test_sentence_classification(write: Write, tmp_path: Path) -> None:
    folder = write("TREC.test.all.gz", "1 who ?\n\n0 how far is it ?\n")
    assert [(one.text, one.label) for one in read_sentences(folder, "TREC-test")] == [
        ("who ?", "1"), ("how far is it ?", "0"),
    ]  # fmt: skip
    (tmp_path / "rt-polarity.all.gz").write_bytes(
        b"0 caf\xe9 .\r\n"
    )  # not packed, as gzip is told by content
    assert [one.text for one in read_sentences(folder, "MR")] == ["caf\ufffd ."]
    write("custrev.all.gz", "0 fine\nnothing\n")
    with pytest.raises(TenorError, match=r"custrev.all.gz:2: 'nothing', where a label and a text"):
        list(read_sentences(folder, "CR"))
    with pytest.raises(TenorError, match=r"no set 'IMDB'"):
        list(read_sentences(folder, "IMDB"))


def test_ag_news(write: Write) -> None:
    folder = write("test.csv.gz", '"3","Stock news","A ""good"" day, it says"\n"1","Other","words"\n')
    assert [(one.text, one.label) for one in read_agnews(folder)] == [
        ('Stock news A "good" day, it says', "3"), ("Other words", "1"),
    ]  # fmt: skip
    write("test.csv.gz", '"3","Stock","news"\n"five","Other","words"\n')
    with pytest.raises(TenorError, match=r"test.csv.gz:2: 'five', where a class from 1 to 4"):
        list(read_agnews(folder))


def test_cola(write: Write) -> None:
    folder = write("val.tsv", 'gj04\t1\t\tFine "so" far.\ngj04\t0\t*\tSo far fine it.\n')
    write("test.tsv", "index\tsentence\n0\tOne.\n")
    assert [(one.text, one.label) for one in read_cola(folder, "val")] == [
        ('Fine "so" far.', "1"), ("So far fine it.", "0"),
    ]  # fmt: skip
    assert [one.label for one in read_cola(folder, "test")] == [None]
    write("dev.tsv", "gj04\t1\t\tFine.\ngj04\t7\t\tNot.\n")
    with pytest.raises(TenorError, match=r"dev.tsv:2: the answer '7'"):
        list(read_cola(folder, "dev"))


def test_product_reviews(write: Write) -> None:
    lines = [
        "zoom[+3]##great zoom", "[t]a title", "size[+2], weight[-1]##so so", "##no opinion", "price[-3]## ",
    ]  # fmt: skip
    members = {"reviews/camera.txt": "\n".join(lines), "reviews/README.txt": "a[+1]##not this"}
    folder = write("product_reviews_1.zip", members)
    reviews = list(read_reviews(folder, 1))
    assert [(review.text, review.score) for review in reviews] == [("great zoom", 3.0), ("so so", 0.5)]
    assert reviews[1].origin == Origin(f"{folder}/product_reviews_1.zip/reviews/camera.txt", 3)
    write("product_reviews_2.zip", {"reviews/camera.txt": "no marks at all"})
    with pytest.raises(TenorError, match=r"holds no line such as"):
        list(read_reviews(folder, 2))
    write("product_reviews_2.zip", "no archive")
    with pytest.raises(TenorError, match=r"damaged zip archive"):
        list(read_reviews(folder, 2))


def test_rated_texts(write: Write) -> None:
    folder = write("tweets_GroundTruth.txt", 'id\tmean\ttext\r\n1\t-3.51\tSome "other"\ttext \r\n')
    assert rated_sources(folder) == ["tweets"]
    assert [(one.text, one.score) for one in read_valence(folder, "tweets")] == [
        ('Some "other"\ttext', -3.51)
    ]
    write("tweets_GroundTruth.txt", "id\tmean\ttext\n1\tgood\tSome text\n")
    with pytest.raises(TenorError, match=r"tweets_GroundTruth.txt:2: 'good', where digits"):
        list(read_valence(folder, "tweets"))
