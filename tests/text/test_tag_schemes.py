"""Tagging schemes: entities as conlleval and seqeval read them, conversion, repair and transitions."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenor.errors import TenorError
from tenor.text.tag_schemes import (
    Entity,
    allowed_transitions,
    convert,
    entities_of,
    guess_scheme,
    repair,
    scheme_named,
    tags_of,
)

SCHEMES = ("iob1", "bio", "bioes")
any_tags = st.lists(
    st.sampled_from(["O", *(f"{prefix}-{kind}" for prefix in "BIES" for kind in ("PER", "A-B"))]), max_size=12
)
bio_tags = st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"]), max_size=12)


@st.composite
def laid_out(draw):
    """Entities that do not overlap, and the length of their sentence."""
    entities, at = [], 0
    for gap, size in draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), max_size=5)):
        at += gap
        entities.append(Entity(draw(st.sampled_from(["X", "Y", "_"])), at, at + size))
        at += size
    return entities, at + draw(st.integers(0, 2))


def seqeval_entities(tags):
    from seqeval.metrics.sequence_labeling import get_entities

    return [Entity(kind, begin, end + 1) for kind, begin, end in get_entities(list(tags))]


@given(any_tags)
def test_lenient_entities_are_those_of_seqeval(tags):
    assert entities_of(tags) == seqeval_entities(tags)


@given(st.lists(st.sampled_from("BIESO"), max_size=12))
def test_bare_tags_are_read_as_seqeval_does(tags):
    assert entities_of(tags) == seqeval_entities(tags)


@pytest.mark.parametrize("scheme", ["bio", "bioes"])
def test_strict_entities_are_those_of_seqeval(scheme):
    from seqeval.scheme import IOB2, IOBES, Entities

    theirs, prefixes = (IOB2, "BI") if scheme == "bio" else (IOBES, "BIES")
    random = np.random.default_rng(0)
    labels = ["O", *(f"{prefix}-{kind}" for prefix in prefixes for kind in "XY")]
    for _ in range(300):
        tags = random.choice(labels, random.integers(1, 10)).tolist()
        expected = [Entity(e.tag, e.start, e.end) for e in Entities([tags], theirs).entities[0]]
        assert entities_of(tags, scheme) == expected, tags


def test_bilou_is_read():
    assert entities_of(["B-X", "I-X", "L-X", "U-Y", "O"]) == [Entity("X", 0, 3), Entity("Y", 3, 4)]
    assert convert(["B-X", "L-X", "U-Y"], "bioes", "bioes") == (["B-X", "E-X", "S-Y"], 0)
    assert entities_of(["U-X", "O"], "bioes") == [Entity("X", 0, 1)]


@given(laid_out(), st.sampled_from(SCHEMES), st.sampled_from(SCHEMES))
def test_entities_come_back_through_every_scheme(made, source, target):
    entities, length = made
    tags = tags_of(entities, length, source)
    assert entities_of(tags) == entities_of(tags, source) == entities
    other, repaired = convert(tags, source, target)
    assert (entities_of(other, target), repaired) == (entities, 0)
    assert convert(other, target, source) == (tags, 0)


@given(any_tags, st.sampled_from(SCHEMES))
def test_a_repaired_sequence_is_legal_and_holds_the_same_entities(tags, scheme):
    repaired = repair(tags, scheme)
    assert entities_of(repaired, scheme) == entities_of(tags)
    assert convert(repaired, scheme, scheme) == (repaired, 0)
    assert convert(tags, scheme, scheme)[1] == sum(a != b for a, b in zip(tags, repaired, strict=True))


def test_what_is_no_tag_becomes_outside_and_is_counted():
    assert convert(["B-X", "B_X", "O"], "bio", "bio") == (["B-X", "O", "O"], 1)
    assert convert(["I-X"], "bio", "bioes") == (["S-X"], 1)
    assert convert(["NOUN", "B-X"], "plain", "plain") == (["NOUN", "B-X"], 0)
    with pytest.raises(TenorError, match="Plain tags hold no entities"):
        convert(["NOUN"], "plain", "bio")


@pytest.mark.parametrize(
    ("entities", "told"),
    [
        ([Entity("X", 0, 2), Entity("Y", 1, 3)], "overlap"),
        ([Entity("X", 2, 4)], "does not lie"),
        ([Entity("X", 1, 1)], "does not lie"),
        ([Entity("X", -1, 1)], "does not lie"),
    ],
)
def test_entities_that_cannot_be_written_are_refused(entities, told):
    with pytest.raises(TenorError, match=told):
        tags_of(entities, 3, "bio")


@pytest.mark.parametrize(
    ("sequences", "scheme"),
    [
        ([["B-X", "I-X", "O"], ["O", "B-Y"]], "bio"),
        ([["I-X", "I-X", "O", "I-Y"], ["O", "I-Y", "B-Y"]], "iob1"),
        ([["B-X", "I-X", "O"], ["I-X", "O"], ["B-X", "O"]], "bio"),  # one slip
        ([["B-X", "E-X", "S-Y", "O"]], "bioes"),
        ([["B-X", "L-X", "U-Y", "O"]], "bioes"),
        ([["B", "I", "O"]], "bio"),
        ([["DET", "NOUN"], ["VERB", "."]], "plain"),
        ([["S", "V", "E", "B", "R", "A"]], "plain"),  # parts of speech of one letter
        ([["O", "O"]], "plain"),
        ([["B-X"] * 20 + ["B_X"]], "bio"),
        ([], "plain"),
    ],
)
def test_the_scheme_is_guessed(sequences, scheme):
    assert guess_scheme(sequences) == scheme
    assert guess_scheme(iter(sequences)) == scheme


def test_the_scheme_is_guessed_from_counts():
    assert guess_scheme({"O": 100, "B-X": 10, "I-X": 30}) == "bio"
    assert guess_scheme({"O": 100, "B-X": 10}) == "bio"
    # As in the English data of CoNLL-2003, which has B-LOC but no B-PER.
    assert guess_scheme({"O": 170_000, "I-PER": 11_128, "I-LOC": 8_286, "B-LOC": 11}) == "iob1"
    assert guess_scheme({"O": 5, "S-X": 1}) == "bioes"
    assert guess_scheme({"NOUN": 5, "VERB": 1}) == guess_scheme({}) == "plain"


@given(laid_out(), st.sampled_from(SCHEMES))
def test_the_guess_of_legal_tags_reads_their_entities(made, scheme):
    entities, length = made
    guess = guess_scheme([tags_of(entities, length, scheme)])
    assert guess == "plain" if not entities else guess in SCHEMES


LABELS = {
    "iob1": ["O", "B-X", "I-X", "B-Y", "I-Y"],
    "bio": ["O", "B-X", "I-X", "B-Y", "I-Y"],
    "bioes": ["O", *(f"{prefix}-{kind}" for prefix in "BIES" for kind in "XY")],
}


@given(st.data(), st.sampled_from(SCHEMES))
def test_transitions_allow_exactly_the_legal_sequences(data, scheme):
    labels = LABELS[scheme]
    path = data.draw(st.lists(st.integers(0, len(labels) - 1), min_size=1, max_size=6))
    follows, begins, ends = allowed_transitions(labels, scheme)
    allowed = begins[path[0]] and ends[path[-1]] and all(follows[one, two] for one, two in pairwise(path))
    tags = [labels[number] for number in path]
    assert bool(allowed) == (repair(tags, scheme) == tags)


def test_plain_tags_may_follow_each_other_in_any_order():
    follows, begins, ends = allowed_transitions(["NOUN", "VERB"], "plain")
    assert all(flags.all() for flags in (follows, begins, ends))
    assert follows.shape == (2, 2)
    assert allowed_transitions([], "bio")[0].shape == (0, 0)


def test_schemes_have_other_names():
    assert scheme_named("IOBES") == scheme_named("bilou") == "bioes"
    with pytest.raises(TenorError, match=r"no tagging scheme 'boi'.*Did you mean 'bio'"):
        scheme_named("boi")


@given(st.lists(st.text(max_size=6), max_size=10))
def test_any_text_can_be_a_tag(tags):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scheme in SCHEMES:
            assert len(repair(tags, scheme)) == len(tags)
        guess_scheme([tags])
        assert allowed_transitions(tags, "bioes")[0].shape == (len(tags), len(tags))


@pytest.mark.parametrize(
    ("tags", "split", "retyped"),
    [
        ("O I-X I-X", "O B-X I-X", "O B-X I-X"),
        ("B-X I-Y", "B-X B-Y", "B-Y I-Y"),
        ("B-X I-X I-Y I-X", "B-X I-X B-Y B-X", "B-X I-X I-X I-X"),
        ("I-X O I-Y B-X", "B-X O B-Y B-X", "B-X O B-Y B-X"),
    ],
)
def test_an_entity_that_changes_its_type_is_split_or_retyped(tags, split, retyped):
    assert repair(tags.split(), "bio", rule="split") == split.split()
    assert repair(tags.split(), "bio", rule="retype") == retyped.split()


@given(laid_out(), st.sampled_from(["bio", "bioes"]))
def test_repair_leaves_legal_sequences_as_they_are(made, scheme):
    tags = tags_of(*made, scheme)
    assert all(repair(tags, scheme, rule=rule) == tags for rule in ("split", "retype"))


def test_a_retyped_sequence_is_of_bio_or_bioes():
    assert repair(["B-X", "I-X", "E-Y"], "bioes", rule="retype") == ["B-Y", "I-Y", "E-Y"]
    with pytest.raises(TenorError, match="for bio and bioes"):
        repair(["I-X"], "iob1", rule="retype")
