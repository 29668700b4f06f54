"""The index arrays of graphs: what kernels call them, how long they are, where a graph has them.

Names of arrays of a storage other than rows, such as ``ell_in_other``, are told apart by
`emv.graph.row_storage`, which also knows their sizes.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.graph.hubs import arc_blocks
from emv.graph.row_storage import split_name
from emv.graph.widths import id_dtype, index_dtype

PULL_BLOCK = 16384  # in-arcs that a block of receivers holds at most, unless one has more


class Index(NamedTuple):
    """What is known of an index array."""

    element: str  # as `emv.runtime.arrays.table.Array` has it
    size: str  # empty where it depends on the degrees
    path: str = ""  # where the layouts of a graph have it; empty where they have not
    layout: str = ""  # what of `emv.graph.footprint` is built for it; empty for nothing


INDEX = {
    # The rows, by sender and by receiver.
    "first_out": Index("arc", "N+1", "out_rows.first", "out_rows"),
    "dst_of_arc": Index("vertex", "arc", "out_rows.other", "out_rows"),
    "first_in": Index("arc", "N+1", "in_rows.first", "in_rows"),
    "src_of_slot": Index("vertex", "arc", "in_rows.other", "in_rows"),
    # The same where the order within rows is all one.
    "dst_in_row": Index("vertex", "arc", "out_rows.other", "out_rows"),
    "src_in_row": Index("vertex", "arc", "in_rows.other", "in_rows"),
    # The rows by receiver where a graph has them; else they are empty.
    "built_first_in": Index("arc", ""),
    "built_src_of_slot": Index("vertex", ""),
    # Which edge, arc, slot or vertex another is of.
    "src_of_edge": Index("end", "E"),
    "dst_of_edge": Index("end", "E"),
    "src_of_arc": Index("vertex", "arc", "src_of_arc", "src_of_arc"),
    "edge_of_arc": Index("arc", "arc", "edge_of_arc", "edge_of_arc"),
    "edge_of_slot": Index("arc", "arc", "edge_of_slot", "edge_of_slot"),
    "arc_of_slot": Index("arc", "arc", "arc_of_slot", "arc_of_slot"),
    "dst_of_slot": Index("vertex", "arc", "dst_of_slot", "dst_of_slot"),
    "slot_of_arc": Index("arc", "arc", "slot_of_arc", "slot_of_arc"),
    # For common neighbours.
    "sorted_dst": Index("vertex", "arc", "sorted_dst", "sorted_dst"),
    "arc_of_sorted": Index("arc", "arc", "arc_of_sorted", "arc_of_sorted"),
    "edges_by_row": Index("arc", "E", "edges_by_row", "edges_by_row"),
    "row_bits": Index("uint32", "N", "row_bits", "row_bits"),
    "busy_place": Index("uint32", "", "busy.place", "in_rows"),
    "busy_first": Index("arc", "", "busy.first", "in_rows"),
    "busy_entries": Index("uint16", "", "busy.entries", "in_rows"),
    "busy_bits": Index("uint32", "", "busy.bits", "in_rows"),
    "hashed_rows": Index("uint64", "", "hashed.rows", "sorted_dst"),
    "hashed_where": Index("uint32", "", "hashed.where", "out_rows"),
    # What a part asks of the whole graph.
    "whole_first_out": Index("whole", "N+1", "whole_first_out"),
    "whole_first_in": Index("whole", "N+1", "whole_first_in"),
    "number_of_edge": Index("whole", "E", "number_of_edge"),
    "number_of_arc": Index("whole", "arc", "number_of_arc"),
    "pull_words": Index("int64", "33", "common.words"),
    # How receivers are shared out among threads; at most so long.
    "in_blocks": Index("int64", "", "", "in_rows"),
    "longest_row": Index("int64", "1", "", "out_rows"),
    "piece_vertex": Index("int64", ""),
    "piece_begin": Index("int64", ""),
    "piece_end": Index("int64", ""),
    # How they are shared out among warps.
    "pull_order": Index("vertex", "N", "pull.order", "in_first"),
    "pull_bins": Index("int64", "24", "pull.bins", "in_first"),
    "pull_hub_piece": Index("int64", "", "pull.hub_piece", "in_first"),
    "pull_piece_vertex": Index("vertex", "", "pull.piece_vertex", "in_first"),
    "pull_piece_begin": Index("arc", "", "pull.piece_begin", "in_first"),
    "pull_piece_end": Index("arc", "", "pull.piece_end", "in_first"),
    "pull_place": Index("vertex", "N", "heads.place", "in_first"),
    "pull_head": Index("vertex", "N", "heads.head", "in_rows"),
    "pull_arcs": Index("arc", "N", "heads.arcs", "out_first"),
    "gather_position": Index("vertex", "N", "gather.position", "out_first"),
    "gather_first": Index("arc", "N+1", "gather.first", "in_first"),
    "gather_slot": Index("vertex", "arc", "gather.slot", "in_rows"),
    "gather_close_place": Index("vertex", "N", "gather.close_place", "in_first"),
    "gather_close_slot": Index("vertex", "arc", "gather.close_slot", "in_rows"),
    "gather_begins": Index("int64", "33", "common.begins"),
    "gather_piece_begin": Index("arc", "", "gather.piece_begin", "in_first"),
    "gather_piece_end": Index("arc", "", "gather.piece_end", "in_first"),
}
MIXED = {"dst_of_arc": "dst_in_row", "src_of_slot": "src_in_row"}
"""What a program is given for an array whose rows may be in any order."""
IN_ORDER = {mixed: name for name, mixed in MIXED.items()}
PIECES = ("piece_vertex", "piece_begin", "piece_end")
ENDS = ("src_of_edge", "dst_of_edge")
BUILT = ("built_first_in", "built_src_of_slot")
"""What a graph may have by the next run."""
OF_SLICES = (
    *("whole_first_out", "whole_first_in", "number_of_edge", "number_of_arc", "pull_words"),
    *("gather_close_place", "gather_begins"),
)
"""What only slices have, see `emv.graph.slices`."""


def layout_of(name: str) -> str:
    """Return what of a graph's layouts an index array needs on the host.

    Examples
    --------
    >>> layout_of("first_in"), layout_of("slot_of_arc"), layout_of("ell_out_other")
    ('in_rows', 'slot_of_arc', 'out_rows')
    """
    stored = split_name(name)
    return f"{stored[2]}_rows" if stored is not None else INDEX[name].layout


def host_index(graph: Any, name: str) -> NDArray[Any]:
    """Return an index array on the host; the graph's own where it keeps such."""
    layouts = graph.layouts
    found: Any
    if (stored := split_name(name)) is not None:
        of, tag, side, part = stored
        found = layouts.by_place(of, tag, side) if of else layouts.storage(tag, side).part(part)
    elif name == "in_blocks":
        found = arc_blocks(layouts.in_rows.first, PULL_BLOCK)
    elif name == "longest_row":
        found = np.diff(layouts.out_rows.first).max(initial=0, keepdims=True).astype(np.int64)
    elif name in PIECES:
        found = layouts.hub_pieces[PIECES.index(name)]
    elif name in BUILT:
        found = built_rows(layouts)[BUILT.index(name)]
    elif name in ENDS:
        found = graph.edges.endpoints()[ENDS.index(name)].view(id_dtype(graph.num_vertices))
    elif name == "edge_of_arc" and layouts.arcs_are_edges:
        found = np.arange(graph.num_arcs, dtype=index_dtype(graph.num_vertices))
    else:
        found = attrgetter(INDEX[name].path)(layouts)
    array: NDArray[Any] = found
    return array


def built_rows(layouts: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the offsets and senders of the rows by receiver, or none of them where none are."""
    if layouts.has("in_first") and layouts.has("in_other"):
        return layouts.in_rows.first, layouts.in_rows.other
    none = np.empty(0, index_dtype(layouts.num_vertices))
    none.flags.writeable = layouts.out_rows.first.flags.writeable  # of one type with what comes
    return none, none
