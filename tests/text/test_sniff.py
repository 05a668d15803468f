"""Guessing: formats, headers and roles of columns, on small files like the real ones."""

import csv
import io
import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenor.text import Problems
from tenor.text.columns import guess_roles
from tenor.text.file_profile import profile_file
from tenor.text.header import has_header
from tenor.text.names import COUPLES, is_known, pairs_of_sides, plain
from tenor.text.readers import find_format, read_rows

TEXTS = [
    f"The {animal} number {n} went to the {place} again."
    for n in range(5)
    for animal in ("cat", "dog", "cow")
    for place in ("sea", "city")
]


def table(*columns, delimiter="\t", header=None):
    rows = [delimiter.join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join(([delimiter.join(header)] if header else []) + rows) + "\n"


SMALL = range(len(TEXTS))
LABELS = [n % 3 for n in SMALL]
SCORES = [n % 11 / 2 for n in SMALL]
OTHERS = [text.replace("went", "walked") for text in TEXTS]
FILES = {
    # name: (content, description, text, pair, label, score)
    "sst.csv": (
        table(SMALL, [f"{n:x}ab" for n in SMALL], TEXTS, LABELS, header=["", "id", "sentence", "sentiment"]),
        "tab-separated, quotes are text, header, utf-8", "sentence", None, "sentiment", None,
    ),
    "sts.csv": (
        table(["news"] * 30, ["2012test"] * 30, SMALL, SCORES, TEXTS, OTHERS),
        "tab-separated, quotes are text, no header, utf-8", None, ("4", "5"), None, "3",
    ),
    "mrpc.txt": (
        table(LABELS, SMALL, SMALL, TEXTS, OTHERS,
              header=["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"]),
        "tab-separated, quotes are text, header, utf-8", None, ("#1 String", "#2 String"), "Quality", None,
    ),
    "cola.tsv": (
        table(["gj04"] * 30, [n % 2 for n in SMALL], [""] * 30, TEXTS),
        "tab-separated, quotes are text, no header, utf-8", "3", None, "1", None,
    ),
    "nli.csv": (
        table(SMALL, TEXTS, OTHERS, ["en"] * 30, LABELS, delimiter=",",
              header=["id", "premise", "hypothesis", "lang", "label"]),
        'comma-separated, quoted with ", header, utf-8', None, ("premise", "hypothesis"), "label", None,
    ),
    "words.csv": (
        table(SMALL, [f"word{n}" for n in SMALL], [f"other{n}" for n in SMALL], SCORES, delimiter=",",
              header=["", "word1", "word2", "similarity"]),
        'comma-separated, quoted with ", header, utf-8', None, ("word1", "word2"), None, "similarity",
    ),
    "lines.txt": ("\n".join(TEXTS), "plain lines, utf-8", "0", None, None, None),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_like_the_real_ones(tmp_path, name):
    content, description, text, pair, label, score = FILES[name]
    path = tmp_path / name
    path.write_text(content)
    assert find_format(path).describe() == description
    rows = list(read_rows(path, problems=Problems()))
    assert len(rows) == len(TEXTS)
    roles = guess_roles(rows)
    assert (roles.text, roles.pair, roles.label, roles.score) == (text, pair, label, score)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["0", "", "id", "sentence"], ["1", "0.0", "c91", "I rated this film a five."]], True),
        ([["text", "book", "7.3"], ["cup", "tea", "1.2"]], False),
        ([["der", "the"], ["und", "and"]], False),
        ([["text"], ["A sentence of some length here."]], True),
        ([["Thanks"], ["A sentence of some length here."]], False),
        ([["text", "label"]], True),
        ([["O", "word"], ["O", "other"], ["B", "third"]], False),
        ([["same", "same"], ["1", "2"]], False),
        ([], False),
    ],
)
def test_headers(rows, expected):
    assert has_header(rows) is expected


def _are_sides(first, second):
    one, two = plain(first), plain(second)
    different = [(a, b) for a, b in zip(one, two, strict=False) if a != b]
    one_letter = len(one) == len(two) and len(different) == 1
    return (one, two) in COUPLES or (one_letter and different[0] in (("1", "2"), ("0", "1"), ("a", "b")))


