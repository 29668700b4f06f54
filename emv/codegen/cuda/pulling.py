"""Pull: receivers fold their in-arcs in registers, as many lanes per receiver as it has arcs for.

Receivers stand in the order of their in-degrees, in bins of 32, 16, 8, 4, 2 and 1 lanes each; the
lanes of a group take every 32nd (16th, ...) slot, and their folds are merged pairwise by shuffles.
A hub is folded in pieces by many warps first; then one warp merges its pieces. Who folds what never
changes, so a float sum comes out the same in every run. A user's combiner may tell a message from
the one after it, so there every lane takes neighbouring slots, and neighbours are merged in order.

Where a message depends on its source alone, it is computed once and kept in the order of
out-degrees, so that what is read most often lies together.
"""

from __future__ import annotations

import contextlib
from typing import Any

from emv.codegen import receiving
from emv.codegen.cuda.early import Loads, early_loads, held_first
from emv.codegen.cuda.groups import call_twice, groups
from emv.codegen.cuda.keeping import kept_arcs, stay_open
from emv.codegen.expressions import as_read, as_stored
from emv.codegen.folding import array_dtype, merge_of, without_initial
from emv.codegen.keeping import passed_body
from emv.codegen.queues import queue_of
from emv.codegen.rows import Rows
from emv.codegen.sending import (
    RECEIVE,
    SEND,
    guard_arguments,
    guard_text,
    hoist,
    paste,
    value_arguments,
)
from emv.codegen.state import IS_SETTLING
from emv.codegen.statements import StatementText
from emv.codegen.stored_walks import drawn_id
from emv.graph.pull import WARP_HUB_ARCS, WARP_PIECE_ARCS
from emv.ir import body as b
from emv.ir import schedule as s

TOGETHER = 4  # messages that a lane gathers at once
PIECES = f"A/{WARP_PIECE_ARCS}+A/{WARP_HUB_ARCS}+2"  # how many pieces of hubs there may be at most


def pull_phases(text: Any) -> None:
    """Write the phases of a pull."""
    dense = text.launch.domain.kind == "all"
    if text.launch.staged:
        stage_phase(text)
    if not dense:
        member_phase(text, is_member=True)
    if text.listed and not text.inline:
        text.serial(f"state[{text.length}] = 0")
    fold_phase(text, dense)
    if not dense:
        member_phase(text, is_member=False)


def members(worker: Any) -> str:
    """Name the bitmap of the vertices that send."""
    return str(worker.writer.scratch("sends", "uint32", "V/32+1", 0))


def member_phase(text: Any, is_member: bool) -> None:
    """Write the phase that sets or clears the bits of the vertices that send."""
    worker = text.worker("enter" if is_member else "leave")
    queue = queue_of(worker, text.launch.domain, text.launch.ids)
    bits = members(worker)
    if text.launch.staged:
        worker.writer.add("placed = state[HAS_POSITION] != 0")
    with worker.ids(queue, "v", ""):
        at = "v"
        if text.launch.staged:  # the receivers know a sender by its position alone
            at = "position"
            write_position(worker)
        if is_member:
            worker.writer.add(f"set_bit({bits}, {at})")
        else:
            worker.writer.add(f"{bits}[np.uint64({at}) >> np.uint64(5)] = 0")
    text.phase(worker)


def write_position(worker: Any) -> None:
    """Write where the message of a sender stands."""
    positions, copies = worker.writer.graph("gather_position"), worker.writer.copies
    place = worker.alike(f"{positions}[{copies.vertex('v')}]", "v")
    worker.writer.add(f"position = {place} if placed else v")


