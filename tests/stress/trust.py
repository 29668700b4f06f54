"""Whether nothing is lost, wrong or endless, whatever is done to files and to who writes them.

Usage: python -m tests.stress.trust [--part writers ...] [--small] [--seed 1] [--jobs 1]
           [--json FILE [--more]]

``writers``: a writer of every format is killed (SIGKILL) at 100 random moments while it writes over
a graph, and runs out of disk 100 times; three processes write one folder for a minute, one of them
killed again and again. Afterwards the old graph must be there or the new one, and whatever a dead
writer left must be gone after the next.
``files``: 100,000 broken or invented files a format are read, and what comes out is compared with
what other parsers read, or is an error of emv's; see `tests.stress.trust_files`.
``cache``: who compiles is killed 100 times while the cache of kernels is written, and 100 bits are
flipped in each kind of file there. Whoever comes next must compute what is right.
``signals``: Ctrl-C at 200 random moments while a graph is read, written, compiled for and computed
on, and processes made in each way while threads compile and run: heard within a second, nothing
lost or wrong afterwards.
``busy``: how much slower programs are beside as many endless loops as there are cores; meant for a
machine that is otherwise quiet.

Each job has a process of its own; ``--more`` leaves out those that FILE has already, so that
what was ended can be carried on. ``--small`` takes seconds and is what the tests run. Exits 1 if
anything was lost, wrong or left.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.machine import describe_machine

PARTS = ("busy", "cache", "files", "signals", "writers")

SIZES = {
    False: {
        "times": 100,
        "seconds": 60.0,
        "num_vertices": 4_000,
        "inputs": 100_000,
        "signals": 200,
    },
    True: {"times": 2, "seconds": 1.0, "num_vertices": 500, "inputs": 200, "signals": 4},
}


def module_of(part: str) -> ModuleType:
    """Return the module with a part's functions `jobs`, `work` and `faults`.

    Imported when asked for: who is to find an empty cache of kernels may not have looked at one.
    """
    return importlib.import_module(f"tests.stress.trust_{part}")


def run(part: str, job: dict[str, Any], apart: bool) -> dict[str, Any]:
    """Do a job, in a process of its own or in this one, and return what was counted."""
    begun = time.perf_counter()
    if apart:
        environment = {**os.environ, "MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "tests.stress.trust", "--work", json.dumps([part, job])]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
        ended = {f"the process ended with {done.returncode}": 1}
        counts = ended if done.returncode else json.loads(done.stdout)
    else:
        counts = module_of(part).work(job)
    seconds = round(time.perf_counter() - begun, 1)
    return {"part": part, **job, "counts": counts, "seconds": seconds}


def line_of(row: dict[str, Any]) -> str:
    """Return the line of the table."""
    counts = ", ".join(f"{number:,} {what}" for what, number in row["counts"].items() if number)
    wrong = " FAILED" if module_of(row["part"]).faults(row["counts"]) else ""
    return f"{row['what']:<14}{row['name']:<16}{row['seconds']:>7.1f} s  {counts}{wrong}"


def merged(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row for all jobs that did the same to the same, with the sum of what they count.

    Examples
    --------
    >>> row = {"part": "files", "what": "fuzzed", "name": "npz", "seconds": 1.5}
    >>> (found,) = merged([{**row, "seed": each, "counts": {"read": each}} for each in (3, 4)])
    >>> found["seconds"], found["seeds"], found["counts"]
    (3.0, [3, 4], {'read': 7})
    """
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        key = {each: row[each] for each in ("part", "what", "name")}
        new = {**key, "seconds": 0.0, "seeds": [], "counts": {}}
        sums = found.setdefault(tuple(key.values()), new)
        sums["seeds"] += row.get("seeds", [row["seed"]] if "seed" in row else [])
        sums["seconds"] = round(sums["seconds"] + row["seconds"], 1)
        for what, number in row["counts"].items():
            sums["counts"][what] = sums["counts"].get(what, 0) + number
    return list(found.values())


def is_in(row: dict[str, Any], part: str, job: dict[str, Any]) -> bool:
    """Return whether a row that was written counts a job."""
    is_same = row["part"] == part and all(row[each] == job[each] for each in ("what", "name"))
    return is_same and (job.get("seed") in row.get("seeds", []) or "seed" not in job)


def main(arguments: list[str] | None = None) -> int:
    """Do all jobs; return 1 when something was lost, wrong or left."""
    parser = argparse.ArgumentParser(description="See what befalls files whose writers are killed.")
    parser.add_argument("--part", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--small", action="store_true", help="some seconds, in one process")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--failures", type=Path, help="keep files there that readers fail on")
    parser.add_argument("--json", type=Path, help="also write the table there")
    parser.add_argument("--more", action="store_true", help="leave out what is there already")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work:
        part, job = json.loads(options.work)
        print(json.dumps(module_of(part).work(job)))
        return 0
    if options.failures:
        options.failures.mkdir(parents=True, exist_ok=True)
    kept = {"failures": str(options.failures)} if options.failures else {}
    jobs = [
        (part, {**job, **kept})
        for part in options.part
        for job in module_of(part).jobs(**SIZES[options.small], seed=options.seed)
    ]
    has_more = options.more and options.json and options.json.exists()
    rows = json.loads(options.json.read_text())["rows"] if has_more else []
    jobs = [(part, job) for part, job in jobs if not any(is_in(row, part, job) for row in rows)]
    with ThreadPoolExecutor(options.jobs) as pool:  # each thread waits for a process
        at_a_time = map if options.small else pool.map
        for row in at_a_time(lambda each: run(*each, apart=not options.small), jobs):
            rows.append(row)
            print(line_of(row), flush=True)
            if options.json:  # hours may lie before the last row
                report = {"machine": describe_machine(), "seed": options.seed, "rows": merged(rows)}
                options.json.write_text(json.dumps(report, indent=1) + "\n")
    return int(any(module_of(row["part"]).faults(row["counts"]) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
