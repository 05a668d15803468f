"""Every state of every view: nothing that axe-core finds wrong, at phone and desk, in light and dark."""

import json
import re
import time

import numpy as np
import pytest

from serve.browser import browsing, clean, programs, serving, starter
from serve.test_page_index import BOOKS, _vectors
from serve.test_page_views import drop
from small_tagger import train_tagger
from tenor.use.search.index import build_index

pytestmark = pytest.mark.slow
SIZES = [(1280, False), (1280, True), (390, False), (390, True)]


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    programs()
    starter()
    folder = tmp_path_factory.mktemp("states")
    (folder / "books.txt").write_text("\n".join(text for text, *_ in BOOKS) + "\n", encoding="utf-8")
    build_index(folder / "books.txt", folder / "books", model="minilm")
    given = ("--index", folder / "books", "--vectors", _vectors(folder / "tiny.vec"))
    with serving(*given, log=folder / "log") as (address, _), browsing(address, folder) as browser:
        yield browser


@pytest.fixture
def page(driven):
    with clean(driven):
        yield driven


@pytest.fixture(scope="module", params=["crf", "experts"])
def tagging(request, tiny_folder, tmp_path_factory):
    programs()
    folder = tmp_path_factory.mktemp("tagging")
    model = train_tagger(tiny_folder, folder / "run", head=request.param)
    with (
        serving("--model", model, log=folder / "log") as (address, _),
        browsing(address, folder) as browser,
    ):
        browser.head = request.param
        yield browser


def assert_fine(page, name):
    """Look at a state in all sizes and colours: no finding, nothing beside the page."""
    for width, dark in SIZES:
        page.resize(width)
        page.recolour(dark=dark, still=True)
        page.shot(f"{name}-{width}-{'dark' if dark else 'light'}")
        assert page.axe() == [], (name, width, dark)
        assert page.run("return document.documentElement.scrollWidth") <= width, (name, width)
    page.resize(1280)
    page.recolour(dark=False)


def ready(page, fragment):
    page.open(fragment)
    page.until(lambda: "Model" in page.text("footer"), "what the server has")


STATES = [
    ("compare", "", ".band"),
    ("compare-empty", "#/compare?empty=1", "#compare-result .empty"),
    ("compare-roles", "#/compare?a=The+dog+chased+the+man.&b=The+man+chased+the+dog.", ".verdict.reordered"),
    ("list-empty", "#/list", "#list-form"),
    ("list", "#/list?t=0.70&texts=a+cat%0Athe+cat%0Aa+dog%0Aa+house+by+the+sea", ".group"),
    ("classify-empty", "#/classify", "#classify-result .empty"),
    ("classify", "#/classify?about=text&texts=good%0Abad", "#classify-result table"),
    ("classify-pairs", "#/classify?about=pair&texts=a+cat%09the+cat", "#classify-result table"),
    ("search-empty", "#/search", "#search-result .tries"),
    ("search", "#/search?q=a+poor+child", ".hit"),
    ("words-empty", "#/words", "#words-examples .example"),
    ("words", "#/words?ask=neighbours&w=river", ".near li"),
    ("words-sets", "#/words?ask=ask&w=river+%26+sea", ".near li"),
    ("words-unknown", "#/words?ask=neighbours&w=qwertz", ".failure"),
]


@pytest.mark.parametrize(("name", "fragment", "sign"), STATES, ids=[name for name, *_ in STATES])
def test_every_state_is_fine(driven, name, fragment, sign):
    ready(driven, fragment)
    driven.one(sign)
    assert_fine(driven, name)


def test_the_call_is_shown_and_can_be_made(page):
    ready(page, "#/search?q=storm+at+sea")
    page.click(".exports summary")
    page.until(lambda: len(page.all(".call pre")) == 3, "three calls")
    assert_fine(page, "search-call")
    script = page.all(".call pre")[2].text.replace(
        "console.log(await response.json());", "return await response.json();"
    )
    assert page.run("return (async () => {" + script + "})()")["hits"][0]["text"] == BOOKS[2][0]
    python = page.all(".call pre")[1].text
    printed = {}
    exec(python, {"print": lambda value: printed.update(value)})
    assert printed["hits"][0]["text"] == BOOKS[2][0]


def test_a_call_with_a_token_says_where_it_goes(page):
    calls = page.module("exports.js", "m.written('http://x/api', { a: \"it's\" }, { token: true })")
    assert '-H "Authorization: Bearer $TENOR_TOKEN" \\\n' in calls["curl"]
    assert "'{\"a\":\"it'\\''s\"}'" in calls["curl"]
    assert all("Bearer TOKEN" in calls[language] for language in ("Python", "JavaScript"))


