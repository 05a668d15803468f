"""Groups of texts that say the same, on vectors made here and on a tiny model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_grouping import reference

import tenor
from tenor.errors import TenorError
from tenor.use.align.explain import Explanation, TextSpan
from tenor.use.dedupe.deduping import EXACT_LIMIT, Group, Member, dedupe, group_texts
from tenor.use.dedupe.differences import differences
from tenor.use.dedupe.file import dedupe_file
from tenor.use.dedupe.reasons import _descriptions, aligned_reason
from tenor.use.dedupe.unknown import SIGNS, with_unknown_words
from tenor.use.embed.embedding import embed_file

WIDTH = 6


@pytest.fixture(scope="module")
def minilm():
    try:
        return tenor.load("minilm", precision="fp32")
    except TenorError as error:
        pytest.skip(str(error))


def group(texts, table, threshold, limit=EXACT_LIMIT, **options):
    """Group texts whose vectors are looked up in a table."""

    def encode(rows, out):
        for place, row in enumerate(rows):
            out[place] = table[texts[row]]

    return group_texts(texts, encode, WIDTH, threshold, limit, **options)


@given(
    st.lists(st.integers(0, 40), max_size=60), st.integers(0, 10**6), st.sampled_from([0.6, 0.9, 0.99, 1.0])
)
@settings(max_examples=80, deadline=None)
def test_equals_brute_force(picks, seed, threshold):
    """Random texts with repeats, some of them with the same vector as others."""
    generator = np.random.default_rng(seed)
    middles = generator.normal(size=(8, WIDTH))
    vectors = middles[generator.integers(0, 8, 41)] + 0.2 * generator.normal(size=(41, WIDTH))
    vectors[30:] = vectors[:11]
    vectors = vectors.astype(np.float32)
    table = {f"text {number}": vectors[number] for number in range(41)}
    texts = [f"text {number}" for number in picks]
    groups = group(texts, table, threshold)

    distinct = list(dict.fromkeys(picks))
    unit = vectors[distinct] / np.linalg.norm(vectors[distinct].astype(float), axis=1, keepdims=True)
    cosines = np.round(unit @ unit.T, 6)  # equal vectors are at 1, whatever the rounding
    near_enough = np.where(np.abs(cosines - threshold) < 2e-6, threshold, cosines)
    weights = np.array([picks.count(number) for number in distinct])
    expected = _reference_of_cosines(near_enough, threshold, weights)
    rows = [[row for row, pick in enumerate(picks) if expected[distinct.index(pick)] == centre]
            for centre in set(expected.tolist())]  # fmt: skip
    assert sorted(sorted(m.row for m in each.members) for each in groups) == sorted(
        each for each in rows if len(each) > 1
    )


def _reference_of_cosines(cosines, threshold, weights):
    near = cosines >= threshold
    counts = near @ weights if len(near) else np.zeros(0)
    centre = np.full(len(near), -1)
    for row in sorted(range(len(near)), key=lambda row: (-counts[row], row)):
        if centre[row] < 0:
            centre[(centre < 0) & near[row]] = row
    return centre


def table_on_circle(texts, degrees):
    angles = np.radians(degrees)
    zeros = np.zeros((len(texts), WIDTH - 2))
    vectors = np.concatenate([np.cos(angles)[:, None], np.sin(angles)[:, None], zeros], axis=1)
    return dict(zip(texts, vectors.astype(np.float32), strict=True))


def test_no_chain_and_every_member_reaches_the_threshold():
    texts = [f"t{n}" for n in range(10)]
    table = table_on_circle(texts, np.arange(0, 100, 10))
    threshold = float(np.cos(np.radians(11)))
    groups = group(texts, table, threshold)
    assert len(groups) > 1
    for each in groups:
        scores = [float(table[member.text] @ table[each.centre.text]) for member in each.members]
        assert min(scores) >= threshold - 1e-6
        assert [member.score for member in each.members] == pytest.approx(scores, abs=1e-6)


def test_a_text_with_many_copies_draws_the_centre_to_its_side():
    """In a row of four the second and the third have two neighbours each; copies of the fourth decide."""
    texts = [f"t{n}" for n in range(4)]
    table = table_on_circle(texts, [0, 10, 20, 30])
    threshold = float(np.cos(np.radians(11)))
    assert group(texts, table, threshold)[0].centre.text == "t1"
    (found,) = group(texts + ["t3"] * 4, table, threshold)
    assert found.centre.text == "t2"
    assert {member.text for member in found.members} == {"t1", "t2", "t3"}


def test_exact_duplicates_score_and_reason():
    texts = ["A cat  sat", "a dog ran", "a cat sat", "A cat  sat", "", "a tom cat sat", "  "]
    table = table_on_circle(["A cat  sat", "a dog ran", "a tom cat sat"], [0, 90, 15])
    (found,) = group(texts, table, 0.9)
    assert [(member.row, member.kind) for member in found.members] == [
        (0, "centre"), (2, "same but for case or spaces"), (3, "same text"), (5, "alike"),
    ]  # fmt: skip
    assert found.members[3].score == pytest.approx(np.cos(np.radians(15)), abs=1e-6)
    assert found.members[3].why == "alike: adds “tom”"


def test_only_spellings_that_look_the_same_are_exact_duplicates():
    """Composed and decomposed accents are one text; powers and fractions are not their digits."""
    texts = ["10⁵ cells", "105 cells", "café", "cafe\u0301", "½ cup", "1/2 cup"]
    table = table_on_circle(texts, [0, 90, 180, 200, 45, 135])
    (found,) = group(texts, table, 0.9)
    assert [member.row for member in found.members] == [2, 3]


def test_deterministic_and_independent_of_the_index_when_it_looks_everywhere():
    generator = np.random.default_rng(0)
    texts = [f"t{n}" for n in range(300)]
    middles = generator.normal(size=(40, WIDTH)).astype(np.float32)
    vectors = middles[generator.integers(0, 40, 300)] + 0.15 * generator.normal(size=(300, WIDTH))
    table = dict(zip(texts, vectors.astype(np.float32), strict=True))
    notes = []
    exact = group(texts, table, 0.97)
    assert exact == group(texts, table, 0.97)
    indexed = group(texts, table, 0.97, limit=100, note=notes.append)
    assert "index" in notes[0]
    assert "%" in notes[0]
    rows = lambda groups: {frozenset(m.row for m in each.members) for each in groups}  # noqa: E731
    assert len(rows(exact) & rows(indexed)) > 0.9 * len(exact)


def test_ten_thousand_identical():
    (found,) = group(["same"] * 10_000, table_on_circle(["same"], [0]), 0.9)
    assert len(found) == 10_000
    assert found.centre.row == 0


def test_unreadable_texts_with_zero_vectors_stay_apart():
    table = {"aa": np.zeros(WIDTH, np.float32), "bb": np.zeros(WIDTH, np.float32)}
    assert group(["aa", "bb"], table, 0.5) == []


@pytest.mark.parametrize("texts", [[], ["one"], [""], ["", " "]])
def test_nothing_to_group(texts):
    assert group(texts, table_on_circle(["one"], [0]), 0.9) == []


@pytest.mark.parametrize("threshold", [0, -0.5, 1.01, float("nan")])
def test_thresholds_out_of_range(threshold):
    with pytest.raises(TenorError, match="threshold"):
        group(["one"], {}, threshold)


def test_progress_adds_up(tiny_folder):
    model = tenor.load(tiny_folder)
    told = {}
    texts = ["the cat sat", "a dog ran", "the cat sat,", "music by the river", "the cat sat"]

    def progress(stage, count, total):
        done, _ = told.get(stage, (0, total))
        told[stage] = (done + count, total)

    groups = dedupe(model, texts, threshold=0.5, progress=progress)
    assert told["Encoding"] == (4, 4)
    assert told["Comparing"] == (10, 10)
    assert told["Grouping"][0] == told["Grouping"][1] > 0
    assert {0, 4} <= {member.row for member in groups[0].members}


def test_a_model_groups_as_its_vectors_say(tiny_folder):
    model = tenor.load(tiny_folder)
    texts = [f"{a} {b} {c}" for a in ("the", "a") for b in ("cat", "dog", "book") for c in ("sat", "ran")]
    vectors = model.encode(texts)
    expected = reference(vectors, 0.9, np.ones(len(texts), dtype=int))
    groups = dedupe(model, texts, threshold=0.9)
    found = np.arange(len(texts))
    for each in groups:
        for member in each.members:
            found[member.row] = each.centre.row
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("here", "there", "told"),
    [
        ("a b c", "a b c", []),
        ("A b", "a B", []),
        ("a x c", "a y c", ["“x” for “y”"]),
        ("a b", "a b c", ["lacks “c”"]),
        ("", "a", ["lacks “a”"]),
    ],
)
def test_differences(here, there, told):
    assert [str(each) for each in differences(here, there)] == told


def test_differences_of_huge_texts_are_quick():
    assert differences("a " * 500_000, "b " * 500_000)


def test_aligned_reasons_account_for_every_differing_word(tiny_folder):
    model = tenor.load(tiny_folder)
    centre = Member(0, "the cat sat on a mat", "centre", 1.0)
    other = Member(1, "the dog sat on a mat", "alike", 0.9, differences("the dog sat", "the cat sat"))
    long = Member(2, "cat " * 1000, "alike", 0.9, differences("a", "b"))
    found = Group((centre, other, long))
    told = aligned_reason(model, found, other)
    assert "dog" in told
    assert "cat" in told
    assert "mat" not in told
    assert aligned_reason(model, found, centre) == "centre"
    assert aligned_reason(model, found, long) == "alike: “a” for “b”"


def test_texts_that_differ_in_unknown_words_alone_stay_apart(minilm):
    texts = [
        "\U0001f600\U0001f600",
        "\u0e09\u0e31\u0e19\u0e23\u0e31\u0e01",
        "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35",
        "I love \U0001f355",
        "I love \U0001f354",
        "\U0001f600 \U0001f600",
    ]
    groups = dedupe(minilm, texts)
    assert [[member.row for member in each.members] for each in groups] == [[0, 5]]


def test_unknown_words_are_the_same_in_upper_and_lower_case(tiny_folder):
    model = tenor.load(tiny_folder)
    texts = ["the \u0416\u0423\u041a sat", "the \u0436\u0443\u043a sat", "the \u0436\u0430\u0431 sat"]

    def encode(rows, out):
        out[:] = 1

    fill, width = with_unknown_words(model, texts, encode)
    assert width == model.width + SIGNS
    vectors = np.empty((3, width), dtype=np.float32)
    fill(np.arange(3), vectors)
    cosines = vectors @ vectors.T
    np.testing.assert_allclose(np.diag(cosines), 1, atol=1e-5)
    assert cosines[0, 1] == pytest.approx(1, abs=1e-5)
    assert cosines[0, 2] < 0.9


def test_a_few_unknown_words_do_not_hide_a_duplicate(minilm):
    first = "The delivery was late and the box was damaged"
    texts = [first, first + " \U0001f621", "The box arrived late and it was damaged \U0001f621"]
    (found,) = dedupe(minilm, texts, threshold=0.8)
    assert sorted(member.row for member in found.members) == [0, 1, 2]
    scores = {member.row: member.score for member in found.members}
    known, shares = minilm.encode([texts[0], texts[1]]), (0, 1 / 10)
    assert scores[1 if scores[0] == 1 else 0] == pytest.approx(
        np.sqrt(1 - shares[1]) * float(known[0] @ known[1]), abs=1e-3
    )


def test_stored_vectors_keep_unknown_words_apart_too(minilm, tmp_path):
    (tmp_path / "a.txt").write_text("I love \U0001f355\nI love \U0001f354\n", encoding="utf-8")
    embed_file(minilm, tmp_path / "a.txt", tmp_path / "a.npy")
    found = dedupe_file(minilm, tmp_path / "a.txt", vectors=tmp_path / "a.npy")
    assert not found.groups
    assert "33% of the tokens are unknown to minilm" in found.warning


def test_words_that_both_texts_have_are_no_difference():
    text = TextSpan("It", 0, 2)
    explanation = Explanation((), (text, TextSpan("red", 3, 6)), (TextSpan("it", 0, 2),), ((), ()), ())
    assert _descriptions(explanation) == ["adds “red”"]
