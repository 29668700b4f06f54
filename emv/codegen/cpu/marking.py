"""Neighbours that the two ends of an edge share, on cores: one row is marked, the other asked.

A thread marks the out-neighbours of a source in bits of its own, and asks of those of the other end
whether they are marked. A merge of both rows takes a step for each entry of either, and each step
waits for the one before; here none waits. Edges mostly come source by source, so that a row is
marked once for all of them; where they do not, to mark and clear it takes no longer than a merge.
Where the arcs of the marked row are asked for, too, each word of bits knows where in the row its
first one stands, and the bits below another say how far behind that it is.
What neighbours add to columns may wait by where they stand in that row until the thread marks
another (`passes.meet_common`): so many sums stay near, and columns are met once for an arc and not
for a triangle.
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
from emv.codegen.writer import Writer
from emv.ir import body as b
from emv.passes.meet_common import loops_in
from emv_kernels.sizes import ROOM

MOST = 2**22  # vertices whose bits, half a megabyte, stay near
MARKS, SIZE = "marks", "T*V/64+T*8"  # the sets of all threads, one behind the other
STARTS = "mark_starts"  # of a word, where in the row its first vertex stands
BASE = "np.uint64(thread) * np.uint64(64) * np.uint64(state[NUM_VERTICES] // 64 + 8)"


def begin_rows(launch: Any) -> str:
    """Return what a thread begins with: no row is marked, and where its sums are."""
    text = f"marked = np.int64(-1)\nbase = {BASE}\n"
    return text + (f"room = np.uint64(thread) * np.uint64({ROOM})\n" if launch.row_sums else "")


def asks_places(launch: Any) -> bool:
    """Return whether a loop of a launch asks where in the row that is marked a vertex stands."""
    loops = loops_in(launch.body.statements)
    asks = any(each.role == "left" for loop in loops for each in elements_in(loop.body))
    return asks or bool(launch.row_sums)


def mark_or_merge(text: Pasting, stmt: b.ForCommon, launch: Any) -> None:
    """Write the loop for one thread, which has ``base`` and ``marked``, the row it has marked."""
    writer, pair = text.writer, name_rows(text, stmt)
    bits, first = writer.graph("row_bits"), writer.graph("first_out")
    told = [writer.scratch(MARKS, "uint64", SIZE, 0)]
    if asks_places(launch):
        told.append(writer.scratch(STARTS, "int64", SIZE))
    row = f"np.int64({pair.left}_src)"
    told += ["base", first, writer.graph("sorted_dst"), row, "marked"]
    function = "mark_places" if asks_places(launch) else "mark_row"
    with writer.block(f"if {bits}[{pair.left}_src] & {bits}[{pair.right}_src] != 0:"):
        open_rows(writer, pair)
        with writer.block(f"if state[NUM_VERTICES] <= {MOST}:"):
            with writer.block(f"if marked != {row}:"):
                add_rows(writer, launch)
                writer.add(f"marked = {function}({', '.join(told)})")
            ask(text, stmt, pair, launch)
        with writer.block("else:"):
            merge(text, stmt, pair)


def sums_of(writer: Writer, launch: Any) -> dict[str, tuple[str, str]]:
    """Return, of each field whose sums are kept, its column and the sums of all threads."""
    made = {}
    for field in sorted(launch.row_sums):
        dtype = launch.send.record.vertex.fields[field].dtype.name
        column = writer.column("vertex", field, dtype)
        made[field] = (column, writer.scratch(f"{field}_sums", dtype, f"T*{ROOM}", 0))
    return made


def add_rows(writer: Writer, launch: Any) -> None:
    """Write that a thread adds its sums of the row that is marked to columns."""
    rows = ", ".join(map(writer.graph, ("first_out", "sorted_dst")))
    for column, sums in sums_of(writer, launch).values():
        writer.add(f"add_row(shared, {column}, {sums}, room, {rows}, marked)")


def leave_row(writer: Writer, launch: Any) -> None:
    """Write what a thread does with the last row that it has marked."""
    add_rows(writer, launch)
    rows = ", ".join(map(writer.graph, ("first_out", "sorted_dst")))
    writer.add(f"mark_row({MARKS}, base, {rows}, np.int64(-1), marked)")


def ask(text: Pasting, stmt: b.ForCommon, pair: Pair, launch: Any) -> None:
    """Write the loop over the row of the second vertex; repeated edges stand side by side in it."""
    writer, place, side = text.writer, text.place, pair.right
    before = (dict(place.vertex), dict(place.edge), place.row_sums)
    row = writer.graph("sorted_dst")
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
            left = f"{pair.left}_at"
            if asks_places(launch):
                writer.add(f"{left} = place_in({MARKS}, {STARTS}, base, {row}, {side}_dst)")
            name_arcs(writer, place, stmt, pair, (left, "at"))
            rank = f"room, {left} - np.uint64({pair.left})"
            sums = sums_of(writer, launch).items()
            place.row_sums = {field: f"{name}, {rank}" for field, (_, name) in sums}
            text.block(stmt.body)
    place.vertex, place.edge, place.row_sums = before
