"""Threads for work of one cost: turns between routes, shares, full queues, ends."""

import os
import sys
import threading
from concurrent.futures import CancelledError

import pytest

from tenor.serve.errors import HTTPError
from tenor.serve.lanes import Lane


@pytest.fixture
def gate():
    event = threading.Event()
    yield event
    event.set()


def test_routes_take_turns_however_many_one_has_sent(gate):
    lane, done = Lane("test", threads=2, waiting=100), []
    held = lane.submit("held", gate.wait)
    flood = [
        lane.submit("flood", lambda number=number: done.append(f"flood {number}")) for number in range(3)
    ]
    gate_of_flood = lane.submit("flood", lambda: None)
    gate_of_flood.result(10)
    blocked = threading.Event()
    first = lane.submit("flood", blocked.wait)
    later = [lane.submit("flood", lambda: done.append("flood")) for _ in range(50)]
    lane.submit("other", lambda: done.append("other"))
    blocked.set()
    for future in (first, *flood, *later):
        future.result(10)
    assert done.index("other") <= 4  # after at most one more of the flood
    gate.set()
    held.result(10)
    lane.close()


def test_a_route_has_half_of_the_threads_at_most(gate):
    lane = Lane("test", threads=4, waiting=100)
    for _ in range(10):
        lane.submit("slow", gate.wait)
    assert lane.submit("quick", lambda: "done").result(10) == "done"
    gate.set()
    lane.close()


def test_a_full_queue_refuses_its_own_route_only(gate):
    lane = Lane("test", threads=2, waiting=3)
    for _ in range(3):
        lane.submit("slow", gate.wait)
    with pytest.raises(HTTPError) as refused:
        lane.submit("slow", gate.wait)
    assert refused.value.status == 429
    assert lane.submit("quick", lambda: 1).result(10) == 1
    gate.set()
    lane.close()


def test_what_was_cancelled_is_not_begun_and_errors_arrive(gate):
    lane = Lane("test", threads=1, waiting=10)
    begun = []
    lane.submit("a", gate.wait)
    given_up = lane.submit("a", lambda: begun.append(1))
    failing = lane.submit("a", lambda: 1 / 0)
    given_up.cancel()
    gate.set()
    with pytest.raises(ZeroDivisionError):
        failing.result(10)
    with pytest.raises(CancelledError):
        given_up.result(10)
    lane.close()
    assert begun == []


def test_the_end_finishes_what_was_accepted_and_takes_nothing_new(gate):
    lane = Lane("test", threads=1, waiting=10)
    accepted = [lane.submit("a", lambda: 1) for _ in range(5)]
    lane.close()
    assert [each.result(0) for each in accepted] == [1] * 5
    with pytest.raises(HTTPError, match="closing"):
        lane.submit("a", lambda: 1)


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux has priorities of threads.")
def test_heavy_work_has_a_lower_priority_and_look_ups_that_of_the_process():
    def own():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def inherited():
        told = []
        thread = threading.Thread(target=lambda: told.append(own()))
        thread.start()
        thread.join()
        return told[0]

    heavy, light = Lane("heavy", threads=1, waiting=9, step_back=5), Lane("light", threads=1, waiting=9)
    usual = own()
    assert heavy.submit("a", own).result(10) == min(19, usual + 5)
    assert heavy.submit("a", inherited).result(10) == min(19, usual + 5)
    assert light.submit("a", own).result(10) == own() == usual
    heavy.close()
    light.close()
