"""The recipes about word vectors: tiny runs end with verdicts, readers of their data sets, bad files."""

import gzip
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from tenor.corpora import word_benchmarks
from tenor.corpora.word_benchmarks import read_analogies, read_similarity
from tenor.errors import TenorError
from tenor.metrics.verdicts import Verdict
from tenor.recipes.embedding_dimensions.sentence_tasks import read_tasks
from tenor.recipes.embedding_dimensions.syntax_tasks import read_syntax
from tenor.recipes.runner import run_recipe
from tenor.recipes.table import look_up
from tenor.recipes.word_sets import correlated, cosine_score, known_pairs, known_questions, semantic
from tenor.words.evaluate.sets import Benchmarks, SimilaritySet
from tenor.words.vectors import WordVectors


def _judged(name: str, out: Path, cells: tuple[str, ...] = (), seeds: int = 1) -> dict[str, Verdict]:
    done = run_recipe(look_up(name), out, cells=cells, seeds=seeds)
    assert not done.failed
    return {one.claim.text: one.verdict for one in done.results.judgements}


def test_geometric_meta_embeddings_tiny(tmp_path: Path) -> None:
    """Two sources that see the same hidden vectors through other axes: aligning them must help."""
    verdicts = _judged("geometric-meta-embeddings", tmp_path, ("gw-avg", "gw-geo-avg"))
    assert verdicts["Geo-AVG beats AVG on word similarity (GloVe + word2vec)."] is Verdict.holds
    assert verdicts["Geo models are best with fastText as a source too."] is Verdict.not_run


def test_fuzzy_words_tiny(tmp_path: Path) -> None:
    """Fifty made-up words of small vectors are found by their entropy."""
    verdicts = _judged("fuzzy-words", tmp_path, seeds=2)
    told = "Of the top 50 words by entropy, more are function words than of all frequent words."
    assert verdicts[told] is Verdict.holds


def test_embedding_dimensions_tiny(tmp_path: Path) -> None:
    """The made-up table has a strong common direction that hides similarity: removing it must help."""
    cells = ("glove-full", "glove-ppa-2", "glove-B", "glove-components")
    verdicts = _judged("embedding-dimensions", tmp_path, cells)
    assert verdicts["All-but-the-top (D = 2) helps word similarity (GloVe)."] is Verdict.holds
    assert verdicts["All-but-the-top hurts translation into English, more with larger D."] is Verdict.not_run


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


def test_word_sets_are_read(tmp_path: Path) -> None:
    similar = tmp_path / "word-similarity/monolingual/en"
    _write(
        similar / "men.csv", ",word1,word2,similarity\n0,sun-n,Moon-n,50\n1,run-v,old-j,\n2,run-v,sun-n,3\n"
    )
    _write(similar / "rg-65.csv", ",word1,word2,similarity\n0,sun,moon,7\n1,run,moon,1\n2,run,sun,2\n")
    men, both = read_similarity(tmp_path, ("MEN", "RG-65"))
    assert men.pairs == [("sun", "Moon"), ("run", "sun")]  # the pair without a score is left out
    assert both.pairs == [
        ("sun", "moon"),
        ("run", "moon"),
        ("run", "sun"),
    ]
    vectors = WordVectors(["sun", "moon", "run"], [[2.0, 0.0], [1.0, 1.0], [0.0, 3.0]])
    first, second, gold = known_pairs(vectors, men)
    assert (first.tolist(), second.tolist(), gold.tolist()) == ([0, 2], [1, 0], [50.0, 3.0])
    np.testing.assert_allclose(cosine_score(vectors.vectors)(first, second), [np.sqrt(0.5), 0.0], atol=1e-6)
    assert correlated(vectors, both, cosine_score(vectors.vectors)).score < 1.0
    with pytest.raises(TenorError, match="Only 2 pairs of MEN"):
        correlated(vectors, men, cosine_score(vectors.vectors))


def test_analogies_are_read(tmp_path: Path) -> None:
    rows = [
        f"{kind},a,b,c,d" for kind in ("capital", "city", "currency", "family", "state", "plural", "plural")
    ]
    text = ",type,word1,word2,word3,target\n" + "".join(f"{at},{row}\n" for at, row in enumerate(rows))
    _write(tmp_path / "word-analogy/monolingual/en/google-analogies.csv", text)
    questions = read_analogies(tmp_path, ("Google",))[0]
    assert semantic(questions).tolist() == [True] * 5 + [False] * 2
    vectors = WordVectors(["d", "c", "b", "a"], np.eye(4))
    numbers, meaning = known_questions(vectors, questions)
    assert numbers[0].tolist() == [3, 2, 1, 0]
    assert known_questions(vectors, questions, 3)[0].shape == (3, 4)
    assert meaning.sum() == 5
    with pytest.raises(TenorError, match="does not exist"):
        read_analogies(tmp_path, ("MSR",))


