"""Candidate phrases and the pairs that links leave together, against enumeration."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tenor
from tenor.use.align.candidates import constituents, ngrams
from tenor.use.align.extraction import consistent_pairs, maximal_pairs, minimal_pairs
from tenor.use.align.pairs import Aligner, PhraseSettings, WordPair, phrase_pairs
from tenor.use.align.words import is_punctuation

sizes = st.tuples(st.integers(1, 6), st.integers(1, 6))


def spans_of(size):
    return [(begin, end) for begin in range(size) for end in range(begin + 1, size + 1)]


@st.composite
def linked_candidates(draw):
    n, m = draw(sizes)
    links = draw(arrays(np.int8, (n, m), elements=st.integers(0, 4))) == 0
    first = draw(st.lists(st.sampled_from(spans_of(n)), unique=True))
    second = draw(st.lists(st.sampled_from(spans_of(m)), unique=True))
    return links, first, second


def is_consistent(links, one, two):
    inside = links[slice(*one), slice(*two)].sum()
    return inside > 0 and inside == links[slice(*one)].sum() == links[:, slice(*two)].sum()


@given(linked_candidates())
def test_consistent_pairs_equal_their_definition(texts):
    links, first, second = texts
    expected = sorted((one, two) for one in first for two in second if is_consistent(links, one, two))
    assert consistent_pairs(links, first, second) == expected


@given(linked_candidates())
def test_minimal_and_maximal_pairs(texts):
    pairs = consistent_pairs(*texts)

    def inside(inner, outer):
        return all(set(range(*a)) <= set(range(*b)) for a, b in zip(inner, outer, strict=True))

    for chosen, better in (
        (minimal_pairs(pairs), lambda pair, other: inside(other, pair)),
        (maximal_pairs(pairs), inside),
    ):
        assert chosen == [p for p in pairs if not any(q != p and better(p, q) for q in pairs)]
        assert bool(chosen) == bool(pairs)


words = st.lists(st.sampled_from(["The", "cat", "of", "'s", ",", "and", "house", "old"]), max_size=9)


@given(words, st.integers(1, 5))
def test_ngrams_are_short_hold_a_content_word_and_cross_no_mark(text, longest):
    for begin, end in ngrams(text, longest=longest):
        phrase = text[begin:end]
        assert 1 <= len(phrase) <= longest
        assert not any(map(is_punctuation, phrase))
        assert {"cat", "house", "old"} & set(phrase)
        assert phrase[-1].lower() not in ("the", "of", "and")
        assert phrase[0] not in ("'s", "and")
    alone = [(place, place + 1) for place, word in enumerate(text) if word in ("cat", "house", "old")]
    assert set(alone) <= set(ngrams(text, longest=longest))


def test_constituents_drop_marks_small_words_and_the_whole_text():
    text = ["The", "old", "cat", ",", "it", "sat"]
    spans = [(0, 6), (0, 3), (1, 2), (2, 5), (4, 5), (5, 6), (0, 3)]
    assert constituents(text, spans) == [(0, 3), (1, 2), (5, 6)]
    assert constituents(["Yes"], [(0, 1)]) == [(0, 1)]


def test_phrases_without_a_counterpart_are_kept_as_phrases():
    pair = WordPair(("red", "wine"), ("white", "wine"))
    links = np.array([[False, False], [False, True]])
    found = phrase_pairs(pair, links, settings=PhraseSettings())
    assert (0, 1) in found.first_phrases
    assert (0, 1) in found.unaligned[0]
    assert (1, 2) not in found.unaligned[1]
    assert ((1, 2), (1, 2)) in found.alignments
    assert phrase_pairs(pair, ~links & False, settings=PhraseSettings()).alignments == ()


def test_trees_give_the_phrases():
    pair = WordPair(("a", "red", "car"), ("a", "car"), trees=(((0, 3), (1, 3)), ((0, 2), (1, 2))))
    links = np.array([[True, False], [False, False], [False, True]])
    found = phrase_pairs(pair, links, settings=PhraseSettings())
    assert found.phrases == (((1, 3),), ((1, 2),))
    assert found.alignments == (((1, 3), (1, 2)),)


@pytest.fixture(scope="module")
def aligner(tiny_folder):
    return Aligner(tenor.load(tiny_folder, precision="fp32"))


def test_identical_texts_are_aligned_word_by_word(aligner):
    text = tuple("the old man and the child read a good book".split())  # noqa: SIM905
    (found,) = aligner.align([WordPair(text, text)])
    assert set(found.links) >= {(place, place) for place in range(len(text))}
    assert all(one == two for one, two in found.alignments)


def test_records_do_not_depend_on_the_company_of_other_pairs(aligner):
    pairs = [
        WordPair(("the", "cat", "sat"), ("a", "cat", "sat", "down", ".")),
        WordPair(("Yes",), ("No",)),
        WordPair(("漢", "字"), ("blue", "water", "and", "food")),
    ]
    together = list(aligner.align(pairs))
    assert together == [found for pair in pairs for found in aligner.align([pair])]


def test_words_beyond_the_limit_have_no_links_and_shift_nothing(aligner):
    long = ("river",) * 60
    (found,) = aligner.align([WordPair((*long, "dog"), ("a", "dog"))])
    assert len(found.first) == 61
    assert all(i < 60 for i, _ in found.links)
    assert (60, 61) in found.first_phrases


def test_a_phrase_that_goes_beyond_the_limit_has_no_counterpart(aligner):
    words = tuple("the old man and the child read a good book in the city".split() * 6)  # noqa: SIM905
    ((found, cut),) = aligner.align_and_count([WordPair(words, words[:20])])
    seen = len(aligner.model.word_states([words])[0].words)
    assert seen < len(words)
    assert cut == 1
    assert found.alignments
    assert all(span[1] <= seen for span, _ in found.alignments)
    assert any(span[0] < seen < span[1] for span in found.first_phrases), "it is kept"
    # Of two texts that are cut, what is far beyond takes no memory.
    tracemalloc.start()
    list(aligner.align([WordPair(words * 40, words * 40)]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(words * 40) ** 2


def test_words_that_the_model_drops_keep_their_place(aligner):
    (found,) = aligner.align([WordPair(("\u200b", "cat", "sat"), ("cat", "\u200b", "sat"))])
    assert {(1, 0), (2, 2)} <= set(found.links)
    assert not {0} & {i for i, _ in found.links}
