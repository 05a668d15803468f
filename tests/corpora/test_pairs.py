"""Corpora of pairs of sentences, each from a few lines in its format."""

import json

import pytest

from corpus_files import Write
from tenor.corpora.glue import read_rte
from tenor.corpora.minbert import read_quora, read_sts
from tenor.corpora.mrpc import read_mrpc
from tenor.corpora.multimwa import read_multimwa
from tenor.corpora.nli import read_nli_watson, read_snli_hard
from tenor.corpora.paraphrases import read_pan, read_turk
from tenor.corpora.quora import read_quora_10k
from tenor.corpora.sick import read_sick
from tenor.corpora.sts import read_all_semeval, read_semeval, read_stsb
from tenor.corpora.tatoeba import read_tatoeba, read_tatoeba_finnish, read_tatoeba_table
from tenor.errors import TenorError
from tenor.text.examples import Origin, Pair

SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
MRPC = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"


def test_similarity_and_questions_of_the_course(write: Write) -> None:
    folder = write("sts-dev.csv", '\tid\tsentence1\tsentence2\tsimilarity\n0\tx\tA b.\t"B a."\t4.2\n')
    write("sts-test-student.csv", "\tid\tsentence1\tsentence2\n0\tx\tA b.\tB a.\n")
    head = "\tid\tsentence1\tsentence2\tis_duplicate\n"
    write("quora-dev.csv", head + "0\tx\tWho?\tWhom?\t1.0\n1\ty\tWhy?\tWhen?\t\n2\tz\tA?\tB?\t0.0\n")
    assert list(read_sts(folder, "dev")) == [
        Pair("A b.", "B a.", Origin(str(folder / "sts-dev.csv"), 2), score=4.2)
    ]
    assert [pair.score for pair in read_sts(folder, "test-student")] == [None]
    assert [(pair.first, pair.label) for pair in read_quora(folder)] == [("Who?", "1"), ("A?", "0")]
    write("quora-dev.csv", head + "0\tx\tWho?\tWhom?\tyes\n")
    with pytest.raises(TenorError, match=r"quora-dev.csv:2: 'yes', where digits"):
        list(read_quora(folder))


def test_ten_thousand_questions(write: Write) -> None:
    folder = write("dev.tsv.gz", '1\t"Who?\tWhom?\t7\n0\tWhy?\tWhen?\t8\n')
    assert [(*pair.texts, pair.label) for pair in read_quora_10k(folder)] == [
        ('"Who?', "Whom?", "1"), ("Why?", "When?", "0"),
    ]  # fmt: skip
    write("dev.tsv.gz", "1\tWho?\tWhom?\t7\n0\tWhy?\n")
    with pytest.raises(TenorError, match=r"dev.tsv.gz:2: 2 cells, where 3 \(label, first question"):
        list(read_quora_10k(folder))


def test_sick(write: Write) -> None:
    folder = write("SICK_test_annotated.txt", SICK + '1\tA dog, "runs"\tIt sits\t4.5\tNEUTRAL\r\n')
    (pair,) = read_sick(folder, "test")
    assert (*pair.texts, pair.label, pair.score) == ('A dog, "runs"', "It sits", "NEUTRAL", 4.5)
    for row, what in (
        ("1\ta\tb\thigh\tNEUTRAL", "'high'"),
        ("1\ta\tb\t4\tMAYBE", "'MAYBE'"),
        ("1\ta", "2 cells"),
    ):
        write("SICK_trial.txt", SICK + row + "\n")
        with pytest.raises(TenorError, match=f"SICK_trial.txt:2: {what}, where"):
            list(read_sick(folder, "trial"))


def test_mrpc(write: Write) -> None:
    folder = write("msr_paraphrase_test.txt", MRPC + '1\t2\t3\t"a" b\tc\n')
    assert [(*pair.texts, pair.label) for pair in read_mrpc(folder, "test")] == [('"a" b', "c", "1")]
    write("msr_paraphrase_train.txt", MRPC + "x\t2\t3\ta\tb\n")
    with pytest.raises(TenorError, match=r"msr_paraphrase_train.txt:2: 'x', where 0 or 1"):
        list(read_mrpc(folder, "train"))


def test_graded_pairs(write: Write) -> None:
    row = 'main-news\theadlines\t2013\t0001\t3.2\tA "b".\tC d.'
    folder = write("sts-dev.csv", f"{row}\n{row}\tsource\tsource\n")
    assert [(*pair.texts, pair.score) for pair in read_stsb(folder, "dev")] == [('A "b".', "C d.", 3.2)] * 2
    for year in ("2012", "2013", "2014"):
        write(f"{year}/images.test.tsv", f"5\tA {year}. \tB.\n\tNo\tscore\n")
    pairs = list(read_all_semeval(folder))
    assert [pair.score for pair in pairs] == [5.0, None] * 3
    assert pairs[0].texts == ("A 2012.", "B.")
    write("2014/images.test.tsv", "5\tA.\tB.\nhigh\tA.\tB.\n")
    with pytest.raises(TenorError, match=r"images.test.tsv:2: 'high'"):
        list(read_semeval(folder, "2014"))
    with pytest.raises(TenorError, match=r"2016 holds no"):
        list(read_semeval(folder, "2016"))


