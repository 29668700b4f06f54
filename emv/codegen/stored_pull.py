"""Pull in a storage that the caller asked for: one thread folds the in-arcs of one vertex.

Nothing is shared out by degrees, which is what the papers did, and there are no shortcuts. Within a
vertex the order of arcs is that of compressed rows, so that folds come out the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from emv.codegen import receiving
from emv.codegen.expressions import as_read, as_stored
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
from emv.codegen.statements import StatementText
from emv.codegen.stored_walks import drawn_id, flags_of, member_phase
from emv.ir import body as b
from emv.ir import schedule as s


def pull_phases(text: Any) -> None:
    """Write the phases of a pull."""
    dense = text.launch.domain.kind == "all"
    if text.launch.staged:
        stage_phase(text)
    if not dense:
        member_phase(text, 1)
    if text.listed and not text.inline:
        text.serial(f"state[{text.length}] = 0")
    fold_phase(text, dense)
    if not dense:
        member_phase(text, 0)


def stage_phase(text: Any) -> None:
    """Write the phase in which every source computes its message."""
    launch, worker = text.launch, text.worker("stage")
    worker.scalar_arguments(launch.send, launch.args, SEND)
    arrays = receiving.staged_arrays(text, worker)
    queue = queue_of(worker, launch.domain, launch.ids)

    def on_send(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        kinds = s.component_types(launch.body.message)
        for array, value, kind in zip(arrays, values, kinds, strict=True):
            worker.writer.add(f"{array}[v] = {as_stored(value, kind)}")

    with worker.ids(queue, "v", "state[NUM_VERTICES]"):
        value_arguments(worker, "v")
        place = worker.place(SEND, {"src": "v", "dst": ""}, {}, on_send=on_send)
        paste(worker, place, launch.send, launch.body)
    text.phase(worker)


def staged_values(text: Any, worker: Any, on_send: Any) -> None:
    """Write the gather of a source's message."""
    kinds = s.component_types(text.launch.body.message)
    arrays = receiving.staged_arrays(text, worker)
    values = [as_read(f"{array}[src]", kind) for array, kind in zip(arrays, kinds, strict=True)]
    send = next(e for e in b.statements_in(text.launch.body.statements) if isinstance(e, b.Send))
    on_send(send, values, "v", "arc")


def fold_phase(text: Any, dense: bool) -> None:
    """Write the walk over receivers and their in-arcs."""
    launch, worker = text.launch, text.worker("pull")
    writer = worker.writer
    rows = Rows(writer, launch.layout, "in")
    start_receivers(text, worker)

    @contextlib.contextmanager
    def walk() -> Iterator[None]:
        with rows.walk("v", "slot", "src"), contextlib.ExitStack() as stack:
            if not dense:
                stack.enter_context(writer.block(f"if {flags_of(worker)}[src] != 0:"))
            yield

    with rows.ids(worker, None, "v"):
        locals_ = [fold.start(writer, number) for number, fold in enumerate(text.folds)]
        writer.add("received = False")
        with contextlib.ExitStack() as stack:
            if launch.guard is not None:
                stack.enter_context(writer.block(f"if {guard_text(text, worker, 'v')}:"))
            fold_messages(text, worker, rows, locals_, walk())
        receiving.take(text, worker, locals_)
    text.phase(worker)


def fold_messages(
    text: Any,
    worker: Any,
    rows: Rows,
    locals_: list[list[str]],
    walk: contextlib.AbstractContextManager[None],
) -> None:
    """Write a walk over the in-arcs of ``v``, by ``slot`` and ``src``, with the body in it."""
    launch, writer = text.launch, worker.writer
    body = passed_body(launch) if launch.kept else launch.body

    def on_send(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        for fold, names in zip(text.folds, locals_, strict=True):
            fold.step(writer, names, values)
        writer.add("received = True")

    element = drawn_id(rows, launch.body, "slot")
    ends, own = {"src": "src", "dst": "v"}, {"own": (rows.order, "slot")}
    place = worker.place(SEND, ends, own, element=element, on_send=on_send)
    if not launch.staged:
        hoist(worker, place, body, "dst")
    with walk:
        if launch.staged:
            staged_values(text, worker, on_send)
        else:
            value_arguments(worker, "src")
            StatementText(writer, place, launch.send.name, body).paste()


def start_receivers(text: Any, worker: Any) -> None:
    """Write the parameters that are the same for all receivers."""
    launch = text.launch
    worker.scalar_arguments(launch.send, launch.args, SEND)
    if text.inline:
        worker.scalar_arguments(launch.receive.function, launch.receive.args, RECEIVE)
        worker.vote_words(launch.receive.function)
    else:
        guard_arguments(worker)