def test_sentence_tasks_are_read(tmp_path: Path) -> None:
    folder = lambda name: tmp_path / name  # noqa: E731
    _write(folder("sentence-cls") / "rt-polarity.all.gz", "0 dull film\n1 fine film\n")
    _write(folder("sentence-cls") / "TREC.train.all.gz", "0 how ?\n1 who ?\n0 why ?\n")
    _write(folder("sentence-cls") / "TREC.test.all.gz", "1 whom ?\n")
    head = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    for name, label in (("train", "NEUTRAL"), ("trial", "ENTAILMENT"), ("test_annotated", "NEUTRAL")):
        _write(folder("sick") / f"SICK_{name}.txt", head + f"1\tA dog, runs\tIt sits\t4.5\t{label}\r\n")
    _write(
        folder("mrpc") / "msr_paraphrase_train.txt",
        "\ufeffQuality\tx\ty\ta\tb\n1\t1\t2\tHe said.\tShe said.\n",
    )
    _write(folder("mrpc") / "msr_paraphrase_test.txt", "\ufeffQuality\tx\ty\ta\tb\n0\t1\t2\tNo.\tYes.\n")
    movies, trec, sick, mrpc = read_tasks(folder, ("MR", "TREC", "SICK-E", "MRPC"))
    assert (movies.first, movies.labels.tolist(), movies.trained) == (
        ["dull film", "fine film"],
        [0, 1],
        None,
    )
    assert (len(trec), trec.trained, trec.labels.tolist()) == (4, 3, [0, 1, 0, 1])
    assert (sick.first[0], sick.second, sick.trained) == ("A dog , runs", ["It sits"] * 3, 2)
    assert sick.labels.tolist() == [1, 0, 1]
    assert (mrpc.labels.tolist(), mrpc.trained) == ([1, 0], 1)
    _write(folder("sentence-cls") / "custrev.all.gz", "0 fine\nnothing\n")
    with pytest.raises(TenorError, match=r"custrev.all.gz:2: .* where a label and a text"):
        read_tasks(folder, ("CR",))
    with pytest.raises(TenorError, match=r"sentence-cls/mpqa.all.gz does not exist"):
        read_tasks(folder, ("MPQA",))


def test_syntax_tasks_are_read(tmp_path: Path) -> None:
    (tmp_path / "nltk").mkdir()
    chunk = "He PRP B-NP\nran VBD B-VP\nhome NN B-{}\nnow RB I-{}\n\n"
    with ZipFile(tmp_path / "nltk/conll2000.zip", "w") as archive:
        archive.writestr("conll2000/train.txt", chunk.format("NP", "NP") * 4 + chunk.format("PP", "PP") * 3)
        archive.writestr("conll2000/test.txt", chunk.format("PP", "PP"))
    with ZipFile(tmp_path / "nltk/brown.zip", "w") as archive:
        lines = ["he/pps said/vbd it/ppo was/bedz so/rb ./.", "he/pps is/bez not/* at/in home/nn ./."]
        archive.writestr("brown/ca01", "\n".join([*lines, "no/at verb/nn here/rb at/in all/abn"] * 3))
        archive.writestr("brown/README", "ignored/vbd as it is no text")
    row = "{}\t{}\t_\t_\t_\t_\t{}\tx\t_\t_\n"
    tree = "".join(row.format(*some) for some in ((1, "A", 2), (2, "b", 0), (3, "c", 2), (4, "d", 3)))
    deeper = row.format(5, "e", "{}")
    text = "".join(f"# text\n{tree}{deeper.format(head)}\n" for head in (2, 4, 2, 4))
    _write(tmp_path / "ud/en_ewt/en_ewt-ud-train.conllu.gz", text)
    openings, tense, depth = read_syntax(lambda name: tmp_path / name)
    assert (len(openings.texts), openings.trained) == (8, 5)
    assert set(openings.texts) == {"He ran home now"}
    assert sorted(tense.labels.tolist()) == [0, 0, 0, 1, 1, 1]
    assert all(
        ("said" in text) == (label == 0) for text, label in zip(tense.texts, tense.labels, strict=True)
    )
    assert sorted(depth.labels.tolist()) == [0, 0, 1, 1]
    again = read_syntax(lambda name: tmp_path / name)[1]
    assert again.texts == tense.texts


def test_sets_of_the_asset_are_not_those_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder has a SimLex-999 with the scores of other people: the original is taken."""
    _write(
        tmp_path / "word-similarity/monolingual/en/simlex999.csv", ",word1,word2,similarity\n0,old,new,0.0\n"
    )
    original = Benchmarks(similarity=[SimilaritySet("simlex999", [("old", "new")], [1.58])])
    read = word_benchmarks.read_benchmarks
    monkeypatch.setattr(word_benchmarks, "read_benchmarks", lambda *some: read(*some) if some else original)
    assert read_similarity(tmp_path, ("SimLex-999",))[0].scores == [1.58]
    with pytest.raises(TenorError, match="wordsim353"):
        read_similarity(tmp_path, ("WS-353",))
