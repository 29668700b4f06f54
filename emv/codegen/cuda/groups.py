"""The walk of warps over receivers, as many lanes per receiver as it has arcs for.

Receivers stand in the order of their in-degrees, in bins of 32, 16, 8, 4, 2 and 1 lanes each (see
`emv.graph.pull`). A hub's slots are cut into pieces, which are walked first. What a warp does next
is read while it is still at work on what it does now.

In a batch lanes are copies: a task is 32 copies that follow one another, of hubs first, then of all
other receivers. Neighbouring lanes are copies of one vertex: they read the same slot, and entries
of columns that lie side by side, and each lane folds all slots of its copy.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.cuda.threads import FIRST, CudaWorker
from emv.codegen.state import Own, own_text
from emv.codegen.writer import Writer
from emv.ir import nodes as n

TOGETHER = 4  # arcs of a lane whose loads are under way at once

# What all tasks of a walk have in common, which a task is told by.
OF_GROUPS = ("lane", "pieces", "hubs", "tasks", "bounds", "ordered", "count")
OF_COPIES = ("lane", "pieces", "ordered", "hubs", "count", "first_tasks", "tasks")


def call_twice(text: CudaLaunch, worker: CudaWorker, hands_on: bool = True) -> None:
    """Write the calls of the work function: for pieces if there are any, then for receivers.

    ``hands_on`` says that receivers take up what was found in their pieces, behind a barrier.
    """
    worker.first, worker.hands_pieces = (*FIRST, "pieces"), hands_on
    text.phase(worker)


@contextlib.contextmanager
def groups(worker: CudaWorker, staged: bool, settles: bool = False) -> Iterator[None]:
    """Write the walk of warps over pieces or receivers: ``v``, ``slot``, ``end``, ``lanes``.

    ``task`` is what the warp does, ``part`` the place of a lane in its group, ``index`` -1 where a
    group has nothing to do, and ``hub`` the number of a receiver whose pieces are folded already,
    else -1.
    """
    writer = worker.writer
    if writer.copies.shift:
        name, told = take_copies(worker, staged), OF_COPIES
        begin_copies(worker)
    else:
        name, told = take_task(worker, staged), OF_GROUPS
        begin_groups(worker)
    begins = "" if writer.copies.shift else own_slots(worker)
    taken = worker.unit.call(name, n.Name("next_task"), *map(n.Name, told))
    take = [n.Assign(n.Name("taken"), taken)]
    writer.add("""
        warps = np.int32(threads >> 5)
        next_task = np.int32(me >> 5)
    """)
    if settles:
        begin_open(worker)
    writer.put(take)
    with writer.block("while next_task < tasks:"):
        writer.add("""
            task = next_task
            lanes, part, hub, index, v, slot, end = taken
        """)
        if settles:
            next_open(worker)
        else:
            writer.add("next_task = np.int32(next_task + warps)")
        writer.put(take)
        writer.add(begins)
        yield
    if settles:
        writer.add(f"""
            cuda.syncwarp()  # all have read how many there were: a warp without any comes at once
            if not pieces and lane == 0: {open_lists(worker)[1]}[me >> 5] = still_open
        """)


@contextlib.contextmanager
def one_each(worker: CudaWorker) -> Iterator[None]:
    """Write the walk of threads over receivers that stay where they are: names as `groups` has.

    Where the next receiver's slots are is read while a thread is at work on this one's.
    """
    writer, number = worker.writer, worker.number
    first = writer.graph("gather_first")
    with writer.around(f"""
        lanes, part, index = np.int32(1), np.int32(0), {worker.signed}(0)
        size = {number}({worker.vertices})
        ahead = {number}(me)
        next_slot, next_end = {number}(0), {number}(0)
        if ahead < size:
            next_slot = {number}({first}[ahead])
            next_end = {number}({first}[ahead + ONE])
        while ahead < size:
            v, slot, end = ahead, next_slot, next_end
            ahead = {number}(ahead + threads)
            row = ahead if ahead < size else v
            next_slot = {number}({first}[row])
            next_end = {number}({first}[row + ONE])
            ...
    """):
        yield


def open_lists(worker: CudaWorker) -> tuple[str, str]:
    """Name the lists of the tasks whose receivers are open, one for each warp, and their lengths.

    Those of a warp stand as far apart as its tasks do when all are open.
    """
    number, scratch = worker.launch.number, worker.writer.scratch
    return scratch(f"open{number}", "int32", "V+64"), scratch(f"num_open{number}", "int32", "B*32")


def begin_open(worker: CudaWorker) -> None:
    """Write with which task a warp begins: its first, or the first that is open."""
    place = own_text(worker.launch.number, Own.IS_SETTLING)
    tasks, lengths = open_lists(worker)
    worker.writer.add(f"""
        listed = {place} != 0 and not pieces
        number = np.int32(0)
        still_open = np.int32(0)
        num_own = {lengths}[me >> 5] if listed else np.int32(0)
        if listed:
            next_task = {tasks}[me >> 5] if num_own > 0 else tasks
    """)


def next_open(worker: CudaWorker) -> None:
    """Write which task a warp takes next: all of its own at first, then those that are open."""
    tasks, _ = open_lists(worker)
    worker.writer.add(f"""
        number = np.int32(number + 1)
        next_task = np.int32(next_task + warps)
        if listed:
            next_task = {tasks}[(me >> 5) + number * warps] if number < num_own else tasks
    """)


def begin_groups(worker: CudaWorker) -> None:
    """Write what all tasks of a walk share."""
    bins = worker.writer.graph("pull_bins")
    worker.writer.add(f"""
        lane = np.int32(cuda.laneid)
        hubs = np.int32(0 if pieces else state[NUM_HUBS])
        tasks = np.int32(state[NUM_PIECES] if pieces else hubs + {bins}[23])
        bounds = bounds_of({bins})
        ordered = state[HAS_ORDER] != 0
        count = {worker.signed}({worker.vertices})
    """)


def begin_copies(worker: CudaWorker) -> None:
    """Write what all tasks of a walk over a batch share."""
    shift = worker.writer.copies.shift
    worker.writer.add(f"""
        lane = np.int32(cuda.laneid)
        ordered = state[HAS_ORDER] != 0
        hubs = np.int64(0 if pieces else state[NUM_HUBS] << {shift})
        count = np.int64(state[NUM_PIECES] << {shift} if pieces else {worker.vertices} - hubs)
        first_tasks = np.int32((hubs + 31) >> 5)
        tasks = np.int32(first_tasks + ((count + 31) >> 5))
    """)


def slots_of_rows(writer: Writer, staged: bool) -> tuple[str, str, str, str]:
    """Name where slots of receivers begin, the receivers of pieces, and the bounds of their slots.

    The slots of staged messages stand in the order of the receivers, so that a group need not wait
    for its receiver's id.
    """
    first, slots = ("gather_first", "gather") if staged else ("first_in", "pull")
    names = (first, "pull_piece_vertex", f"{slots}_piece_begin", f"{slots}_piece_end")
    return tuple(map(writer.graph, names))  # type: ignore[return-value]


def take_copies(worker: CudaWorker, staged: bool) -> str:
    """Write the function that says what a lane does in a warp's task, where lanes are copies."""
    writer, number = Writer(worker.unit.buffers), worker.number
    copies = writer.copies = worker.writer.copies
    order = writer.graph("pull_order")
    first, vertex, begin, end = slots_of_rows(writer, staged)
    row = "np.uint64(index)" if staged else copies.vertex("v")
    writer.add(f"""
        hub, index = np.int32(-1), {worker.signed}(-1)
        v, slot, end = {number}(0), {number}(0), {number}(0)
        is_hub = task < first_tasks
        place = (np.int64(task if is_hub else task - first_tasks) << 5) + lane
        if task < tasks and place < (hubs if is_hub else count):
            at = {worker.signed}((place if is_hub else place + hubs) >> {copies.shift})
            index = at
            if pieces:
                v = {number}({copies.like(f"{vertex}[at]", "place")})
                slot = {number}({begin}[at])
                end = {number}({end}[at])
            else:
                v = {number}({order}[{number}(at)] if ordered else {number}(at))
                v = {number}({copies.like("v", "place")})
                if is_hub:
                    hub = np.int32(at)
                else:
                    slot = {number}({first}[{row}])
                    end = {number}({first}[{row} + ONE])
        return np.int32(1), np.int32(0), hub, index, v, slot, end
    """)
    name = f"{worker.name}_task"
    worker.unit.finish(name, "@device", ("task", *OF_COPIES), writer)
    return name


