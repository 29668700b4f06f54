"""Compare backends on random programs, many more than the tests do.

Usage: python -m tests.stress.random_programs [--programs 2000] [--first 0] [--seed 1]
           [--backends cpu,simulator] [--processes 2] [--minutes 30] [--limit 60]
           [--folder FOLDER] [--json FILE]

Each program (`tests/random_programs.py`) runs eagerly and on every backend named: ``cpu`` is the
generated text for cores run as plain Python, ``threads`` the text for several threads run as two
that interrupt each other, ``compiled`` the first compiled by numba, ``parts`` the first on a graph
in three parts, ``simulator`` the text for GPUs in a simulated block, ``gpus2`` and ``gpus3`` the
same on as many simulated GPUs, which meet in their kernels if the program can, ``host2`` and
``host3`` with the exchange by the host; ``cuda`` a real GPU, ``twice`` and ``twice_host`` two parts
on a real one, ``two`` and ``two_host`` two real ones. What came of each program is a line of a file
in --folder, so a run that was cut off, or whose --minutes were over, goes on where it was; --first
says where a piece of many begins. Programs that disagree are made shorter and kept there as
scripts. Prints a summary of all that the folder holds and exits 1 if any program disagreed or gave
no answer within --limit seconds. The same seed makes the same programs.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.machine import ROOT, describe_machine

sys.path.insert(0, str(ROOT / "tests"))

CORES = dict.fromkeys(("cpu", "threads", "compiled"), "cpu")
SIMULATED = {
    "simulator": "cuda",
    "gpus2": "cuda:0,1",
    "gpus3": "cuda:0,1,2/hash",
    "host2": "cuda:0,1/ranges/host",
    "host3": "cuda:0,1,2/hash/host",
}
REAL = {
    "cuda": "cuda",
    "twice": "cuda:0,0",
    "twice_host": "cuda:0,0/ranges/host",
    "two": "cuda:0,1",
    "two_host": "cuda:0,1/hash/host",
}
NAMES = CORES | {"parts": "cpu/3/hash"} | SIMULATED | REAL
"""What a backend here is called in a run."""


@contextlib.contextmanager
def prepared(backends: list[str]) -> Iterator[None]:
    """Put interpreted kernels, or a simulated GPU, in the places of what is compiled."""
    with contextlib.ExitStack() as stack:
        if {"cpu", "parts"} & {*backends}:
            from interpreted_cpu import interpreted

            stack.enter_context(interpreted())
        if "threads" in backends:
            from interleaved_cpu import interleaved

            stack.enter_context(interleaved())
        if {*SIMULATED} & {*backends}:
            import pytest
            from simulated_gpu import SimulatedDriver, install, shorten_lists

            patch = pytest.MonkeyPatch()
            stack.callback(patch.undo)
            shorten_lists(patch, 3, 6, 8)
            for ordinal in range(3):
                install(SimulatedDriver(ordinal=ordinal, stops=0.01), patch)
        yield


def outcome_of(number: int, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Make a program and return what came of it."""
    from random_choices import seeded
    from random_programs import case_of
    from random_runs import compare, failure

    begin = time.perf_counter()
    case = case_of(seeded(f"{options.seed} {number}"))
    names = tuple(NAMES[each] for each in options.backends)
    made: dict[str, Any] = {"number": number, "wrong": {}, "refused": []}
    try:
        reports = compare(case, scratch, names)
    except Exception as error:
        made["wrong"]["python"] = f"{type(error).__name__}: {error}"
        (options.folder / f"{number}.py").write_text(case.text())
        return made
    for report in reports:
        made["refused"] += report.refused
        if report.wrong:
            made["wrong"][report.backend] = report.wrong
    made |= {"features": case.features, "seconds": round(time.perf_counter() - begin, 3)}
    if made["wrong"]:
        (options.folder / f"{number}-whole.py").write_text(failure(case, reports))
    return made


def shorten(number: int, options: argparse.Namespace, scratch: Path) -> None:
    """Keep the shortest script found in which the first backend that was wrong still is."""
    from random_choices import seeded
    from random_programs import case_of
    from random_runs import shortest

    case = case_of(seeded(f"{options.seed} {number}"))
    for name in dict.fromkeys(NAMES[each] for each in options.backends):
        text = shortest(case, scratch, name, options.tries)
        if text:
            (options.folder / f"{number}.py").write_text(text)
            return


def work(options: argparse.Namespace) -> int:
    """Compare every so many-th program and append a line for each to this process's file."""
    logging.getLogger("emv").setLevel(logging.CRITICAL)
    from emv.config import config

    config.num_threads = 1
    done = finished(options.folder)
    path = options.folder / f"process-{options.first}-{options.worker}.jsonl"
    with tempfile.TemporaryDirectory() as scratch, prepared(options.backends), path.open("a") as to:

        def say(made: dict[str, Any]) -> None:
            to.write(json.dumps(made) + "\n")
            to.flush()

        end = options.first + options.programs
        for number in range(options.first + options.worker, end, options.processes):
            if time.time() > options.until:
                break
            if number in done:
                continue
            over = threading.Event()
            watch = threading.Thread(target=give_up, args=(number, options.limit, say, over))
            watch.daemon = True
            watch.start()
            made = outcome_of(number, options, Path(scratch))
            over.set()
            watch.join()
            say(made)
            if made["wrong"] and "python" not in made["wrong"] and options.tries:
                shorten(number, options, Path(scratch))
    return 0