def test_rte(write: Write) -> None:
    folder = write("dev.tsv", "index\tsentence1\tsentence2\tlabel\n0\tA.\tB.\tentailment\n")
    write("test.tsv", "index\tsentence1\tsentence2\n0\tA.\tB.\n")
    assert [(*pair.texts, pair.label) for pair in read_rte(folder, "dev")] == [("A.", "B.", "entailment")]
    assert [pair.label for pair in read_rte(folder, "test")] == [None]
    write("train.tsv", "index\tsentence1\tsentence2\tlabel\n0\tA.\tB.\tperhaps\n")
    with pytest.raises(TenorError, match=r"train.tsv:2: the answer 'perhaps'"):
        list(read_rte(folder, "train"))


def test_parallel_files(write: Write) -> None:
    folder = write("pan-train_s1.txt.gz", "one\ntwo\n")
    write("pan-train_s2.txt.gz", "eins\nzwei\n")
    write("pan-train.labels.gz", "0\n1\n")
    assert [(*pair.texts, pair.label) for pair in read_pan(folder, "train")] == [
        ("one", "eins", "0"), ("two", "zwei", "1"),
    ]  # fmt: skip
    for part, text in {"norm": "a -lrb- b", "simp": "a", "turk.0": "b", "turk.1": "c"}.items():
        write(f"tune.8turkers.tok.{part}", text + "\n")
    assert [pair.texts for pair in read_turk(folder, "tune")] == [
        ("a ( b", "a"),
        ("a ( b", "b"),
        ("a ( b", "c"),
    ]
    write("pan-train.labels.gz", "0\n")
    with pytest.raises(TenorError, match=r"pan-train.labels.gz ends before line 2"):
        list(read_pan(folder, "train"))
    write("pan-train.labels.gz", "0\nno\n")
    with pytest.raises(TenorError, match=r"pan-train_s1.txt.gz:2: the label 'no'"):
        list(read_pan(folder, "train"))


def test_aligned_words(write: Write) -> None:
    folder = write("wiki-dev.tsv.gz", "0:0\ta big dog\tN/A\tone dog\tN/A\t1\t1\t0-0 2-1\t1-1 2-1\t\n")
    (pair,) = read_multimwa(folder, "wiki", "dev")
    assert (pair.first, pair.second) == (("a", "big", "dog"), ("one", "dog"))
    assert pair.links == ((0, 0), (2, 1), (1, 1))
    for link in ("3-0", "0:0"):
        write("wiki-train.tsv.gz", f"0:0\ta big dog\tN/A\tone dog\tN/A\t1\t1\t{link}\t\n")
        with pytest.raises(TenorError, match=f"wiki-train.tsv.gz:1: the link '{link}'"):
            list(read_multimwa(folder, "wiki", "train"))


def test_translations(write: Write) -> None:
    folder = write("fra-eng.zip", {"_about.txt": "about", "fra.txt": "Go.\tVa !\nHi.\tSalut.\tx\n"})
    assert [pair.texts for pair in read_tatoeba(folder, "fra")] == [("Go.", "Va !"), ("Hi.", "Salut.")]
    write("spa.tsv", "Go.\tVe.\tCC-BY\n")
    assert [pair.texts for pair in read_tatoeba_table(folder, "spa")] == [("Go.", "Ve.")]
    write("fin.txt.gz", "Go.\tMene.\nHi.\tMoro!\n")
    assert [pair.texts for pair in read_tatoeba_finnish(folder)] == [("Go.", "Mene."), ("Hi.", "Moro!")]
    write("deu-eng.zip", {"deu.txt": "Go.\tGeh.\nalone\n"})
    with pytest.raises(TenorError, match=r"deu-eng.zip/deu.txt:2: 1 cell, where an English sentence"):
        list(read_tatoeba(folder, "deu"))
    write("deu-eng.zip", {"_about.txt": "about"})
    with pytest.raises(TenorError, match=r"deu-eng.zip holds none of the expected files"):
        list(read_tatoeba(folder, "deu"))


def test_inference_of_watson(write: Write) -> None:
    head = "id,premise,hypothesis,lang_abv,language,label\n"
    folder = write("train.csv.gz", head + 'x,"A dog, runs.",It moves.,en,English,0\ny,Un,Deux,fr,French,2\n')
    assert [(*pair.texts, pair.label) for pair in read_nli_watson(folder)] == [
        ("A dog, runs.", "It moves.", "entailment")
    ]
    assert [pair.label for pair in read_nli_watson(folder, "fr")] == ["contradiction"]
    write("train.csv.gz", head + "x,a,b,en,English,3\n")
    with pytest.raises(TenorError, match=r"train.csv.gz:2: '3', where 0, 1 or 2"):
        list(read_nli_watson(folder))


def test_the_hard_part_of_snli(write: Write) -> None:
    row = {"gold_label": "neutral", "sentence1": "A dog.", "sentence2": "It runs.", "pairID": "1"}
    folder = write("snli_1.0_test_hard.jsonl.gz", json.dumps(row) + "\n")
    assert [(*pair.texts, pair.label) for pair in read_snli_hard(folder)] == [
        ("A dog.", "It runs.", "neutral")
    ]
    for broken in (
        "no json",
        "[]",
        json.dumps(row | {"gold_label": "-"}),
        json.dumps(row | {"sentence1": 1}),
    ):
        write("snli_1.0_test_hard.jsonl.gz", json.dumps(row) + "\n" + broken + "\n")
        with pytest.raises(TenorError, match=r"hard.jsonl.gz:2: "):
            list(read_snli_hard(folder))
