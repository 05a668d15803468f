"""Each view of the page used as a person would, in a real browser on a real server with the starter model."""

import csv
import io
import json
import re
from urllib.parse import quote

import numpy as np
import pytest

from serve.browser import Browser, programs, serving, tenor

pytestmark = pytest.mark.slow

BOOKS = [
    ("A whaling captain chases the animal that took his leg.", 1851, "en"),
    ("A poor orphan grows up to become a gentleman.", 1861, "en"),
    ("Sailors are caught in a terrible storm at sea.", 1902, "en"),
    ("Two sisters look for husbands in the countryside.", 1811, "en"),
    ("A detective solves the murder of a rich old man.", 1934, "en"),
    ("Ein Mann erwacht eines Morgens als Käfer.", 1915, "de"),
]
LINES = [
    "How do I reset my password?",
    "how do i  reset my password?",
    "I forgot my password, how do I reset it?",
    "Do you ship to Norway?",
    "Can you deliver to Norway?",
    "The soup was too salty.",
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
def server(tmp_path_factory):
    programs()
    folder = tmp_path_factory.mktemp("served")
    try:
        tenor("embed", "-", "--out", folder / "x.npy", input="a\n", timeout=120)
    except AssertionError as error:
        pytest.skip(f"the starter model is not at hand: {error}")
    with open(folder / "books.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "year", "lang"), *BOOKS])
    tenor("index", folder / "books.csv", "--column", "text", "--out", folder / "books", timeout=240)
    vectors = _vectors(folder / "tiny.vec")
    with serving("--index", folder / "books", "--vectors", vectors, log=folder / "log") as (address, _):
        yield address


@pytest.fixture(scope="module")
def driven(server, tmp_path_factory):
    profile = tmp_path_factory.mktemp("profile")
    browser = Browser(server, profile)
    browser.shots = profile / "screenshots"
    browser.downloads = profile
    yield browser
    browser.close()


@pytest.fixture
def page(driven):
    """The browser; at the end of a test its console must be clean and no request have left the server."""
    driven.resize(1280)
    driven.recolour(dark=False)
    driven.open()
    driven.requests()
    yield driven
    assert driven.errors() == []
    outside = [
        url for url in driven.requests() if not url.startswith((driven.home, "blob:", "data:", "about:"))
    ]
    assert outside == []


def compared(page):
    """Wait for a comparison to be drawn, and return the similarity that is shown."""
    page.until(lambda: page.all(".figure .said") and not page.all("#compare-result.stale"), "a comparison")
    return float(page.one(".score .big strong").text)


# Compare


def test_a_newcomer_sees_a_comparison_at_once(page):
    assert 3.0 < compared(page) < 4.5
    page.until(lambda: page.all(".band.same") and page.all(".band.other"), "bands")
    assert page.one("#first").get_attribute("value").startswith("The children")
    assert [each.text for each in page.all(".side.first .phrase.same")][-1] == "it"
    assert "when" in [each.text for each in page.all(".side.first .only")]
    assert "same words" in page.text(".legend")
    assert page.run("return document.title") == "Compare · Tenor"


def test_own_texts_are_compared_and_can_be_shared(page):
    compared(page)
    page.fill("#first", "A man is playing a guitar.")
    page.fill("#second", "Someone plays the guitar.")
    page.click("#compare-form .primary")
    page.until(lambda: "Someone plays" in page.text(".side.second"), "the new texts")
    first = compared(page)
    link = page.run("return location.href")
    page.click("#examples li:last-child button")
    page.until(lambda: "Bake the bread" in page.text(".side.first"), "the example")
    assert compared(page) < 1
    page.driver.back()
    page.until(lambda: "Someone plays" in page.text(".side.second"), "the texts before")
    assert compared(page) == first
    page.open(link.removeprefix(page.home))
    assert compared(page) == first
    assert page.one("#second").get_attribute("value") == "Someone plays the guitar."


def test_pointing_at_a_phrase_brings_out_its_counterpart(page):
    from selenium.webdriver import ActionChains

    compared(page)
    kids = next(each for each in page.all(".side.second .phrase") if each.text == "kids")
    ActionChains(page.driver).move_to_element(kids).perform()
    page.until(lambda: page.all(".figure.lit"), "the light")
    assert [each.text for each in page.all(".phrase.on")] == ["children", "kids"]
    assert len(page.all(".band.on")) == 1
    ActionChains(page.driver).move_to_element(page.one("h1")).perform()
    page.until(lambda: not page.all(".figure.lit"), "the light to go")
    kids.click()
    ActionChains(page.driver).move_to_element(page.one("h1")).perform()
    assert [each.text for each in page.all(".phrase.on")] == ["children", "kids"]  # A click keeps it.


def test_an_empty_box_is_pointed_out(page):
    compared(page)
    page.click("#clear")
    page.until(lambda: page.text("#compare-result .empty"), "the empty state")
    page.fill("#first", "Only this")
    page.click("#compare-form .primary")
    assert "Both boxes" in page.one("#compare-result .failure").text
    assert page.focus() == "second"
    assert "Both boxes" in page.run("return document.getElementById('status').textContent")


def test_paraphrase_and_sentiment_are_shown_where_the_server_knows_them(page):
    compared(page)
    known = page.driver.execute_async_script(
        "const done = arguments[0]; fetch('/api/compare', {method: 'POST', headers: {'Content-Type': "
        "'application/json'}, body: JSON.stringify({first: 'A wonderful film', second: 'An awful film'})})"
        ".then((r) => r.json()).then(done)"
    )
    if known.get("paraphrase") is None or known.get("sentiment") is None:
        pytest.skip("this model has no heads for paraphrase and sentiment")
    page.open(f"#/compare?a={quote('A wonderful film')}&b={quote('An awful film')}")
    compared(page)
    assert f"{known['paraphrase']:.0%}" in page.text(".scores")
    tones = [each.text for each in page.all(".tone")]
    assert len(tones) == 2
    assert known["sentiment"][0]["label"] in tones[0]


# A list


def grouped(page):
    page.until(lambda: not page.all("#list-result.stale") and page.text("#list-summary"), "groups")
    return [
        [each.text for each in group.find_elements("css selector", ".pick")] for group in page.all(".group")
    ]


def test_a_list_is_grouped_and_the_slider_regroups_at_once(page):
    page.click("nav [data-view=list]")
    page.fill("#lines", "\n".join(LINES))
    assert page.one("#count").text == "6 texts"
    page.click("#list-form .primary")
    assert len(grouped(page)) >= 1
    page.requests()
    page.slide(0.99)
    assert grouped(page) == [LINES[:2]]
    page.slide(0.65)
    loose = grouped(page)
    assert sorted(map(len, loose)) == [2, 3]
    assert not any(LINES[5] in group for group in loose)
    assert page.requests() == []  # The server was not asked again.
    assert "t=0.65" in page.run("return location.hash")
    page.open(page.run("return location.hash"))
    assert grouped(page) == loose


def test_the_groups_can_be_downloaded_and_hold_no_formula(page):
    page.click("nav [data-view=list]")
    hostile = '=HYPERLINK("http://x.test","click, me")'
    page.fill("#lines", "\n".join([*LINES, hostile]))
    page.click("#list-form .primary")
    grouped(page)
    page.slide(0.99)
    # The link is caught before the browser follows it, so that no dialog or folder of the system matters.
    page.run(
        "window.kept = null; const make = URL.createObjectURL;"
        "URL.createObjectURL = (blob) => { blob.text().then((text) => { window.kept = text; });"
        "return make(blob); };"
        "document.addEventListener('click', (e) => { if (e.target.download) e.preventDefault(); }, true);"
    )
    page.click("#download")
    text = page.until(lambda: page.run("return window.kept"), "the file")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert [row["text"] for row in rows] == [*LINES[:1], LINES[1], *LINES[2:], "'" + hostile]
    assert [(row["group"], row["keep"]) for row in rows[:3]] == [("1", "yes"), ("1", "no"), ("", "yes")]


def drop(page, name, content):
    """Drop a file onto the list, as from a folder."""
    page.run(
        "const data = new DataTransfer();"
        "data.items.add(new File([new Uint8Array(arguments[1])], arguments[0]));"
        "for (const kind of ['dragover', 'drop']) document.getElementById('drop').dispatchEvent("
        "new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));",
        name,
        list(content),
    )


def test_a_dropped_table_asks_for_its_column(page):
    page.click("nav [data-view=list]")
    page.one("#lines")
    rows = [["id", "question, or what", "note"], *([str(n), text, 'x "y"'] for n, text in enumerate(LINES))]
    table = io.StringIO()
    csv.writer(table, delimiter=";").writerows(rows)
    drop(page, "questions.csv", table.getvalue().encode("cp1252"))
    page.one("#table")
    column = page.one("#column")
    assert [each.text for each in column.find_elements("tag name", "option")] == rows[0]
    assert page.run("return document.getElementById('column').selectedOptions[0].text") == "question, or what"
    assert page.one("#header").is_selected()
    assert page.one("#preview").text.split("\n") == [LINES[0], "how do i reset my password?", LINES[2]]
    page.click("#list-form .primary")
    grouped(page)
    page.slide(0.99)
    assert len(grouped(page)) == 1
    link = page.run("return location.hash")
    page.click("#forget")
    assert page.one("#lines").is_displayed()
    page.open(link)
    assert len(grouped(page)) == 1
    assert len(page.one("#lines").get_attribute("value").split("\n")) == len(LINES)


def test_plain_lines_and_what_is_no_text_can_be_dropped(page):
    page.click("nav [data-view=list]")
    page.one("#lines")
    drop(page, "lines.txt", "\n".join(LINES).encode("utf-16"))
    page.until(lambda: page.one("#lines").get_attribute("value") == "\n".join(LINES), "the lines")
    drop(page, "picture.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    page.until(lambda: "is not a text file" in page.one("#count").text, "the refusal")


def test_the_map_can_be_moved_zoomed_and_selected_from(page):
    from selenium.webdriver import ActionChains, Keys

    page.click("nav [data-view=list]")
    page.fill("#lines", "\n".join(LINES))
    page.click("#list-form .primary")
    grouped(page)
    canvas = page.one("#map")
    page.run("arguments[0].scrollIntoView({ block: 'center' })", canvas)
    canvas.send_keys(Keys.ARROW_RIGHT)
    tip = page.one("#map-tip").text
    assert tip in LINES
    canvas.send_keys(Keys.ENTER)
    assert tip in page.one("#selected").text
    assert page.one("#selected").text.startswith("1 text selected")
    box = canvas.size
    drag = ActionChains(page.driver).key_down(Keys.SHIFT)
    drag.move_to_element_with_offset(canvas, 4 - box["width"] // 2, 4 - box["height"] // 2).click_and_hold()
    drag.move_to_element_with_offset(canvas, box["width"] // 2 - 4, box["height"] // 2 - 4).release()
    drag.key_up(Keys.SHIFT).perform()
    page.until(lambda: page.one("#selected").text.startswith("6 texts selected"), "the selection of all")
    before = page.run("return arguments[0].toDataURL()", canvas)
    for button in ("#zoom-in", "#zoom-in"):
        page.click(button)
    page.until(lambda: page.run("return arguments[0].toDataURL()", canvas) != before, "the closer map")
    page.click("#zoom-all")
    page.until(lambda: page.run("return arguments[0].toDataURL()", canvas) == before, "the whole map")


def test_pointing_at_a_dot_tells_its_text_and_a_click_selects_it(page):
    from selenium.webdriver import ActionChains

    page.open("#/list?t=0.7&texts=" + quote("\n".join(LINES)))
    grouped(page)
    canvas = page.one("#map")
    page.run("arguments[0].scrollIntoView({ block: 'center' })", canvas)
    # Feel for the first dot, row by row, as with a pointer.
    x, y, text = page.run(
        "const [map, tip] = [arguments[0], document.getElementById('map-tip')];"
        "const b = map.getBoundingClientRect();"
        "for (let y = 5; y < b.height; y += 5) for (let x = 5; x < b.width; x += 5) {"
        " map.dispatchEvent(new PointerEvent('pointermove', { clientX: b.left + x, clientY: b.top + y }));"
        " if (!tip.hidden) return [x - b.width / 2, y - b.height / 2, tip.textContent]; } return [0, 0, ''];",
        canvas,
    )
    assert text in LINES
    page.run("document.getElementById('map').dispatchEvent(new PointerEvent('pointerleave'))")
    assert not page.text("#map-tip")
    ActionChains(page.driver).move_to_element_with_offset(canvas, round(x), round(y)).perform()
    assert page.one("#map-tip").text == text
    ActionChains(page.driver).click().perform()
    page.until(lambda: text in page.text("#selected"), "the selected text")


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
        # Nothing sticks out to the side, and everything to be touched is big enough.
        assert page.run("return document.documentElement.scrollWidth") <= width
        heights = page.run(
            "return [...document.querySelectorAll('main button:not(.pick), nav a')]"
            ".filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect().height)"
        )
        assert min(heights) >= 32
    ground = page.run("return getComputedStyle(document.documentElement).backgroundColor")
    assert (int(re.findall(r"\d+", ground)[0]) < 64) is dark


def test_the_colours_can_be_chosen_and_stay(page):
    compared(page)
    page.click("#theme")
    page.click("#theme")
    assert page.run("return document.documentElement.dataset.theme") == "dark"
    page.open()
    assert page.run("return document.documentElement.dataset.theme") == "dark"
    page.click("#theme")
    assert page.run("return document.documentElement.dataset.theme ?? ''") == ""
