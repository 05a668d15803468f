"""The page with hostile texts, without a mouse, and with a server that refuses or is gone.

The model is a tiny random one: what it thinks of the texts does not matter here.
"""

from urllib.parse import quote

import pytest

from serve.browser import browsing, programs, serving

pytestmark = pytest.mark.slow

HOSTILE = {
    "script": "<script>window.broken = 1</script><img src=x onerror='window.broken=1'>\"'&lt;b&gt;",
    "svg": "<svg onload=window.broken=1><a href='javascript:window.broken=1'>click</a></svg>",
    "right-to-left": "مرحبا بالعالم \u202eevil\u202c שלום עולם (1)",
    "emoji": "The 👩‍👩‍👧‍👦 family 🏳️‍🌈 went home 🏠 to 🇳🇴 and ate 𝒑𝒊𝒛𝒛𝒂.",
    "zero-width": "pass\u200bword\u200d \ufeffis\u2060 he\u00adre",
    "long": "The cat sat on the mat and the dog read a book. " * 208 + "End of it.....",
    "one long word": "a" * 5_000,
    "marks": "e" + "\u0301" * 200 + " " + "Z" + "\u035f\u0489" * 100,
    "lines": "one\r\ntwo\tthree\n\n\nfour\u2028five",
    "template": "${7*7} {{7*7}} %s %n `x` \\u0041 \\",
}


@pytest.fixture(scope="module")
def driven(tiny_folder, tmp_path_factory):
    programs()
    folder = tmp_path_factory.mktemp("served")
    with (
        serving("--model", tiny_folder, log=folder / "log") as (address, _),
        browsing(address, folder) as browser,
    ):
        yield browser


@pytest.fixture
def page(driven):
    driven.resize(1280)
    driven.open()
    return driven


def test_views_that_the_server_cannot_serve_are_not_offered(page):
    page.until(lambda: "Model" in page.text("footer"), "the name of the model")
    assert [each.text for each in page.all("nav a") if each.is_displayed()] == ["Compare", "Duplicates"]
    page.open("#/search?q=x")
    page.until(lambda: page.all(".figure"), "the first view instead")


