"""Neighbours that the two ends of an edge share, on cores: one row is marked, the other asked.

A thread marks the out-neighbours of a source in bits of its own, and asks of those of the other end
whether they are marked. A merge of both rows takes a step for each entry of either, and each step
waits for the one before; here none waits. Edges mostly come source by source, so that a row is
marked once for all of them; where they do not, to mark and clear it takes no longer than a merge.
Where the arcs of the marked row are asked for, too, each word of bits knows where in the row its
first one stands, and the bits below another say how far behind that it is.
Where ids are so many that their bits leave a core's own cache, rows are merged.

Schank, Wagner: Finding, Counting and Listing all Triangles in Large Graphs, WEA 2005
("forward-hashed"); Latapy: Theoretical Computer Science 407, 2008 ("new-vertex-listing").
"""

from __future__ import annotations

from typing import Any

from emv.codegen.common import (
    Pair,
    elements_in,
    merge,
    name_arcs,
    name_ends,
    name_rows,
    open_rows,
)
from emv.codegen.place import Pasting
from emv.ir import body as b

MOST = 2**22  # vertices whose bits, half a megabyte, stay near
MARKS, SIZE = "marks", "T*V/64+T*8"  # the sets of all threads, one behind the other
STARTS = "mark_starts"  # of a word, where in the row its first vertex stands
BASE = "np.uint64(thread) * np.uint64(64) * np.uint64(state[NUM_VERTICES] // 64 + 8)"


def can_mark(launch: Any, stmt: b.ForCommon) -> bool:
    """Return whether a loop is over what an edge's ends share."""
    is_map = launch.direction == "none" and launch.send.kind == "edge"
    return is_map and (stmt.first.role, stmt.second.role) == ("src", "dst")


def asks_marked(launch: Any) -> bool:
    """Return whether a loop of a launch asks for arcs of the row that is marked."""
    loops = [
        each for each in b.statements_in(launch.body.statements) if isinstance(each, b.ForCommon)
    ]
    return any(each.role == "left" for loop in loops for each in elements_in(loop.body))


def mark_or_merge(text: Pasting, stmt: b.ForCommon, launch: Any) -> None:
    """Write the loop for one thread, which has ``base`` and ``marked``, the row it has marked."""
    writer, pair = text.writer, name_rows(text, stmt)
    bits, first = writer.graph("row_bits"), writer.graph("first_out")
    told = [writer.scratch(MARKS, "uint64", SIZE, 0)]
    if asks_marked(launch):
        told.append(writer.scratch(STARTS, "int64", SIZE))
    row = f"np.int64({pair.left}_src)"
    told += ["base", first, writer.graph("sorted_dst"), row, "marked"]
    function = "mark_places" if asks_marked(launch) else "mark_row"
    with writer.block(f"if {bits}[{pair.left}_src] & {bits}[{pair.right}_src] != 0:"):
        open_rows(writer, pair)
        with writer.block(f"if state[NUM_VERTICES] <= {MOST}:"):
            with writer.block(f"if marked != {row}:"):
                writer.add(f"marked = {function}({', '.join(told)})")
            ask(text, stmt, pair)
        with writer.block("else:"):
            merge(text, stmt, pair)


def ask(text: Pasting, stmt: b.ForCommon, pair: Pair) -> None:
    """Write the loop over the row of the second vertex; repeated edges stand side by side in it."""
    writer, place, side = text.writer, text.place, pair.right
    before, row = (dict(place.vertex), dict(place.edge)), writer.graph("sorted_dst")
    writer.add(f"{side}_last = np.int64(-1)")
    slots = f"for at in range(np.uint64({side}), np.uint64({side}_end)):"
    with writer.block(slots, stmt.loc):
        writer.add(f"""
            {side}_dst = {row}[at]
            is_common = has_bit({MARKS}, base + np.uint64({side}_dst))
            is_common &= np.int64({side}_dst) != {side}_last
            {side}_last = np.int64({side}_dst)
        """)
        with writer.block("if is_common:"):
            name_ends(place, pair, f"{side}_dst")
            marked = f"place_in({MARKS}, {STARTS}, base, {row}, {side}_dst)"
            name_arcs(writer, place, stmt, pair, (marked, "at"))
            text.block(stmt.body)
    place.vertex, place.edge = before
