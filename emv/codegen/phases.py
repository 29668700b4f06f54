"""The phases of a launch (prepare, send or pull, receive, commit), written in order."""

from __future__ import annotations

from typing import Any

from emv.codegen import pull, receiving, sending, storing
from emv.codegen.columns import take_value
from emv.codegen.folding import ComponentArrays
from emv.codegen.launch import LaunchText
from emv.codegen.rows import Senders
from emv.codegen.sorted_keys import SortedKeys
from emv.ir import schedule as s
from emv.passes.sends import sorted_loops


def write_phases(text: LaunchText) -> None:
    """Write all phases of a launch."""
    launch, unit = text.launch, text.unit
    for fold in text.folds:
        unit.stored_kinds[fold.fold.values.id] = fold.stored
    text.take_id()
    take_value(text)
    clear_returned(text)
    if launch.heard is not None and launch.send.kind == "mlist" and sorted_loops(launch):
        text.sort_heard(SortedKeys(unit.stores[launch.heard], launch))
    if launch.direction == "store" or launch.send.kind == "message":
        storing.store_phases(text)
    elif launch.direction == "none":
        sending.map_phase(text, heard=storing.heard_of(text))
    elif isinstance(launch.shortcut, s.Claim):
        text.claim()
    elif launch.direction == "either":
        pull_or_send(text)
    elif launch.direction == "pull":
        pull_then_receive(text)
    else:
        push_then_receive(text)
    text.flatten()
    for members in text.made_stale():
        text.serial(f"state[STALE{members.upper}] = 1")


def clear_returned(text: LaunchText) -> None:
    """Write the zeros of elements for which a call, over some of them, returns nothing."""
    launch, receive = text.launch, text.launch.receive
    if launch.returned is not None and launch.domain.kind not in ("all", "edges"):
        size = "A" if launch.send.kind == "edge" else "V"
        size = "E" if launch.domain.kind == "active_edges" else size
        zero(text, launch.returned, launch.body.result, size)
    if receive is not None and receive.returned is not None and not receive.everyone:
        zero(text, receive.returned, receive.function.body.result, "V")


def zero(text: LaunchText, values: s.Values, kind: Any, size: str) -> None:
    """Write zeros into the arrays of values."""
    count = {"V": "NUM_VERTICES", "E": "NUM_EDGES", "A": "NUM_ARCS"}[size]
    for array in ComponentArrays(values.names, s.component_types(kind), size).arrays(text.writer):
        text.fill(array, "0", f"state[{count}]")


def pull_or_send(text: LaunchText) -> None:
    """Write both directions, and the choice of one."""
    if text.launch.receive is None:  # whoever received last, in whichever direction
        receiving.clear_receivers(text)
    with text.prefer_pull():
        pull_then_receive(text)
    with text.otherwise():
        if text.launch.keeps:
            storing.store_phases(text)
        else:
            push_then_receive(text)


def push_then_receive(text: LaunchText) -> None:
    """Write push, and the receiver behind it."""
    if isinstance(text.launch.shortcut, s.Drain):
        text.drain()
        return
    receiving.prepare_phase(text)
    sending.push_phase(text, storing.heard_of(text))
    receiving.after_send(text, pushed=True)


def pull_then_receive(text: LaunchText) -> None:
    """Write pull, with the receiver in it where that is allowed."""
    if text.launch.layout == "csr":
        text.pull_phases()
    else:
        pull.pull_phases(text, Senders(text), pull.fold_rows)
    if not text.inline:
        receiving.after_send(text, pushed=False)
