"""Batching: what shares a pass, in which order, what is refused, and that nothing is lost."""

import threading
import time
from concurrent.futures import CancelledError

import numpy as np
import pytest

import tenor
from tenor.serve.batcher import Batcher
from tenor.serve.errors import HTTPError
from tenor.serve.jobs import Job, RoundRobin
from tenor.serve.limits import Limits
from tenor.text.tokens import Tokens

PATIENCE = 60


class GatedEngine:
    """Stands between a batcher and an engine: passes wait for the gate, and are written down."""

    def __init__(self, engine, *, open_=True):
        self._engine = engine
        self.width, self.token_budget = engine.width, engine.token_budget
        self.gate, self.began = threading.Event(), threading.Semaphore(0)
        self.passes = []
        if open_:
            self.gate.set()

    def vectors(self, tokens):
        self.passes.append(tokens.lengths.tolist())
        self.began.release()
        assert self.gate.wait(PATIENCE)
        return self._engine.vectors(tokens)


@pytest.fixture(scope="module")
def model(tiny_folder):
    return tenor.load(tiny_folder, precision="fp32")


@pytest.fixture
def make(model):
    made = []

    def batcher(*, open_=True, **settings):
        engine = GatedEngine(model.engine, open_=open_)
        made.append((Batcher(engine, model.tokenizer, **settings), engine))
        return made[-1]

    yield batcher
    for each, engine in made:
        engine.gate.set()
        each.close()


def all_read(batcher):
    """Wait until every text that was submitted is tokenised, so that passes do not depend on the machine."""
    while batcher._new or batcher._reading:
        time.sleep(0.001)


def results(jobs):
    return [job.done.result(PATIENCE) for job in jobs]


TEXTS = [f"the cat sat on {'the big ' * (n % 7)}mat {n}" for n in range(40)]


def test_vectors_are_those_of_the_model_alone(make, model):
    batcher, _ = make(workers=2)
    found = results([batcher.submit([text]) for text in TEXTS])
    for text, encoded in zip(TEXTS, found, strict=True):
        np.testing.assert_allclose(encoded.vectors, model.encode([text]), atol=1e-5)
        assert encoded.tokens == model.tokenizer.tokenize([text]).lengths.sum()


def test_requests_that_wait_share_passes(make):
    batcher, engine = make(open_=False, workers=1)
    first = batcher.submit(["the cat"])
    assert engine.began.acquire(timeout=PATIENCE)  # the only worker is busy, alone with the first request
    jobs = [batcher.submit([text]) for text in TEXTS]
    all_read(batcher)
    engine.gate.set()
    results([first, *jobs])
    assert engine.passes[0] == [4]
    # Some 500 tokens in passes of at most 512, padding included.
    assert len(engine.passes) <= 4
    assert sum(map(len, engine.passes)) == 1 + len(TEXTS)


def test_idle_request_is_encoded_without_waiting_for_others(make):
    # The clock never moves, so a wait for more texts would never end.
    batcher, engine = make(workers=2, wait=1e9, clock=lambda: 0.0)
    assert results([batcher.submit(["the cat"])])[0].vectors.shape == (1, engine.width)


def test_equal_texts_of_one_pass_are_encoded_once(make, model):
    batcher, engine = make(open_=False, workers=1)
    first = batcher.submit(["a dog"])
    assert engine.began.acquire(timeout=PATIENCE)
    jobs = [batcher.submit(["the cat", "the dog"]) for _ in range(5)]
    all_read(batcher)
    engine.gate.set()
    for encoded in results([first, *jobs])[1:]:
        np.testing.assert_allclose(encoded.vectors, model.encode(["the cat", "the dog"]), atol=1e-5)
    assert sum(map(len, engine.passes[1:])) == 2


def test_a_big_request_does_not_starve_a_small_one(make):
    batcher, engine = make(open_=False, workers=1)
    big = batcher.submit(["the cat sat on the big old mat " * 4] * 1 + TEXTS * 25)
    assert engine.began.acquire(timeout=PATIENCE)
    small = batcher.submit(["who ?"])
    all_read(batcher)
    passes = []
    small.done.add_done_callback(lambda _: passes.append(len(engine.passes)))
    engine.gate.set()
    results([small, big])
    assert passes[0] <= 6 < len(engine.passes)


