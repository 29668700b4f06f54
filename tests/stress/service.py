"""The service under many jobs, and its server under many clients; `bench.service` times both.

Usage: python -m tests.stress.service random [--jobs 10000] [--first 0] [--piece 500] [--workers 3]
                                           [--device cpu]
       python -m tests.stress.service server [--requests 1000] [--clients 50]
       each with [--json FILE]

``random`` submits programs on graphs of many sizes, in random orders, from several threads, of
random users and priorities, to a service whose memory is so small that the largest job takes 70 %
of what index arrays leave. Who submits asks for some at once; every other piece has fewer threads
that ask for all, with pauses, so that a job is often the only one just before another comes. Every
result is compared with that of a run alone; exits 1 if one differs, fails, or does not end.
``--first`` goes on where another call ended.

``server`` starts ``emv serve`` and asks from many threads, each with a connection of its own; it
then sends what is malformed, too long, or without a token.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import numpy as np

from bench.machine import ROOT, describe_machine
from emv import Graph
from emv.algorithms import ALGORITHMS
from emv.graph.on_device import on_host
from emv.service import Service
from emv.service.ledger import Claim

PROGRAMS: dict[str, tuple[Any, ...]] = {
    "bfs": (0,),
    "components": (),
    "icm": ([0, 1],),
    "pagerank": (),
    "sssp": (0,),
    "triangles": (),
}
SIZES = (30, 100, 300, 1000, 3000, 10_000)
SHARE = 0.7  # of the memory that the largest job takes
CROWD, FEW = (4, 0.2, 0.0), (2, 1.0, 0.004)
"""How many threads submit a piece, what part of it they ask for at once, seconds between two."""
RIGHT = {"cpu": 1e-6}  # of a total of floats
IN_ANY_ORDER = 1e-5  # of one that atomics of a GPU add
PATIENCE = 240  # seconds for a piece
TOKEN = "a-token-of-the-bench"


def make_graphs(device: str = "cpu") -> list[Graph]:
    """Return random graphs of several sizes, which are where jobs run."""
    draw = np.random.default_rng(20)
    found = []
    for size in SIZES:
        src, dst = draw.integers(0, size, (2, 6 * size))
        weight = draw.random(6 * size)
        graph = Graph.from_edges(src, dst, num_vertices=size, directed=False, weight=weight)
        found.append(graph.on(device))
    return found


def make_kinds(graphs: list[Graph]) -> tuple[list[tuple[str, Graph, Any]], int]:
    """Return programs on graphs with their results alone, and the memory that suits them."""
    kinds, most, shared = [], 0, 0
    for graph in graphs:
        index: dict[str, int] = {}
        for name, given in PROGRAMS.items():
            program = ALGORITHMS[name]
            claim = Claim.of(program.memory_plan(graph, *given), id(graph), program.form)
            most, index = max(most, claim.own), index | dict(claim.shared)
            kinds.append((name, graph, on_host(program(graph, *given))))
        shared += sum(index.values())
    return kinds, shared + int(most / SHARE)


def random_piece(kinds: list[Any], memory: int, first: int, count: int, workers: int) -> int:
    """Submit so many jobs in a random order, some asked for at once; return how many went wrong."""
    draw = random.Random(first)
    parts, asked, pause = draw.choice((CROWD, FEW))
    chosen = [draw.choice(kinds) for _ in range(count)]
    jobs: list[tuple[Any, Any]] = []

    def submit(part: int) -> None:
        own = random.Random(f"{first} {part}")
        for name, graph, wanted in chosen[part::parts]:
            user, priority = own.choice("abcde"), own.randrange(3)
            given = PROGRAMS[name]
            made = ALGORITHMS[name]
            job = service.submit(made, graph, *given, user=user, priority=priority)
            jobs.append((job, wanted))
            if own.random() < asked:
                job.exception()
            time.sleep(pause * own.random())

    device = kinds[0][1].device
    right = RIGHT.get(device, IN_ANY_ORDER)
    with Service(device, workers=workers, memory=memory) as service:
        threads = [threading.Thread(target=submit, args=(part,)) for part in range(parts)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        waiting = wait([job for job, _ in jobs], timeout=PATIENCE).not_done
        if waiting:
            print(f"{len(waiting)} of {count} jobs have not ended in {PATIENCE} s: {first=}")
            os._exit(1)  # threads that wait for ever cannot be joined
    wrong = count - len(jobs)
    for job, wanted in jobs:
        wrong += job.exception() is not None or not np.allclose(
            on_host(job.result()), wanted, rtol=right
        )
    counted = sum(each.ended for each in service.report().values())
    kept = service.state.ledger.own or any(service.state.waiting.running.values())
    return wrong + bool(kept) + (counted != count)


def run_random(options: argparse.Namespace) -> dict[str, Any]:
    """Run all pieces."""
    kinds, memory = make_kinds(make_graphs(options.device))
    wrong, began, ends = 0, time.perf_counter(), options.first + options.jobs
    for first in range(options.first, ends, options.piece):
        count = min(options.piece, ends - first)
        found = random_piece(kinds, memory, first, count, options.workers)
        wrong += found
        seconds = time.perf_counter() - began
        print(
            f"jobs {first:,} to {first + count - 1:,}: {found} wrong, {seconds:.0f} s", flush=True
        )
    return {"jobs": options.jobs, "memory": memory, "wrong": wrong, "seconds": seconds}


def ask(port: int, body: bytes, token: str = TOKEN, path: str = "/run/g/bfs") -> tuple[int, bytes]:
    """Send one request over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    connection.request("POST", path, body, headers)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def start_server(folder: str) -> tuple[subprocess.Popen[bytes], int, Graph]:
    """Start ``emv serve`` on a graph of its own, and wait until it answers."""
    draw = np.random.default_rng(5)
    src, dst = draw.integers(0, 2000, (2, 10_000))
    file, tokens = Path(folder) / "g.csv", Path(folder) / "tokens"
    np.savetxt(file, np.stack([src, dst], axis=1), fmt="%d", delimiter=",")
    tokens.write_text(f"bench {TOKEN}\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    given = ["--graph", f"g={file}", "--tokens", str(tokens), "--port", str(port)]
    given += ["--programs", "bfs,pagerank,components", "--device", "cpu", "--max-body", "10000"]
    command = [sys.executable, "-m", "emv", "serve", *given]
    server = subprocess.Popen(command, cwd=ROOT)
    for _ in range(600):
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                break
        except OSError:
            time.sleep(0.1)
    import emv

    return server, port, emv.read(file)


def run_server(options: argparse.Namespace) -> dict[str, Any]:
    """Ask a server from many threads, then wrongly."""
    with tempfile.TemporaryDirectory() as folder:
        server, port, graph = start_server(folder)
        try:
            return ask_all(port, graph, options)
        finally:
            server.terminate()
            server.wait(60)


def ask_all(port: int, graph: Graph, options: argparse.Namespace) -> dict[str, Any]:
    """Return the times of right requests, and how many of all were answered wrongly."""
    sources = [int(v) for v in np.argsort(-graph.out_degrees())[:8]]
    wanted = {v: ALGORITHMS["bfs"](graph, v).tolist() for v in sources}
    ask(port, json.dumps({"arguments": {"source": sources[0]}}).encode())  # compiles
    seconds: list[float] = []
    wrong: list[Any] = []

    def client(number: int) -> None:
        for turn in range(options.requests // options.clients):
            source = sources[(number + turn) % len(sources)]
            began = time.perf_counter()
            status, body = ask(port, json.dumps({"arguments": {"source": source}}).encode())
            seconds.append(time.perf_counter() - began)
            if status != 200 or json.loads(body)["results"]["result"] != wanted[source]:
                wrong.append((status, body[:200]))

    began = time.perf_counter()
    threads = [threading.Thread(target=client, args=(k,)) for k in range(options.clients)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    whole = time.perf_counter() - began
    bad = {
        "malformed": (ask(port, b"{nonsense")[0], 422),
        "no text": (ask(port, b"\xff\xfe")[0], 422),
        "oversized": (ask(port, b"[" + b"1," * 10_000 + b"1]")[0], 413),
        "unauthorised": (ask(port, b"{}", "nobody's token")[0], 401),
        "code": (ask(port, b'{"code": "import os"}')[0], 422),
        "another program": (ask(port, b"{}", path="/run/g/sssp")[0], 404),
    }
    wrong += [(name, found) for name, (found, right) in bad.items() if found != right]
    p50, p99 = (float(np.percentile(seconds, q)) * 1e3 for q in (50, 99))
    print(f"{len(seconds):,} requests of {options.clients} clients in {whole:.1f} s")
    print(f"p50 {p50:.0f} ms, p99 {p99:.0f} ms; wrong: {wrong or 'none'}")
    return {"requests": len(seconds), "p50_ms": p50, "p99_ms": p99, "wrong": len(wrong)}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=("random", "server"))
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--piece", type=int, default=500)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--device", default="cpu", help="of random jobs")
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    found = run_random(options) if options.part == "random" else run_server(options)
    if options.json:
        kept = {"machine": describe_machine(), options.part: found}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return int(found["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
