"""Few edges that go, with their arcs and their slots: marked in one launch that nobody waits for.

They are taken to be all different, and where edges lead both ways to be no loops; whoever goes by
that must have them counted at the end.
"""

from __future__ import annotations

from emv.backends.cuda.array import DeviceArray
from emv.backends.cuda.device import THREADS
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.kernels import Task
from emv.backends.cuda.marks import Marks, Stages
from emv.backends.cuda.versions import APART, slots_suffice

FEW = 1 << 14  # that are soon looked for again, should they not be as they were taken to be
FEW_OF = 64  # arcs there are for each of them
SELDOM = 16  # one of so many batches may have a loop, as far as their number in the graph says
READ = {"out_first", "edge_of_arc", "in_first", "in_other"}


def few_gone(rows: DeviceIndexArrays, given: DeviceArray) -> Marks | None:
    """Return the edges that ids name, all different and no loops; None where that does not pay."""
    on, count, num_arcs = rows.on, given.size, rows.num_arcs
    is_few = 0 < count <= min(FEW, num_arcs // FEW_OF) and given.dtype.kind in "iu"
    if not is_few or not _can_be_marked(rows, count):
        return None
    of_edges, of_arcs = Stages(on, rows.num_edges), Stages(on, num_arcs, 1 + rows.directed)
    written = list[DeviceArray]()

    def keep(words: DeviceArray, facts: DeviceArray) -> list[Task]:
        written.extend([words, facts])
        return []

    edges = Marks(on, rows.num_edges, keep, count, count, of_edges)
    by_slot, each = [rows.array("in_first"), rows.array("in_other")], count
    by_arc, arcs = by_slot, None
    if rows.directed:
        by_arc = [rows.array("out_first"), rows.array("edge_of_arc")]
        arcs = Marks(on, num_arcs, keep, each, each, of_arcs)
    else:
        each = 2 * count
    slots = Marks(on, num_arcs, keep, each, each, of_arcs)
    words, facts, *others = written
    arrays = [given, *rows.ends, *by_arc, *by_slot, words, others[0], others[-2], facts]
    numbers = [rows.num_edges, int(not rows.directed), count]
    of_edges.add([Task("merge.mark_at_once", arrays, numbers, -(-count // THREADS))])
    of_edges.launch(of_arcs)
    edges.together, edges.num_loops = (arcs, slots), 0
    return edges


def _can_be_marked(rows: DeviceIndexArrays, count: int) -> bool:
    """Return whether arcs and slots are there to look in, and loops hardly among so many edges."""
    made = set(rows.made)
    if rows.arcs_are_edges:
        return False
    if rows.directed:
        return made >= READ and not made & (APART - {"src_of_arc"})
    num_loops = 2 * rows.num_edges - rows.num_arcs
    is_seldom = count * num_loops * SELDOM <= rows.num_edges
    return is_seldom and "in_other" in made and slots_suffice(rows)
