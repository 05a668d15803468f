"""Corpora of words, tagged sentences and trees, each from a few lines in its format."""

import pytest

from corpus_files import Write
from tenor.corpora import look_up
from tenor.corpora.brown import read_brown
from tenor.corpora.conll2000 import read_chunks
from tenor.corpora.static_vectors import FILES, read_vectors
from tenor.corpora.stopwords import read_stopwords
from tenor.corpora.treebank import read_treebank
from tenor.corpora.universal_dependencies import read_dependencies
from tenor.corpora.word_benchmarks import read_analogies, read_categories, read_similarity
from tenor.corpora.xling_eval import read_translations
from tenor.errors import TenorError

EWT = "en_ewt/en_ewt-ud-train.conllu.gz"


def test_word_benchmarks(write: Write) -> None:
    similar = "word-similarity/monolingual/en"
    folder = write(f"{similar}/men.csv", ",word1,word2,similarity\n0,sun-n,Moon-n,50\n1,run-v,old-j,\n")
    write("word-analogy/monolingual/en/msr.csv", ",type,word1,word2,word3,target\n0,kin,a,b,c,d\n")
    write(
        "word-categorization/monolingual/en/ap.csv", ",word,category\n0,dog,animal\n1,oak,tree\n2,oak,wood\n"
    )
    (men,) = read_similarity(folder, ("MEN",))
    assert (men.name, men.pairs, men.scores) == ("MEN", [("sun", "Moon")], [50.0])
    (msr,) = read_analogies(folder, ("MSR",))
    assert (msr.questions, msr.categories) == ([("a", "b", "c", "d")], ["kin"])
    (categories,) = read_categories(folder)
    assert (categories.name, list(categories.words)) == ("ap", ["dog"])
    corpus = look_up("word-benchmarks")
    assert list(corpus.read(folder, "word-similarity/men")) == [(("sun", "Moon"), 50.0)]
    assert list(corpus.read(folder, "word-analogy/msr")) == [(("a", "b", "c", "d"), "kin")]
    assert list(corpus.read(folder, "word-categorization/ap")) == [("dog", "animal")]
    with pytest.raises(TenorError, match=r"rg-65.csv does not exist"):
        read_similarity(folder, ("RG-65",))
    write(f"{similar}/rg-65.csv", ",word1,word2\n0,sun,moon\n")
    with pytest.raises(TenorError, match=r"rg-65.csv:1: there is no column 'similarity'"):
        read_similarity(folder, ("RG-65",))


def test_dictionaries(write: Write) -> None:
    folder = write("en-de/yacle.train.freq.1k.en-de.tsv", "Dog\tHund\nnew york\tNeu York\n")
    pairs = [("Dog", "Hund"), ("new york", "Neu York")]
    assert read_translations(folder, "en-de", "train.freq.1k", lowercase=False) == pairs
    assert read_translations(folder, "en-de", "train.freq.1k")[0] == ("dog", "hund")
    write("en-de/yacle.train.freq.5k.en-de.tsv", "dog\tHund\ncat\tKatze\nsun\t\n")
    with pytest.raises(TenorError, match=r"freq.5k.en-de.tsv:3: no pair of words"):
        read_translations(folder, "en-de", "train.freq.5k")
    with pytest.raises(TenorError, match=r"freq.2k.en-de.tsv does not exist"):
        read_translations(folder, "en-de", "test.freq.2k")


def test_vectors(write: Write, caplog: pytest.LogCaptureFixture) -> None:
    folder = write(FILES["fi"], "2 3\nkissa 1 0 0\nkoira 0 1 0.5\n")
    vectors = read_vectors(folder, "fi")
    assert list(vectors.words) == ["kissa", "koira"]
    assert list(look_up("static-emb").read(folder, "fi")) == ["kissa", "koira"]
    with pytest.raises(TenorError, match=r"no table of vectors 'sv'"):
        read_vectors(folder, "sv")
    write(FILES["de"], "2 3\nKatze 1 0 0\nHund 0 1\n")
    assert list(read_vectors(folder, "de").words) == ["Katze"]
    assert f"{FILES['de']}:3: the line has 2 numbers" in caplog.text
    with pytest.raises(TenorError, match=r"no file '.*fr_tatoeba_multi30k"):
        read_vectors(folder, "fr")


def test_stop_words(write: Write) -> None:
    folder = write("stopwords.zip", {"stopwords/english": "the\nof\nmustn't\n", "stopwords/README": "about"})
    assert list(read_stopwords(folder)) == ["the", "of", "mustn't"]
    with pytest.raises(TenorError, match=r"stopwords.zip holds no file 'stopwords/dutch'"):
        list(read_stopwords(folder, "dutch"))