def _settled(page):
    page.until(
        lambda: not page.all("#compare-result.stale") and (page.all(".said") or page.all(".failure")),
        "an answer",
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_shown_as_they_are(page, name):
    text = HOSTILE[name]
    page.fill("#first", text)
    page.fill("#second", "A plain text.")
    page.click("#compare-form .primary")
    page.until(lambda: "A plain text." in page.text(".side.second"), "the comparison")
    _settled(page)
    shown = page.run("return document.querySelector('.side.first .said').textContent")
    assert shown == text.replace("\r\n", "\n")
    page.resize(390)
    assert page.run("return document.documentElement.scrollWidth") <= 390
    page.shot(f"hostile-{name.replace(' ', '-')}-390")
    page.open(page.run("return location.hash"))  # the same from the address
    page.until(lambda: page.all(".side.first .said"), "the comparison again")
    assert page.run("return document.querySelector('.side.first .said').textContent") == shown
    assert page.run("return window.broken ?? null") is None
    assert page.all("main script, main img, main a[href^=javascript]") == []
    assert page.errors() == []


def test_half_a_character_is_replaced(page):
    page.until(lambda: page.all(".figure"), "the first comparison")
    page.run("document.getElementById('first').value = 'half \\ud83d of a pair'")
    page.click("#compare-form .primary")
    page.until(lambda: "half \ufffd of a pair" in page.text(".side.first"), "the comparison")
    assert page.errors() == []


def test_what_the_model_does_not_read_is_folded_away(page):
    page.open("#/compare?b=plain&a=" + quote(HOSTILE["long"]))
    page.click(".side.first .unfold")
    assert page.one(".side.first .beyond").text.endswith("End of it.....")
    assert not page.all(".unfold")


def test_a_hostile_list_is_shown_as_it_is(page):
    page.open("#/list")
    texts = [" ".join(text.split()) for text in HOSTILE.values()]
    page.fill("#lines", "\n".join([*texts, *texts]))
    page.click("#list-form .primary")
    page.until(lambda: page.all(".group"), "groups")
    page.slide(1)
    shown = page.run("return [...document.querySelectorAll('.pick')].map((each) => each.textContent)")
    assert len(shown) >= 2 * len(texts) - 2
    assert "<svg onload" in " ".join(shown)
    page.resize(390)
    assert page.run("return document.documentElement.scrollWidth") <= 390
    assert page.run("return window.broken ?? null") is None
    assert page.errors() == []


def test_an_address_that_makes_no_sense_shows_the_page(page):
    for fragment in (
        "#/",
        "#/nowhere?x=%",
        "#/list?t=abc&texts=one",
        "#/compare?a=%E0%A4%A",
        "#/words?ask=__proto__",
    ):
        page.open(fragment)
        page.one("h1")
    assert page.errors() == []


# Without a mouse


def test_everything_can_be_reached_by_keyboard(page):
    from selenium.webdriver import Keys

    page.until(lambda: page.all(".figure .phrase, .figure .only"), "the comparison")
    page.run("document.activeElement.blur(); window.scrollTo(0, 0)")
    page.keys(Keys.TAB)
    assert page.focus() == "Skip to the content"
    page.keys(Keys.ENTER)
    assert page.focus() == "main"
    assert page.run("return location.hash") == ""  # The address still says what is shown.
    page.keys(Keys.TAB)
    assert page.focus() == "first"
    page.control("a")
    page.keys("the cat sat on the mat", Keys.TAB, Keys.TAB)
    assert page.focus() == "second"
    page.control("a")
    page.keys("the cat sat on the mat")
    page.control(Keys.ENTER)
    page.until(lambda: page.text(".side.first .phrase") == "the cat sat on the mat", "the comparison")
    assert "of 5" in page.run("return document.getElementById('status').textContent")
    seen = []
    while "phrase" not in (page.run("return document.activeElement.className") or "") and len(seen) < 40:
        page.keys(Keys.TAB)
        seen.append(page.focus())
    assert "Compare" in seen
    outline = page.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"
    page.keys(Keys.ARROW_DOWN)  # to the counterpart
    assert page.run("return document.activeElement.closest('.side').classList.contains('second')")
    page.keys(Keys.ENTER)
    assert page.run("return document.activeElement.getAttribute('aria-pressed')") == "true"


def test_the_slider_and_the_map_take_keys(page):
    from selenium.webdriver import Keys

    page.open("#/list?t=0.9&texts=" + quote("the cat\nthe cat\na dog\na house"))
    page.until(lambda: page.all(".group"), "groups")
    page.run("document.getElementById('threshold').focus()")
    page.keys(Keys.ARROW_RIGHT)
    assert page.one("#threshold-value").text == "0.91"
    page.until(lambda: "t=0.91" in page.run("return location.hash"), "the threshold in the address")
    page.run("document.getElementById('map').focus()")
    page.keys(Keys.ARROW_RIGHT)
    page.one("#map-tip")
    page.keys("+", Keys.ENTER)
    assert "1 text selected" in page.one("#selected").text
    page.keys(Keys.ESCAPE)
    page.until(lambda: not page.text("#selected"), "nothing selected")


def test_reduced_motion_is_respected(page):
    wish = {"name": "prefers-reduced-motion", "value": "reduce"}
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [wish]})
    page.one(".primary")
    assert page.run("return getComputedStyle(document.querySelector('.primary')).transitionDuration") == "0s"
    page.recolour(dark=False)


# What the tiny model has no heads for


def test_paraphrase_and_sentiment_are_drawn(page):
    page.until(lambda: page.all(".figure"), "the first comparison")
    page.run(
        "const real = window.fetch; window.fetch = async (path, options) => {"
        " const found = await (await real(path, options)).json(); found.paraphrase = 0.124;"
        " found.sentiment = ["
        " { label: 'positive', probabilities: { positive: 0.93, negative: 0.07 }, clear: true },"
        " { label: 'negative', probabilities: { positive: 0.45, negative: 0.55 }, clear: false }];"
        " return new Response(JSON.stringify(found)); };"
    )
    page.click("#compare-form .primary")
    page.until(lambda: "12% likely" in page.text(".scores"), "the paraphrase")
    assert "by the model's paraphrase classifier" in page.text(".scores")
    assert len(page.all(".verdict")) == 1  # similarity and paraphrase make one verdict, above both
    assert [each.text for each in page.all(".tone")] == ["sounds positive 93%", "sentiment unclear"]