def exported(page, kind):
    """Click a button of the exports, and return what would be saved."""
    page.run(
        "window.kept = null; const make = URL.createObjectURL;"
        "URL.createObjectURL = (blob) => {"
        "  blob.text().then((t) => { window.kept = t; }); return make(blob); };"
    )
    next(each for each in page.all(".exports > button") if each.text == kind and each.is_displayed()).click()
    page.until(lambda: page.run("return window.kept"), f"the {kind}")
    return page.run("return window.kept")


@pytest.mark.parametrize(
    ("fragment", "sign", "said"),
    [
        ("", ".band", "similarity"),
        ("#/list?t=0.70&texts=a+cat%0Athe+cat%0Aa+dog", ".group", "line,group,score,keep,text"),
        ("#/classify?about=text&texts=good%0Abad", "#classify-result table", "line,text,sentiment"),
        ("#/search?q=storm", ".hit", "rank,id,score,cosine,bm25,text"),
        ("#/words?ask=neighbours&w=river", ".near li", "word,score"),
    ],
)
def test_every_view_can_be_taken_along(page, fragment, sign, said):
    ready(page, fragment)
    page.one(sign)
    assert isinstance(json.loads(exported(page, "JSON")), dict)
    assert said in exported(page, "CSV")


def test_the_api_can_be_read(page):
    page.driver.get(page.home + "api.html")
    page.until(lambda: len(page.all(".route")) > 8, "the routes")
    assert "POST /api/compare" in page.text("main")
    assert "list of string" in page.text("main")
    assert_fine(page, "api")
    page.resize(390)
    heights = "return [...document.querySelectorAll('td > code')].map((e) => e.getClientRects().length)"
    assert set(page.run(heights)) == {1}  # no name is broken over lines, letter by letter


def test_on_a_phone_the_current_view_is_in_sight(page):
    page.resize(390)
    for view in ("compare", "words"):
        ready(page, f"#/{view}")
        page.until(lambda: page.run("return !!document.querySelector('nav [aria-current]')"), "the view")
        box = "const b = document.querySelector('nav [aria-current]').getBoundingClientRect();"
        assert page.run(box + "return b.left >= 0 && b.right <= innerWidth"), view


def test_what_ranked_a_hit_is_said_in_every_mode(page):
    for mode, said in (
        ("hybrid", "Ranked by both"),
        ("vector", "Ranked by meaning 0"),
        ("lexical", "Ranked by words"),
    ):
        ready(page, f"#/search?q=storm+at+sea&mode={mode}")
        page.until(lambda said=said: page.text(".ranked").startswith(said), said)
        assert "-0.00" not in page.text("#search-result")


def test_an_example_of_an_empty_search_finds_something(page):
    ready(page, "#/search")
    page.click(".tries .example")
    page.until(lambda: page.all(".hit"), "hits")


def test_examples_of_words_are_among_the_words(page):
    ready(page, "#/words")
    assert [each.text for each in page.all("#words-examples .example")] == ["river", "piano"]
    page.click("#words-examples .example")
    page.until(lambda: page.all(".near li"), "neighbours")
    assert page.one("#words-map").is_displayed()
    assert "-0.00" not in page.text("#words-result")


def test_no_negative_zero(page):
    numbers = [-0.001, -0.0, 0.001, -0.009, -1.5]
    assert page.module("elements.js", "a[0].map((n) => m.decimals(n))", numbers) == [
        "0.00",
        "0.00",
        "0.00",
        "-0.01",
        "-1.50",
    ]


def test_a_file_with_very_many_lines_is_refused_at_once(page):
    """200,000 lines froze the tab for minutes: nothing of them is drawn."""
    ready(page, "#/list")
    began = time.monotonic()
    drop(page, "long.txt", "\n".join(f"text number {number}" for number in range(200_000)).encode())
    page.until(lambda: "has 200,000 lines; at most 2,000" in page.one("#count").text, "the refusal")
    assert time.monotonic() - began < 20
    assert page.one("#lines").get_attribute("value") == ""
    assert_fine(page, "list-too-long")


def test_before_its_first_result_a_list_shows_nothing_dead(page):
    ready(page, "#/list")
    page.click("#list-form .primary")
    assert "at least two texts" in page.one("#list-result .failure").text
    shown = [
        each for each in page.all("#threshold, #map, #list-exports button, .share") if each.is_displayed()
    ]
    assert shown == []
    assert_fine(page, "list-refused")


