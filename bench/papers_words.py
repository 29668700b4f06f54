"""What a programmer writes and must know: lines, and speed-up for each of them.

S170 counts as `bench.lines_of_code` does. S171 is Medusa's table 6: who manages memory, launches
and threads. For emv it is checked on the text of the pages: none says a word of a GPU's. S172
divides a GPU's speed-up over cores, of the newest rows of `bench.suite`, by lines.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.lines_of_code import BASELINES, KERNELS, LIMITS, PAGES, gpu_lines
from bench.papers_rows import PaperRow, Setting

RESULTS = Path(__file__).resolve().parent / "results"
OF_A_GPU = {"cuda", "threadIdx", "blockIdx", "syncthreads", "stream", "shared", "warp", "launch"}
MANAGED = {"memory": "yes", "kernel configuration": "yes"}
BY_HAND = {
    "bfs_harish": {**MANAGED, "parallel": "thread"},
    "bfs_virtual_warp": {**MANAGED, "parallel": "thread + warp"},
    "sssp_harish": {**MANAGED, "parallel": "thread"},
}
PRINTED = {
    "bfs": "9 (N), 7 (Q); basic 56, warp-centric 76",
    "sssp": "13 (N), 11 (Q); basic 59",
}


def words_of_gpus(source: str) -> set[str]:
    """Return the words of a page's code that only somebody who knows GPUs writes.

    Examples
    --------
    >>> words_of_gpus("i = cuda.threadIdx.x"), words_of_gpus("v.send(v.rank)")
    ({'cuda', 'threadIdx'}, set())
    """
    tree = ast.parse(source)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return names & OF_A_GPU


def newest(target: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the newest rows of the suite by problem and graph."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted(RESULTS.glob(f"suite-{target}-*.json")):
        for row in json.loads(path.read_text("utf-8"))["rows"]:
            if row["median_ms"]:
                rows[row["problem"], row["graph"]] = row
    return rows


def words(setting: Setting) -> Iterator[PaperRow]:
    """Count and check; nothing is measured."""
    lines = {}
    for name in LIMITS:
        source = (PAGES / f"{name}.py").read_text("utf-8")
        lines[name] = gpu_lines(source)[0]
        row = PaperRow("S170", f"lines of {name} on a GPU", {"lines": lines[name]})
        row.paper = PRINTED.get(name, "")
        yield row
        known = words_of_gpus(source)
        row = PaperRow("S171", f"{name}: what its programmer manages")
        row.measured = {"memory": "no", "kernel configuration": "no", "parallel": "none"}
        row.paper = "Medusa: no, no, none"
        row.fault = f"its text says {sorted(known)}" if known else ""
        yield row
    for name, managed in BY_HAND.items():
        source = (BASELINES / f"{name}.py").read_text("utf-8")
        row = PaperRow(
            "S171", f"{name} by hand", {**managed, "lines": gpu_lines(source, KERNELS)[0]}
        )
        row.fault = "" if "cuda" in words_of_gpus(source) else "it says nothing of a GPU"
        yield row
    on_cores = newest("cpu")
    for (problem, graph), row_of_gpu in newest("cuda").items():
        page = problem.partition("_")[0]
        if page in lines and (problem, graph) in on_cores:
            cores = on_cores[problem, graph]["median_ms"]
            calls = sorted(row_of_gpu["all_call_ms"])
            ratio = cores / calls[len(calls) // 2]
            found = {"times as fast as cores": ratio, "per line": ratio / lines[page]}
            note = "calls, from the newest files; PageRank of 20 iterations"
            yield PaperRow("S172", f"{problem} on {graph}", found, note=note)