# When the server refuses, or is gone


def _answers(page, *statuses):
    """Let the next comparisons be answered with the given statuses, then by the server again."""
    page.run(
        "const left = arguments[0]; const real = window.fetch; window.asked = 0;"
        "window.fetch = (path, options) => { if (!path.includes('compare')) return real(path, options);"
        " window.asked += 1; const status = left.shift(); if (!status) return real(path, options);"
        " return Promise.resolve(new Response('{}', { status, headers: { 'Retry-After': '1' } })); };",
        list(statuses),
    )


def test_a_busy_server_is_asked_again(page):
    page.until(lambda: page.all(".figure"), "the first comparison")
    _answers(page, 429, 429)
    page.fill("#first", "asked again")
    page.click("#compare-form .primary")
    page.until(lambda: "The server is busy" in page.text("#compare-result"), "the word that it is busy")
    page.until(lambda: "asked again" in page.text(".side.first"), "the answer in the end")
    assert page.run("return window.asked") == 3
    assert not page.text("#compare-result .waiting, #compare-result .failure")


def test_a_server_that_stays_busy_is_left_alone(page):
    page.until(lambda: page.all(".figure"), "the first comparison")
    _answers(page, 429, 429, 429, 429)
    page.fill("#first", "in vain")
    page.click("#compare-form .primary")
    page.until(lambda: "Try again in a moment" in page.text("#compare-result"), "the refusal")
    page.click("#compare-result .failure button")
    page.until(lambda: "in vain" in page.text(".side.first"), "the answer")


@pytest.mark.parametrize("status", [413, 422, 500])
def test_other_refusals_are_told_in_words(page, status):
    page.until(lambda: page.all(".figure"), "the first comparison")
    _answers(page, status)
    page.fill("#first", "refused")
    page.click("#compare-form .primary")
    told = page.one("#compare-result .failure").text
    assert {413: "more than the server takes", 422: "refused this (422)", 500: "went wrong in the server"}[
        status
    ] in told
    assert (status == 500) == bool(page.all("#compare-result .failure button"))


def test_a_list_beyond_the_limit_is_refused_with_the_limit(page):
    page.open("#/list")
    page.until(lambda: "Model" in page.text("footer"), "what the server has")
    page.run(
        "const box = document.getElementById('lines');"
        "box.value = Array.from({ length: 2100 }, (_, n) => 'text ' + n).join('\\n');"
        "box.dispatchEvent(new Event('input'));"
    )
    assert "at most 2,000" in page.one("#count").text
    page.click("#list-form .primary")
    assert "2,000" in page.one("#list-result .failure").text


def test_a_server_that_is_gone_is_told_and_found_again(tiny_folder, driven, tmp_path):
    with serving("--model", tiny_folder, log=tmp_path / "log") as (address, process):
        home, driven.home = driven.home, address
        try:
            driven.open()
            driven.until(lambda: driven.all(".figure"), "the first comparison")
            process.terminate()
            process.wait(60)
            driven.fill("#first", "anybody there?")
            driven.click("#compare-form .primary")
            driven.until(
                lambda: "does not answer" in driven.text("#compare-result"), "the word that it is gone"
            )
            assert driven.all("#compare-result .failure button")
        finally:
            driven.home = home


def test_a_token_is_asked_for_and_used(tiny_folder, driven, tmp_path):
    with serving("--model", tiny_folder, "--token", "correct horse", log=tmp_path / "log") as (address, _):
        home, driven.home = driven.home, address
        try:
            driven.open()
            driven.fill("#token", "wrong")
            driven.click("#token-form button")
            driven.until(lambda: "That was not the token" in driven.text("#token-form"), "the refusal")
            driven.fill("#token", "correct horse")
            driven.click("#token-form button")
            driven.until(lambda: driven.all(".figure"), "the comparison")
            assert not driven.one("h1").find_elements("css selector", "#token-form:not([hidden])")
            assert "Model" in driven.text("footer")
        finally:
            driven.home = home
