"""What is wrong on the server's side is said as such, and never with a path of the server."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from serve.live import checked, running
from serve.test_errors import hold
from tenor.use.search.index import build_index
from tenor.words.vectors import WordVectors


def message(response):
    return response.json()["error"]["message"]


@pytest.fixture
def index(tiny_folder, tmp_path):
    (tmp_path / "texts.txt").write_text("the cat\na dog\n", encoding="utf-8")
    build_index(tmp_path / "texts.txt", tmp_path / "index", model=str(tiny_folder))
    return tmp_path / "index"


@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
def test_a_broken_store_is_no_fault_of_the_client(tiny_folder, index, mode):
    with running(tiny_folder, index=index) as server:
        assert server.post("/api/search", {"query": "cat", "mode": mode}).json()["hits"]
        (card,) = index.glob("*.json")
        card.write_text("{}", encoding="utf-8")
        response = server.post("/api/search", {"query": "cat", "mode": mode})
        assert response.status_code == 503
        assert "index cannot be read" in message(response)
        assert str(index) not in response.text
        assert str(index.parent) not in response.text
        checked(server, "/api/search", response)


def test_a_store_without_its_files_says_nothing_of_them(tiny_folder, index):
    with running(tiny_folder, index=index) as server:
        for file in [each for each in index.rglob("*") if each.is_file() and each.suffix != ".json"]:
            file.write_bytes(b"broken")
        response = server.post("/api/search", {"query": "cat"})
        assert response.status_code in (200, 500, 503)
        assert str(index.parent) not in response.text


def test_lookups_do_not_wait_for_the_encoder(tiny_folder, index):
    """With the encoder held, and more requests waiting for it than there are threads, look-ups go on."""
    gate = threading.Event()
    vectors = WordVectors(["a", "b"], np.eye(2))
    with (
        running(tiny_folder, index=index, vectors=vectors, change=hold(gate)) as server,
        ThreadPoolExecutor(20) as threads,
    ):
        asked = []
        for _ in range(5):
            asked.append(threads.submit(server.post, "/api/compare", {"first": "a cat", "second": "a dog"}))
            asked.append(threads.submit(server.post, "/api/dedupe", {"texts": ["a cat", "a dog"]}))
            asked.append(threads.submit(server.post, "/api/embed", {"texts": ["a cat"]}))
        reached = 5 + server.service.limits.handlers  # texts to embed, and what the handlers brought so far
        while server.service.batcher.counts.waiting_requests < reached:
            time.sleep(0.001)
        for path, body in (
            ("/api/words/neighbours", {"word": "a"}),
            ("/api/words/ask", {"query": "a & b"}),
            ("/api/search", {"query": "cat", "mode": "lexical"}),
        ):
            assert server.post(path, body).status_code == 200
        assert not any(each.done() for each in asked)
        gate.set()
        assert [each.result().status_code for each in asked] == [200] * 15


def test_a_wrong_filter_is_a_fault_of_the_client(tiny_folder, index):
    with running(tiny_folder, index=index) as server:
        response = server.post("/api/search", {"query": "cat", "where": "year > 3"})
        assert response.status_code == 422
        assert "no column 'year'" in message(response)
        blank = checked(server, "/api/search", server.post("/api/search", {"query": " "}))
        assert blank == {"hits": [], "notes": ["The query has no words."]}


def test_one_model_in_the_form_of_openai(tiny_folder):
    with running(tiny_folder, aliases=("org/text-small",)) as server:
        for name in ("model", "org/text-small"):
            found = checked(server, "/v1/models/{id}", server.get(f"/v1/models/{name}"), "get")
            assert found == {"id": name, "object": "model", "created": 0, "owned_by": "tenor"}
        response = server.get("/v1/models/gpt")
        assert response.status_code == 404
        assert "There is no model 'gpt' here, but 'model'" in message(response)
        checked(server, "/v1/models/{id}", response, "get")


def test_what_is_not_there_is_said_truly(live, tiny_folder):
    assert "--vectors" in message(live.post("/api/words/neighbours", {"word": "a"}))
    assert "--index" in message(live.post("/api/search", {"query": "a"}))
    for path in ("/api/wordsmith", "/api/searches", "/api/words2"):
        assert "nothing at" in message(live.get(path))
    with running(tiny_folder, vectors=WordVectors(["a", "b"], np.eye(2))) as server:
        for path in ("/api/words", "/api/words/nearest", "/api/words/ask/x"):
            assert "nothing at" in message(server.get(path))
        assert "does not take GET" in message(server.get("/api/words/ask"))


def test_the_document_names_what_the_server_has(live):
    document = live.get("/openapi.json").json()
    request = document["components"]["schemas"]["OpenAIEmbeddingsRequest"]["properties"]
    assert request["model"]["enum"] == ["model"]
    assert request["dimensions"]["enum"] == [live.service.model.width, None]
    assert json.dumps(document).count("/tmp") == 0


def test_word_vectors_are_served_as_a_model_and_asked_about_words(tmp_path):
    (tmp_path / "v.txt").write_text("the 1 0 0\ncat 0 1 0.1\ndog 0 1 0\n", encoding="utf-8")
    with running(tmp_path / "v.txt") as server:
        server.service.warm_up()
        found = checked(server, "/api/embed", server.post("/api/embed", {"texts": ["the cat", "unknown"]}))
        assert found["vectors"] == [[0.5, 0.5, pytest.approx(0.05)], [0, 0, 0]]
        compared = server.post("/api/compare", {"first": "the cat", "second": "the dog"})
        assert checked(server, "/api/compare", compared)["cosine"] > 0.9
        assert server.post("/api/dedupe", {"texts": ["the cat", "the cat", "dog"]}).status_code == 200
        near = server.post("/api/words/neighbours", {"word": "cat", "k": 1}).json()
        assert [each["word"] for each in near["words"]] == ["dog"]
