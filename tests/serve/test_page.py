"""The page's files: small, whole, without outside requests or markup from data, in readable colours."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import tenor
from tenor.use.compare.relations import NAMES

PAGE = Path(tenor.__file__).parent / "serve/page"
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())
SCRIPTS = [path for path in FILES if path.suffix == ".js"]


class Outline(HTMLParser):
    """The elements of the page, each a tag with its attributes and the text inside it."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self._open = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "attributes": dict(attrs), "text": "", "within": list(self._open)}
        self.elements.append(element)
        if tag not in ("meta", "link", "input", "br", "path"):
            self._open.append(element)

    def handle_endtag(self, tag):
        if self._open and self._open[-1]["tag"] == tag:
            self._open.pop()

    def handle_data(self, data):
        for element in self._open:
            element["text"] += data


@pytest.fixture(scope="module", params=["index.html", "api.html"])
def outline(request):
    return Outline((PAGE / request.param).read_text(encoding="utf-8"))


def test_it_is_small_and_of_known_kinds():
    assert {path.suffix for path in FILES} <= {".html", ".css", ".js", ".svg"}
    assert sum(path.stat().st_size for path in FILES) < 200_000


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_file_names_another_origin(path):
    names = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'`)]*", path.read_text(encoding="utf-8")))
    # The namespace of SVG is a name and is never fetched.
    assert names <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_makes_markup_or_code_of_strings(path):
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|srcdoc"
    )
    assert not re.search(forbidden, path.read_text(encoding="utf-8"))
    assert not re.search(r"setAttribute\(\s*[\"']style", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_every_import_exists(path):
    for name in re.findall(r"from \"([^\"]+)\"", path.read_text(encoding="utf-8")):
        assert name.startswith("./")
        assert (PAGE / name).is_file(), name


def test_nothing_is_inline_so_that_a_strict_policy_holds(outline):
    for element in outline.elements:
        attributes = element["attributes"]
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        if element["tag"] in ("script", "style"):
            assert element["tag"] == "script"
            assert element["text"].strip() == ""
            assert (PAGE / attributes["src"]).is_file()
        if element["tag"] == "link":
            assert (PAGE / attributes["href"]).is_file()


def test_ids_are_unique_and_everything_refers_to_one(outline):
    ids = [element["attributes"]["id"] for element in outline.elements if "id" in element["attributes"]]
    assert len(ids) == len(set(ids))
    for element in outline.elements:
        for name in ("for", "aria-labelledby", "aria-describedby", "list"):
            for wanted in (element["attributes"].get(name) or "").split():
                assert wanted in ids, wanted


def test_scripts_refer_to_elements_that_there_are():
    pages = "".join(path.read_text(encoding="utf-8") for path in FILES if path.suffix == ".html")
    scripts = "".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    assert set(re.findall(r"byId\(\"([\w-]+)\"\)", scripts)) <= set(re.findall(r'id="([\w-]+)"', pages))


def test_every_control_has_a_name(outline):
    labelled = {each["attributes"].get("for") for each in outline.elements if each["tag"] == "label"}
    for element in outline.elements:
        attributes = element["attributes"]
        if element["tag"] in ("button", "a"):
            assert attributes.get("aria-label") or re.search(r"\w", element["text"]), attributes
        if element["tag"] in ("input", "textarea", "select"):
            inside = any(each["tag"] == "label" and each["text"].strip() for each in element["within"])
            assert inside or attributes.get("id") in labelled, attributes


def _luminance(colour):
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one, two):
    light, dark = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_can_be_read(scheme):
    """Contrast as WCAG 2 has it: 4.5 for text, 3 for the edges of what can be operated."""
    css = (PAGE / "style.css").read_text(encoding="utf-8")
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", css)
    colours = {name: pair[scheme] for name, *pair in found}
    for text in ("ink", "soft", "accent", "other", "wrong"):
        for ground in ("paper", "card", "sunk"):
            assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    grounds = ["tint", "other-tint", "wrong-tint"]
    pairs = [("on-accent", "accent"), ("wrong", "wrong-tint"), ("accent", "tint"), ("other", "other-tint")]
    for text, ground in [*(("ink", ground) for ground in grounds), *pairs]:
        assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for ground in ("paper", "card"):
        for name in ("edge", *(f"colour-{number}" for number in range(8))):
            assert _contrast(colours[name], colours[ground]) >= 3, (name, ground)


def test_each_relation_of_phrases_has_a_letter_and_a_line_of_its_own():
    script = (PAGE / "relations.js").read_text(encoding="utf-8")
    letters = dict(re.findall(r"^  (\w+): \{ letter: \"(.)\"", script, re.MULTILINE))
    assert set(letters) == {*NAMES.values(), "unjudged"}
    assert len(set(letters.values())) == len(letters)
    css = (PAGE / "style.css").read_text(encoding="utf-8")
    lines = {}
    for name in (*letters, "only"):
        # A paraphrase, and the same words without relations, have the line of all phrases.
        rule = r"\.legend li::before" if name == "paraphrase" else rf"\.legend \.{name}::before"
        lines[name] = re.search(rule + r" \{[^}]*border-block-end: (\w+ \w+)", css)[1]
        if name not in ("paraphrase", "only"):
            shown = re.search(rf"\.phrase\.{name} \{{[^}}]*border-block-end: (\w+ \w+)", css)[1]
            assert shown == lines[name], name
    assert len(set(lines.values())) == len(lines), lines
