"""Index arrays of a thousand and two thousand million arcs, built on a GPU and checked there.

Usage: python -m tests.stress.large_builds [--graphs NAME ...] [--rounds 3]

Too large to be compared with the CPU's, they are checked by what only a right result has: counts
that add up, ids that are a permutation by their sums, and windows in which order and ends are
compared. What building takes is printed, as `bench.build` has it. Exits 1 when one is wrong.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from bench.build import build_on_gpu, measured
from bench.study import line
from emv.errors import CapacityError

LARGE = {"random 1G": (1 << 26, 1 << 30), "random 2G": (1 << 26, 2_000_000_000)}
WINDOW, NUM_WINDOWS = 1 << 20, 48
STEP = 1 << 26  # entries that are copied down at a time


def measure_large(name: str, rounds: int) -> dict[str, Any]:
    """Build a graph that is too large for the CPU; return its row."""
    from emv import generators
    from emv.backends.cuda.device import device

    on = device()
    num_vertices, num_arcs = LARGE[name]
    graph = generators.random(num_vertices, num_arcs, loops=True, rng=1, device="cuda")
    src, dst = graph.edges.ends().on_device
    ends = (num_vertices, src, dst, True)
    with on.current():
        row = {"graph": name, "what": "gpu build", **measured(on, ends, rounds)}
        fault = check(build_on_gpu(ends), src, dst)
    return row | {"input_bytes": src.nbytes + dst.nbytes, "fault": fault}


def sums(array: Any) -> tuple[int, int]:
    """Return the sum of entries and of their squares, modulo 2**64."""
    total = squares = 0
    for begin in range(0, array.size, STEP):
        size = min(STEP, array.size - begin)
        part = array.view(begin, size, array.dtype).numpy().astype(np.uint64)
        total = (total + int(part.sum(dtype=np.uint64))) % 2**64
        squares = (squares + int((part * part).sum(dtype=np.uint64))) % 2**64
    return total, squares


def check(built: Any, src: Any, dst: Any) -> str:
    """Return what is wrong with the arrays of a large graph, or nothing."""
    arcs = built.num_arcs
    every = arcs * (arcs - 1) // 2 % 2**64
    squares = (arcs - 1) * arcs * (2 * arcs - 1) // 6 % 2**64
    for name in ("edge_of_arc", "arc_of_slot", "slot_of_arc"):
        if sums(built.array(name)) != (every, squares):
            return f"{name} is no permutation"
    for rows, order, keys in (("out", "edge_of_arc", src), ("in", "arc_of_slot", None)):
        keys = built.array("out_other") if keys is None else keys
        values = dst if rows == "out" else built.array("src_of_arc")
        fault = check_rows(built, rows, order, keys, values)
        if fault:
            return fault
    return check_inverse(built)


def windows(num_arcs: int) -> list[tuple[int, int]]:
    """Return the bounds of windows that lie evenly among the arcs, the first and last included."""
    size = min(WINDOW, num_arcs)
    begins = np.linspace(0, num_arcs - size, NUM_WINDOWS).astype(np.int64).tolist()
    return [(begin, begin + size) for begin in begins]


def check_rows(built: Any, rows: str, order: str, keys: Any, values: Any) -> str:
    """Compare windows of sorted rows with what they were sorted from."""
    from emv.backends.cuda.sorting import gathered

    first = built.array(f"{rows}_first").numpy()
    if first[0] != 0 or first[-1] != built.num_arcs or (np.diff(first.astype(np.int64)) < 0).any():
        return f"{rows}_first does not rise from 0 to the number of arcs"
    for begin, end in windows(built.num_arcs):
        part = slice(begin, end)
        places = built.array(order)[part]
        sorted_keys = gathered(keys, places).numpy().astype(np.int64)
        row = np.searchsorted(first, np.arange(begin, end), side="right") - 1
        if not np.array_equal(sorted_keys, row):
            return f"{order} leads to entries of other rows"
        steps, same = np.diff(places.numpy().astype(np.int64)), np.diff(row) == 0
        if (steps[same] <= 0).any():
            return f"{order} is not stable"
        found = built.array(f"{rows}_other")[part].numpy()
        if not np.array_equal(found, gathered(values, places).numpy()):
            return f"{rows}_other does not follow {order}"
    return ""


def check_inverse(built: Any) -> str:
    """Compare windows of the slots of arcs with the arcs of slots."""
    from emv.backends.cuda.sorting import gathered

    for begin, end in windows(built.num_arcs):
        slots = built.array("slot_of_arc")[begin:end]
        arcs = gathered(built.array("arc_of_slot"), slots).numpy()
        if not np.array_equal(arcs, np.arange(begin, end)):
            return "slot_of_arc is not the inverse of arc_of_slot"
    return ""


def main(arguments: list[str] | None = None) -> int:
    """Build what was asked for; return 1 when it is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--graphs", nargs="+", choices=LARGE, default=list(LARGE))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    wrong = 0
    for name in options.graphs:
        try:
            row = measure_large(name, options.rounds)
        except CapacityError as error:
            print(f"{name}: left out, {error}")
            continue
        print(line(row), flush=True)
        wrong += bool(row["missed"] or row["fault"])
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
