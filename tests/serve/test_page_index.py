"""Search and Word vectors, on a server that was given an index and vectors; and pictures of every view."""

import csv
import json
import re
from urllib.parse import quote

import numpy as np
import pytest

from serve.browser import browsing, clean, programs, serving, starter, tenor

pytestmark = pytest.mark.slow

BOOKS = [
    ("A whaling captain chases the animal that took his leg.", 1851, "en"),
    ("A poor orphan grows up to become a gentleman.", 1861, "en"),
    ("Sailors are caught in a terrible storm at sea.", 1902, "en"),
    ("Two sisters look for husbands in the countryside.", 1811, "en"),
    ("A detective solves the murder of a rich old man.", 1934, "en"),
    ("Ein Mann erwacht eines Morgens als Käfer.", 1915, "de"),
]
KINDS = {
    "water": "river lake sea stream",
    "music": "piano violin song opera",
    "royal": "king queen man woman",
}


def _vectors(path):
    """Write word vectors in which the words of a kind are near each other, and man : king = woman : queen."""
    random = np.random.default_rng(0)
    rows = {}
    for kind in KINDS.values():
        middle = random.normal(size=20)
        rows |= {word: middle + 0.3 * random.normal(size=20) for word in kind.split()}
    rows["queen"] = rows["king"] - rows["man"] + rows["woman"]
    lines = [f"{word} {' '.join(f'{value:.5f}' for value in vector)}" for word, vector in rows.items()]
    path.write_text(f"{len(rows)} 20\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    programs()
    starter()
    folder = tmp_path_factory.mktemp("served")
    with open(folder / "books.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "year", "lang"), *BOOKS])
    tenor("index", folder / "books.csv", "--column", "text", "--out", folder / "books", timeout=240)
    given = ("--index", folder / "books", "--vectors", _vectors(folder / "tiny.vec"))
    with serving(*given, log=folder / "log") as (address, _), browsing(address, folder) as browser:
        yield browser


@pytest.fixture
def page(driven):
    with clean(driven):
        yield driven


# Search


def hits(page):
    page.until(lambda: page.all(".hit") and not page.all("#search-result.stale"), "hits")
    return [each.text for each in page.all(".hit .text")]


def test_the_index_is_searched_by_meaning_and_filtered(page):
    page.click("nav [data-view=search]")
    assert "6 texts" in page.one("#search-about").text
    page.fill("#query", "a ship in bad weather")
    page.click("#search-form .primary")
    assert hits(page)[0] == BOOKS[2][0]
    assert "year: 1902" in page.all(".hit .facts")[0].text
    page.click("#add-filter")
    page.run(
        "const [column, how] = document.querySelectorAll('.filter select');"
        "column.value = 'year'; column.dispatchEvent(new Event('change')); how.value = '<';"
    )
    page.fill(".filter input", "1900")
    page.click("#search-form .primary")
    page.until(lambda: len(page.all(".hit")) == 3, "three old books")
    assert set(hits(page)) == {BOOKS[0][0], BOOKS[1][0], BOOKS[3][0]}
    page.open(page.run("return location.hash"))
    assert len(hits(page)) == 3
    assert page.one(".filter input").get_attribute("value") == "1900"


def test_a_filter_on_text_with_quotes_finds_nothing_and_breaks_nothing(page):
    state = json.dumps([["lang", "=", "d'or \" or 1=1"]])
    page.open(f"#/search?q=anything&filters={quote(state)}")
    page.until(lambda: "Nothing was found" in page.text("#search-result"), "no hits")


def test_words_of_the_query_are_marked(page):
    page.open("#/search?q=storm&mode=lexical")
    assert hits(page) == [BOOKS[2][0]]
    assert [each.text for each in page.all(".hit mark")] == ["storm"]


# Word vectors


def near(page):
    page.until(lambda: page.all(".near li") and not page.all("#words-result.stale"), "words")
    return [each.text for each in page.all(".near .pick")]


def test_neighbours_of_a_word_lead_on(page):
    page.click("nav [data-view=words]")
    page.fill("#word", "river")
    page.click(".asked:not([hidden]) .primary")
    found = near(page)
    assert set(found[:3]) == {"lake", "sea", "stream"}
    page.click(f".near .pick[title='Neighbours of {found[0]}']")
    page.until(lambda: page.one("#word").get_attribute("value") == found[0], "the next word")
    assert "river" in near(page)[:3]


def test_an_analogy_is_completed(page):
    page.click("nav [data-view=words]")
    page.click("input[value=analogy] + span")
    for field, word in (("#from", "man"), ("#to", "king"), ("#of", "woman")):
        page.fill(field, word)
    page.click(".asked:not([hidden]) .primary")
    assert near(page)[0] == "queen"
    assert page.one("#best").text == "queen"


def test_sets_of_words_are_asked_for(page):
    page.open(f"#/words?ask=ask&w={quote('river & lake')}")
    assert set(near(page)[:4]) & {"sea", "stream"}
    page.open(f"#/words?ask=ask&w={quote('river & (')}")
    assert page.one("#words-result .failure").text
    # The refusal of a bad question is the server's answer, and the only thing in the console.
    assert all("422" in entry["message"] for entry in page.errors())


def test_an_unknown_word_is_told(page):
    page.open("#/words?ask=neighbours&w=qwertz")
    assert "qwertz" in page.one("#words-result .failure").text
    assert all(re.search("40[04]|422", entry["message"]) for entry in page.errors())


# All of it


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_view_at_phone_and_desk_in_light_and_dark(page, width, dark):
    page.resize(width)
    page.recolour(dark=dark)
    name = f"{width}-{'dark' if dark else 'light'}"
    for view, fragment, sign in [
        ("compare", "", ".band"),
        ("list", "#/list", "#list-form"),
        ("search", "#/search?q=a+poor+child", ".hit"),
        ("words", "#/words?ask=analogy&a=man&b=king&c=woman", ".near li"),
    ]:
        page.open(fragment)
        page.until(lambda sign=sign: page.all(sign), sign)
        if view == "list":
            page.click("#list-example")
            page.until(lambda: page.all(".group"), "groups")
        page.shot(f"{view}-{name}")
        assert page.nameless() == []
        # Nothing sticks out to the side, and everything to be touched is big enough.
        assert page.run("return document.documentElement.scrollWidth") <= width
        heights = page.run(
            "return [...document.querySelectorAll('main button:not(.pick), nav a')]"
            ".filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect().height)"
        )
        assert min(heights) >= 32
    ground = page.run("return getComputedStyle(document.documentElement).backgroundColor")
    assert (int(re.findall(r"\d+", ground)[0]) < 64) is dark