def stage_phase(text: Any) -> None:
    """Write the phase in which every source computes its message."""
    launch, worker = text.launch, text.worker("stage")
    writer = worker.writer
    worker.scalar_arguments(launch.send, launch.args, SEND)
    arrays = receiving.staged_arrays(text, worker)
    writer.add("placed = state[HAS_POSITION] != 0")
    queue = queue_of(worker, launch.domain, launch.ids)

    def on_send(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        kinds = s.component_types(launch.body.message)
        for array, value, kind in zip(arrays, values, kinds, strict=True):
            writer.add(f"{array}[position] = {as_stored(value, kind)}")

    with worker.ids(queue, "v", "state[NUM_VERTICES]"):
        value_arguments(worker, "v")
        write_position(worker)
        place = worker.place(SEND, {"src": "v", "dst": ""}, {}, on_send=on_send)
        paste(worker, place, launch.send, launch.body)
    text.phase(worker)


def fold_phase(text: Any, dense: bool) -> None:
    """Write the walk over the pieces of hubs, then over all receivers."""
    launch, worker = text.launch, text.worker("pull")
    writer = worker.writer
    worker.scalar_arguments(launch.send, launch.args, SEND)
    if text.inline:
        worker.scalar_arguments(launch.receive.function, launch.receive.args, RECEIVE)
        worker.vote_words(launch.receive.function)
    else:
        guard_arguments(worker)
    settles = text.launch.settles and text.inline
    with worker.counted(), groups(worker, launch.staged, settles):
        early = writer.mark()
        locals_ = start(text, writer)
        if tracks(text):
            writer.add("received = False")
        with writer.block("if hub >= 0:"):
            merge_pieces(text, worker, locals_)
        with writer.block("else:"), contextlib.ExitStack() as stack:
            if launch.guard is not None:
                stack.enter_context(writer.block(f"if {guard_text(text, worker, 'v')}:"))
            walk_slots(text, worker, locals_, dense)
        merge_lanes(text, writer, locals_)
        with writer.block("if part == 0 and index >= 0:"):
            with writer.block("if pieces:"):
                keep_piece(text, worker, locals_)
            with writer.block("else:"):
                loads = take(text, worker, locals_)
        if settles:
            stay_open(text, worker)
        writer.insert(early, held_first(loads))
    call_twice(text, worker)
    if settles:
        text.serial(f"state[{text.length + IS_SETTLING}] = 1")


def take(text: Any, worker: Any, locals_: list[list[str]]) -> Loads:
    """Write what becomes of a receiver's folds; return the loads that can go before the walk."""
    writer = worker.writer
    begin = writer.mark()
    receiving.take(text, worker, locals_)
    loads, block = early_loads(writer.cut(begin), "v")
    writer.put(block)
    return loads


def start(text: Any, writer: Any) -> list[list[str]]:
    """Write the accumulators; ``initial=`` counts in the first lane of a receiver alone."""
    locals_ = [without_initial(fold).start(writer, k) for k, fold in enumerate(text.folds)]
    begun = [fold for fold in text.folds if fold.fold.initial is not None]
    if begun:
        with writer.block("if part == 0 and not pieces:"):
            for names, fold in zip(locals_, text.folds, strict=True):
                if fold.fold.initial is not None:
                    for name, value in zip(names, fold.starts(writer), strict=True):
                        writer.add(f"{name} = {value}")
    return locals_


def walk_slots(text: Any, worker: Any, locals_: list[list[str]], dense: bool) -> None:
    """Write the loop over a lane's slots with the sender's body in it."""
    if text.launch.staged and dense and not in_order(text):
        gather(text, worker, locals_)
        return
    launch, writer = text.launch, worker.writer
    if launch.kept:
        walk_kept(text, worker, locals_)
        return
    if in_order(text):
        neighbours(worker, "slot", "np.int64(slot) - np.int64(part)", "end", "part")

    def on_send(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        step_all(text, writer, locals_, values)

    element = drawn_id(Rows(writer, "csr", "in"), launch.body, "slot")
    ends = {"src": "src", "dst": "v"}
    place = worker.place(SEND, ends, {"own": ("slot", "slot")}, element=element, on_send=on_send)
    if not launch.staged:
        hoist(worker, place, launch.body, "dst")
    with writer.block("while slot < end:"):
        with contextlib.ExitStack() as stack:
            name = "gather_slot" if launch.staged else "src_of_slot"
            writer.add(
                f"src = {worker.number}({writer.copies.like(f'{writer.graph(name)}[slot]', 'v')})"
            )
            if not dense:
                stack.enter_context(writer.block(f"if has_bit({members(worker)}, src):"))
            if launch.staged:
                step_all(text, writer, locals_, staged_values(text, worker, "src"))
            else:
                value_arguments(worker, "src")
                StatementText(writer, place, launch.send.name, launch.body).paste()
        stride = "ONE" if in_order(text) else "lanes"
        writer.add(f"slot = {worker.number}(slot + {stride})")


def walk_kept(text: Any, worker: Any, locals_: list[list[str]]) -> None:
    """Write the loop over the arcs that a lane has kept."""
    launch, writer = text.launch, worker.writer
    body = passed_body(launch)

    def on_send(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        step_all(text, writer, locals_, values)

    place = worker.place(SEND, {"dst": "v"}, {}, on_send=on_send)
    hoist(worker, place, body, "dst")
    for at in kept_arcs(worker, place, body):
        StatementText(writer, at, launch.send.name, body).paste()


def in_order(text: Any) -> bool:
    """Return whether messages are folded in the order of their slots."""
    return any(op.loc is not None for fold in text.folds for op in fold.ops)


def neighbours(worker: Any, place: str, begin: str, end: str, part: str) -> None:
    """Write which of the places from ``begin`` to ``end`` a lane takes: neighbouring ones."""
    writer = worker.writer
    writer.add(f"begin = {begin}")
    writer.add(f"share = (np.int64({end}) - begin + np.int64(lanes) - 1) // np.int64(lanes)")
    writer.add(f"begin += share * np.int64({part})")
    writer.add(f"{end} = {worker.number}(min(np.int64({end}), begin + share))")
    writer.add(f"{place} = {worker.number}(begin)")


def step_all(text: Any, writer: Any, locals_: list[list[str]], values: list[str]) -> None:
    """Write the fold of one message into the accumulators."""
    for fold, names in zip(text.folds, locals_, strict=True):
        fold.step(writer, names, values)
    if tracks(text):
        writer.add("received = True")


def gather(text: Any, worker: Any, locals_: list[list[str]]) -> None:
    """Write the loop over messages computed once per source, several of them under way at once.

    Slots past the end are read as the first one again, which is in the cache, and not folded.
    """
    writer, slots, number = worker.writer, worker.writer.graph("gather_slot"), worker.number
    with writer.block("while slot < end:"):
        for k in range(1, TOGETHER):
            writer.add(f"slot_{k} = {number}(slot + lanes * {k})")
        like = writer.copies.like
        writer.add(f"at_0 = {number}({like(f'{slots}[slot]', 'v')})")
        for k in range(1, TOGETHER):
            sender = f"{slots}[slot_{k} if slot_{k} < end else slot]"
            writer.add(f"at_{k} = {number}({like(sender, 'v')})")
        messages = []
        for k in range(TOGETHER):
            texts = staged_values(text, worker, f"at_{k}")
            messages.append([f"message_{k}_{part}" for part in range(len(texts))])
            for name, value in zip(messages[-1], texts, strict=True):
                writer.add(f"{name} = {value}")
        step_all(text, writer, locals_, messages[0])
        for k in range(1, TOGETHER):
            with writer.block(f"if slot_{k} < end:"):
                step_all(text, writer, locals_, messages[k])
        writer.add(f"slot = {number}(slot + lanes * {TOGETHER})")


def staged_values(text: Any, worker: Any, index: str) -> list[str]:
    """Return the texts of a source's message."""
    kinds = s.component_types(text.launch.body.message)
    arrays = receiving.staged_arrays(text, worker)
    return [as_read(f"{name}[{index}]", kind) for name, kind in zip(arrays, kinds, strict=True)]


def merge_lanes(text: Any, writer: Any, locals_: list[list[str]]) -> None:
    """Write the pairwise merge of the folds of a group's lanes."""
    change = "<< 1" if in_order(text) else ">> 1"
    first, test = ("1", "step < lanes") if in_order(text) else ("lanes >> 1", "step > 0")
    writer.add(f"step = np.int32({first})")
    with writer.block(f"while {test}:"):
        others: list[list[str]] = []
        for names, fold in zip(locals_, text.folds, strict=True):
            others.append([])
            for name, kind in zip(names, fold.stored, strict=True):
                other = writer.fresh("other")
                writer.add(f"{other} = {exchanged(name, kind)}")
                others[-1].append(other)
        with contextlib.ExitStack() as stack:
            if tracks(text):
                writer.add("heard = other_bool(received, step)")
                writer.add("received = received or heard")
                stack.enter_context(writer.block("if heard:"))
            for names, values, fold in zip(locals_, others, text.folds, strict=True):
                merge_of(fold).step(writer, names, values)
        writer.add(f"step = np.int32(step {change})")


def tracks(text: Any) -> bool:
    """Return whether it must be known who received: an identity merges like nothing at all."""
    own = any(op.loc is not None for fold in text.folds for op in fold.ops)
    return own or not text.everyone or any(fold.whole for fold in text.folds)


def exchanged(name: str, kind: str) -> str:
    """Return the text of a local as the lane ``step`` away has it, in its own type."""
    if kind == "bool":
        return f"other_bool({name}, step)"
    if kind in ("f32", "f64"):
        return f"other_float({name}, step)"
    return f"np.{array_dtype(kind)}(other_int({name}, step))"


def piece_arrays(text: Any, worker: Any) -> list[list[str]]:
    """Name the arrays of the pieces' folds."""
    number, scratch = text.launch.number, worker.writer.scratch
    return [
        [
            scratch(f"piece{number}_{k}_{part}", array_dtype(kind), PIECES)
            for part, kind in enumerate(fold.stored)
        ]
        for k, fold in enumerate(text.folds)
    ]


def piece_flags(text: Any, worker: Any) -> str:
    """Name the array that says which pieces received."""
    return str(worker.writer.scratch(f"piece{text.launch.number}_received", "uint8", PIECES))


def keep_piece(text: Any, worker: Any, locals_: list[list[str]]) -> None:
    """Write the fold of a piece to the arrays."""
    writer = worker.writer
    arrays = piece_arrays(text, worker)
    at = writer.copies.like("index", "v") if writer.copies.shift else "task"
    for names, pieces, fold in zip(locals_, arrays, text.folds, strict=True):
        for name, piece, kind in zip(names, pieces, fold.stored, strict=True):
            writer.add(f"{piece}[{at}] = {as_stored(name, kind)}")
    if tracks(text):
        writer.add(f"{piece_flags(text, worker)}[{at}] = 1 if received else 0")


def merge_pieces(text: Any, worker: Any, locals_: list[list[str]]) -> None:
    """Write the merge of a hub's pieces, shared out among the lanes."""
    writer = worker.writer
    arrays = piece_arrays(text, worker)
    bounds, at = writer.graph("pull_hub_piece"), writer.copies.like("piece", "v")
    last, stride = f"np.int32({bounds}[hub + 1])", "32"
    if writer.copies.shift:  # a lane has all pieces of its copy
        writer.add(f"piece = np.int32({bounds}[hub])")
        stride = "1"
    elif in_order(text):
        writer.add(f"last_piece = np.int32({bounds}[hub + 1])")
        neighbours(worker, "piece", f"np.int64({bounds}[hub])", "last_piece", "lane")
        last, stride = "last_piece", "1"
    else:
        writer.add(f"piece = np.int32({bounds}[hub] + lane)")
    with writer.block(f"while piece < {last}:"):
        with contextlib.ExitStack() as stack:
            if tracks(text):
                flags = piece_flags(text, worker)
                stack.enter_context(writer.block(f"if {flags}[{at}] != 0:"))
                writer.add("received = True")
            for names, pieces, fold in zip(locals_, arrays, text.folds, strict=True):
                parts = [
                    as_read(f"{piece}[{at}]", kind)
                    for piece, kind in zip(pieces, fold.stored, strict=True)
                ]
                merge_of(fold).step(writer, names, parts)
        writer.add(f"piece = np.int32(piece + {stride})")
