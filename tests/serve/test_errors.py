"""Bad, big, slow and too many requests: each gets its status and a sentence; others go on being served."""

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest

from serve.live import checked, running
from tenor.serve.limits import Limits

JSON = {"content-type": "application/json"}


def post_raw(live, body, headers=JSON, path="/api/embed"):
    return httpx.post(live.url + path, content=body, headers=headers, timeout=60, verify=False)


def message(response):
    return response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "line 1"),
        (b'{"texts": ["a"]} x', 400, "not JSON"),
        (b'{"texts": NaN}', 400, "NaN"),
        (b"\xff\xfe", 400, "not UTF-8"),
        (b"[" * 100_000, 400, "not JSON"),
        (b"1" * 10_000, 400, "a number too long"),
        (b'{"texts": ' + b"9" * 100 + b"}", 422, "expected a list"),
        (b'"texts"', 422, "expected an object"),
        (b'{"texts": ["a", null]}', 422, "texts[1] is null"),
        (b'{"texts": ["a"], "prompt": 3}', 422, "prompt is 3"),
        ('{"texts": ["a"]}'.encode("utf-16"), 400, "not UTF-8"),
    ],
    ids=range(12),
)
def test_broken_bodies(live, body, status, said):
    response = post_raw(live, body)
    assert (response.status_code, said in message(response)) == (status, True), response.text
    checked(live, "/api/embed", response)


def test_lone_surrogates_and_odd_characters_are_served(live):
    for text in ('"\\ud800"', '"\\u0000"', '"\\udc00\\ud800"', '"😀\\u202e"'):
        response = post_raw(live, f'{{"texts": [{text}]}}'.encode())
        assert response.status_code == 200, response.text
        body = f'{{"first": {text}, "second": {text}}}'.encode()
        assert post_raw(live, body, path="/api/compare").status_code in (200, 422)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_only_json_is_taken(live, kind):
    response = post_raw(live, b'{"texts": ["a"]}', headers={"content-type": kind})
    assert response.status_code == 415
    assert "application/json" in message(response)


SMALL = Limits(texts=3, characters=1000, tokens=50, dedupe_texts=2, tag_words=4)


@pytest.fixture(scope="module")
def small(tiny_folder):
    with running(tiny_folder, limits=SMALL) as server:
        yield server


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/api/embed", {"texts": ["a"] * 4}, "at most 3"),
        ("/api/embed", {"texts": ["a" * 1001]}, "at most 1,000"),
        ("/api/embed", {"texts": ["a cat " * 30] * 2}, "at most 50"),
        ("/api/embed", {"texts": ["a"], "prompt": "x" * 2000}, "at most 1,000"),
        # The prompt is short, the texts are short: what is encoded is the product.
        ("/api/embed", {"texts": ["a"] * 3, "prompt": "x" * 333}, "1,002 characters; at most 1,000"),
        ("/api/classify", {"texts": ["a"] * 4}, "at most 3"),
        ("/api/classify", {"pairs": [{"first": "a", "second": "b"}] * 2}, "4 texts; at most 3"),
        ("/api/tag", {"texts": ["a . b . c"]}, "at most 4 are tagged"),
        ("/api/dedupe", {"texts": ["a"] * 3}, "at most 2"),
        ("/api/compare", {"first": "a" * 600, "second": "b" * 600}, "at most 1,000"),
        # Without "chunk" what is beyond the model's own limit is never encoded, and this would be taken.
        ("/api/compare", {"first": "a cat " * 60, "second": "a cat", "long": "chunk"}, "at most 50"),
        ("/v1/embeddings", {"input": ["a"] * 4, "model": "model"}, "at most 3"),
    ],
)
def test_limits_are_named(small, path, body, said):
    response = small.post(path, body)
    assert response.status_code == 413
    assert said in message(response)
    checked(small, path, response)


def test_a_response_of_too_many_numbers_is_refused(tiny_folder):
    with running(tiny_folder, limits=Limits(numbers=100)) as server:
        response = server.post("/api/embed", {"texts": ["a"] * 4})
        assert response.status_code == 413
        assert "4 texts with 32 numbers each are too many for one response; send at most 3" in message(
            response
        )
        assert server.post("/api/embed", {"texts": ["a"] * 3}).status_code == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/embeddings", {"input": "a", "model": "m" * 400_000}),
        ("/api/classify", {"texts": ["a"], "tasks": ["x" * 400_000]}),
        ("/api/tag", {"texts": ["a"], "task": "x" * 400_000}),
        ("/api/embed", {"texts": ["a"], "x" * 400_000: 1}),
        ("/api/embed", {"texts": "x" * 400_000}),
        ("/" + "x" * 20_000, {}),
    ],
)
def test_no_error_sends_back_what_was_sent(live, path, body):
    response = live.post(path, body)
    assert response.status_code in (404, 422)
    assert len(response.content) < 1_500


@pytest.mark.parametrize("chunked", [False, True])
def test_ten_megabytes_are_refused_and_nobody_else_minds(live, chunked):
    body = b'{"texts": ["' + b"a" * 10_000_000 + b'"]}'

    def parts():
        for begin in range(0, len(body), 65_536):
            yield body[begin : begin + 65_536]

    with live.client() as client:
        response = client.post("/api/embed", content=parts() if chunked else body, headers=JSON)
        assert response.status_code == 413
        assert f"{Limits().body_bytes:,}" in message(response)
        assert client.post("/api/embed", json={"texts": ["the cat"]}).status_code == 200


def test_a_client_that_asks_first_is_told_before_it_sends(live):
    head = "POST /api/embed HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", live.port), timeout=60) as wire:
        wire.sendall(f"{head}Content-Length: 10000000\r\nExpect: 100-continue\r\n\r\n".encode())
        assert wire.recv(100).startswith(b"HTTP/1.1 413")


