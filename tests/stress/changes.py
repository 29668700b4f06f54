"""Graphs that change by random scripts, against dictionaries and against graphs built anew.

Usage: python -m tests.stress.changes [--scripts 200] [--changes 10000] [--first 0] [--seed 1]
           [--vertices 300] [--backend cpu] [--every 1] [--processes 2] [--limit SECONDS]

A script makes versions with every verb until so many vertices and edges have been added or removed;
directed and undirected ones take turns, with labels and without. Every version is compared with
dictionaries in plain Python and with a graph built anew: index arrays, columns, and, on every so
many versions, what components, PageRank and searches find, to the bit, and what `update` brings
along with what numpy and scipy find. ``--backend cpu/3`` runs on three parts; ``python`` is slow,
so give ``--every 50``. Several processes run one thread each. After ``--limit`` seconds no more
scripts are waited for. Exits 1 at a script that differs and says which. `bench.changes` times
batches.
"""

from __future__ import annotations

import argparse
import functools
import math
import multiprocessing
import sys
import time
from collections.abc import Iterator

import numpy as np

from bench.machine import ROOT

sys.path.insert(0, str(ROOT / "tests"))

KINDS = ((True, False), (False, False), (True, True), (False, True))


def run_script(number: int, options: argparse.Namespace) -> tuple[int, int, int]:
    """Make a script and compare all its versions.

    Returns how many versions there were, and how many results went on and were made anew.
    """
    from random_changes import Brought, Script, ran_alike

    directed, labelled = KINDS[number % len(KINDS)]
    seed = f"{options.seed} {number}"
    script, brought = Script(seed, directed, labelled, options.vertices), Brought(options.backend)
    versions = 0
    while script.made < options.changes:
        script.step(max(8, options.vertices // 5))
        script.compare()
        if versions % options.every == 0:
            ran_alike(script.graph, script.model.built(), options.backend)
            brought.compare(script.graph, script.model)
        versions += 1
    return versions, brought.went_on, brought.anew


def outcome_of(number: int, options: argparse.Namespace) -> tuple[int, int, int] | str:
    """Return what `run_script` does, or what differs."""
    try:
        return run_script(number, options)
    except Exception as error:
        return f"script {number} of seed {options.seed}: {type(error).__name__}: {error}"


def compare_scripts(options: argparse.Namespace) -> int:
    """Run all scripts; return 1 if one differs."""
    begin, totals, done = time.perf_counter(), np.zeros(3, np.int64), 0
    numbers = range(options.first, options.first + options.scripts)
    for outcome in outcomes(numbers, options):
        if isinstance(outcome, str):
            print(outcome)
            return 1
        totals, done = totals + outcome, done + 1
        if time.perf_counter() - begin > options.limit:
            break
    seconds = time.perf_counter() - begin
    print(
        f"{done} scripts of {options.changes:,} changes, {totals[0]:,} versions on "
        f"{options.backend}: all as dictionaries and graphs built anew say; {totals[1]:,} results "
        f"went on, {totals[2]:,} were made anew; {seconds:.0f} s"
    )
    return 0


def outcomes(numbers: range, options: argparse.Namespace) -> Iterator[tuple[int, int, int] | str]:
    """Give what came of each script, of several processes where these are asked for."""
    if options.processes == 1:
        yield from (outcome_of(number, options) for number in numbers)
        return
    with multiprocessing.get_context("spawn").Pool(options.processes, _take_one_thread) as pool:
        yield from pool.imap_unordered(functools.partial(outcome_of, options=options), numbers)


def _take_one_thread() -> None:
    from emv import config

    config.num_threads = 1


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scripts", type=int, default=200)
    parser.add_argument("--changes", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--vertices", type=int, default=300)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--limit", type=float, default=math.inf)
    return compare_scripts(parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
