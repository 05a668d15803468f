"""Reading WordNet's files: forms, synsets, and files that are not what they should be."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_wordnet import SYNSETS, write_wordnet
from tenor.errors import TenorError
from tenor.text.wordnet import LONGEST_LINE, WordNet


@pytest.fixture
def folder(tmp_path):
    return write_wordnet(tmp_path / "wordnet")


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory):
    return WordNet.load(write_wordnet(tmp_path_factory.mktemp("wordnet")))


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("goose", {"noun": ["goose"]}),
        ("Geese", {"noun": ["goose"]}),
        ("axes", {"noun": ["ax", "axis"], "verb": ["axe", "ax"]}),
        ("cars", {"noun": ["car"]}),
        ("boxesful", {"noun": ["boxful"]}),
        ("women", {"noun": ["woman"]}),
        ("adult female", {"noun": ["adult_female"]}),
        ("gas", {"noun": ["gas"]}),
        ("gass", {}),
        ("bought", {"verb": ["buy"]}),
        ("purchasing", {"verb": ["purchase"]}),
        ("hurries", {"verb": ["hurry"]}),
        ("rushed", {"verb": ["rush"]}),
        ("better", {"adj": ["good", "well"]}),
        ("larger", {"adj": ["large"]}),
        ("biggest", {}),
        ("quicklys", {}),
        ("s", {}),
        ("", {}),
        ("ärger", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_forms_by_exceptions_and_detachment(wordnet, word, forms):
    assert wordnet.base_forms(word) == forms


def test_synonyms_share_a_synset_in_any_form(wordnet):
    assert wordnet.synsets("bought") & wordnet.synsets("purchases")
    assert wordnet.synsets("autos") & wordnet.synsets("car")
    assert not wordnet.synsets("purchase") & wordnet.synsets("believe")
    assert not wordnet.synsets("goose") & wordnet.synsets("car")
    assert wordnet.synsets("unheard") == frozenset()


def test_every_synset_of_the_index_holds_its_word(wordnet):
    found = {part: [] for part in SYNSETS}
    for part, words in wordnet.index.items():
        for word, offsets in words.items():
            for offset in offsets:
                assert word in wordnet.words_of((part, offset))
                found[part].append((offset, tuple(wordnet.words_of((part, offset)))))
    for part, synsets in SYNSETS.items():
        plain = [tuple(word.partition("(")[0] for word in words) for words in synsets]
        assert [words for _, words in sorted(set(found[part]))] == plain


@pytest.mark.parametrize("offset", [0, 1, 10**9])
def test_a_place_without_synset_is_refused(wordnet, offset):
    with pytest.raises(TenorError, match=r"data\.noun has no synset at \d+.*tenor fetch wordnet --force"):
        wordnet.words_of(("noun", offset))


@pytest.mark.parametrize(
    ("file", "line", "says"),
    [
        ("index.noun", "dog n 1 1 @ 1 0 99999999", r"index\.noun:\d+ names a synset at 99999999"),
        ("index.noun", "dog n 1 1 @ 1 0 -0000005", "names a synset at -5"),
        ("index.noun", "dog n 2 1 @ 1 0 00000040", "not a line of a WordNet index"),
        ("index.noun", "dog n 0 1 @ 1 0", "not a line of a WordNet index"),
        ("index.noun", "dog v 1 1 @ 1 0 00000040", "not a line of a WordNet index"),
        ("index.noun", "dog n x 1 @ 1 0 00000040", "not a line of a WordNet index"),
        ("index.noun", "dog n 1 -7 @ 1 0 00000040", "not a line of a WordNet index"),
        ("index.verb", "dog", "not a line of a WordNet index"),
        ("index.adv", "x" * (LONGEST_LINE + 5), "more than 65,536 bytes"),
        ("noun.exc", "geese", "names no base form of 'geese'"),
        ("adj.exc", b"\xff\xfe x", "is not UTF-8"),
    ],
    ids=["far", "negative", "counts", "none", "part", "words", "pointers", "short", "long", "bare", "bytes"],
)
def test_a_wrong_line_is_told_with_its_place(folder, file, line, says):
    with (folder / file).open("ab") as target:
        target.write(line if isinstance(line, bytes) else line.encode())
    with pytest.raises(TenorError, match=says):
        WordNet.load(folder)


@pytest.mark.parametrize("file", ["index.noun", "data.verb", "adv.exc"])
def test_a_missing_file_is_told(folder, file):
    (folder / file).unlink()
    with pytest.raises(TenorError, match=rf"Cannot read .*{file}.*tenor fetch wordnet"):
        WordNet.load(folder)


@given(st.binary(max_size=200), st.sampled_from(["index.noun", "noun.exc"]))
def test_any_bytes_are_read_or_refused_in_a_sentence(tmp_path_factory, junk, file):
    folder = write_wordnet(tmp_path_factory.getbasetemp() / "junk")
    (folder / file).write_bytes(junk)
    with suppress(TenorError):
        WordNet.load(folder).synsets("geese")