def take_task(worker: CudaWorker, staged: bool) -> str:
    """Write the function that says what a lane does in a warp's task."""
    writer, number = Writer(worker.unit.buffers), worker.number
    order = writer.graph("pull_order")
    first, vertex, begin, end = slots_of_rows(writer, staged)
    row = f"{number}(index)" if staged else "v"
    with writer.around(f"""
        lanes, part, hub, index = np.int32(32), lane, np.int32(-1), {worker.signed}(-1)
        v, slot, end = {number}(0), {number}(0), {number}(0)
        if task < tasks:
            if pieces:
                index = task
                v = {number}({vertex}[task])
                slot = {number}({begin}[task])
                end = {number}({end}[task])
            elif task < hubs:
                hub, index = task, task
                v = {number}({order}[task])
            else:
                ...
        return lanes, part, hub, index, v, slot, end
    """):
        find_group(worker, writer)
        find_slots(worker, writer, f"{first}[{row}]", f"{first}[{row} + ONE]")
    name = f"{worker.name}_task"
    worker.unit.finish(name, "@device", ("task", *OF_GROUPS), writer)
    return name


def find_group(worker: CudaWorker, writer: Writer) -> None:
    """Write which receiver the group of a lane has in a task, and the lane's place in the group."""
    bins, signed = writer.graph("pull_bins"), worker.signed
    writer.add(f"""
        if ordered:
            lanes, row = group_of({bins}, bounds, np.int32(task - hubs), lane)
            index = {signed}(row)
            part = np.int32(lane & (lanes - 1))
        else:  # a lane for each receiver
            lanes, part = np.int32(1), np.int32(0)
            row = {signed}(task * 32 + lane)
            index = {signed}(row if row < count else -1)
    """)