def test_the_map_is_searched_and_coloured_by_a_column(page):
    ready(page, "#/list")
    rows = "kind,text\n" + "\n".join(
        f"{kind},The {animal} sleeps in the {place}."
        for kind, animal in (("pet", "cat"), ("pet", "dog"), ("farm", "cow"))
        for place in ("house", "garden", "barn")
    )
    drop(page, "animals.csv", rows.encode())
    page.one("#column")
    page.click("#list-form .primary")
    page.until(lambda: page.text("#list-summary"), "groups")
    page.run(
        "const s = document.getElementById('map-colour');s.value = '0'; s.dispatchEvent(new Event('change'));"
    )
    assert page.text("#map-legend").split("\n") == ["pet", "farm"]
    page.fill("#map-search", "COW")
    page.until(lambda: page.text("#map-found") == "3 texts", "what was found")
    assert_fine(page, "list-column")


def test_the_wheel_scrolls_the_page_unless_control_is_held(page):
    ready(page, "#/list?t=0.70&texts=a+cat%0Athe+cat%0Aa+dog%0Aa+house")
    page.one(".group")
    held = (
        "const e = new WheelEvent('wheel',"
        "  { deltaY: -300, ctrlKey: arguments[0], cancelable: true, bubbles: true });"
        "document.getElementById('map').dispatchEvent(e); return e.defaultPrevented"
    )
    assert page.run(held, False) is False
    assert page.run(held, True) is True


def test_progress_tells_the_rest_of_the_time(page):
    said = page.module("progress.js", "a[0].map(m.rest)", [1, 12.3, 89, 150])
    assert said == ["nearly done", "about 12 s left", "about 89 s left", "about 3 min left"]


def test_a_long_list_shows_how_far_it_is(page):
    ready(page, "#/list")
    page.run(
        "const real = window.fetch; let encoded = 0; window.fetch = (url, options) => {"
        "  if (url === 'api/health') return Promise.resolve(new Response(`{\"encoded\": ${encoded += 50}}`));"
        "  const answer = () => real(url, options);"
        "  return url === 'api/dedupe' ? new Promise((r) => setTimeout(r, 4000)).then(answer) : answer(); };"
    )
    page.fill("#lines", "\n".join(f"a text with the number {number}" for number in range(300)))
    page.click("#list-form .primary")
    page.until(lambda: re.search(r"\d+ of 300 texts, .*(left|done)", page.text(".progress")), "progress")
    assert_fine(page, "list-progress")
    page.until(lambda: page.all(".group") or "No groups" in page.text("#list-summary"), "the result")
    assert page.all(".progress") == []


def test_a_file_is_classified(page):
    ready(page, "#/classify")
    drop(page, "opinions.csv", b"id,opinion\n1,A wonderful film\n2,An awful film\n3,A lovely day\n")
    page.one("#c-column")
    page.click("#classify-form .primary")
    page.until(lambda: len(page.all("#classify-result tbody tr")) == 3, "three rows")
    assert [re.match(r"\w+", row.text.split("\n")[1])[0] for row in page.all("#classify-result tbody tr")][
        :2
    ] == [
        "positive",
        "negative",
    ]
    rows = exported(page, "CSV").splitlines()
    assert rows[1].startswith("2,A wonderful film,positive,")


def test_a_text_is_tagged_in_colours(tagging):
    ready(tagging, "#/tag?text=the+cat+was+in+the+old+city+.")
    tagging.one("mark.tag")
    assert {each.text for each in tagging.all(".types li")} == {"ANIMAL 1", "PLACE 1"}
    assert [each.text for each in tagging.all("mark.tag")] == ["cat ANIMAL", "old city PLACE"]
    experts = "; experts: ANIMAL \\d+%.*" if tagging.head == "experts" else ""
    assert re.fullmatch(rf"B-ANIMAL \d+%{experts}", tagging.one("mark.tag .word").get_attribute("title"))
    assert [each.text for each in tagging.all("nav a") if each.is_displayed()] == [
        "Compare",
        "Duplicates",
        "Tag",
    ]
    assert "text,begin,end,word,tag,probability" in exported(tagging, "CSV")
    assert_fine(tagging, "tag")


def test_random_vectors_without_familiar_words_have_examples_too(tiny_folder):
    from tenor.serve.word_queries import WordQueries
    from tenor.words.vectors import WordVectors

    words = WordQueries(WordVectors(["zebra", "x1", "quokka"], np.eye(3)))
    assert words.info().examples == ["zebra", "quokka"]
