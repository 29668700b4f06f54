"""The text of a `Claim`: every message of a superstep is the same number, and the first one counts.

Pushing, a thread that finds the receiver's field empty changes it by compare-and-swap and runs the
receiver at once. Pulling, the lanes of a receiver whose field is empty look for an active
in-neighbour and stop at the first. What a message reads is not written meanwhile, as only empty
fields change.

The direction follows Beamer, Asanovic and Patterson (SC 2012): pull while the active vertices hold
a fair share of the arcs not yet seen, and more than a walk over all vertices costs.
"""

from __future__ import annotations

import dataclasses
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
from emv.codegen.cuda.groups import call_twice, groups
from emv.codegen.cuda.pull_lanes import LaneSenders
from emv.codegen.expressions import ExpressionText, number_text
from emv.codegen.folding import array_dtype
from emv.codegen.place import Place
from emv.codegen.queues import queue_of
from emv.codegen.sending import RECEIVE, SEND, hoist, place_of
from emv.codegen.state import HOLDS, NEXT_HOLDS
from emv.dtypes import short_name
from emv.ir import body as b

ALPHA = 12  # pull when the active hold more than a twelfth of the arcs not yet seen
DIRECT = 8  # threads per row from which a push claims without looking first
BETA = 4  # push while the active hold fewer arcs than a fourth of the vertices there are


def claim_phases(text: Any) -> None:
    """Write the launch: the choice of the direction, then a claim in it."""
    if text.launch.frontier == "queue":
        text.serial("\n".join(remember(text)))
        push(text)
        return
    text.serial("\n".join([*choice(), *remember(text)]))
    with text.when("state[PULLING] != 0", has_else=True):
        pull(text)
    with text.otherwise():
        push(text)


def choice() -> list[str]:
    """Return the serial lines that choose the direction."""
    return [
        "unseen = state[NUM_ARCS] - state[SEEN_VOLUME]",
        f"many = state[ACTIVE_ARCS] * {BETA} >= state[NUM_VERTICES]",
        f"heavy = state[ACTIVE_ARCS] * {ALPHA} > unseen",
        "state[PULLING] = 1 if many and (heavy or state[PULLING] != 0) else 0",
        "state[SEEN_VOLUME] += state[ACTIVE_ARCS]",
    ]


def remember(text: Any) -> list[str]:
    """Return the serial lines that note whether the active vertices hold the empty value.

    Then every message may be the empty value too, and who receives it stays empty: what the active
    hold may change while others read it, so they are not asked (`write_message`).
    """
    holds, next_holds = text.length + HOLDS, text.length + NEXT_HOLDS
    field, empty = receiver_field(text), empty_text(text)
    place = Place({}, {}, "", text.unit.written)
    array = place.column(text.writer, "vertex", field.name, field.dtype.name)
    active = text.writer.scratch("active", text.unit.ids, "V")
    pending = text.writer.scratch("pending", text.unit.ids, "V")
    return [
        f"if state[{holds}] != 0:",
        f"    state[{holds}] = 1 + state[{next_holds}]",
        "elif state[NUM_ACTIVE] > 0:  # the seed, asked once",
        f"    front = {pending}[0] if state[FLIPPED] != 0 else {active}[0]",
        f"    state[{holds}] = 2 if {array}[front] == {empty} else 1",
        f"state[{next_holds}] = 0",
    ]


def empty_text(text: Any) -> str:
    """Return the empty value in the type of the field."""
    kind = array_dtype(short_name(receiver_field(text).dtype))
    return f"np.{kind}({number_text(text.launch.shortcut.empty)})"


def start(text: Any, phase: str) -> Any:
    """Return a work function that knows the parameters of both functions."""
    launch, worker = text.launch, text.worker(phase)
    worker.vote_words(launch.receive.function)
    worker.scalar_arguments(launch.send, launch.args, SEND)
    worker.scalar_arguments(launch.receive.function, launch.receive.args, RECEIVE)
    worker.writer.add(f"holds_empty = state[{text.length + HOLDS}] == 2")
    return worker


