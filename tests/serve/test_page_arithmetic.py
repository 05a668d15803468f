"""What the page computes by itself, against the package and Python: groups, tables, places in a text."""

import csv
import io

import numpy as np
import pytest

from serve.browser import browsing, programs, serving
from tenor.use.dedupe.deduping import EXACT_LIMIT, group_texts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(tiny_folder, tmp_path_factory):
    programs()
    folder = tmp_path_factory.mktemp("served")
    with (
        serving("--model", tiny_folder, log=folder / "log") as (address, _),
        browsing(address, folder) as browser,
    ):
        browser.open()
        yield browser


@pytest.mark.parametrize("seed", range(4))
def test_the_page_groups_as_the_package_does(page, seed):
    random = np.random.default_rng(seed)
    centres = random.normal(size=(8, 12))
    vectors = centres[random.integers(8, size=60)] + random.uniform(0.1, 0.8) * random.normal(size=(60, 12))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    of = random.permutation(np.concatenate([np.arange(60), random.integers(60, size=15)]))
    texts = [f"text {number}" if copy % 3 else f"TEXT  {number}" for copy, number in enumerate(of)]
    same = [int(np.flatnonzero(of == number)[0]) for number in of]
    cosines = vectors[of] @ vectors[of].T
    firsts = sorted(set(same))
    pairs = [[a, b, float(cosines[a, b])] for a in firsts for b in firsts if a < b and cosines[a, b] >= 0.5]
    for threshold in (0.55, 0.7, 0.85, 0.95, 1.0):
        groups = group_texts(
            texts, lambda rows, out: np.copyto(out, vectors[of[rows]]), 12, threshold, EXACT_LIMIT
        )
        found = page.module("grouping.js", "new m.Grouping(a[0], a[1]).at(a[2])", same, pairs, threshold)
        assert [[each["row"] for each in group] for group in found] == [
            [member.row for member in group.members] for group in groups
        ]
        scores = [each["score"] for group in found for each in group]
        expected = [member.score for group in groups for member in group.members]
        np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_the_page_reads_tables_as_python_does(page):
    random = np.random.default_rng(0)
    letters = ["a", "ü", '"', ",", ";", "\n", "\r\n", " ", "😀", "\t", "'"]
    for separator in (",", ";", "\t"):
        rows = [
            ["".join(random.choice(letters, size=random.integers(1, 9))) + "." for _ in range(3)]
            for _ in range(30)
        ]
        table = io.StringIO(newline="")
        csv.writer(table, delimiter=separator).writerows(rows)
        assert page.module("csv.js", "m.parse(a[0], a[1])", table.getvalue(), separator) == rows


@pytest.mark.parametrize(
    ("text", "separator"),
    [("a,b\n1,2\n3,4", ","), ("a;b;c\n1,5;2;3", ";"), ("one\ntwo, or so\nthree", None), ("x\ty\n1\t2", "\t")],
    ids=["commas", "semicolons", "lines", "tabs"],
)
def test_the_page_finds_the_separator(page, text, separator):
    assert page.module("csv.js", "m.separatorOf(a[0])", text) == separator


def test_what_the_page_writes_python_reads_and_no_spreadsheet_runs(page):
    cells = ["=1+1", "+1", "-1", "@x", "\t=1", " =1", '"q"', "a,b", "two\nlines", "＝1", "plain", "it's", ""]
    written = page.module("csv.js", "m.write([a[0], [1, -2.5, 'x']])", cells)
    assert written.startswith("\ufeff")
    first, second = csv.reader(io.StringIO(written.removeprefix("\ufeff"), newline=""))
    assert first == [f"'{cell}" if cell.strip()[:1] in {*"=+-@＝"} - {""} else cell for cell in cells]
    assert second == ["1", "-2.5", "x"]


def test_places_are_counted_in_characters_as_the_server_counts_them(page):
    text = "a😀b👍🏽c"
    at = page.module("matching.js", "m.places(a[0])", text)
    units = [len(text[:end].encode("utf-16-le")) // 2 for end in range(len(text) + 1)]
    assert at == units


def test_dots_keep_apart_and_copies_together(page):
    random = np.random.default_rng(0)
    points = np.repeat(random.uniform(-1, 1, size=(8, 2)), 5, axis=0)  # five texts in each place
    same = [row if row % 5 != 4 else row - 1 for row in range(40)]  # every fifth is a copy of the one before
    moved = np.array(page.module("spread.js", "m.spread(a[0], a[1], 0.07)", points.tolist(), same))
    distances = np.linalg.norm(moved[:, None] - moved[None], axis=2)
    firsts = [row for row in range(40) if same[row] == row]
    apart = distances[np.ix_(firsts, firsts)][np.triu_indices(len(firsts), 1)]
    assert apart.min() > 0.06
    assert (moved[4::5] == moved[3::5]).all()
    assert np.abs(moved).max() <= 1
    assert np.linalg.norm(moved - points, axis=1).max() < 0.3  # and stay near where they were
