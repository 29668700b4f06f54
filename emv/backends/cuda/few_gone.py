"""Few edges that go, with their arcs and their slots: begun before anything else is made.

Where edges lead both ways, their slots are what is merged (`few_slots`), and how many are loops is
known when this returns. In a directed graph arcs and slots are marked in one launch, and what is
left of both directions is laid out in another; nobody waits for either. The edges are taken to be
all different: whoever goes by that must have them counted at the end.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.device import THREADS, Device
from emv.backends.cuda.few_arcs import WITH_EDGES
from emv.backends.cuda.few_slots import FewSlots, few_slots
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.kernels import Ready, Task
from emv.backends.cuda.late import Late
from emv.backends.cuda.marks import FACTS, HALF, MOST_BLOCKS, STATE, WORD, Marks
from emv.backends.cuda.prepared import Laid, Step, prepared
from emv.backends.cuda.room import kept_of, roomy
from emv.backends.cuda.sorting import PER_THREAD, put_off
from emv.backends.cuda.splice import RANK, Splice
from emv.backends.cuda.telling import LONG, TELL, Call
from emv.device import EdgeChange

FEW = 1 << 14  # that are soon looked for again, should they not be as they were taken to be
FEW_OF = 64  # arcs there are for each of them
SETS = 3  # of edges, arcs and slots
HEAD = STATE + SETS * (STATE + FACTS)  # by which blocks meet, and what counts each
BYTES = LONG.itemsize


def few_gone(
    rows: DeviceIndexArrays, given: DeviceArray
) -> tuple[Marks, FewSlots | FewGone] | None:
    """Return the edges that ids name, all different, and what has begun of the version without.

    None where that does not pay, or is seen not to be so.
    """
    is_few = 0 < given.size <= min(FEW, rows.num_arcs // FEW_OF) and given.dtype.kind in "iu"
    if not is_few or rows.arcs_are_edges:
        return None
    if not rows.directed:
        return _begun(rows, given)
    if rows.by_arc or rows.made.keys() != WITH_EDGES:
        return None
    begun = FewGone(rows, given)
    return begun.edges, begun


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


class Plan(NamedTuple):
    """The launches of calls of a kind."""

    mark: Ready
    lay_out: Ready


def planned(on: Device, kind: tuple[Any, ...]) -> Plan:
    """Return the plan of calls with ids, ends, vertices and arcs of some types, which is kept."""
    _, ids, src, dst, vertex, arc = kind
    rows = (arc, arc, arc, vertex)
    mark = Step("merge.mark_at_once", (ids, src, dst, *rows, *[HALF] * SETS, LONG), 2)
    meet = Step("grid.meet", (LONG,), 1)
    rank = Step("marks.rank_marks", (HALF, LONG, LONG, RANK, arc, LONG), 1)
    first = Step("merge.rows_moved", (arc, arc, RANK, arc), 4)
    other = Step("splice.leave_out", (vertex, RANK, vertex), 1)
    launches = (mark, meet, *[rank] * SETS), (TELL, *(first, other) * 2)
    plan = on.ready[kind] = Plan(*(prepared(on, *steps) for steps in launches))
    return plan


class FewGone:
    """The rows of a version without few edges that lead one way, put on the stream when made.

    Parameters
    ----------
    old : DeviceIndexArrays
        Those of the version before.
    given : DeviceArray
        The edges that go, taken to be there and all different.

    Attributes
    ----------
    old : DeviceIndexArrays
        Those that were given.
    edges : Marks
        The edges that go.
    """

    def __init__(self, old: DeviceIndexArrays, given: DeviceArray) -> None:
        self.old, on, (src, dst) = old, old.on, old.ends
        arc, count, num_words = old.arc_dtype, given.size, old.num_arcs // WORD + 1
        kind = ("gone", given.dtype, src.dtype, dst.dtype, old.vertex_dtype, arc)
        plan: Plan = on.ready.get(kind) or planned(on, kind)
        call = Call(on)
        each = (num_words, HALF), (MOST_BLOCKS, LONG), (num_words, RANK), (count, arc)
        laid = Laid((HEAD, LONG), *[one for one in each for _ in range(SETS)])
        memory = on.pool.taken(laid.nbytes, call.place)
        head, *at = laid.at(memory.address)
        words, sums, ranks, entries = at[:3], at[3:6], at[6:9], at[9:]
        on.driver.fill(head, b"\0", sums[0] - head, call.stream)
        states = [head + BYTES * (STATE + k * (STATE + FACTS)) for k in range(SETS)]
        facts = [state + BYTES * STATE for state in states]
        names = ("out_first", "edge_of_arc", "in_first", "in_other")
        rows = [old.array(name).address for name in names]
        sets = zip(words, states, sums, ranks, entries, facts, strict=True)
        values = (
            *(given.address, src.address, dst.address, *rows, *words, facts[0], head),
            *[address for one in sets for address in one],
            *(old.num_edges, count, 0, *[num_words] * SETS),
        )
        blocks = max(-(-count // THREADS), min(MOST_BLOCKS, -(-num_words // THREADS)))
        plan.mark.start(on, values, blocks, call.stream, True)
        self._made = self._laid_out(plan, call, count, ranks, facts[0])
        self.edges, self._arcs = (
            Marks.given(
                *(on, old.num_edges, count, call.hear),
                DeviceArray(on, ranks[k], num_words, RANK, memory),
                DeviceArray(on, entries[k], count, arc, memory),
            )
            for k in range(2)
        )

    def _laid_out(
        self, plan: Plan, call: Call, count: int, ranks: Sequence[int], facts: int
    ) -> dict[str, DeviceArray]:
        """Return the rows that are left, put on the stream; there is room should fewer go."""
        old, made, values = self.old, dict[str, DeviceArray](), list(call.arrays(facts))
        on, num_arcs, num_rows = old.on, old.num_arcs, old.num_vertices + 1
        for side, of in (("out", ranks[1]), ("in", ranks[2])):
            first, other = f"{side}_first", f"{side}_other"
            made[first] = rows = empty(on, num_rows, old.arc_dtype)
            made[other] = left = kept_of(roomy(on, num_arcs, old.vertex_dtype), num_arcs - count)
            values += old.made[first].address, rows.address, of, rows.address
            values += old.made[other].address, of, left.address
        values += *call.numbers, *(old.num_vertices, 0, 1, num_rows, num_arcs) * 2
        blocks = -(-num_arcs // (PER_THREAD * THREADS))
        plan.lay_out.start(on, values, blocks, call.stream, True)
        call.is_launched()
        return made

    def give(self, new: DeviceIndexArrays, change: EdgeChange) -> None:
        """Give them to the index arrays of the version; the edges of arcs wait (`late`)."""
        old, on = self.old, self.old.on
        splice = Splice(on, old.num_arcs, None, self._arcs)
        make = functools.partial(splice.of, old.array("edge_of_arc"), None, self.edges)
        new.made.update(self._made)
        new.made["edge_of_arc"] = Late(on, splice.count, old.arc_dtype, make)
