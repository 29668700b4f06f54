"""The text of a `JoinAll` on a GPU: few edges are joined before all are.

While trees grow, both ends of an edge have long ways up to their roots, and a warp waits for the
longest of 32. Where a graph has many edges, few of them join most of what there is to join (as in
Afforest: Sutton, Ben-Nun and Barak, IPDPS 2018). Then every member is pointed at its root, and
nearly all edges that come after that find the same above both ends.
"""

from __future__ import annotations

from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.launch import LaunchText

FEW_SHIFT = 4  # one edge in so many powers of two comes first
DENSE = 4  # edges a vertex has on average, from which some come first
MANY = 1 << 20  # edges


def join_few(text: CudaLaunch) -> None:
    """Write the walk that joins some edges, the first ones, and flattens the sets."""
    field = text.launch.shortcut.field
    dense = f"state[NUM_EDGES] >= {DENSE} * state[NUM_VERTICES] and state[NUM_EDGES] >= {MANY}"
    with text.when(dense):
        worker = text.worker("few")
        writer = worker.writer
        group = writer.column("vertex", field, "int64")
        src, dst = (writer.graph(f"{end}_of_edge") for end in ("src", "dst"))
        with worker.ids(None, "edge", f"state[NUM_EDGES] >> {FEW_SHIFT}"):
            writer.add(f"join(shared, {group}, {src}[edge], {dst}[edge])")
        text.phase(worker)
        LaunchText.flatten(text)
