"""The text of a `Claim`: every message of a superstep is the same number, and the first one counts.

Pushing, a thread that finds the receiver's field empty changes it by compare-and-swap and runs the
receiver at once. Pulling, a receiver whose field is empty stops at its first active neighbour. The
message is computed once per superstep, so nothing that is written is read meanwhile.

The direction follows Beamer, Asanovic and Patterson (SC 2012): pull once the active vertices hold a
fair share of the arcs not yet seen, push again when few are active.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.claimed import (
    also_text,
    is_message,
    parameter_of,
    received,
    receiver_field,
    taken_text,
    value_text,
)
from emv.codegen.cpu.visits import Extent
from emv.codegen.expressions import ExpressionText, as_read, as_stored, number_text
from emv.codegen.folding import array_dtype
from emv.codegen.place import Place
from emv.codegen.queues import queue_of
from emv.codegen.rows import Rows
from emv.codegen.senders import Senders, flags_of
from emv.codegen.sending import RECEIVE, SEND, place_of
from emv.dtypes import short_name
from emv.lang.promote import strong

ALPHA = 12  # pull when the active hold more than a twelfth of the arcs not yet seen
BETA = 24  # push again when fewer than a 24th of the vertices are active


def claim_phases(text: Any) -> None:
    """Write the launch: one message for all, then a claim in the chosen direction."""
    launch, writer = text.launch, text.writer
    active = writer.scratch("active", text.unit.ids, "V")
    with writer.block("if state[NUM_ACTIVE] > 0:"):
        hold_message(text, active)
        text.measure()
        if launch.frontier == "queue":
            push(text)
            return
        choose(writer)
        with writer.block("if state[PULLING] != 0:"):
            pull(text)
        with writer.block("else:"):
            push(text)


def hold_message(text: Any, active: str) -> None:
    """Write what the field becomes, and what the receiver is told where that is something else."""
    launch, writer, claim = text.launch, text.writer, text.launch.shortcut
    name = array_dtype(short_name(receiver_field(text).dtype))
    if claim.message is not None:
        scalar_arguments(text, launch.send, launch.args, SEND)
        value = message_text(text, active)
    if not is_message(claim):
        scalar_arguments(text, launch.receive.function, launch.receive.args, RECEIVE)
        if claim.message is not None:
            parameter = parameter_of(launch)
            writer.add(f"{RECEIVE}{parameter.name} = {value}")
            writer.add(f"{told(text)}[0] = {as_stored(value, strong(parameter.type))}")
        value = value_text(text, writer)
    writer.add(f"{writer.scratch(holder(text), name, '1')}[0] = {value}")


def told(text: Any) -> str:
    """Name the one-entry array that hands on what the receiver is told."""
    kind = array_dtype(str(strong(parameter_of(text.launch).type)))
    return str(text.writer.scratch(f"told{text.launch.number}", kind, "1"))


def holder(text: Any) -> str:
    """Return the name of the one-entry array that hands the message to work functions."""
    return f"claimed{text.launch.number}"


def scalar_arguments(text: Any, function: Any, args: Any, prefix: str) -> None:
    """Write the scalar parameters of a function."""
    worker = text.worker("")
    worker.writer = text.writer
    worker.scalar_arguments(function, args, prefix)


def message_text(text: Any, active: str) -> str:
    """Return the message of the first active vertex, which is that of all, as it is taken."""
    place = Place({"src": f"{active}[0]"}, {}, SEND, text.unit.written)
    return taken_text(text, ExpressionText(text.writer, place, text.launch.send.name))


def choose(writer: Any) -> None:
    """Write the choice of the direction."""
    writer.add("unseen = state[NUM_ARCS] - state[SEEN_VOLUME]")
    with writer.block("if state[PULLING] == 0:"):
        many = f"state[NUM_ACTIVE] * {BETA} >= state[NUM_VERTICES]"
        with writer.block(f"if num_arcs * {ALPHA} > unseen and {many}:"):
            writer.add("state[PULLING] = 1")
    with writer.block(f"elif state[NUM_ACTIVE] * {BETA} < state[NUM_VERTICES]:"):
        writer.add("state[PULLING] = 0")
    writer.add("state[SEEN_VOLUME] += num_arcs")


def start(text: Any, phase: str) -> Any:
    """Return a work function that knows the message."""
    launch, worker = text.launch, text.worker(phase)
    worker.vote_words(launch.receive.function)
    worker.scalar_arguments(launch.receive.function, launch.receive.args, RECEIVE)
    dtype = array_dtype(short_name(receiver_field(text).dtype))
    worker.writer.add(f"message = {worker.writer.scratch(holder(text), dtype, '1')}[0]")
    if launch.shortcut.message is not None and not is_message(launch.shortcut):
        parameter, array = parameter_of(launch), told(text)
        worker.writer.take([array])
        worker.writer.add(f"{RECEIVE}{parameter.name} = {as_read(f'{array}[0]', parameter.type)}")
    return worker


def push(text: Any) -> None:
    """Write the push: who changes the empty field has received."""
    launch, worker = text.launch, start(text, "claim")
    writer = worker.writer
    field = receiver_field(text)
    queue = queue_of(worker, launch.domain, launch.ids)
    place = place_of(worker, {"src": "src", "dst": "dst"}, {}, "0", None)
    array = place.column(writer, "vertex", launch.shortcut.field, field.dtype.name)
    empty = number_text(launch.shortcut.empty)
    flags = writer.scratch(f"received{launch.number}", "uint8", "V", 0)
    is_empty = f"if {array}[dst] == {empty}{also_text(text, writer, 'dst')}:"
    claims = f"if claim_once(shared, {array}, dst, {empty}, message, {flags}):"
    with (
        worker.arcs(queue, lambda: None),
        writer.block(is_empty),
        writer.block(claims),
    ):
        received(text, worker, "dst", claimed=True)
    text.phase(worker)
    pending = text.writer.scratch("pending", text.unit.ids, "V")
    holding = text.writer.scratch(holder(text), "", "1")
    with text.writer.block(f"if {holding}[0] == {empty}:"):
        text.writer.add(f"clear_flags({flags}, {pending}, state[NUM_PENDING])")


def pull(text: Any) -> None:
    """Write the pull: an empty receiver takes the message at its first active in-neighbour."""
    senders = Senders(text)
    senders.mark()
    launch, worker = text.launch, start(text, "look")
    writer = worker.writer
    field = receiver_field(text)
    place = worker.place(RECEIVE, {"own": "v"}, {})
    array = place.column(writer, "vertex", launch.shortcut.field, field.dtype.name)
    flags = flags_of(worker)
    is_taken = f"if {array}[v] != {number_text(launch.shortcut.empty)}:"
    also = also_text(text, writer, "v")
    if also:
        is_taken = f"if not ({array}[v] == {number_text(launch.shortcut.empty)}{also}):"
    if writer.copies.shift:
        look_in_copies(text, worker, is_taken, flags)
    else:
        look(text, worker, is_taken, flags)
    text.phase(worker)
    senders.unmark()


def look(text: Any, worker: Any, is_taken: str, flags: str) -> None:
    """Write the walk over receivers, in blocks of about as many in-arcs."""
    writer = worker.writer
    blocks, first = writer.graph("in_blocks"), writer.graph("first_in")
    sources = writer.graph("src_of_slot")
    with worker.blocks():
        writer.add(f"low = {blocks}[block]")
        writer.add(f"high = {blocks}[block + 1]")
        with writer.block("for v in range(low, high):"):
            with writer.block(is_taken):
                writer.add("continue")
            slots = f"for slot in range(np.uint64({first}[v]), np.uint64({first}[v + 1])):"
            sends = f"if {flags}[{sources}[slot]] != 0:"
            with writer.block(slots), writer.block(sends):
                received(text, worker, "v", claimed=False)
                writer.add("break")
    worker.extent = Extent(f"len({blocks}) - 1", "state[NUM_ARCS]", arrays=(blocks,))


def look_in_copies(text: Any, worker: Any, is_taken: str, flags: str) -> None:
    """Write the walk over the receivers of a batch: the copies of a vertex read the same row."""
    writer = worker.writer
    with worker.ids(None, "v", "state[NUM_VERTICES]"):
        with writer.block(is_taken):
            writer.add("continue")
        walk, sends = Rows(writer, "csr", "in").walk("v", "slot", "src"), f"if {flags}[src] != 0:"
        with walk, writer.block(sends):
            received(text, worker, "v", claimed=False)
            writer.add("break")