def find_slots(worker: CudaWorker, writer: Writer, begin: str, end: str) -> None:
    """Write the receiver of a group that has one, and its slots."""
    number, order = worker.number, writer.graph("pull_order")
    writer.add(f"""
        if index >= 0:
            v = {number}({order}[{number}(index)] if ordered else index)
            slot = {number}({begin})
            end = {number}({end})
    """)


def own_slots(worker: CudaWorker) -> str:
    """Return the line from which on ``slot`` is a lane's own first one, no longer its group's.

    It stands where a task is begun: where it is taken, it would wait for what is read ahead.
    """
    return f"slot = {worker.number}(slot + part)"


def next_slots(worker: CudaWorker) -> list[str]:
    """Write the next slots of a lane, several at a time; return their names."""
    for k in range(1, TOGETHER):
        worker.writer.add(f"slot_{k} = {worker.number}(slot + lanes * {k})")
    return ["slot", *(f"slot_{k}" for k in range(1, TOGETHER))]


def read_inside(worker: CudaWorker, array: str, slots: list[str], stem: str) -> list[str]:
    """Write what an array has at some slots, the loads side by side; return what they are called.

    A slot past the end is not read, as each place that is read costs time, and is 0.
    """
    names = [f"{stem}_{k}" for k in range(len(slots))]
    for name, slot in zip(names, slots, strict=True):
        read = f"{worker.number}({worker.writer.copies.like(f'{array}[{slot}]', 'v')})"
        nothing = f"{worker.number}(0)"
        worker.writer.add(f"{name} = {if_inside(read, slot, slots, nothing)}")
    return names


def if_inside(text: str, slot: str, slots: list[str], nothing: str) -> str:
    """Return the text of what is read of a slot, of nothing past the end; the first is inside."""
    return text if slot == slots[0] else f"{text} if {slot} < end else {nothing}"


def read_slots(worker: CudaWorker, array: str, slots: list[str], stem: str) -> list[str]:
    """Write what an array has at some slots, the loads side by side; return what they are called.

    A slot past the end is read as the first one again, which is in the cache.
    """
    names = [f"{stem}_{k}" for k in range(len(slots))]
    for name, slot in zip(names, slots, strict=True):
        at = slot if slot == slots[0] else f"{slot} if {slot} < end else {slots[0]}"
        read = worker.writer.copies.like(f"{array}[{at}]", "v")
        worker.writer.add(f"{name} = {worker.number}({read})")
    return names
