"""Clients of the serving benchmark: each sends one short text, waits for its vector, and sends the next.

    python bench/serve_load.py PORT TEXTS.json --clients 64 --seconds 20
    python bench/serve_load.py PORT KINDS.json --clients 64 --seconds 20 --mixed 1

Connections are kept. Answers are read to their end but not parsed, as the clients share the machine with the
server and should cost little. Prints one JSON line: requests, errors, and the latencies in milliseconds.
"""

import argparse
import asyncio
import json
import time
from itertools import cycle
from pathlib import Path


async def client(port, path, bodies, until, latencies, errors, *, pause=0.0):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for content in cycle(bodies):
        body = json.dumps(content).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        began = time.perf_counter()
        if began >= until():
            break
        writer.write(head.encode() + body)
        try:
            answer = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in answer.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            )
            await reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError, StopIteration) as error:
            errors.append(repr(error))
            return
        latencies.append((began, time.perf_counter()))
        if not answer.startswith(b"HTTP/1.1 200"):
            errors.append(answer[:100].decode("latin-1"))
        if pause:
            await asyncio.sleep(pause)
    writer.close()


async def run(options, texts):
    latencies, errors = [], []
    end = time.perf_counter() + options.warm_up + options.seconds
    bodies = [{"texts": [text]} for text in texts]
    share = [bodies[place :: options.clients] for place in range(options.clients)]
    tasks = [client(options.port, "/api/embed", own, lambda: end, latencies, errors) for own in share]
    await asyncio.gather(*tasks)
    return counts(latencies, errors, end - options.seconds, end)


async def run_mixed(options, kinds):
    """Let the kinds of requests at the server together, and return counts for each."""
    end = time.perf_counter() + options.warm_up + options.seconds
    shares = sum(kind["share"] for kind in kinds)
    tasks, seen = [], {}
    for kind in kinds:
        seen[kind["name"]] = latencies, errors = [], []
        kind["clients"] = max(1, round(options.clients * kind["share"] / shares))
        for place in range(kind["clients"]):
            own = kind["bodies"][place:] + kind["bodies"][:place]
            args = (options.port, kind["path"], own, lambda: end, latencies, errors)
            tasks.append(client(*args, pause=kind["pause"]))
    await asyncio.gather(*tasks)
    routes = {}
    for kind in kinds:
        latencies, errors = seen[kind["name"]]
        found = counts(latencies, errors, end - options.seconds, end)
        refused = sum(" 429 " in error for error in errors)
        routes[kind["name"]] = {"clients": kind["clients"], "refused": refused, **found}
    errors = [error for found in routes.values() for error in found.pop("errors")]
    return {
        "requests": sum(found["requests"] for found in routes.values()),
        "routes": routes,
        "errors": errors,
    }


def counts(latencies, errors, begin, end):
    counted = sorted((done - began) * 1000 for began, done in latencies if done >= begin and began < end)
    inside = sum(begin <= done < end for _, done in latencies)
    return {
        "requests": len(latencies),
        "per_second": inside / (end - begin),
        "errors": errors,
        **points(counted),
    }


def points(latencies):
    if not latencies:
        return {}
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    return {
        name: latencies[min(len(latencies) - 1, int(share * len(latencies)))] for name, share in at.items()
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--warm-up", type=float, default=2)
    parser.add_argument("--mixed", type=int, default=0, help="1: TEXTS holds kinds of requests")
    options = parser.parse_args()
    content = json.loads(options.texts.read_text())
    print(json.dumps(asyncio.run((run_mixed if options.mixed else run)(options, content))))


if __name__ == "__main__":
    main()
