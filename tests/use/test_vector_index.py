"""The HNSW index, made small: recall against brute force, also under filters and after changes."""

import numpy as np
import pytest

from tenor.use.search import vector_index
from tenor.use.search.columns import Column, Kind
from tenor.use.search.passages import Passage, Passages
from tenor.use.search.vector_index import hnsw_for

pytest.importorskip("lancedb")

COLUMNS = [Column("part", "c0", Kind.integer)]
DIMENSIONS, ROWS, K = 32, 3000, 10


def clustered(count, seed):
    dice = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(60, DIMENSIONS))
    vectors = centres[dice.integers(60, size=count)] + 0.7 * dice.normal(size=(count, DIMENSIONS))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def passages(start, count):
    return [Passage(str(n), f"text {n}", (n % 7,)) for n in range(start, start + count)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setattr(vector_index, "LEAST_ROWS", 1000)
    store = Passages.create(tmp_path_factory.mktemp("graph"), COLUMNS, dimensions=DIMENSIONS)
    store.append(passages(0, ROWS), clustered(ROWS, 1))
    assert store.refresh(hnsw_for(ROWS), rebuild=True, stem=True)
    yield store
    patch.undo()


def recall(store, vectors, queries, plan, condition=None, allowed=lambda place: True):
    places = np.array([place for place in range(len(vectors)) if allowed(place)])
    found = 0
    for query in queries:
        best = places[np.argsort(-(vectors[places] @ query))[:K]]
        hits = store.nearest(query, K, condition=condition, hnsw=plan)
        assert len(hits) == K
        found += len({int(hit["id"]) for hit in hits} & set(best.tolist()))
        for hit in hits:  # ranked by the vectors themselves, not by their bytes
            assert hit["cosine"] == pytest.approx(float(vectors[int(hit["id"])] @ query), abs=1e-5)
    return found / (K * len(queries))


def test_when_and_how_large():
    assert hnsw_for(vector_index.LEAST_ROWS - 1) is None
    assert [hnsw_for(rows).graphs for rows in (200_000, 250_000, 250_001)] == [1, 1, 2]


def test_recall_is_high_and_exact_search_is_exact(table):
    vectors, queries = clustered(ROWS, 1), clustered(40, 2)
    assert recall(table, vectors, queries, hnsw_for(ROWS)) >= 0.95
    assert recall(table, vectors, queries, None) == 1.0


@pytest.mark.parametrize(("condition", "allowed"), [
    ("c0 = 3", lambda place: place % 7 == 3),
    ("c0 <> 3", lambda place: place % 7 != 3),
    ("id IN ('1', '2', '3', '5', '8', '13', '21', '34', '55', '89', '144')",
     lambda place: place in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)),
])  # fmt: skip
def test_recall_under_filters(table, condition, allowed):
    queries = clustered(30, 3)
    assert recall(table, clustered(ROWS, 1), queries, hnsw_for(ROWS), condition, allowed) >= 0.95


def test_additions_and_removals_are_found_and_gone(table):
    more = clustered(200, 4)
    table.append(passages(ROWS, 200), more)
    assert not table.refresh(hnsw_for(ROWS), rebuild=False, stem=True)
    table.remove("c0 = 0")
    vectors = np.concatenate([clustered(ROWS, 1), more])
    assert (
        recall(table, vectors, clustered(30, 5), hnsw_for(ROWS), None, lambda place: place % 7 != 0) >= 0.95
    )
    for place in (1, 2, 4, 5):  # 3 was removed
        assert table.nearest(more[place], 1, condition=None, hnsw=hnsw_for(ROWS))[0]["id"] == str(
            ROWS + place
        )


def test_many_additions_lead_to_a_new_structure(table, monkeypatch):
    from tenor.use.search import passages as module

    monkeypatch.setattr(module, "MOST_SEGMENTS", 1)
    table.append(passages(ROWS + 200, 50), clustered(50, 6))
    assert table.refresh(hnsw_for(ROWS), rebuild=False, stem=True)