HALVES = [
    b"",
    b"POST /api/em",
    b"POST /api/embed HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Ty",
    b"POST /api/embed HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b'Content-Length: 100\r\n\r\n{"texts": ["',
]


def test_half_a_request_and_silence_ends_the_connection(tiny_folder):
    limits = Limits(header_seconds=3, body_seconds=3)
    with running(tiny_folder, limits=limits) as server, ExitStack() as stack:
        wires = []
        for sent in HALVES:
            wires.append(socket.create_connection(("127.0.0.1", server.port), timeout=60))
            stack.enter_context(wires[-1]).sendall(sent)
        assert server.post("/api/embed", {"texts": ["the cat"]}).status_code == 200
        answers = []
        for wire in wires:
            answers.append(b"")
            while part := wire.recv(4096):  # until the server closes; a time-out of the socket would raise
                answers[-1] += part
    assert answers[:3] == [b"", b"", b""]
    assert answers[3].startswith(b"HTTP/1.1 408")


def test_an_endless_head_ends_the_connection(live):
    with socket.create_connection(("127.0.0.1", live.port), timeout=60) as wire:
        wire.sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises(OSError):  # noqa: PT012
            for _ in range(100_000):
                wire.sendall(b"X-More: " + b"a" * 1000 + b"\r\n")


def hold(gate):
    """Return a change of a service that keeps its engine waiting for the gate."""

    def change(service):
        right = service.batcher._engine

        class Held:
            width, token_budget = right.width, right.token_budget

            def vectors(self, tokens):
                assert gate.wait(60)
                return right.vectors(tokens)

        service.batcher._engine = Held()

    return change


def test_a_full_queue_answers_429_and_recovers(tiny_folder):
    gate = threading.Event()
    limits = Limits(waiting_requests=4, waiting_texts=100)
    with running(tiny_folder, limits=limits, change=hold(gate)) as server, ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(server.post, "/api/embed", {"texts": ["a cat"]}) for _ in range(4)]
        while server.service.batcher.counts.waiting_requests < 4:
            time.sleep(0.001)
        response = server.post("/api/embed", {"texts": ["a dog"]})
        assert response.status_code == 429
        assert int(response.headers["retry-after"]) >= 1
        checked(server, "/api/embed", response)
        assert server.get("/api/health").json() == {"status": "ok", "waiting": 4, "encoded": 0}
        gate.set()
        assert [each.result().status_code for each in asked] == [200] * 4
        assert server.post("/api/embed", {"texts": ["a dog"]}).status_code == 200


def test_a_route_with_a_full_queue_leaves_the_others_theirs(tiny_folder):
    gate = threading.Event()
    limits = Limits(waiting_requests=2, waiting_work=2)
    with running(tiny_folder, limits=limits, change=hold(gate)) as server, ThreadPoolExecutor(8) as threads:
        full = [threads.submit(server.post, "/api/embed", {"texts": ["a cat"]}) for _ in range(2)]
        full += [threads.submit(server.post, "/api/dedupe", {"texts": ["a cat", "a dog"]}) for _ in range(2)]
        while server.service.batcher.counts.waiting_requests < 4:
            time.sleep(0.001)
        for path, body in (("/api/embed", {"texts": ["a"]}), ("/api/dedupe", {"texts": ["a", "b"]})):
            assert server.post(path, body).status_code == 429
        full.append(threads.submit(server.post, "/v1/embeddings", {"input": "a dog", "model": "model"}))
        full.append(threads.submit(server.post, "/api/compare", {"first": "a dog", "second": "a cat"}))
        while server.service.batcher.counts.waiting_requests < 6:
            time.sleep(0.001)
        gate.set()
        assert [each.result().status_code for each in full] == [200] * 6


def test_work_that_takes_too_long_is_given_up(tiny_folder):
    gate = threading.Event()
    with running(tiny_folder, limits=Limits(work_seconds=0.2), change=hold(gate)) as server:
        for path, body in (
            ("/api/embed", {"texts": ["a dog"]}),
            ("/api/dedupe", {"texts": ["a dog", "a cat"]}),
        ):
            response = server.post(path, body)
            assert response.status_code == 503
            assert "not done within 0.2 s" in message(response)
            checked(server, path, response)
        gate.set()


def test_a_client_that_goes_away_frees_its_place(tiny_folder):
    gate = threading.Event()
    with running(tiny_folder, change=hold(gate)) as server:
        body = json.dumps({"texts": [f"a cat {number}" for number in range(500)]}).encode()
        head = (
            f"POST /api/embed HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
            wire.sendall(head.encode() + body)
            while server.service.batcher.counts.waiting_texts < 500:
                time.sleep(0.001)
        while server.service.batcher.counts.waiting_texts:  # the test's time limit ends it otherwise
            time.sleep(0.001)
        gate.set()
        assert server.post("/api/embed", {"texts": ["a dog"]}).status_code == 200


def test_an_unforeseen_error_is_a_plain_500(tiny_folder, caplog):
    def broken(service):
        service.compare = lambda request: 1 / 0

    with running(tiny_folder, change=broken) as server:
        response = server.post("/api/compare", {"first": "a", "second": "b"})
        assert response.status_code == 500
        assert message(response) == "Something went wrong in the server; its log says more."
        assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize("path", ["/nothing", "/api/", "/api/embed/", "/v1", "/index.html/", "/%00", "/ä"])
def test_unknown_addresses(live, path):
    response = live.get(path)
    assert response.status_code == 404
    assert "nothing at" in message(response)
