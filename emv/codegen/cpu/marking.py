"""Neighbours that the two ends of an edge share, on cores: one row is marked, the other asked.

A thread marks the out-neighbours of a source in bits of its own, and asks of those of the other end
whether they are marked. A merge of both rows takes a step for each entry of either, and each step
waits for the one before; here none waits. Edges mostly come source by source, so that a row is
marked once for all of them; where they do not, to mark and clear it takes no longer than a merge.
Where ids are so many that their bits leave a core's own cache, rows are merged.

Schank, Wagner: Finding, Counting and Listing all Triangles in Large Graphs, WEA 2005
("forward-hashed"); Latapy: Theoretical Computer Science 407, 2008 ("new-vertex-listing").
"""

from __future__ import annotations

from typing import Any

from emv.codegen.common import Pair, elements_in, merge, name_ends, name_rows, open_rows
from emv.codegen.place import Pasting
from emv.ir import body as b

MOST = 2**22  # vertices whose bits, half a megabyte, stay near
MARKS, SIZE = "marks", "T*V/64+T*8"  # the sets of all threads, one behind the other
BASE = "np.uint64(thread) * np.uint64(64) * np.uint64(state[NUM_VERTICES] // 64 + 8)"


def can_mark(launch: Any, stmt: b.ForCommon) -> bool:
    """Return whether a loop is over what an edge's ends share, and asks nothing of the arcs."""
    is_map = launch.direction == "none" and launch.send.kind == "edge"
    ends = (stmt.first.role, stmt.second.role)
    arcs = {element.role for element in elements_in(stmt.body)} & {"left", "right"}
    return is_map and ends == ("src", "dst") and not arcs


def mark_or_merge(text: Pasting, stmt: b.ForCommon) -> None:
    """Write the loop for one thread, which has ``base`` and ``marked``, the row it has marked."""
    writer, pair = text.writer, name_rows(text, stmt)
    bits, first = writer.graph("row_bits"), writer.graph("first_out")
    marks, others = writer.scratch(MARKS, "uint64", SIZE, 0), writer.graph("sorted_dst")
    with writer.block(f"if {bits}[{pair.left}_src] & {bits}[{pair.right}_src] != 0:"):
        open_rows(writer, pair)
        with writer.block(f"if state[NUM_VERTICES] <= {MOST}:"):
            row = f"np.int64({pair.left}_src)"
            with writer.block(f"if marked != {row}:"):
                writer.add(f"marked = mark_row({marks}, base, {first}, {others}, {row}, marked)")
            ask(text, stmt, pair)
        with writer.block("else:"):
            merge(text, stmt, pair)


def ask(text: Pasting, stmt: b.ForCommon, pair: Pair) -> None:
    """Write the loop over the row of the second vertex; repeated edges stand side by side in it."""
    writer, place, side = text.writer, text.place, pair.right
    before = dict(place.vertex)
    writer.add(f"{side}_last = np.int64(-1)")
    slots = f"for at in range(np.uint64({side}), np.uint64({side}_end)):"
    with writer.block(slots, stmt.loc):
        writer.add(f"""
            {side}_dst = {writer.graph("sorted_dst")}[at]
            is_common = has_bit({MARKS}, base + np.uint64({side}_dst))
            is_common &= np.int64({side}_dst) != {side}_last
            {side}_last = np.int64({side}_dst)
        """)
        with writer.block("if is_common:"):
            name_ends(place, pair, f"{side}_dst")
            text.block(stmt.body)
    place.vertex = before
