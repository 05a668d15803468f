"""Searching: what each mode ranks by, filters, changes under the reader, and what is refused."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hashing_model import HashingModel

import tenor
from tenor.errors import TenorError
from tenor.use.search.fusion import WORD_WEIGHT, cosine_deviation, fuse
from tenor.use.search.index import add_to_index, build_index, remove_from_index
from tenor.use.search.searching import Searcher, search

pytest.importorskip("lancedb")

TEXTS = [
    ("en", "A cat sleeps on the warm roof of the house."),
    ("en", "Cats love to sleep where it is warm."),
    ("de", "Fehler KX-220 an der Pumpe."),
    ("en", "The pump shows error KX-202 when it is cold."),
    ("en", "Trains are late in winter."),
    ("fr", "Le chat dort sur le toit à Zürich."),
    ("en", "Nothing of the sort."),
]


@pytest.fixture(scope="module")
def model():
    return HashingModel()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, model):
    place = tmp_path_factory.mktemp("search")
    rows = "".join(
        f"t{number}\t{lang}\t{1990 + number}\t{text}\n" for number, (lang, text) in enumerate(TEXTS)
    )
    (place / "texts.tsv").write_text("key\tlang\tyear\ttext\n" + rows)
    build_index(place / "texts.tsv", place / "ix", model=model, id_column="key", column="text")
    return place / "ix"


@pytest.fixture(scope="module")
def searcher(folder, model):
    return Searcher(folder, model=model)


def vectors_of(model, texts):
    vectors = model.encode(texts)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_vector_search_is_the_order_of_cosines(searcher, model):
    cosines = vectors_of(model, [text for _, text in TEXTS]) @ vectors_of(model, ["warm cat"])[0]
    hits = searcher.search("warm cat", mode="vector", k=4)
    assert [hit.id for hit in hits] == [f"t{place}" for place in np.argsort(-cosines)[:4]]
    np.testing.assert_allclose([hit.score for hit in hits], np.sort(cosines)[::-1][:4], atol=1e-5)
    assert all(hit.bm25 is None and hit.cosine == hit.score for hit in hits)


def test_lexical_search_finds_words_endings_and_codes(searcher):
    def found(query):
        return [hit.id for hit in searcher.search(query, mode="lexical")]

    assert found("KX-220")[0] == "t2"
    assert set(found("sleeping cats")) == {"t0", "t1"}
    assert found("zurich") == ["t5"]
    assert found("zebra") == []
    hits = searcher.search("KX-220", mode="lexical")
    assert hits[0].score == hits[0].bm25
    assert hits[0].cosine is None


def test_lexical_search_needs_no_model(folder):
    assert search(folder, "late trains", mode="lexical", model="no such model")[0].id == "t4"
    with pytest.raises(TenorError, match="no such model"):
        search(folder, "late trains", mode="vector", model="no such model")


@pytest.mark.parametrize(
    "query", ['"', "a AND (", "+-*", "text:cat", "cat\0", "\\", "cat~2", "zürich [1 TO 2]", "x" * 9000]
)
def test_a_query_is_never_syntax(searcher, query):
    for mode in ("lexical", "hybrid"):
        assert isinstance(searcher.search(query, mode=mode), list)


def test_hybrid_search_adds_up_cosine_and_words(searcher):
    hits = searcher.search("error KX-220", k=7)
    near = {hit.id: hit.cosine for hit in searcher.search("error KX-220", k=7, mode="vector")}
    words = {hit.id: hit.bm25 for hit in searcher.search("error KX-220", k=7, mode="lexical")}
    weight = WORD_WEIGHT * searcher.card.cosine_std
    for hit in hits:
        assert hit.cosine == pytest.approx(near[hit.id], abs=1e-5)
        assert hit.bm25 == words.get(hit.id)
        assert hit.score == pytest.approx(near[hit.id] + weight * words.get(hit.id, 0), abs=1e-5)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(hits) == 7


def test_filters_narrow_before_ranking(searcher):
    for mode in ("hybrid", "vector"):
        hits = searcher.search("warm cat", mode=mode, k=2, where="lang != 'en' and year > 1990")
        assert {hit.id for hit in hits} == {"t2", "t5"}
    hits = searcher.search("cat chat", mode="lexical", where="lang = 'fr'")
    assert [hit.id for hit in hits] == ["t5"]
    assert hits[0].columns == {"lang": "fr", "year": 1995}
    assert searcher.search("cat", where="key = 't0'")[0].text == TEXTS[0][1]
    assert searcher.search("cat", where="year > 3000") == []


def test_a_wrong_column_names_those_there_are(searcher):
    says = r"no column 'langs'\. Did you mean 'lang'\? Its columns: text \(text\), key \(text\), lang"
    with pytest.raises(TenorError, match=says):
        searcher.search("cat", where="langs = 'en'")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"query": "  "}, "The query is empty"),
        ({"k": 0}, "k is 0"),
        ({"k": 10_001}, "between 1 and 10,000"),
        ({"mode": "fuzzy"}, "no search mode 'fuzzy'; there are hybrid, vector, lexical"),
    ],
)
def test_what_cannot_be_searched(searcher, settings, says):
    with pytest.raises(TenorError, match=says):
        searcher.search(**{"query": "cat", **settings})


def test_more_hits_than_rows(searcher):
    assert len(searcher.search("cat", k=500)) == len(TEXTS)


def test_an_open_searcher_follows_changes(tmp_path, model):
    file = tmp_path / "a.txt"
    file.write_text("first text\nsecond text\n")
    build_index(file, tmp_path / "ix", model=model)
    reader = Searcher(tmp_path / "ix", model=model)
    assert len(reader.search("text")) == 2
    add_to_index(file, tmp_path / "ix", model=model)
    assert len(reader.search("text")) == 4
    remove_from_index(tmp_path / "ix", ids=["1"])
    assert sorted(hit.id for hit in reader.search("text")) == ["2", "3", "4"]


def test_a_text_without_a_vector_does_not_spoil_the_ranking(tmp_path):
    class SomeZero(HashingModel):
        def encode(self, texts, **settings):
            return super().encode(texts, **settings) * np.array([["?" not in text] for text in texts])

    model, file = SomeZero(), tmp_path / "a.txt"
    file.write_text("???\na cat\nthe cat\n???? ?\n")
    build_index(file, tmp_path / "ix", model=model)
    for mode in ("vector", "hybrid"):
        hits = Searcher(tmp_path / "ix", model=model).search("a cat", mode=mode)
        assert hits[0].text == "a cat"
        assert all(np.isfinite(hit.score) for hit in hits)
        blank = Searcher(tmp_path / "ix", model=model).search("?", mode=mode)
        assert all(hit.score == 0 for hit in blank)


@pytest.mark.parametrize("long", ["truncate", "chunk"])
def test_a_query_beyond_the_limit_is_treated_as_the_texts_were_and_told(tmp_path, tiny_folder, long):
    model, file, heard = tenor.load(tiny_folder, precision="fp32"), tmp_path / "a.txt", []
    file.write_text("the cat sat\na dog ran\n")
    build_index(file, tmp_path / "ix", model=model, long=long)
    searcher = Searcher(tmp_path / "ix", model=model, note=heard.append)
    query = "the cat sat " * 20
    expected = model.encode([query], prompt="query", long=long)[0]
    np.testing.assert_allclose(searcher.encode(query), expected, atol=1e-5)
    assert len(heard) == 1
    assert ("beginning" in heard[0]) is (long == "truncate")
    searcher.search("the cat")
    assert len(heard) == 1


def test_fusion_by_hand():
    assert fuse({}, {}, cosine_std=0.1) == {}
    scores = fuse({"a": 0.9, "b": 0.1, "c": 0.2}, {"b": 50.0}, cosine_std=0.1)
    assert list(scores) == ["b", "a", "c"]
    assert scores["b"] == pytest.approx(0.1 + 1.0)


def test_cosine_std_is_the_deviation_between_different_texts():
    vectors = np.random.default_rng(0).normal(size=(300, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert cosine_deviation(vectors) == pytest.approx(1 / 8, rel=0.05)  # 1 / √d for random directions
    assert cosine_deviation(vectors[:3]) == 0.1
    assert cosine_deviation(np.tile(vectors[:1], (20, 1))) > 0


def test_an_index_that_names_a_hub_model_asks_no_network(tmp_path, monkeypatch):
    from dataclasses import replace

    from tenor.assets import hub
    from tenor.use.search.card import read_card, write_card

    monkeypatch.setenv("TENOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(hub, "_download", lambda *_: pytest.fail("the network was asked"))
    folder = tmp_path / "index"
    (tmp_path / "texts.txt").write_text("a cat\na dog\n")
    build_index(tmp_path / "texts.txt", folder, model=HashingModel())
    write_card(folder, replace(read_card(folder), model="hub:some/one"))
    with pytest.raises(TenorError, match=r"tenor fetch hub:some/one"):
        Searcher(folder).search("cat")
    with pytest.raises(BaseException, match="the network was asked"):
        Searcher(folder, model="hub:some/one").search("cat")  # what a person names may be fetched


def test_searches_in_several_threads_while_the_index_changes(tmp_path, model):
    lines = [f"the cat number{number} sat" for number in range(60)]
    (tmp_path / "t.txt").write_text("\n".join(lines[:20]) + "\n")
    build_index(tmp_path / "t.txt", tmp_path / "ix", model=model)
    shared = Searcher(tmp_path / "ix", model=model)
    ended = False

    def ask():
        while not ended:
            hits = shared.search("number7 cat", mode="lexical", k=3)
            assert hits[0].text == lines[7]

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        for begin in (20, 40):
            (tmp_path / "t.txt").write_text("\n".join(lines[begin : begin + 20]) + "\n")
            add_to_index(tmp_path / "t.txt", tmp_path / "ix", model=model)
        ended = True
        for each in asking:
            each.result(60)
    assert shared.search("number59", mode="lexical", k=1)[0].text == lines[59]


def test_a_search_inside_an_event_loop_as_in_a_notebook(searcher):
    async def cell():
        return searcher.search("warm cat", k=2)

    assert asyncio.run(cell()) == searcher.search("warm cat", k=2)
