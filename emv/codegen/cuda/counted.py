"""Rounds over common neighbours that are all alike, on a GPU: only how many there are is found.

A warp as a whole counts them for the edges of its lanes: by hashes where all rows are short and
arcs are edges (`emv.graph.hashed`), and where one of the vertices is busy and shares no others, by
lists and bits of the busy ones (`emv.graph.busy`). What each round adds is then added so often.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.common import Pair
from emv.codegen.place import Pasting
from emv.ir import body as b

BUSY = "place", "first", "entries", "bits"


def name_edge(worker: Any) -> None:
    """Write which edge comes next: that whose turn it is, or by rows the one at that place.

    Where edges are counted by hashes, whether it is the first of its thread is kept, and its turn.
    """
    writer, number = worker.writer, worker.number
    counts = worker.by_row and any(each.alike for each in worker.launch.shared)
    if counts:
        writer.add("edge_is_first = edge < np.uint64(threads)")
    if worker.launch.share == "even":
        writer.add(f"edge = {number}(in_turn(edge, state[PART], PARTS))")
    if counts:
        writer.add("edge_turn = np.uint32(edge)")
    if worker.by_row:
        order = writer.graph("edges_by_row")
        writer.add(f"edge = {order}[edge] if state[BY_ROW] != 0 else {number}(edge)")


def count_by_hashes(text: Pasting, pair: Pair, steps: tuple[b.Assign, ...]) -> None:
    """Write how rounds that are alike are counted where all rows are short."""
    writer, tag = text.writer, pair.left
    text.place.worker.shared["tables"] = None
    names = "hashed_rows", "hashed_where", "first_out", "sorted_dst", "src_of_edge"
    arrays = ", ".join(writer.graph(each) for each in names)
    ends = ", ".join(text.place.vertex[role] for role in ("src", "dst"))
    turns = "edge_turn, threads, state[NUM_EDGES]"
    is_first = "edge_is_first" if len(text.place.worker.launch.shared) == 1 else "True"
    writer.add(f"{tag}_rounds = count_hashed(tables, {arrays}, {turns}, {ends}, {is_first})")
    add_rounds(text, pair, steps)


def count_rounds(text: Pasting, pair: Pair, steps: tuple[b.Assign, ...]) -> None:
    """Write how rounds that are alike are counted where the rows are of busy vertices."""
    writer, tag = text.writer, pair.left
    writer.add(f"{tag}_known = False")
    with writer.block(f"if state[BUSY_WORDS] != 0 and {tag}_whole:"):
        arrays = ", ".join(writer.graph(f"busy_{each}") for each in BUSY)
        vertices = f"{pair.left}_src, {pair.right}_src"
        writer.add(f"{tag}_rounds = count_common({arrays}, state[BUSY_WORDS], {vertices})")
        writer.add(f"{tag}_known = {tag}_rounds >= 0")
        with writer.block(f"if {tag}_known:"):
            add_rounds(text, pair, steps)


def add_rounds(text: Pasting, pair: Pair, steps: tuple[b.Assign, ...]) -> None:
    """Write what so many rounds add to sums."""
    for step in steps:
        assert isinstance(step.value, b.Binary)
        added = f"np.int64({text.text(step.value.right)})"
        total = f"{text.place.prefix}{step.name}"
        text.writer.add(f"{total} += np.int64({pair.left}_rounds) * {added}")
