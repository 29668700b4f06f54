"""A sweep of receivers on a GPU: every warp goes over its own tasks in rounds, without a barrier.

Chaotic relaxation (Chazan and Miranker, 1969), as Alabandi, Powers and Burtscher do it by hand
(PPoPP 2020), with few tasks under way: a round is what the last one left open, and some tasks that
follow, in the order in which all warps take theirs. So whom they wait for has mostly been before
them, which saves four of five looks on a uniform graph (docs/design/measured_library.md). After a
round that was done with nobody there is room for one task more, so that nobody waits for those that
do not get their turn.

Of receivers with many lanes, tasks stay open as a whole; those with a lane each are listed one by
one, and 32 of them make up a task when they look again. Before they are listed they look some more
times, where each lane has all of its kept arcs at hand: whom they wait for is mostly under way.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from emv.codegen.accumulators import Accumulators
from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.cuda.groups import find_group, find_slots, own_slots
from emv.codegen.cuda.kept_lanes import (
    begin_held,
    place_of_kept,
    walk_first,
    walk_held,
    walk_kept,
)
from emv.codegen.cuda.pull_lanes import fold_receiver
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.pull import start_receivers
from emv.codegen.rows import Senders
from emv.codegen.sending import guard_text
from emv.codegen.state import Own, own_text
from emv.codegen.writer import Writer
from emv.ir import nodes as n

# What a warp's next task is told by: the task itself, and what all tasks have in common.
TASK = ("next_task", "single", "lane", "hubs", "tasks", "bounds", "ordered", "count")


def lists_of(worker: CudaWorker) -> tuple[str, str, str]:
    """Name the lists of open tasks and of open receivers, and the lengths of both, by warps.

    The entries of a warp stand as far apart as its tasks do when all are open; those of receivers
    32 at a time, so that the last chunk of each of the up to 32 warps of a block needs room beside.
    """
    number, scratch = worker.launch.number, worker.writer.scratch
    ids = worker.unit.ids.removeprefix("u")
    return (
        scratch(f"open{number}", "int32", "V+64"),
        scratch(f"singles{number}", ids, "V+B*2048+32"),
        scratch(f"num_open{number}", "int32", "B*64"),
    )


def take_own(worker: CudaWorker) -> str:
    """Write the function that says what a lane does in a warp's task, where no row is cut.

    A hub has a warp like other long rows. The task -1 is receivers of one lane each, of which every
    lane is told its own as ``single``.
    """
    writer, number, signed = Writer(worker.unit.buffers), worker.number, worker.signed
    first = writer.graph("first_in")
    with writer.around(f"""
        lanes, part, index = np.int32(32), lane, {signed}(-1)
        v, slot, end = {number}(0), {number}(0), {number}(0)
        if task < 0:
            lanes, part, index = np.int32(1), np.int32(0), single
        elif task < hubs:
            index = {signed}(task)
        elif task < tasks:
            ...
    """):
        find_group(worker, writer)
    find_slots(worker, writer, f"{first}[v]", f"{first}[v + ONE]")
    writer.add("return lanes, part, index, v, slot, end")
    name = f"{worker.name}_task"
    worker.unit.finish(name, "@device", ("task", *TASK[1:]), writer)
    return name


def fold_in_rounds(text: CudaLaunch, senders: Senders) -> None:
    """Write the phase in which receivers look until none of them waits."""
    worker = text.worker("pull")
    writer = worker.writer
    start_receivers(text, worker)

    def walk(folded: Accumulators) -> None:
        """Write the loop over all arcs, which keeps those that pass, and later over those alone."""
        place = place_of_kept(worker, folded)
        with writer.block("if is_first:"):
            walk_first(worker, place)
        with writer.block("else:"):
            walk_kept(worker, place)

    def look_again(folded: Accumulators) -> None:
        walk_held(worker, place_of_kept(worker, folded))

    with worker.counted(), rounds(text, worker):
        begin_held(worker)
        fold_receiver(text, worker, walk)
        with at_once(text, worker):
            fold_receiver(text, worker, look_again, has_lanes=False)
    text.phase(worker)
    text.serial(f"{text.own(Own.IS_SETTLING)} = 1")


@contextlib.contextmanager
def rounds(text: CudaLaunch, worker: CudaWorker) -> Iterator[None]:
    """Write the walk of warps over receivers until none of them waits: names as `groups` has them.

    ``is_new`` is whether nobody has looked at the task before.
    """
    writer, name = worker.writer, take_own(worker)
    lengths = lists_of(worker)[2]
    begin(worker)
    with writer.around(f"""
        while True:
            ...
            cuda.syncwarp()  # what some lanes have listed, all read
            room = np.int32(WINDOW if is_done else room + 1)
            is_waiting = cuda.ballot_sync(ALL, waits != 0) != 0
            if unseen >= tasks and (not is_waiting or room > TRIES):
                break
            if room > TRIES:  # the others get their turn before the warp waits for all
                room = tasks
        keep_going = was_last | waits
        if lane == 0:
            {lengths}[own] = still_open
            {lengths}[own + warps] = still_single
    """):
        writer.add("""
            num_open = still_open
            num_single = still_single
            still_open = np.int32(0)
            still_single = np.int32(0)
            number = np.int32(0)
            waits = 0
            is_done = False  # with anybody
        """)
        next_task(worker)
        with writer.block("while next_task < tasks:"):
            taken = worker.unit.call(name, *map(n.Name, TASK))
            told = writer.node("lanes, part, index, v, slot, end")
            writer.put([n.Assign(told, taken)])
            writer.add(own_slots(worker))
            writer.add("task, is_first = next_task, is_new")
            next_task(worker)
            yield
            list_open(text, worker)


def begin(worker: CudaWorker) -> None:
    """Write what a warp knows before its first round: what is open, or that all is."""
    writer, place = worker.writer, own_text(worker.launch.number, Own.IS_SETTLING)
    lengths, bins = lists_of(worker)[2], writer.graph("pull_bins")
    writer.add(f"""
        lane = np.int32(cuda.laneid)
        hubs = np.int32(state[NUM_HUBS])
        tasks = np.int32(hubs + {bins}[23])
        bounds = bounds_of({bins})
        ordered = state[HAS_ORDER] != 0
        count = {worker.signed}({worker.vertices})
        warps = np.int32(threads >> 5)
        own = np.int32(me >> 5)
        listed = {place} != 0
        still_open = {lengths}[own] if listed else np.int32(0)
        still_single = {lengths}[own + warps] if listed else np.int32(0)
        unseen = tasks if listed else own
        room = np.int32(WINDOW)
        was_last = 0
    """)


def next_task(worker: CudaWorker) -> None:
    """Write which task is taken next: an open one, open receivers, or an unseen one."""
    tasks, singles, _ = lists_of(worker)
    worker.writer.add(f"""
        single = {worker.signed}(-1)
        is_new = False
        chunk = np.int32(number - num_open)
        if chunk < 0:
            next_task = {tasks}[np.int32(own + number * warps)]
            number = np.int32(number + 1)
        elif np.int32(chunk << 5) < num_single:
            next_task = np.int32(-1)
            if np.int32((chunk << 5) + lane) < num_single:
                single = {singles}[{entry_of(worker, "chunk", "lane")}]
            number = np.int32(number + 1)
        elif unseen < tasks and np.int32(still_open + (still_single >> 5)) < room:
            next_task = unseen
            is_new = True
            unseen = np.int32(unseen + warps)
        else:
            next_task = tasks
    """)


def entry_of(worker: CudaWorker, chunk: str, lane: str) -> str:
    """Return the text of where an open receiver of a warp is listed, 32 of them side by side."""
    number = worker.number
    return f"{number}(np.int32(own + {chunk} * warps)) * {number}(32) + {number}({lane})"


def ask_open(text: CudaLaunch, worker: CudaWorker) -> None:
    """Write whether a lane has a receiver that is open still."""
    owned = worker.owned("v")
    worker.writer.add(f"""
        is_open = False
        if part == 0 and index >= 0{owned and f" and {owned}"}:
            is_open = {guard_text(text.launch, worker, "v")}
    """)


@contextlib.contextmanager
def at_once(text: CudaLaunch, worker: CudaWorker) -> Iterator[None]:
    """Write a loop of looks of those that are open, where lanes have their arcs at hand.

    What an open one has voted counts until it looks again.
    """
    ask_open(text, worker)
    with worker.writer.around("""
        looks = np.int32(AT_ONCE if cuda.all_sync(ALL, lanes == 1 and holds) else 0)
        while looks > 0 and cuda.ballot_sync(ALL, is_open) != 0:
            looks = np.int32(looks - 1)
            if is_open:
                keep_going = 0
            ...
    """):
        yield
        ask_open(text, worker)


def list_open(text: CudaLaunch, worker: CudaWorker) -> None:
    """Write the entry of a task, or of its receivers, into the warp's list if they are open still.

    A vote of one that is done is for good, that of an open one counts until it looks again.
    """
    tasks, singles, _ = lists_of(worker)
    worker.writer.add(f"""
        open_now = np.uint32(cuda.ballot_sync(ALL, is_open))
        if lanes == 1:
            is_done = is_done or open_now != np.uint32(cuda.ballot_sync(ALL, index >= 0))
            if is_open:
                earlier = np.uint32(open_now & np.uint32(np.uint32(1 << lane) - np.uint32(1)))
                place = np.int32(still_single + cuda.popc(earlier))
                {singles}[{entry_of(worker, "(place >> 5)", "place & 31")}] = index
            still_single = np.int32(still_single + cuda.popc(open_now))
        elif open_now != 0:
            if lane == 0:
                {tasks}[np.int32(own + still_open * warps)] = task
            still_open = np.int32(still_open + 1)
        else:
            is_done = True
        if keep_going != 0:
            keep_going = 0
            if is_open:
                waits = 1
            else:
                was_last = 1
    """)