def give_up(number: int, limit: float, say: Any, over: threading.Event) -> None:
    """Note that a program gives no answer, and end this process: its threads cannot be stopped.

    Seconds are those of its own work, or 20 times as many: other processes may take their turns.
    """
    begin = time.process_time()
    for _ in range(20):
        if over.wait(limit):
            return
        if time.process_time() - begin > limit:
            break
    say({"number": number, "wrong": {"time": f"no answer in {limit:g} s"}, "refused": []})
    os._exit(3)


def finished(folder: Path) -> dict[int, dict[str, Any]]:
    """Return what is known of programs that have run, by number."""
    found = {}
    for path in sorted(folder.glob("process-*.jsonl")):
        for line in path.read_text().splitlines():
            with contextlib.suppress(json.JSONDecodeError):  # the last one of a run cut off
                made = json.loads(line)
                found[made["number"]] = made
    return found


def drive(options: argparse.Namespace) -> None:
    """Start the processes, again where one gave up, until all programs have run."""
    waiting = list(range(options.processes))
    while waiting:
        runs = [(worker, subprocess.Popen(command(worker, options), env=environment(options)))
                for worker in waiting]  # fmt: skip
        before = len(finished(options.folder))
        waiting = [worker for worker, run in runs if run.wait() != 0]
        if waiting and len(finished(options.folder)) == before:
            raise SystemExit("processes end without a result")


def command(worker: int, options: argparse.Namespace) -> list[str]:
    """Return the command of one process."""
    words = [sys.executable, "-m", "tests.stress.random_programs", "--worker", str(worker)]
    for name in ("programs", "first", "seed", "processes", "until", "limit", "folder", "tries"):
        words += [f"--{name}", str(getattr(options, name))]
    return [*words, "--backends", ",".join(options.backends)]


def environment(options: argparse.Namespace) -> dict[str, str]:
    """Return the environment of a process."""
    simulated = {"NUMBA_ENABLE_CUDASIM": "1"} if {*SIMULATED} & {*options.backends} else {}
    return {**os.environ, **simulated, "OPENBLAS_NUM_THREADS": "1"}


def summary(options: argparse.Namespace, seconds: float) -> dict[str, Any]:
    """Return what a result file says, and print it."""
    found = finished(options.folder)
    features: collections.Counter[str] = collections.Counter()
    refused: collections.Counter[str] = collections.Counter()
    for made in found.values():
        features.update(dict.fromkeys(made.get("features", {}), 1))
        refused.update(kind_of(each) for each in made["refused"])
    wrong = {number: made["wrong"] for number, made in sorted(found.items()) if made["wrong"]}
    print(
        f"{len(found):,} programs on {', '.join(options.backends)}: {len(wrong)} disagree, "
        f"{sum(refused.values()):,} refused, {len(features)} features, {seconds:,.0f} s"
    )
    for kind, count in refused.most_common():
        print(f"  refused {count:>5,}  {kind}")
    for name, count in sorted(features.items()):
        print(f"  {count:>6,}  {name}")
    for number, why in wrong.items():
        print(f"  {number}: {'; '.join(f'{name}: {what[:200]}' for name, what in why.items())}")
    return {
        "machine": describe_machine(),
        "seed": options.seed,
        "backends": options.backends,
        "programs": len(found),
        "first": min(found, default=0),
        "last": max(found, default=0),
        "disagreements": wrong,
        "refused": dict(refused),
        "programs_with": dict(sorted(features.items())),
        "seconds": round(seconds, 1),
        "seconds_of_processes": round(sum(each.get("seconds", 0) for each in found.values()), 1),
    }


def kind_of(refusal: str) -> str:
    """Return a refusal without what it names.

    Examples
    --------
    >>> kind_of("layout('aa') does not fit main(): none of take_4 walks the arcs of vertices")
    "layout('aa') does not fit"
    """
    head, fits, _ = refusal.partition(" does not fit")
    return head + fits if fits else refusal.partition(";")[0]


def main() -> int:
    """Compare, or, as a process of it, compare a part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--minutes", type=float, default=1e6, help="after which no more are begun")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--backends", default="cpu,simulator")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--tries", type=int, default=300, help="to make a program shorter")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--until", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.until = options.until or time.time() + 60 * options.minutes
    options.backends = options.backends.split(",")
    unknown = set(options.backends) - set(NAMES)
    if {*SIMULATED} & {*options.backends} and {*REAL} & {*options.backends}:
        parser.error("simulated GPUs and real ones run one at a time")
    if unknown or len({NAMES[each] for each in options.backends}) < len(options.backends):
        parser.error(f"--backends are {', '.join(NAMES)}; cpu, threads and compiled one at a time")
    if options.folder is None:
        options.folder = Path(tempfile.mkdtemp(prefix="emv-random-"))
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.worker is not None:
        return work(options)
    begin = time.perf_counter()
    drive(options)
    result = summary(options, time.perf_counter() - begin)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    print(f"scripts of what disagrees are in {options.folder}")
    return 1 if result["disagreements"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
