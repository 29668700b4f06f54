"""The walk of warps over receivers, as many lanes per receiver as it has arcs for.

Receivers stand in the order of their in-degrees, in bins of 32, 16, 8, 4, 2 and 1 lanes each (see
`emv.graph.pull`). A hub's slots are cut into pieces, which are walked first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from emv.codegen.cuda.threads import FIRST
from emv.codegen.effects import EVERYTHING
from emv.codegen.state import IS_SETTLING, place_of_launch
from emv.codegen.writer import Writer
from emv.ir import nodes as n


def call_twice(text: Any, worker: Any) -> None:
    """Write the calls of the work function: for pieces if there are any, then for receivers."""
    worker.first = (*FIRST, "pieces")
    worker.finish()
    text.program.flush()
    text.program.name_phase(worker.name)
    with text.writer.block("for whole in range(0 if has_pieces > 0 else 1, 2):"):
        text.writer.add("pieces = whole == 0")
        text.program.call(worker)
        with text.writer.block("if pieces:"):
            text.program.barrier()
    text.program.is_dirty, text.program.access, text.program.last = True, EVERYTHING, None
    for partial in worker.partials:
        text.program.fold_partials(partial)


@contextlib.contextmanager
def groups(worker: Any, staged: bool, settles: bool = False) -> Iterator[None]:
    """Write the walk of warps over pieces or receivers: ``v``, ``slot``, ``end``, ``lanes``.

    ``task`` is what the warp does, ``part`` the place of a lane in its group, ``index`` -1 where a
    group has nothing to do, and ``hub`` the number of a receiver whose pieces are folded already,
    else -1. What a warp does next is read while it is still at work on what it does now.
    """
    writer = worker.writer
    if writer.copies.shift:
        name = take_copies(worker, staged)
        known = begin_copies(worker)
    else:
        name = take_task(worker, staged)
        known = begin_groups(worker)
    taken = worker.unit.call(name, n.Name("next_task"), *map(n.Name, known))
    take = [n.Assign(n.Name("taken"), taken)]
    writer.add("warps = np.int32(threads >> 5)")
    writer.add("next_task = np.int32(me >> 5)")
    step = ["next_task = np.int32(next_task + warps)"]
    if settles:
        step = open_tasks(worker)
    writer.put(take)
    with writer.block("while next_task < tasks:"):
        writer.add("task = next_task")
        writer.add("lanes, part, hub, index, v, slot, end = taken")
        writer.add("\n".join(step))
        writer.put(take)
        yield
    if settles:
        with writer.block("if not pieces and lane == 0:"):
            writer.add(f"{open_arrays(worker)[1]}[me >> 5] = still_open")


def open_arrays(worker: Any) -> tuple[str, str]:
    """Name the lists of the tasks whose receivers are open, one for each warp, and their lengths.

    Those of a warp stand as far apart as its tasks do when all are open.
    """
    number, scratch = worker.launch.number, worker.writer.scratch
    return scratch(f"open{number}", "int32", "V+64"), scratch(f"num_open{number}", "int32", "B*32")


def open_tasks(worker: Any) -> list[str]:
    """Write which tasks a warp takes: all of its own at first, then those that are open.

    Returns
    -------
    list of str
        The lines that take the next one.
    """
    writer, place = worker.writer, place_of_launch(worker.launch.number) + IS_SETTLING
    tasks, lengths = open_arrays(worker)
    writer.add(f"listed = state[{place}] != 0 and not pieces")
    writer.add("number = np.int32(0)")
    writer.add("still_open = np.int32(0)")
    writer.add(f"num_own = {lengths}[me >> 5] if listed else np.int32(0)")
    with writer.block("if listed:"):
        writer.add(f"next_task = {tasks}[me >> 5] if num_own > 0 else tasks")
    return [
        "number = np.int32(number + 1)",
        "next_task = np.int32(next_task + warps)",
        "if listed:",
        f"    next_task = {tasks}[(me >> 5) + number * warps] if number < num_own else tasks",
    ]


def begin_groups(worker: Any) -> list[str]:
    """Write what all tasks of a walk share; return what is handed to `take_task`."""
    writer = worker.writer
    bins = writer.graph("pull_bins")
    writer.add("lane = np.int32(cuda.laneid)")
    writer.add("hubs = np.int32(0 if pieces else state[NUM_HUBS])")
    writer.add(f"tasks = np.int32(state[NUM_PIECES] if pieces else hubs + {bins}[23])")
    writer.add(f"bounds = bounds_of({bins})")
    writer.add("ordered = state[HAS_ORDER] != 0")
    writer.add(f"count = {worker.signed}({worker.vertices})")
    return ["lane", "pieces", "hubs", "tasks", "bounds", "ordered", "count"]


def begin_copies(worker: Any) -> list[str]:
    """Write what all tasks of a walk over a batch share; return what is handed to `take_copies`.

    A task is 32 copies that follow one another: of hubs first, then of all other receivers.
    """
    writer, shift = worker.writer, worker.writer.copies.shift
    writer.add("lane = np.int32(cuda.laneid)")
    writer.add("ordered = state[HAS_ORDER] != 0")
    writer.add(f"hubs = np.int64(0 if pieces else state[NUM_HUBS] << {shift})")
    rest = f"state[NUM_PIECES] << {shift} if pieces else {worker.vertices} - hubs"
    writer.add(f"count = np.int64({rest})")
    writer.add("first_tasks = np.int32((hubs + 31) >> 5)")
    writer.add("tasks = np.int32(first_tasks + ((count + 31) >> 5))")
    return ["lane", "pieces", "ordered", "hubs", "count", "first_tasks", "tasks"]


def take_copies(worker: Any, staged: bool) -> str:
    """Write the function that says what a lane does in a warp's task, where lanes are copies.

    Neighbouring lanes are copies of one vertex: they read the same slot, and entries of columns
    that lie side by side. Each lane folds all slots of its copy.
    """
    writer, number = Writer(worker.unit.buffers), worker.number
    copies = writer.copies = worker.writer.copies
    order = writer.graph("pull_order")
    first = writer.graph("gather_first" if staged else "first_in")
    slots = "gather" if staged else "pull"
    vertex = writer.graph("pull_piece_vertex")
    begin, end = writer.graph(f"{slots}_piece_begin"), writer.graph(f"{slots}_piece_end")
    row = "np.uint64(index)" if staged else copies.vertex("v")
    writer.add(f"hub, index = np.int32(-1), {worker.signed}(-1)")
    writer.add(f"v, slot, end = {number}(0), {number}(0), {number}(0)")
    writer.add("is_hub = task < first_tasks")
    writer.add("place = (np.int64(task if is_hub else task - first_tasks) << 5) + lane")
    with writer.block("if task < tasks and place < (hubs if is_hub else count):"):
        writer.add(f"at = {worker.signed}((place if is_hub else place + hubs) >> {copies.shift})")
        writer.add("index = at")
        with writer.block("if pieces:"):
            writer.add(f"v = {number}({copies.like(f'{vertex}[at]', 'place')})")
            writer.add(f"slot = {number}({begin}[at])")
            writer.add(f"end = {number}({end}[at])")
        with writer.block("else:"):
            at = f"{order}[{number}(at)] if ordered else {number}(at)"
            writer.add(f"v = {number}({at})")
            writer.add(f"v = {number}({copies.like('v', 'place')})")
            with writer.block("if is_hub:"):
                writer.add("hub = np.int32(at)")
            with writer.block("else:"):
                writer.add(f"slot = {number}({first}[{row}])")
                writer.add(f"end = {number}({first}[{row} + ONE])")
    writer.add("return np.int32(1), np.int32(0), hub, index, v, slot, end")
    name = f"{worker.name}_task"
    told = ("task", "lane", "pieces", "ordered", "hubs", "count", "first_tasks", "tasks")
    worker.unit.finish(name, "@device", told, writer)
    return name


def take_task(worker: Any, staged: bool) -> str:
    """Write the function that says what a lane does in a warp's task.

    The slots of staged messages stand in the order of the receivers, so that a group need not wait
    for its receiver's id.
    """
    writer, number = Writer(worker.unit.buffers), worker.number
    order = writer.graph("pull_order")
    first = writer.graph("gather_first" if staged else "first_in")
    slots = "gather" if staged else "pull"
    vertex = writer.graph("pull_piece_vertex")
    begin, end = writer.graph(f"{slots}_piece_begin"), writer.graph(f"{slots}_piece_end")
    row = f"{number}(index)" if staged else "v"
    writer.add(f"lanes, part, hub, index = np.int32(32), lane, np.int32(-1), {worker.signed}(-1)")
    writer.add(f"v, slot, end = {number}(0), {number}(0), {number}(0)")
    with writer.block("if task < tasks:"):
        with writer.block("if pieces:"):
            writer.add("index = task")
            writer.add(f"v = {number}({vertex}[task])")
            writer.add(f"slot = {number}({begin}[task] + lane)")
            writer.add(f"end = {number}({end}[task])")
        with writer.block("elif task < hubs:"):
            writer.add("hub, index = task, task")
            writer.add(f"v = {number}({order}[task])")
        with writer.block("else:"):
            find_group(worker, writer)
            find_slots(worker, writer, f"{first}[{row}]", f"{first}[{row} + ONE]")
    writer.add("return lanes, part, hub, index, v, slot, end")
    name = f"{worker.name}_task"
    first_arguments = ("task", "lane", "pieces", "hubs", "tasks", "bounds", "ordered", "count")
    worker.unit.finish(name, "@device", first_arguments, writer)
    return name


def find_group(worker: Any, writer: Writer) -> None:
    """Write which receiver the group of a lane has in a task, and the lane's place in the group."""
    bins, signed = writer.graph("pull_bins"), worker.signed
    with writer.block("if ordered:"):
        writer.add(f"lanes, row = group_of({bins}, bounds, np.int32(task - hubs), lane)")
        writer.add(f"index = {signed}(row)")
        writer.add("part = np.int32(lane & (lanes - 1))")
    with writer.block("else:  # a lane for each receiver"):
        writer.add("lanes, part = np.int32(1), np.int32(0)")
        writer.add(f"row = {signed}(task * 32 + lane)")
        writer.add(f"index = {signed}(row if row < count else -1)")


def find_slots(worker: Any, writer: Writer, begin: str, end: str) -> None:
    """Write the receiver of a group that has one, and the slots of a lane."""
    number, order = worker.number, writer.graph("pull_order")
    with writer.block("if index >= 0:"):
        writer.add(f"v = {number}({order}[{number}(index)] if ordered else index)")
        writer.add(f"slot = {number}({begin} + part)")
        writer.add(f"end = {number}({end})")