def test_texts_of_any_kind(make, model):
    batcher, _ = make(workers=2)
    texts = ["", " ", "漢字", "x" * 5000, "a\ud800b", "the " * 500, "😀\u200b"]
    encoded = results([batcher.submit(texts)])[0]
    np.testing.assert_allclose(encoded.vectors, model.encode(texts), atol=1e-5)
    assert encoded.cut[5] > 400
    assert results([batcher.submit([])])[0].vectors.shape == (0, model.width)


def test_full_queue_is_refused_and_recovers(make):
    batcher, engine = make(open_=False, workers=1, limits=Limits(waiting_texts=3, waiting_requests=2))
    jobs = [batcher.submit(["a"])]
    with pytest.raises(HTTPError) as refused:
        batcher.submit(["a", "b", "c"])
    assert refused.value.status == 429
    assert int(refused.value.headers["Retry-After"]) >= 1
    jobs.append(batcher.submit(["b"]))
    with pytest.raises(HTTPError):
        batcher.submit(["c"])
    engine.gate.set()
    results(jobs)
    assert results([batcher.submit(["c"])])
    assert (batcher.counts.waiting_texts, batcher.counts.waiting_requests) == (0, 0)


def test_an_oversized_request_is_taken_when_nothing_waits(make):
    batcher, _ = make(limits=Limits(waiting_texts=3))
    assert results([batcher.submit(["a"] * 10)])[0].vectors.shape[0] == 10


def test_too_many_tokens_are_refused(make):
    batcher, _ = make(limits=Limits(tokens=100))
    with pytest.raises(HTTPError, match="at most 100 are taken"):
        results([batcher.submit(["the cat sat"] * 50)])
    assert results([batcher.submit(["the cat"])])


def test_a_cancelled_request_costs_no_more_passes(make):
    batcher, engine = make(open_=False, workers=1)
    first = batcher.submit(["the cat"])
    assert engine.began.acquire(timeout=PATIENCE)
    gone = batcher.submit(TEXTS * 20)
    assert gone.done.cancel()
    engine.gate.set()
    later = batcher.submit(["the dog"])
    results([first, later])
    assert len(engine.passes) == 2
    with pytest.raises(CancelledError):
        gone.done.result(PATIENCE)
    assert batcher.counts.waiting_texts == 0


def test_a_failing_pass_fails_its_requests_only(make, model):
    batcher, engine = make(workers=1)
    right = engine.vectors
    engine.vectors = lambda tokens: (_ for _ in ()).throw(RuntimeError("broken"))
    with pytest.raises(RuntimeError, match="broken"):
        results([batcher.submit(["the cat"])])
    engine.vectors = right
    assert results([batcher.submit(["the cat"])])
    assert batcher.counts.waiting_texts == 0


def test_closing_finishes_what_was_accepted(make):
    batcher, engine = make(open_=False, workers=2)
    jobs = [batcher.submit([text]) for text in TEXTS]
    closing = threading.Thread(target=batcher.close)
    closing.start()
    engine.gate.set()
    assert len(results(jobs)) == len(TEXTS)
    closing.join(PATIENCE)
    assert not closing.is_alive()
    with pytest.raises(HTTPError, match="closing"):
        batcher.submit(["late"])


def job(*lengths):
    made = Job(["…"] * len(lengths), dimensions=1)
    made.add(Tokens.from_lists([[7] * length for length in lengths]), 0, len(lengths))
    return made


def test_ring_takes_everything_once_and_in_the_order_of_each_job():
    queue, random = RoundRobin(), np.random.default_rng(0)
    jobs = [job(*random.integers(1, 256, size=count).tolist()) for count in (1, 30, 4, 1, 60)]
    for each in jobs:
        queue.add(each)
    assert queue.tokens == sum(each.tokens for each in jobs)
    taken = []
    while len(queue):
        part = queue.take(512)
        assert part
        assert len(part) == 1 or sum(len(row.ids) for row in part) <= 512
        taken += part
    assert queue.tokens == 0
    for each in jobs:
        assert [row.position for row in taken if row.job is each] == list(range(len(each.texts)))


def test_ring_lets_a_row_that_is_longer_than_a_pass_go_alone():
    queue = RoundRobin()
    queue.add(job(3))
    queue.add(job(900))
    assert [[len(row.ids) for row in queue.take(512)] for _ in range(2)] == [[3], [900]]


def test_ring_takes_texts_without_tokens():
    queue = RoundRobin()
    queue.add(job(0, 0, 5))
    assert [len(row.ids) for row in queue.take(512)] == [0, 0, 5]