def test_brown(write: Write) -> None:
    text = "\n\n\tThe/at 1/2/cd said/vbd\n\n\tYes/rb ./.\n"
    folder = write("brown.zip", {"brown/ca01": text, "brown/cats.txt": "ca01 news", "brown/README": "no"})
    first, second = read_brown(folder)
    assert (first.words, first.tags) == (("The", "1/2", "said"), ("at", "cd", "vbd"))
    assert (second.words, second.origin.line) == (("Yes", "."), 5)
    write("brown.zip", {"brown/ca01": "The/at jury\n"})
    with pytest.raises(TenorError, match=r"brown.zip/brown/ca01:1: jury, where words with their tags"):
        list(read_brown(folder))


def test_chunks(write: Write) -> None:
    text = "# # B-NP\n5 CD I-NP\nfell VBD B-VP\n\nNo DT O\n"
    folder = write(
        "conll2000.zip", {"conll2000/train.txt": text, "conll2000/test.txt": "He PRP B-NP\nran VBD\n"}
    )
    first, second = read_chunks(folder, "train")
    assert (first.words, first.tags) == (("#", "5", "fell"), ("B-NP", "I-NP", "B-VP"))
    assert second.tags == ("O",)
    with pytest.raises(TenorError, match=r"conll2000/test.txt:2|the line has"):
        list(read_chunks(folder, "test"))


def row(number: str, word: str, head: str) -> str:
    """Return a line of CoNLL-U."""
    return "\t".join([number, word, "_", "X", "_", "_", head, "dep", "_", "_"])


def test_dependencies(write: Write) -> None:
    lines = [
        "# text = a bc",
        row("1", "a", "3"),
        row("2-3", "bc", "_"),
        row("2", "b", "3"),
        row("3", "c", "0"),
    ]
    folder = write(EWT, "\n".join([*lines, row("3.1", "d", "_"), "", row("1", "e", "0")]) + "\n")
    first, second = read_dependencies(folder, "en_ewt", "train")
    assert (first.words, first.heads, first.tags) == (("a", "b", "c"), (3, 3, 0), ("X", "X", "X"))
    assert (first.relations[0], first.origin.line) == ("dep", 2)
    assert second.words == ("e",)


@pytest.mark.parametrize(
    ("broken", "what"),
    [("2\tb\t_", "3 columns"), (row("2", "b", "_"), "the head '_'"), (row("2", "b", "9"), "'9'")],
)
def test_broken_dependencies(write: Write, broken: str, what: str) -> None:
    folder = write(EWT, f"{row('1', 'a', '0')}\n{broken}\n")
    with pytest.raises(TenorError, match=f"train.conllu.gz:2: .*{what}.* where the ten columns"):
        list(read_dependencies(folder, "en_ewt", "train"))


def test_a_treebank_without_trees(write: Write) -> None:
    with pytest.raises(TenorError, match=r"has no sentences"):
        list(read_dependencies(write(EWT, "# nothing\n\n"), "en_ewt", "train"))


def test_treebank(write: Write) -> None:
    trees = (
        "\n( (S (NP-SBJ (NNP Ann) )\n    (VP (VBD ran) (NP (-NONE- *T*-1) )) (. .) ))\n"
        "( (NP (JJ black) (NN dog) (-LRB- -LRB-) ))\n"
    )
    folder = write("treebank.zip", {"treebank/combined/wsj_0001.mrg": trees, "treebank/combined/README": "("})
    first, second = read_treebank(folder)
    assert (first.words, first.tags) == (("Ann", "ran", "."), ("NNP", "VBD", "."))
    assert (second.words, second.tags) == (("black", "dog", "("), ("JJ", "NN", "-LRB-"))
    assert (first.origin.line, second.origin.line) == (2, 4)
    for broken, what in (("( (S (NN a) )", "do not fit"), ("( (S ) )", "without words")):
        write("treebank.zip", {"treebank/combined/wsj_0001.mrg": broken})
        with pytest.raises(TenorError, match=what):
            list(read_treebank(folder))


def test_panlex_reads_the_largest_dictionary_of_a_pair(write: Write) -> None:
    members = {
        "fi-et/fi-et.train.5000.cc.trans": "vuosi\taasta\nkuu\tkuu\n",
        "fi-et/fi-et.train.500.cc.trans": "no\tjah\n",
        "fi-eu/fi-eu.train.5000.cc.trans": "kuu\tilargi\n",
    }
    folder = write("fi-l2.zip", members)
    assert list(look_up("bli-panlex").read(folder, "fi-et")) == [("vuosi", "aasta"), ("kuu", "kuu")]
    write("fi-l2.zip", {"fi-et/fi-et.train.5000.cc.trans": "vuosi\taasta\nkuu\n"})
    with pytest.raises(TenorError, match=r"fi-et\.train\.5000\.cc\.trans:2: 'kuu'"):
        list(look_up("bli-panlex").read(folder, "fi-et"))
