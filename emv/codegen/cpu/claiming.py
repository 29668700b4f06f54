"""The text of a `Claim`: every message of a superstep is the same number, and the first one counts.

Pushing, a thread that finds the receiver's field empty changes it by compare-and-swap and runs the
receiver at once. Pulling, a receiver whose field is empty stops at its first active neighbour. The
message is computed once per superstep, so nothing that is written is read meanwhile.

The direction follows Beamer, Asanovic and Patterson (SC 2012): pull once the active vertices hold a
fair share of the arcs not yet seen, push again when few are active.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cpu.visits import Extent
from emv.codegen.expressions import ExpressionText, cast
from emv.codegen.folding import array_dtype
from emv.codegen.place import Place
from emv.codegen.queues import queue_of
from emv.codegen.rows import Rows
from emv.codegen.senders import Senders, flags_of
from emv.codegen.sending import RECEIVE, SEND, paste, place_of
from emv.codegen.worker import Worker
from emv.dtypes import short_name
from emv.ir import body as b
from emv.ir import schedule as s

ALPHA = 12  # pull when the active hold more than a twelfth of the arcs not yet seen
BETA = 24  # push again when fewer than a 24th of the vertices are active


def claim_phases(text: Any) -> None:
    """Write the launch: one message for all, then a claim in the chosen direction."""
    launch, writer = text.launch, text.writer
    field = receiver_field(text)
    active = writer.scratch("active", text.unit.ids, "V")
    name = array_dtype(short_name(field.dtype))
    with writer.block("if state[NUM_ACTIVE] > 0:"):
        for arg in launch.args:
            scalar_argument(text, arg)
        value = message_text(text, active)
        writer.add(f"{writer.scratch(holder(text), name, '1')}[0] = {value}")
        text.measure()
        if launch.frontier == "queue":
            push(text)
            return
        choose(writer)
        with writer.block("if state[PULLING] != 0:"):
            pull(text)
        with writer.block("else:"):
            push(text)


def holder(text: Any) -> str:
    """Return the name of the one-entry array that hands the message to work functions."""
    return f"claimed{text.launch.number}"


def receiver_field(text: Any) -> Any:
    """Return the field that is claimed."""
    return text.launch.receive.function.record.fields[text.launch.shortcut.field]


def scalar_argument(text: Any, arg: s.Argument) -> None:
    """Write a scalar parameter of the sender."""
    worker = text.worker("")
    worker.writer = text.writer
    types = {each.name: each.type for each in text.launch.send.parameters}
    worker.scalar_argument(arg, types[arg.name], SEND)


def message_text(text: Any, active: str) -> str:
    """Return the message of the first active vertex, which is that of all, as it is stored."""
    launch = text.launch
    place = Place({"src": f"{active}[0]"}, {}, SEND, text.unit.written)
    reader = ExpressionText(text.writer, place, launch.send.name)
    send = launch.body.statements[0]
    made, given = reader.text(send.value), send.value.type
    stored = short_name(receiver_field(text).dtype)
    for kind in dict.fromkeys((launch.body.message, parameter_of(launch).type, stored)):
        made, given = cast(made, given, kind), kind
    return made


def parameter_of(launch: s.Launch) -> Any:
    """Return the receiver's parameter that takes the message."""
    receive = launch.receive
    assert receive is not None
    name = next(each.name for each in receive.args if isinstance(each.source, s.Values))
    return next(each for each in receive.function.parameters if each.name == name)


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


def received(text: Any, worker: Worker, vertex: str, claimed: bool) -> None:
    """Write the receiver's reaction to the message: its branch, the guard being known to hold."""
    launch = text.launch
    receive = launch.receive
    parameter = parameter_of(launch)
    drawn = f"np.int64({worker.writer.copies.vertex(vertex)})"
    place = worker.place(RECEIVE, {"own": vertex}, {}, element=drawn)
    branch = receive.function.body.statements[0].then
    if claimed:
        branch = tuple(each for each in branch if not isinstance(each, b.Store))
    given = short_name(receiver_field(text).dtype)
    value = cast("message", given, parameter.type)
    worker.writer.add(f"{RECEIVE}{parameter.name} = {value}")
    body = b.Body(branch, {}, None, None, ())
    paste(worker, place, receive.function, body)


def start(text: Any, phase: str) -> Any:
    """Return a work function that knows the message."""
    launch, worker = text.launch, text.worker(phase)
    worker.vote_words(launch.receive.function)
    worker.scalar_arguments(launch.receive.function, launch.receive.args, RECEIVE)
    dtype = array_dtype(short_name(receiver_field(text).dtype))
    worker.writer.add(f"message = {worker.writer.scratch(holder(text), dtype, '1')}[0]")
    return worker


def push(text: Any) -> None:
    """Write the push: who changes the empty field has received."""
    launch, worker = text.launch, start(text, "claim")
    writer = worker.writer
    field = receiver_field(text)
    queue = queue_of(worker, launch.domain, launch.ids)
    place = place_of(worker, {"src": "src", "dst": "dst"}, {}, "0", None)
    array = place.column(writer, "vertex", launch.shortcut.field, field.dtype.name)
    empty = repr(launch.shortcut.empty)
    flags = writer.scratch(f"received{launch.number}", "uint8", "V", 0)
    is_empty = f"if {array}[dst] == {empty}:"
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
    is_taken = f"if {array}[v] != {launch.shortcut.empty!r}:"
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
