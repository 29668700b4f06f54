"""Few edges that go, with their arcs and their slots: found before anything else is made.

Where edges lead both ways, their slots are what is merged (`few_slots`), and how many are loops is
known when this returns. In a directed graph arcs and slots are marked in one launch that nobody
waits for. They are taken to be all different: whoever goes by that must have them counted at the
end.
"""

from __future__ import annotations

from emv.backends.cuda.array import DeviceArray
from emv.backends.cuda.device import THREADS
from emv.backends.cuda.few_slots import APART, FewSlots, few_slots
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.kernels import Task
from emv.backends.cuda.marks import Marks, Stages
from emv.backends.cuda.sorting import put_off

FEW = 1 << 14  # that are soon looked for again, should they not be as they were taken to be
FEW_OF = 64  # arcs there are for each of them
READ = {"out_first", "edge_of_arc", "in_first", "in_other"}


def few_gone(rows: DeviceIndexArrays, given: DeviceArray) -> tuple[Marks, FewSlots | None] | None:
    """Return the edges that ids name, all different, and the slots without them, if begun.

    None where that does not pay, or is seen not to be so.
    """
    is_few = 0 < given.size <= min(FEW, rows.num_arcs // FEW_OF) and given.dtype.kind in "iu"
    if not is_few or rows.arcs_are_edges:
        return None
    return _marked(rows, given) if rows.directed else _begun(rows, given)


def _begun(rows: DeviceIndexArrays, given: DeviceArray) -> tuple[Marks, FewSlots] | None:
    """Return edges that lead both ways, to be marked when somebody asks for more than slots."""
    begun = few_slots(rows, rows.ends, given)
    if begun is None:
        return None
    num_wrong, num_loops, repeats = begun.look()
    if num_wrong or repeats:
        return None
    own, count, size = begun.named, given.size, rows.num_edges

    def put(words: DeviceArray, facts: DeviceArray) -> list[Task]:
        tasks = list[Task]()
        put_off(tasks, "marks.mark", [own, words, facts], size, count)
        return tasks

    return Marks.late(rows.on, size, put, count, num_loops), begun


def _marked(rows: DeviceIndexArrays, given: DeviceArray) -> tuple[Marks, None] | None:
    """Return edges of a directed graph, marked with their arcs and slots."""
    made = set(rows.made)
    if not made >= READ or made & (APART - {"src_of_arc"}):
        return None
    on, count, num_arcs = rows.on, given.size, rows.num_arcs
    of_edges, of_arcs = Stages(on, rows.num_edges), Stages(on, num_arcs, 2)
    written = list[DeviceArray]()

    def keep(words: DeviceArray, facts: DeviceArray) -> list[Task]:
        written.extend([words, facts])
        return []

    edges = Marks(on, rows.num_edges, keep, count, count, of_edges)
    arcs, slots = (Marks(on, num_arcs, keep, count, count, of_arcs) for _ in range(2))
    words, facts, to_arcs, _, to_slots, _ = written
    by_row = [rows.array(name) for name in ("out_first", "edge_of_arc", "in_first", "in_other")]
    arrays = [given, *rows.ends, *by_row, words, to_arcs, to_slots, facts]
    numbers = [rows.num_edges, count]
    of_edges.add([Task("merge.mark_at_once", arrays, numbers, -(-count // THREADS))])
    of_edges.launch(of_arcs)
    edges.together, edges.num_loops = (arcs, slots), 0
    return edges, None
