"""A sweep of receivers on a GPU: every warp goes over its own tasks in rounds, without a barrier.

Chaotic relaxation (Chazan and Miranker, 1969), as Alabandi, Powers and Burtscher do it by hand
(PPoPP 2020), with few tasks under way: a round is what the last one left open, and some tasks that
follow, in the order in which all warps take theirs. So whom they wait for has mostly been before
them, which saves four of five looks on a uniform graph (docs/design/measured_library.md). After a
round that was done with nobody there is room for one task more, so that nobody waits for those that
do not get their turn.

Of receivers with many lanes, tasks stay open as a whole; those with a lane each are listed one by
one, and 32 of them make up a task when they look again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from emv.codegen.cuda.early import held_first
from emv.codegen.cuda.groups import find_group, find_slots
from emv.codegen.cuda.keeping import first_arcs, kept_arcs
from emv.codegen.cuda.pulling import merge_lanes, start, step_all, take, tracks
from emv.codegen.keeping import passed_body
from emv.codegen.sending import RECEIVE, SEND, guard_text, hoist
from emv.codegen.state import IS_SETTLING, place_of_launch
from emv.codegen.statements import StatementText
from emv.codegen.writer import Writer
from emv.ir import body as b
from emv.ir import nodes as n

# What a warp's next task is told by: the task itself, and what all tasks have in common.
TASK = ("next_task", "single", "lane", "hubs", "tasks", "bounds", "ordered", "count")


def lists_of(worker: Any) -> tuple[str, str, str]:
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


def take_own(worker: Any) -> str:
    """Write the function that says what a lane does in a warp's task, where no row is cut.

    A hub has a warp like other long rows. The task -1 is receivers of one lane each, of which every
    lane is told its own as ``single``.
    """
    writer, number, signed = Writer(worker.unit.buffers), worker.number, worker.signed
    first = writer.graph("first_in")
    writer.add(f"lanes, part, index = np.int32(32), lane, {signed}(-1)")
    writer.add(f"v, slot, end = {number}(0), {number}(0), {number}(0)")
    with writer.block("if task < 0:"):
        writer.add("lanes, part, index = np.int32(1), np.int32(0), single")
    with writer.block("elif task < hubs:"):
        writer.add(f"index = {signed}(task)")
    with writer.block("elif task < tasks:"):
        find_group(worker, writer)
    find_slots(worker, writer, f"{first}[v]", f"{first}[v + ONE]")
    writer.add("return lanes, part, index, v, slot, end")
    name = f"{worker.name}_task"
    worker.unit.finish(name, "@device", ("task", *TASK[1:]), writer)
    return name


def pull_in_rounds(text: Any) -> None:
    """Write the phase in which receivers look until none of them waits."""
    launch, worker = text.launch, text.worker("pull")
    writer, receive = worker.writer, launch.receive
    worker.scalar_arguments(launch.send, launch.args, SEND)
    worker.scalar_arguments(receive.function, receive.args, RECEIVE)
    worker.vote_words(receive.function)
    with worker.counted(), rounds(worker):
        early = writer.mark()
        locals_ = start(text, writer)
        if tracks(text):
            writer.add("received = False")
        with writer.block(f"if index >= 0 and {guard_text(text, worker, 'v')}:"):
            walk(text, worker, locals_)
        merge_lanes(text, writer, locals_)
        with writer.block("if part == 0 and index >= 0:"):
            loads = take(text, worker, locals_)
        writer.insert(early, held_first(loads))
    text.phase(worker)
    text.serial(f"state[{text.length + IS_SETTLING}] = 1")


def walk(text: Any, worker: Any, locals_: list[list[str]]) -> None:
    """Write the loop over all arcs, which keeps those that pass, and later over those alone."""
    writer, name, body = worker.writer, text.launch.send.name, passed_body(text.launch)

    def on_send(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        step_all(text, writer, locals_, values)

    place = worker.place(SEND, {"dst": "v"}, {}, on_send=on_send)
    hoist(worker, place, body, "dst")
    with writer.block("if is_first:"):
        for at in first_arcs(worker, place, body):
            StatementText(writer, at, name, body).paste()
    with writer.block("else:"):
        for at in kept_arcs(worker, place, body):
            StatementText(writer, at, name, body).paste()


@contextlib.contextmanager
def rounds(worker: Any) -> Iterator[None]:
    """Write the walk of warps over receivers until none of them waits: names as `groups` has them.

    ``is_new`` is whether nobody has looked at the task before.
    """
    writer, name = worker.writer, take_own(worker)
    begin(worker)
    with writer.block("while True:"):
        writer.add("\n".join((*ROUND, *next_lines(worker))))
        with writer.block("while next_task < tasks:"):
            taken = worker.unit.call(name, *map(n.Name, TASK))
            told = writer.node("lanes, part, index, v, slot, end")
            writer.put([n.Assign(told, taken)])
            writer.add("task, is_first = next_task, is_new")
            writer.add("\n".join(next_lines(worker)))
            yield
            list_open(worker)
        writer.add("\n".join(ROUND_IS_OVER))
    writer.add("keep_going = was_last | waits")
    with writer.block("if lane == 0:"):
        lengths = lists_of(worker)[2]
        writer.add(f"{lengths}[own] = still_open")
        writer.add(f"{lengths}[own + warps] = still_single")


def begin(worker: Any) -> None:
    """Write what a warp knows before its first round: what is open, or that all is."""
    writer, place = worker.writer, place_of_launch(worker.launch.number) + IS_SETTLING
    lengths, bins = lists_of(worker)[2], writer.graph("pull_bins")
    writer.add("lane = np.int32(cuda.laneid)")
    writer.add("pieces = False  # of rows")
    writer.add("hubs = np.int32(state[NUM_HUBS])")
    writer.add(f"tasks = np.int32(hubs + {bins}[23])")
    writer.add(f"bounds = bounds_of({bins})")
    writer.add("ordered = state[HAS_ORDER] != 0")
    writer.add(f"count = {worker.signed}({worker.vertices})")
    writer.add("warps = np.int32(threads >> 5)")
    writer.add("own = np.int32(me >> 5)")
    writer.add(f"listed = state[{place}] != 0")
    writer.add(f"still_open = {lengths}[own] if listed else np.int32(0)")
    writer.add(f"still_single = {lengths}[own + warps] if listed else np.int32(0)")
    writer.add("unseen = tasks if listed else own")
    writer.add("room = np.int32(WINDOW)")
    writer.add("was_last = 0")


ROUND = (
    "num_open = still_open",
    "num_single = still_single",
    "still_open = np.int32(0)",
    "still_single = np.int32(0)",
    "number = np.int32(0)",
    "waits = 0",
    "is_done = False  # with anybody",
)
ROUND_IS_OVER = (
    "cuda.syncwarp()  # what some lanes have listed, all read",
    "room = np.int32(WINDOW if is_done else room + 1)",
    "is_waiting = cuda.ballot_sync(ALL, waits != 0) != 0",
    "if unseen >= tasks and (not is_waiting or room > TRIES):",
    "    break",
    "if room > TRIES:  # the others get their turn before the warp waits for all",
    "    room = tasks",
)


def next_lines(worker: Any) -> list[str]:
    """Return the lines that take the next task: an open one, open receivers, or an unseen one."""
    tasks, singles, _ = lists_of(worker)
    place = entry_of(worker, "chunk", "lane")
    return [
        f"single = {worker.signed}(-1)",
        "is_new = False",
        "chunk = np.int32(number - num_open)",
        "if chunk < 0:",
        f"    next_task = {tasks}[np.int32(own + number * warps)]",
        "    number = np.int32(number + 1)",
        "elif np.int32(chunk << 5) < num_single:",
        "    next_task = np.int32(-1)",
        "    if np.int32((chunk << 5) + lane) < num_single:",
        f"        single = {singles}[{place}]",
        "    number = np.int32(number + 1)",
        "elif unseen < tasks and np.int32(still_open + (still_single >> 5)) < room:",
        "    next_task = unseen",
        "    is_new = True",
        "    unseen = np.int32(unseen + warps)",
        "else:",
        "    next_task = tasks",
    ]


def entry_of(worker: Any, chunk: str, lane: str) -> str:
    """Return the text of where an open receiver of a warp is listed, 32 of them side by side."""
    number = worker.number
    return f"{number}(np.int32(own + {chunk} * warps)) * {number}(32) + {number}({lane})"


def list_open(worker: Any) -> None:
    """Write the entry of a task, or of its receivers, into the warp's list if they are open still.

    A vote of one that is done is for good, that of an open one counts until it looks again.
    """
    writer = worker.writer
    tasks, singles, _ = lists_of(worker)
    writer.add("is_open = False")
    with writer.block("if part == 0 and index >= 0:"):
        writer.add(f"is_open = {guard_text(worker, worker, 'v')}")
    writer.add("open_now = np.uint32(cuda.ballot_sync(ALL, is_open))")
    with writer.block("if lanes == 1:"):
        writer.add("is_done = is_done or open_now != np.uint32(cuda.ballot_sync(ALL, index >= 0))")
        with writer.block("if is_open:"):
            below = "np.uint32(open_now & np.uint32(np.uint32(1 << lane) - np.uint32(1)))"
            writer.add(f"place = np.int32(still_single + cuda.popc({below}))")
            at = entry_of(worker, "(place >> 5)", "place & 31")
            writer.add(f"{singles}[{at}] = index")
        writer.add("still_single = np.int32(still_single + cuda.popc(open_now))")
    with writer.block("elif open_now != 0:"):
        with writer.block("if lane == 0:"):
            writer.add(f"{tasks}[np.int32(own + still_open * warps)] = task")
        writer.add("still_open = np.int32(still_open + 1)")
    with writer.block("else:"):
        writer.add("is_done = True")
    with writer.block("if keep_going != 0:"):
        writer.add("keep_going = 0")
        with writer.block("if is_open:"):
            writer.add("waits = 1")
        with writer.block("else:"):
            writer.add("was_last = 1")