@given(st.lists(st.text("01ab_T", max_size=4) | st.sampled_from([name for pair in COUPLES for name in pair])))
def test_pairs_of_sides_are_those_of_comparing_all_names(names):
    expected = {
        one: next(two for two in names if _are_sides(one, two))
        for one in names
        if any(_are_sides(one, two) for two in names)
    }
    assert dict(pairs_of_sides(names)) == expected


@pytest.mark.timeout(30)
def test_a_file_of_thousands_of_columns_is_profiled_in_seconds(tmp_path):
    names = [f"text{number}" for number in range(5_000)]
    row = [f"some words here {number}" for number in range(5_000)]
    (tmp_path / "wide.csv").write_text("\n".join(",".join(cells) for cells in (names, row, row)) + "\n")
    # So many numbered columns are choices, not the two sides of a pair.
    assert profile_file(tmp_path / "wide.csv", problems=Problems()).roles.pair is None


def test_names():
    assert list(pairs_of_sides(["sentence_A", "sentence_B"])) == [("sentence_A", "sentence_B")]
    assert list(pairs_of_sides(["question2", "question1"])) == [("question1", "question2")]
    assert is_known("Sentence2")
    assert not is_known("Paris")


def test_survey_counts(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "id,text,label\n1,A fine film.,good\n2,a FINE film,good\n3,,bad\n4,Dull and long.,bad\n5,x\n"
    )
    problems = Problems()
    found = profile_file(path, problems=problems)
    assert (found.rows, found.columns, found.empty) == (4, ("id", "text", "label"), {"text": 1})
    assert (found.roles.text, found.roles.label) == ("text", "label")
    assert (found.statistics.count, found.statistics.repeated(), dict(found.statistics.labels)) == (
        3,
        1,
        {"good": 2, "bad": 1},
    )
    assert found.statistics.words().max == 3
    assert problems.count == 1


WORDS = [
    "the", "cat", "ran", "said", "it's", "wasn't", "42", "film,",
    "really;", "|", 'but"so"', "(maybe)", "3.5", "Paris",
]  # fmt: skip


def some_text(random, breaks):
    words = random.choices(WORDS, k=random.randint(1, 15))
    if random.random() < 0.3:
        words.insert(0, '"Well,"')
    if breaks and random.random() < 0.1:
        words.insert(1, "\n")
    return " ".join(words)


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, None])
def test_nothing_needs_to_be_said_about_ordinary_files(tmp_path, delimiter, quoting):
    """Files with a header, written by csv or (TSV only) without any quoting, come back by content alone."""
    if quoting is None and delimiter != "\t":
        pytest.skip("without quoting, text with commas cannot be told apart")
    random = Random(f"{delimiter}{quoting}")
    for size in [1, 2, 3, 5, 10, 40] * 6:
        rows = [
            [
                str(n),
                some_text(random, quoting is not None),
                some_text(random, quoting is not None),
                f"{n / 7:.2f}",
            ]
            for n in range(size)
        ]
        text = io.StringIO(newline="")
        table = [["id", "sentence1", "sentence2", "score"], *rows]
        if quoting is None:
            text.write("".join(delimiter.join(row) + "\n" for row in table))
        else:
            csv.writer(text, delimiter=delimiter, quoting=quoting).writerows(table)
        path = tmp_path / "a.csv"
        path.write_bytes(text.getvalue().encode())
        problems = Problems()
        assert [list(row.values.values()) for row in read_rows(path, problems=problems)] == rows
        assert problems.count == 0


def test_a_name_that_stands_twice_does_not_make_a_header_data():
    header = ["Nr", "comment", "Kategorie", "comment"]
    rows = [[str(n), f"a sentence of some length, number {n}", "abc"[n % 3], "mail"] for n in range(9)]
    assert has_header([header, *rows])
    assert not has_header([["a", "b", "a"], ["b", "a", "b"], ["a", "a", "b"]])


def test_a_header_of_very_many_names_takes_time_by_their_number():
    names = [f"c{number}" for number in range(60_000)]
    began = time.process_time()
    has_header([names, ["1"] * len(names)])
    assert time.process_time() - began < 8
