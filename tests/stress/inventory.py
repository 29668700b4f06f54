"""Read every file of a folder of graphs and compare what comes out with the folder's inventory.

Usage: python -m tests.stress.inventory FOLDER

``FOLDER/inventory.json`` gives for each file its vertices ``V``, its distinct edges ``E`` (loops
included; without direction {u, v} and {v, u} are one), the ``loops`` among its entries, and its
``stored_entries``, which for METIS files are both places that an edge stands in. Prints a line per
file and a summary; exits 1 when a file differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import emv
from emv.errors import EmvError


def found_in(path: Path, directed: bool) -> dict[str, int]:
    """Return the figures of a file as emv reads it."""
    g = emv.read(path)
    src, dst = (np.asarray(ends, np.int64) for ends in (g.edges.src, g.edges.dst))
    if not directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    is_metis = ".graph" in path.suffixes
    return {
        "V": g.num_vertices,
        "E": len(np.unique(src * g.num_vertices + dst)),
        "loops": int(np.count_nonzero(src == dst)),
        "stored_entries": g.num_arcs if is_metis else g.num_edges,
    }


def line_of(name: str, expected: dict[str, Any], folder: Path) -> tuple[bool, str]:
    """Return whether a file is as expected, and the line that says so."""
    started = time.perf_counter()
    try:
        found = found_in(folder / name, expected["directed"])
    except EmvError as error:
        return False, f"FAILED  {name}: {' '.join(str(error).split())}"
    seconds = time.perf_counter() - started
    wrong = {key: (each, expected[key]) for key, each in found.items() if each != expected[key]}
    told = " ".join(f"{key}={each}" for key, each in found.items())
    if wrong:
        return False, f"DIFFERS {name}: {wrong} (found, expected)"
    return True, f"same    {name}: {told} in {seconds:.3f} s"


def main(arguments: list[str] | None = None) -> int:
    """Print a line per file; return 1 when one differs."""
    parser = argparse.ArgumentParser(description="Compare files with their inventory.")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    inventory = json.loads((options.folder / "inventory.json").read_text())
    results = [line_of(name, each, options.folder) for name, each in inventory.items()]
    print("\n".join(line for _, line in results))
    num_same = sum(is_same for is_same, _ in results)
    print(f"{num_same} of {len(results)} files as in the inventory")
    return int(num_same < len(results))


if __name__ == "__main__":
    sys.exit(main())
