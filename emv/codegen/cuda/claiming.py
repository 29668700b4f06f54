"""The text of a `Claim`: every message of a superstep is the same number, and the first one counts.

Pushing, a thread that finds the receiver's field empty changes it by compare-and-swap and runs the
receiver at once. Pulling, the lanes of a receiver whose field is empty look for an active
in-neighbour and stop at the first. What a message reads is not written meanwhile, as only empty
fields change.

The direction follows Beamer, Asanovic and Patterson (SC 2012): pull once the active vertices hold a
fair share of the arcs not yet seen, push again when few are active.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda.pulling import call_twice, groups, member_phase, members
from emv.codegen.expressions import ExpressionText, cast
from emv.codegen.folding import array_dtype
from emv.codegen.queues import queue_of
from emv.codegen.sending import RECEIVE, SEND, hoist, paste, place_of
from emv.dtypes import short_name
from emv.ir import body as b
from emv.ir import schedule as s

ALPHA = 12  # pull when the active hold more than a twelfth of the arcs not yet seen
BETA = 24  # push again when fewer than a 24th of the vertices are active


def claim_phases(text: Any) -> None:
    """Write the launch: the choice of the direction, then a claim in it."""
    for line in choice():
        text.serial(line)
    with text.when("state[PULLING] != 0", has_else=True):
        pull(text)
    with text.otherwise():
        push(text)


def choice() -> list[str]:
    """Return the serial lines that choose the direction."""
    return [
        "unseen = state[NUM_ARCS] - state[SEEN_VOLUME]",
        f"many = state[NUM_ACTIVE] * {BETA} >= state[NUM_VERTICES]",
        f"heavy = state[ACTIVE_ARCS] * {ALPHA} > unseen",
        "state[PULLING] = 1 if many and (heavy or state[PULLING] != 0) else 0",
        "state[SEEN_VOLUME] += state[ACTIVE_ARCS]",
    ]


def receiver_field(text: Any) -> Any:
    """Return the field that is claimed."""
    return text.launch.receive.function.record.fields[text.launch.shortcut.field]


def parameter_of(launch: s.Launch) -> Any:
    """Return the receiver's parameter that takes the message."""
    receive = launch.receive
    assert receive is not None
    name = next(each.name for each in receive.args if isinstance(each.source, s.Values))
    return next(each for each in receive.function.parameters if each.name == name)


def start(text: Any, phase: str) -> Any:
    """Return a work function that knows the parameters of both functions."""
    launch, worker = text.launch, text.worker(phase)
    worker.vote_words(launch.receive.function)
    worker.scalar_arguments(launch.send, launch.args, SEND)
    worker.scalar_arguments(launch.receive.function, launch.receive.args, RECEIVE)
    return worker


def write_message(text: Any, worker: Any, place: Any) -> None:
    """Write the message of ``src`` to the local ``message``, as the field stores it."""
    launch = text.launch
    reader = ExpressionText(worker.writer, place, launch.send.name)
    value = launch.body.statements[0].value
    made, given = reader.text(value), value.type
    stored = short_name(receiver_field(text).dtype)
    for kind in dict.fromkeys((launch.body.message, parameter_of(launch).type, stored)):
        made, given = cast(made, given, kind), kind
    worker.writer.add(f"message = {made}")


def received(text: Any, worker: Any, vertex: str, claimed: bool) -> None:
    """Write the receiver's reaction to the message: its branch, the guard being known to hold."""
    receive = text.launch.receive
    parameter = parameter_of(text.launch)
    place = worker.place(RECEIVE, {"own": vertex}, {}, element=f"np.int64({vertex})")
    branch = receive.function.body.statements[0].then
    if claimed:
        branch = tuple(each for each in branch if not isinstance(each, b.Store))
    given = short_name(receiver_field(text).dtype)
    worker.writer.add(f"{RECEIVE}{parameter.name} = {cast('message', given, parameter.type)}")
    paste(worker, place, receive.function, b.Body(branch, {}, None, None, ()))


def push(text: Any) -> None:
    """Write the push: who changes the empty field has received."""
    launch, worker = text.launch, start(text, "claim")
    writer = worker.writer
    field = receiver_field(text)
    queue = queue_of(worker, launch.domain, launch.ids)
    place = place_of(worker, {"src": "src", "dst": "dst"}, {}, "0", None)
    array = place.column(writer, "vertex", launch.shortcut.field, field.dtype.name)
    empty = f"np.{array_dtype(short_name(field.dtype))}({launch.shortcut.empty!r})"
    flags = worker.flags(f"received{launch.number}")
    stamp = "np.uint32(state[SUPERSTEPS] + 1)"

    def per_row() -> None:
        hoist(worker, place, launch.body, "src")

    with worker.arcs(queue, per_row), writer.block(f"if {array}[dst] == {empty}:"):
        write_message(text, worker, place)
        claims = f"claim_once({array}, dst, {empty}, message, {flags}, {stamp})"
        with writer.block(f"if {claims}:"):
            received(text, worker, "dst", claimed=True)
    text.phase(worker)


def pull(text: Any) -> None:
    """Write the pull: an empty receiver takes the message of its first active in-neighbour."""
    member_phase(text, is_member=True)
    launch, worker = text.launch, start(text, "look")
    writer = worker.writer
    field = receiver_field(text)
    place = place_of(worker, {"src": "src", "dst": "v"}, {}, "0", None)
    array = place.column(writer, "vertex", launch.shortcut.field, field.dtype.name)
    empty = f"np.{array_dtype(short_name(field.dtype))}({launch.shortcut.empty!r})"
    sources, bits = writer.graph("src_of_slot"), members(worker)
    flags = worker.flags(f"received{launch.number}")
    stamp = "np.uint32(state[SUPERSTEPS] + 1)"
    with worker.counted(), groups(worker, staged=False):
        writer.add(f"found = {worker.number}(0)")
        writer.add("is_found = False")
        writer.add(f"looks = index >= 0 and hub < 0 and {array}[v] == {empty}")
        writer.add("wants = looks and slot < end")
        with writer.block("while cuda.ballot_sync(ALL, wants) != 0:"):
            with writer.block("if wants:"):
                writer.add(f"src = {worker.number}({sources}[slot])")
                with writer.block(f"if has_bit({bits}, src):"):
                    writer.add("found = src")
                    writer.add("is_found = True")
            writer.add(f"slot = {worker.number}(slot + lanes)")
            writer.add("is_over = group_any(is_found, lanes)  # all lanes ask: no `and` before it")
            writer.add("looks = looks and not is_over")
            writer.add("wants = looks and slot < end")
        with writer.block("if first_in_group(is_found, lanes):"):
            writer.add("src = found")
            write_message(text, worker, place)
            claims = f"claim_once({array}, v, {empty}, message, {flags}, {stamp})"
            with writer.block(f"if {claims}:"):
                received(text, worker, "v", claimed=True)
    call_twice(text, worker)
    member_phase(text, is_member=False)
