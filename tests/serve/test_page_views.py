"""Compare and Duplicates, used as a person would, in a real browser on what ``tenor serve`` starts."""

import csv
import io
from urllib.parse import quote

import pytest

from serve.browser import browsing, clean, programs, serving, starter

pytestmark = pytest.mark.slow

LINES = [
    "How do I reset my password?",
    "how do i  reset my password?",
    "I forgot my password, how do I reset it?",
    "Do you ship to Norway?",
    "Can you deliver to Norway?",
    "The soup was too salty.",
]


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    programs()
    starter()
    folder = tmp_path_factory.mktemp("served")
    with serving(log=folder / "log") as (address, _), browsing(address, folder) as browser:
        yield browser


@pytest.fixture
def page(driven):
    with clean(driven):
        yield driven


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
    assert known["sentiment"][0]["label"] in tones[0] or not known["sentiment"][0]["clear"]


def test_swapped_roles_get_one_verdict_that_says_so(page):
    a, b = "The dog chased the postman.", "The postman chased the dog."
    page.open(f"#/compare?a={quote(a)}&b={quote(b)}")
    assert compared(page) > 4
    assert "same words in another order" in page.one(".verdict").text
    assert "The model is unsure." in page.one(".verdict").text
    assert not any(word in page.text(".scores") for word in ("the same", "probably"))  # no second verdict


# Duplicates


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
    page.click("#list-exports button:nth-of-type(2)")
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


def test_the_colours_can_be_chosen_and_stay(page):
    compared(page)
    page.click("#theme")
    page.click("#theme")
    assert page.run("return document.documentElement.dataset.theme") == "dark"
    page.open()
    assert page.run("return document.documentElement.dataset.theme") == "dark"
    page.click("#theme")
    assert page.run("return document.documentElement.dataset.theme ?? ''") == ""
