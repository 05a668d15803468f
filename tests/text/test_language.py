"""The language check: what it must notice and, above all, where it must stay silent."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenor.text import language, language_identifier
from tenor.text.language import LanguageWatch, probably_not_english

FOREIGN = [
    "Kannst du mir bitte sagen, wie spät es ist?",
    "Je ne sais pas si elle viendra avec nous demain.",
    "¿Sabes dónde está la biblioteca más cercana?",
    "Non so se questo sia il treno per Milano.",
    "Não sei se ele vai chegar a tempo para a festa.",
    "Ik weet niet of hij morgen naar school gaat.",
    "Jag tror inte att det kommer att regna i dag.",
    "En tiedä, milloin juna lähtee asemalta.",
    "Nevím, jestli ten vlak jede až do Prahy.",
    "Nie wiem, czy on przyjdzie jutro do pracy.",
    "Bu kitap için çok teşekkür ederim.",
    "Nem tudom, hogy mikor indul a vonat.",
    "我不知道火车什么时候出发。",
    "電車がいつ出るのか分かりません。",
    "기차가 언제 출발하는지 모르겠어요.",
    "Я не знаю, когда отходит поезд.",
    "لا أعرف متى يغادر القطار.",
    "אני לא יודע מתי הרכבת יוצאת.",
    "मुझे नहीं पता कि ट्रेन कब जाती है।",
    "Δεν ξέρω πότε φεύγει το τρένο.",
]
ENGLISH = [
    "",
    " ",
    "?!",
    "42",
    "\x00",
    "🙂🙃",
    "ok",
    "London",
    "Gérard Depardieu",
    "Jürgen Müller, Köln",
    "Ludwig van der Rohe and Simone de Beauvoir",
    "café crème brûlée",
    "EU, UN and IL agree on deal",
    "Tokyo (東京)",
    "The song is called 'La vie en rose'.",
    "He said 'c'est la vie' and left the room.",
    "def f(x): return x + 1",
    "https://example.org/de/der/die/das",
    "red wine, white wine, sparkling water",
    "lorem",
]


@pytest.mark.parametrize("text", FOREIGN)
def test_other_languages_are_noticed(text):
    assert probably_not_english(text)


@pytest.mark.parametrize("text", ENGLISH)
def test_english_names_and_short_texts_stay_silent(text):
    assert not probably_not_english(text)


@given(st.text())
def test_any_text_gets_an_answer(text):
    assert probably_not_english(text) in (True, False)


def test_one_warning_for_many_texts():
    watch = LanguageWatch()
    watch.see(["A good day to you all."] * 3)
    assert watch.warning("minilm") is None
    watch.see(FOREIGN[:3])
    warning = watch.warning("minilm")
    assert warning is not None
    assert warning.startswith("3 of 6 texts are probably not English, and minilm")
    assert FOREIGN[0] in warning
    assert "\n" not in warning


def test_the_warning_shows_a_long_text_in_short_and_on_one_line():
    watch = LanguageWatch()
    watch.see(["Das ist\nnicht so einfach, " * 1000])
    warning = watch.warning("minilm")
    assert warning is not None
    assert len(warning) < 250
    assert "\n" not in warning


def test_only_the_first_texts_are_looked_at():
    watch = LanguageWatch(limit=2)
    watch.see(iter(FOREIGN))
    watch.see(FOREIGN)
    assert (watch.warning("m") or "").startswith("2 of the first 2 ")


def test_a_warning_says_how_many_were_looked_at_and_commands_no_terminal():
    watch = LanguageWatch(limit=3)
    watch.see(["\x1b[2JIch möchte noch einen Kaffee.\x07"] * 10)
    told = watch.warning("minilm")
    assert told.startswith("3 of the first 3 texts are")
    assert told.isprintable()
    assert "möchte" in told


# Languages whose words the rules do not know: a trained identifier is needed.
ONLY_IDENTIFIED = [
    "Sijui kama treni itaondoka kesho asubuhi.",
    "Ez dakit trena noiz aterako den.",
    "Nid wyf yn gwybod pryd mae'r trên yn gadael.",
]


@pytest.mark.parametrize("text", ONLY_IDENTIFIED)
def test_a_trained_identifier_knows_more_languages(text):
    pytest.importorskip("py3langid")
    assert probably_not_english(text)


def test_without_the_identifier_the_rules_are_left(monkeypatch):
    monkeypatch.setitem(sys.modules, "py3langid", None)
    monkeypatch.setitem(sys.modules, "py3langid.langid", None)
    language_identifier._identifier.cache_clear()
    try:
        assert language_identifier.identify_language("Sijui kama treni itaondoka.") is None
        assert probably_not_english("Kannst du mir bitte sagen, wie spät es ist?")
        assert not probably_not_english("Sijui kama treni itaondoka kesho asubuhi.")
    finally:
        language_identifier._identifier.cache_clear()


def test_the_identifier_alone_does_not_decide_on_english_with_function_words(monkeypatch):
    monkeypatch.setattr(language, "identify_language", lambda text: ("hu", 0.99))
    assert not probably_not_english("Syria envoy calls for the National Unity Government")
    assert probably_not_english("Sijui kama treni itaondoka kesho")
    monkeypatch.setattr(language, "identify_language", lambda text: ("hu", 0.4))
    assert not probably_not_english("Sijui kama treni itaondoka kesho")


def test_a_few_foreign_texts_among_many_are_no_warning():
    watch = LanguageWatch()
    watch.see(["The dog sleeps on the old sofa."] * 400 + ["Ich möchte noch einen Kaffee trinken."] * 3)
    assert watch.warning("minilm") is None
    watch.see(["Ich möchte noch einen Kaffee trinken."] * 2)
    assert watch.warning("minilm").startswith("5 of 405 texts")
