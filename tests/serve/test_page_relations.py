"""How the page shows what a model's phrasal classifier says of phrases: by letter, share, line and colour."""

import json
from urllib.parse import quote

import pytest

from phrase_classifier import with_classifier
from serve.browser import browsing, clean, programs, serving

pytestmark = pytest.mark.slow

FIRST = "the cat sat on the mat and the man read a book at home, not to tell you"
SECOND = "the cat ran on the mat; a man can read the book at school"
LETTERS = {"paraphrase": "P", "related": "R", "unrelated": "U", None: "?"}
# Every class in turn, whatever the model thinks: its own answer is only a frame for them.
EVERY = """
    const shares = [["paraphrase", 0.934], ["related", 0.61], ["unrelated", 0.5], [null, null]];
    const real = window.fetch;
    window.fetch = async (path, options) => {
        if (!path.includes("compare")) return real(path, options);
        const found = await (await real(path, options)).json();
        found.phrases.forEach((each, n) => { [each.relation, each.probability] = shares[n % 4]; });
        return new Response(JSON.stringify(found));
    };
"""


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    programs()
    folder = tmp_path_factory.mktemp("served")
    model = with_classifier(folder / "model", scale=0.3, bias=(0, 0, 0))
    with serving("--model", model, log=folder / "log") as (address, _), browsing(address, folder) as browser:
        yield browser


@pytest.fixture
def page(driven):
    with clean(driven):
        yield driven


def shown(page):
    page.until(lambda: page.all(".figure .band") and not page.all("#compare-result.stale"), "a comparison")


def every_class(page):
    """Show the texts with every class among their phrases."""
    page.run(EVERY)
    page.fill("#first", FIRST)
    page.fill("#second", SECOND)
    page.click("#compare-form .primary")
    page.until(lambda: "? too far" in page.text(".legend"), "all classes")
    shown(page)


def phrases(page, side):
    """Return what is seen of each phrase: text, classes, what stands beside it, the style of its line."""
    return page.run(
        "return [...document.querySelectorAll(`.side.${arguments[0]} .phrase`)].map((each) => ({"
        " text: each.textContent, kind: each.classList[1], told: each.getAttribute('aria-label'),"
        " title: each.title, tag: getComputedStyle(each, '::after').content,"
        " line: getComputedStyle(each).borderBlockEndStyle,"
        " colour: getComputedStyle(each).borderBlockEndColor }))",
        side,
    )


def asked(page):
    return page.driver.execute_async_script(
        "const done = arguments[1]; fetch('/api/compare', {method: 'POST', headers: {'Content-Type': "
        "'application/json'}, body: arguments[0]}).then((r) => r.json()).then(done)",
        json.dumps({"first": FIRST, "second": SECOND}),
    )


def test_the_page_shows_what_the_model_says(page):
    page.open(f"#/compare?a={quote(FIRST)}&b={quote(SECOND)}")
    shown(page)
    pairs = asked(page)["phrases"]
    assert len({pair["relation"] for pair in pairs}) > 1
    for side in ("first", "second"):
        found = phrases(page, side)
        own = sorted(pairs, key=lambda pair: pair[side]["begin"])
        assert [each["text"] for each in found] == [pair[side]["text"] for pair in own]
        assert [each["kind"] for each in found] == [pair["relation"] for pair in own]
        for each, pair in zip(found, own, strict=True):
            letter, percent = each["tag"].strip('"\u2060').split(" ")
            assert letter == LETTERS[pair["relation"]]
            assert float(percent.rstrip("%")) == pytest.approx(100 * pair["probability"], abs=0.51)
            assert each["title"] == f"{pair['relation']} ({percent})"
    assert page.text(".side.first .said").replace("\n", " ") == FIRST  # What can be copied is the text alone.


def test_every_class_can_be_told_without_colours(page):
    shown(page)
    every_class(page)
    found = {each["kind"]: each for each in phrases(page, "first")}
    assert set(found) == {"paraphrase", "related", "unrelated", "unjudged"}
    assert len({each["tag"][2] for each in found.values()}) == 4
    lines = {name: each["line"] for name, each in found.items()}
    assert lines == {"paraphrase": "solid", "related": "dashed", "unrelated": "double", "unjudged": "solid"}
    assert len({each["colour"] for each in found.values()}) == 4
    assert "paraphrase (93%)" in found["paraphrase"]["told"]
    assert "too far into the texts" in found["unjudged"]["told"]
    legend = page.text(".legend")
    for letter, name in zip("PRU", found, strict=False):
        assert f"{letter} {name}" in legend
    assert "how sure the model is" in legend
    only = page.one(".side.first .only")
    assert only.value_of_css_property("border-block-end-style") == "dotted"
    assert "only in one of them" in legend
    page.shot("relations-1280")


def test_the_probability_is_told_on_pointing_by_keyboard_and_on_a_phone(page):
    from selenium.webdriver import ActionChains, Keys

    shown(page)
    every_class(page)

    def points():
        return [each.text for each in page.all(".bands .points.on")]

    ActionChains(page.driver).move_to_element(page.one(".side.first .phrase.related")).perform()
    page.until(lambda: points() == ["related (61%)"], "the share on pointing")
    ActionChains(page.driver).move_to_element(page.one("h1")).perform()
    page.until(lambda: points() == [], "the light to go")
    page.run("document.querySelector('.phrase[tabindex=\"0\"]').focus()")
    page.until(lambda: points() == ["paraphrase (93%)"], "the share by keyboard")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.until(lambda: points() == ["unrelated (50%)"], "the share of another phrase")
    page.run("document.activeElement.blur()")
    page.resize(390)
    assert page.run("return document.documentElement.scrollWidth") <= 390
    page.click(".side.second .phrase.related")
    page.until(lambda: points() == ["related (61%)"], "the share on a tap")
    page.shot("relations-390")


def test_the_table_says_the_same(page):
    shown(page)
    every_class(page)
    page.click("details.table summary")
    table = page.one("details.table table").text
    for told in ("paraphrase (93%), other words (", "related (61%)", "unrelated (50%)", "only in the first"):
        assert told in table
    assert page.nameless() == []


def test_without_the_classifier_the_page_is_as_before(page):
    page.run(
        "const real = window.fetch; window.fetch = async (path, options) => {"
        " const found = await (await real(path, options)).json();"
        " (found.phrases ?? []).forEach((each) => { each.relation = each.probability = null; });"
        " return new Response(JSON.stringify(found)); };"
    )
    page.fill("#first", FIRST)
    page.fill("#second", SECOND)
    page.click("#compare-form .primary")
    page.until(lambda: "same words" in page.text(".legend"), "the plain legend")
    assert {each["kind"] for each in phrases(page, "first")} <= {"same", "other"}
    assert {each["tag"] for each in phrases(page, "first")} == {"none"}
    assert not any(each["title"] for each in phrases(page, "first"))
    assert "how sure" not in page.text(".legend")
