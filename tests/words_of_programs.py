"""What a programmer writes and must know: what he manages, and speed-up for each line.

Usage: python tests/words_of_programs.py

Lines are counted as `lines_of_code` does. Who manages memory, launches and threads is Medusa's
table 6 (S171): for emv it is checked on the text of the pages, none of which says a word of a
GPU's. The last table (S172) divides a GPU's speed-up over cores, of the rows of record of
`bench.suite` (PageRank of 20 iterations), by lines. Exits 1 where a page says such a word.
"""

from __future__ import annotations

import ast
import json
import sys
from typing import Any

from lines_of_code import BASELINES, KERNELS, LIMITS, PAGES, gpu_lines

RESULTS = BASELINES.parents[1] / "bench" / "results"
OF_A_GPU = {"cuda", "threadIdx", "blockIdx", "syncthreads", "stream", "shared", "warp", "launch"}
BY_HAND = {  # what is parallel; memory and launches are managed by all three
    "bfs_harish": "thread",
    "bfs_virtual_warp": "thread + warp",
    "sssp_harish": "thread",
}
PRINTED = {
    "bfs": "9 (N), 7 (Q); basic 56, warp-centric 76",
    "sssp": "13 (N), 11 (Q); basic 59",
}


def words_of_gpus(source: str) -> set[str]:
    """Return the words of a page's code that only somebody who knows GPUs writes.

    Examples
    --------
    >>> sorted(words_of_gpus("i = cuda.threadIdx.x")), words_of_gpus("v.send(v.rank)")
    (['cuda', 'threadIdx'], set())
    """
    tree = ast.parse(source)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return names & OF_A_GPU


def rows_of(target: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the suite's rows of record by problem and graph."""
    kept = json.loads((RESULTS / f"suite-{target}.json").read_text("utf-8"))["rows"]
    return {(row["problem"], row["graph"]): row for row in kept if row["median_ms"]}


def speed_ups(lines: dict[str, int]) -> dict[tuple[str, str], tuple[float, float]]:
    """Return by problem and graph how many times as fast as cores a GPU is, and that per line."""
    found, on_cores = {}, rows_of("cpu")
    for (problem, graph), row in rows_of("cuda").items():
        page = problem.partition("_")[0]
        if page in lines and (problem, graph) in on_cores:
            calls = sorted(row["all_call_ms"])
            ratio = on_cores[problem, graph]["median_ms"] / calls[len(calls) // 2]
            found[problem, graph] = ratio, ratio / lines[page]
    return found


def main() -> int:
    """Print all tables; return 1 where a page says a word of a GPU's."""
    sources = {name: (PAGES / f"{name}.py").read_text("utf-8") for name in LIMITS}
    lines = {name: gpu_lines(source)[0] for name, source in sources.items()}
    wrong = {name: words for name in LIMITS if (words := words_of_gpus(sources[name]))}
    for name, count in lines.items():
        said = f"WRONG: says {sorted(wrong[name])}" if name in wrong else PRINTED.get(name, "")
        print(f"{name:<18}{count:>4} lines; memory no, launches no, parallel: none  {said}")
    for name, parallel in BY_HAND.items():
        count = gpu_lines((BASELINES / f"{name}.py").read_text("utf-8"), KERNELS)[0]
        print(f"{name:<18}{count:>4} lines; memory yes, launches yes, parallel: {parallel}")
    for (problem, graph), (ratio, per_line) in speed_ups(lines).items():
        print(
            f"{problem:<18}{graph:<8}{ratio:8.1f} times as fast as cores, {per_line:.2f} per line"
        )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
