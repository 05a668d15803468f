"""Whatever is sent: an answer within a bound of memory, of bytes, and of time in the event loop."""

import json
import time
from pathlib import Path

import httpx
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from serve.live import running
from tenor.serve.limits import Limits
from tenor.words.vectors import WordVectors

MEGABYTES = 300  # a request of 3 MB may become a million small objects, and no more
LOOP_SECONDS = 0.5  # CPU time of the event loop's thread, which has everybody else waiting
STATUS = Path("/proc/self/status")
PATHS = {
    "/api/embed": ("texts", "prompt"),
    "/v1/embeddings": ("input", "model", "dimensions", "encoding_format"),
    "/api/compare": ("first", "second", "long"),
    "/api/classify": ("texts", "pairs", "tasks"),
    "/api/tag": ("texts", "task"),
    "/api/dedupe": ("texts", "threshold", "floor"),
    "/api/words/neighbours": ("word", "k"),
    "/api/words/analogy": ("a", "b", "c", "k"),
    "/api/words/ask": ("query", "k"),
}
ITEMS = ["", "a", "a cat ", 1, None, {}, [], [1], {"first": "a", "second": "b"}, "word1 & ", "(", "\ud800"]

pytestmark = pytest.mark.skipif(
    not STATUS.exists(), reason="the system does not tell the memory of a process"
)


def values():
    """Values whose size has nothing to do with how long they take to write down here."""
    sizes = st.sampled_from([0, 1, 50, 2_048, 2_049, 100_000, 700_000, 2_900_000])
    strings = st.tuples(st.sampled_from(["a", "a cat ", "x", "(", "~", "é", "."]), sizes)
    lists = st.tuples(st.sampled_from(ITEMS), sizes)
    return st.one_of(
        strings.map(lambda pair: (pair[0] * pair[1])[: pair[1]]),
        lists.map(lambda pair: [pair[0]] * min(pair[1], 2_900_000 // (len(json.dumps(pair[0])) + 1))),
        st.sampled_from([None, 3, -1e299, "chunk", True]),
    )


@st.composite
def requests(draw):
    path = draw(st.sampled_from(sorted(PATHS)))
    names = [*PATHS[path], "x" * draw(st.sampled_from([1, 2_900_000]))]
    return path, draw(st.dictionaries(st.sampled_from(names), values(), min_size=1, max_size=3))


@pytest.fixture(scope="module")
def server(tiny_folder):
    words = [f"word{number}" for number in range(20_000)]
    vectors = WordVectors(words, np.random.default_rng(0).standard_normal((20_000, 8)).astype("f4"))
    with running(tiny_folder, vectors=vectors, limits=Limits(tag_words=2_000)) as server:
        server.post("/api/compare", {"first": "a cat", "second": "a dog"})
        server.post("/api/words/ask", {"query": "word1"})
        server.post("/api/dedupe", {"texts": ["a cat", "a dog"]})
        yield server


def megabytes(name):
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024


def assert_bounded(server, path, body):
    content = json.dumps(body).encode()
    clock = time.pthread_getcpuclockid(server.thread.ident)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    memory, began = megabytes("VmRSS"), time.clock_gettime(clock)
    headers = {"content-type": "application/json"}
    response = httpx.post(server.url + path, content=content, headers=headers, timeout=100, verify=False)
    assert response.status_code in (200, 400, 404, 413, 422), response.text[:500]
    assert megabytes("VmHWM") - memory < MEGABYTES
    assert time.clock_gettime(clock) - began < LOOP_SECONDS
    if response.status_code != 200:
        assert len(response.content) < 1_500
    return response


HOSTILE = [
    ("/api/embed", {"texts": ["a"] * 2_048, "prompt": "x" * 2_900_000}),
    ("/api/embed", {"texts": [""] * 700_000}),
    ("/v1/embeddings", {"input": [[1]] * 500_000, "model": "model"}),
    ("/v1/embeddings", {"input": [1] * 900_000, "model": "model"}),
    ("/api/embed", {"texts": ["a"], "x" * 2_900_000: 1}),
    ("/api/classify", {"texts": ["a"] * 2_048, "tasks": ["x"] * 500_000}),
    ("/api/compare", {"first": "a b " * 60_000, "second": "a c " * 60_000}),
    ("/api/tag", {"texts": ["." * 500_000]}),
    ("/api/words/neighbours", {"word": "x" * 2_900_000}),
    ("/api/words/ask", {"query": "(" * 1_000}),
    ("/api/words/ask", {"query": "~" * 999 + "a"}),
]


@pytest.mark.parametrize(("path", "body"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_requests_are_bounded(server, path, body):
    assert_bounded(server, path, body)


@pytest.mark.slow
@settings(
    max_examples=150, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
@given(request=requests())
@example(request=HOSTILE[0])
def test_any_request_is_bounded(server, request):
    assert_bounded(server, *request)