def write_message(text: Any, worker: Any, place: Any) -> None:
    """Write to the local ``message`` what the field becomes by the message of ``src``."""
    claim, writer = text.launch.shortcut, worker.writer
    if claim.message is not None:
        reader = ExpressionText(writer, place, text.launch.send.name)
        name = "message" if is_message(claim) else f"{RECEIVE}{parameter_of(text.launch).name}"
        writer.add(f"{name} = {taken_text(text, reader)}")
    if not is_message(claim):
        writer.add(f"message = {value_text(text, writer)}")
    with worker.writer.block(f"if message == {empty_text(text)}:"):
        worker.writer.add(f"state[{text.length + NEXT_HOLDS}] = 1")


def ask_sender(text: Any, worker: Any, place: Any) -> None:
    """Write the read of what the sender holds, which is the empty value where all hold that."""
    claim = text.launch.shortcut
    if claim.message is None:
        return
    sent = b.Send(claim.message.loc, "arc", claim.message, 0)
    hoist(worker, place, dataclasses.replace(text.launch.body, statements=(sent,)), "src")
    name = place.hoisted.get(("src", text.launch.shortcut.field))
    if name is not None:
        with worker.writer.block("if holds_empty:"):
            worker.writer.add(f"{name} = {empty_text(text)}")


def push(text: Any) -> None:
    """Write the push: who changes the empty field has received."""
    launch, worker = text.launch, start(text, "claim")
    writer = worker.writer
    field = receiver_field(text)
    queue = queue_of(worker, launch.domain, launch.ids)
    place = place_of(worker, {"src": "src", "dst": "dst"}, {}, "0", None)
    array = place.column(writer, "vertex", launch.shortcut.field, field.dtype.name)
    empty = empty_text(text)
    flags = worker.flags(f"received{launch.number}")
    stamp = "np.uint32(state[SUPERSTEPS] + 1)"

    def per_row() -> None:
        ask_sender(text, worker, place)

    # Few arcs: one wait for the atomic is shorter than one for a test and one for the atomic.
    also = also_text(text, writer, "dst")
    is_empty = f"if rows * {DIRECT} < threads or {array}[dst] == {empty}:"
    if also:
        is_empty = f"if (rows * {DIRECT} < threads or {array}[dst] == {empty}){also}:"
    with worker.arcs(queue, per_row), writer.block(is_empty):
        write_message(text, worker, place)
        claims = f"claim_once({array}, dst, {empty}, message, {flags}, {stamp})"
        with writer.block(f"if {claims}:"):
            received(text, worker, "dst", claimed=True)
    text.phase(worker)


def pull(text: Any) -> None:
    """Write the pull: an empty receiver takes the message of its first active in-neighbour."""
    senders = LaneSenders(text)
    senders.mark()
    launch, worker = text.launch, start(text, "look")
    writer = worker.writer
    field = receiver_field(text)
    place = place_of(worker, {"src": "src", "dst": "v"}, {}, "0", None)
    array = place.column(writer, "vertex", launch.shortcut.field, field.dtype.name)
    empty, also = empty_text(text), also_text(text, writer, "v")
    sources = writer.graph("src_of_slot")
    flags = worker.flags(f"received{launch.number}")
    stamp = "np.uint32(state[SUPERSTEPS] + 1)"
    with worker.counted(), groups(worker, staged=False):
        writer.add(f"found = {worker.number}(0)")
        writer.add("is_found = False")
        writer.add(f"looks = index >= 0 and hub < 0 and {array}[v] == {empty}{also}")
        writer.add("wants = looks and slot < end")
        with writer.block("while cuda.ballot_sync(ALL, wants) != 0:"):
            with writer.block("if wants:"):
                writer.add(f"src = {worker.number}({writer.copies.like(f'{sources}[slot]', 'v')})")
                with senders.only(worker, "src"):
                    writer.add("found = src")
                    writer.add("is_found = True")
            writer.add(f"slot = {worker.number}(slot + lanes)")
            writer.add("is_over = group_any(is_found, lanes)  # all lanes ask: no `and` before it")
            writer.add("looks = looks and not is_over")
            writer.add("wants = looks and slot < end")
        with writer.block("if first_in_group(is_found, lanes):"):
            writer.add("src = found")
            ask_sender(text, worker, place)
            write_message(text, worker, place)
            claims = f"claim_once({array}, v, {empty}, message, {flags}, {stamp})"
            with writer.block(f"if {claims}:"):
                received(text, worker, "v", claimed=True)
    call_twice(text, worker)
    senders.unmark()
