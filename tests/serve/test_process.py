"""`tenor serve` as a process: started, flooded, abandoned, and ended while it works."""

import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx
import pytest

pytestmark = pytest.mark.slow
PATIENCE = 120


@contextmanager
def serving(folder, *options):
    """Start the command on a free port; give its address and the process."""
    command = [
        sys.executable,
        "-m",
        "tenor.cli.main",
        "serve",
        "--model",
        str(folder),
        "--port",
        "0",
        *options,
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    try:
        line = process.stdout.readline()
        assert "http://127.0.0.1:" in line, line + process.stderr.read()
        yield line.split()[3], process
    finally:
        process.kill()
        process.communicate()


def embed(url, *texts):
    return httpx.post(url + "/api/embed", json={"texts": list(texts)}, timeout=PATIENCE)


def connect(url):
    return socket.create_connection(("127.0.0.1", httpx.URL(url).port), timeout=PATIENCE)


def head_of(body, path="/api/embed"):
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT], ids=["term", "int"])
def test_the_end_finishes_what_was_accepted(tiny_folder, ending):
    texts = [f"the cat {number} sat on the old red mat" for number in range(2_000)]
    with serving(tiny_folder) as (url, process), ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(embed, url, *texts) for _ in range(4)]
        while httpx.get(url + "/api/health", timeout=PATIENCE).json()["waiting"] < 4 * len(texts):
            if any(each.done() for each in asked):
                break
        process.send_signal(ending)
        assert [len(each.result().json()["vectors"]) for each in asked] == [len(texts)] * 4
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == ""
        with pytest.raises(httpx.TransportError):
            embed(url, "a cat")


def test_a_thousand_idle_connections_do_not_stop_it(tiny_folder):
    with serving(tiny_folder) as (url, _), ExitStack() as stack:
        wires = [stack.enter_context(connect(url)) for _ in range(1_000)]
        for wire in wires[::3]:
            wire.sendall(b"POST /api/embed HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        for number in range(20):
            assert embed(url, f"the cat {number}").status_code == 200


def test_clients_that_are_killed_do_not_stop_it(tiny_folder):
    texts = [f"the cat {number}" for number in range(400)]
    body = json.dumps({"texts": texts}).encode()
    with serving(tiny_folder) as (url, _):
        for round_ in range(30):
            with connect(url) as wire:
                # Gone with the head only, in the middle of the body, and before the answer.
                wire.sendall((head_of(body) + body)[: (len(head_of(body)), 2000, None)[round_ % 3]])
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset, not close
        assert embed(url, "the cat").status_code == 200
        while httpx.get(url + "/api/health", timeout=PATIENCE).json()["waiting"]:
            pass
        metrics = httpx.get(url + "/metrics", timeout=PATIENCE).text
        assert 'status="500"' not in metrics
        assert 'status="499"' in metrics


def test_memory_stays_flat(tiny_folder):
    def resident(client):
        lines = client.get("/metrics").text.splitlines()
        return int(next(line for line in lines if line.startswith("process_resident")).split()[1])

    texts = [f"the cat {number} sat on the mat" for number in range(1_000)]
    with serving(tiny_folder) as (url, _), httpx.Client(base_url=url, timeout=PATIENCE) as client:
        for _ in range(8):
            client.post("/api/embed", json={"texts": texts})
        before = resident(client)
        for _ in range(40):
            assert client.post("/api/embed", json={"texts": texts}).status_code == 200
            client.post("/api/embed", content=b"x" * 10_000_000, headers={"content-type": "application/json"})
        # Bodies that stayed would be 400 MB; what the allocator keeps differs from machine to machine.
        assert resident(client) - before < 60_000_000


def test_a_busy_port_and_a_missing_model_are_told_in_a_sentence(tiny_folder):
    with serving(tiny_folder) as (url, _):
        for options, said in (
            (["--model", str(tiny_folder), "--port", str(httpx.URL(url).port)], "is in use"),
            (["--model", "no-such-model", "--port", "0"], "no-such-model"),
            (["--index", "nowhere", "--model", str(tiny_folder), "--port", "0"], "no index at nowhere"),
            (["--vectors", "nowhere.txt", "--model", str(tiny_folder), "--port", "0"], "nowhere.txt"),
        ):
            command = [sys.executable, "-m", "tenor.cli.main", "serve", *options]
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
            assert done.returncode == 2
            assert said in done.stderr
            assert "Traceback" not in done.stderr


def test_a_token_from_the_environment(tiny_folder, monkeypatch):
    monkeypatch.setenv("TENOR_TOKEN", "s3cret")
    with serving(tiny_folder) as (url, _):
        assert embed(url, "a cat").status_code == 401
        answer = httpx.get(url + "/api/models", headers={"Authorization": "Bearer s3cret"}, timeout=PATIENCE)
        assert answer.status_code == 200
