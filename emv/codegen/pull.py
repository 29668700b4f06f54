"""Pull: every receiver walks its in-arcs and folds in registers, in the order of their slots.

The receiving function runs right behind its fold where it writes nothing that other receivers still
read of their sources. Otherwise the folds are kept, and it runs in a phase of its own. A message
that depends on its source alone is computed once, before.

How receivers are shared out is the target's (`emv.codegen.cpu.pull_blocks`, `emv.codegen.cuda.
pull_lanes`). In a storage that the caller asked for, one thread folds the in-arcs of one vertex,
as the papers did, in the order that compressed rows have, so that folds come out the same.

Where a test of arcs stays the same in a loop (`passes.prepare_pulls`), the sources of the arcs that
pass are written into an array beside that of all sources, before the loop or, where receivers look
again on a GPU, at their first look: in the stretch of slots of whoever will fold them. An id that
no vertex has stands behind the last where there is room left.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

import numpy as np

from emv.codegen import receiving
from emv.codegen.accumulators import Accumulators, accumulators_of
from emv.codegen.folding import ComponentArrays
from emv.codegen.launch import LaunchText
from emv.codegen.queues import queue_of
from emv.codegen.rows import Rows, Senders, drawn_id
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
from emv.codegen.worker import Worker
from emv.ir import body as b
from emv.ir import schedule as s

Text = TypeVar("Text", bound=LaunchText)


def pull_phases(text: Text, senders: Senders, fold: Callable[[Text, Senders], None]) -> None:
    """Write the phases of a pull; ``fold`` writes those in which receivers fold."""
    if text.launch.staged and not text.launch.follows:  # else the last superstep has made them
        stage_phase(text, senders)
    if not senders.are_all:
        senders.mark()
    if text.listed and not text.inline:
        text.serial(f"state[{text.length}] = 0")
    fold(text, senders)
    if not senders.are_all:
        senders.unmark()


def staged(launch: s.Launch) -> ComponentArrays:
    """Return the arrays of messages computed once per source."""
    kinds = s.component_types(launch.body.message)
    return ComponentArrays.of(f"message{launch.number}", kinds, "V")


def stage_phase(text: LaunchText, senders: Senders) -> None:
    """Write the phase in which every source computes its message."""
    launch, worker = text.launch, text.worker("stage")
    worker.scalar_arguments(launch.send, launch.args, SEND)
    queue = queue_of(worker, launch.domain, launch.ids)
    senders.begin(worker)
    with worker.ids(queue, "v", "state[NUM_VERTICES]"):
        value_arguments(worker, "v")
        at = senders.place(worker)

        def on_send(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
            with senders.heard(worker, at):
                staged(launch).put(worker.writer, at, values)

        place = worker.place(SEND, {"src": "v", "dst": ""}, {}, on_send=on_send)
        paste(worker, place, launch.send, launch.body)
    text.phase(worker)


def start_receivers(text: LaunchText, worker: Worker) -> None:
    """Write the parameters that are the same for all receivers."""
    launch = text.launch
    worker.scalar_arguments(launch.send, launch.args, SEND)
    if launch.receive is not None and text.inline:
        worker.scalar_arguments(launch.receive.function, launch.receive.args, RECEIVE)
        worker.vote_words(launch.receive.function)
    else:
        guard_arguments(worker)


def who_cares(text: LaunchText, worker: Worker, before: str = "") -> AbstractContextManager[None]:
    """Write what is done for a receiver ``v`` that does something with a message.

    ``before`` is what else is asked, before it.
    """
    has_guard = text.launch.guard is not None
    head = f"if {before}{guard_text(text.launch, worker, 'v')}:" if has_guard else ""
    return worker.writer.block(head)


def fold_rows(text: LaunchText, senders: Senders) -> None:
    """Write the phase in which a thread folds the in-arcs of one vertex, as they are stored."""
    worker = text.worker("pull")
    rows = Rows(worker.writer, text.launch.layout, "in")
    start_receivers(text, worker)
    with rows.ids(worker, None, "v"), worker.writer.block(worker.if_owned("v")):
        folded = accumulators_of(text, worker.writer)
        folded.start()
        with who_cares(text, worker):
            fold_arcs(text, worker, folded, senders, rows.walk("v", "slot", "src"))
        receiving.take(text, worker, folded)
    text.phase(worker)


def fold_arcs(
    text: LaunchText,
    worker: Worker,
    folded: Accumulators,
    senders: Senders,
    walk: AbstractContextManager[None],
) -> None:
    """Write a walk over in-arcs of ``v``, by ``slot`` and ``src``, with the sender's body in it."""
    launch = text.launch
    body = passed_body(launch) if launch.kept else launch.body
    rows = Rows(worker.writer, launch.layout, "in")
    element = drawn_id(rows, launch.body, "slot")
    ends, own = {"src": "src", "dst": "v"}, {"own": (rows.order, "slot")}
    place = worker.place(SEND, ends, own, element=element, on_send=folded.take)
    if not launch.staged:
        hoist(worker, place, body, "dst")
    with walk, senders.only(worker, "src"):
        if launch.staged:
            folded.step(staged(launch).read(worker.writer, "src"))
        else:
            value_arguments(worker, "src")
            StatementText(worker.writer, place, launch.send.name, body).paste()


def asking_body(launch: s.Launch) -> b.Body:
    """Return what is asked of an arc: the test that a launch's body is, with nothing behind it."""
    return dataclasses.replace(
        launch.body, statements=(dataclasses.replace(_test(launch), then=()),)
    )


def passed_body(launch: s.Launch) -> b.Body:
    """Return what is done along an arc that passes."""
    return dataclasses.replace(launch.body, statements=_test(launch).then)


def condition_of(launch: s.Launch) -> b.Expr:
    """Return the test itself."""
    return _test(launch).condition


def kept_array(worker: Worker) -> tuple[str, str]:
    """Name the array of the sources of arcs that were kept, and say what stands behind them."""
    ids = worker.unit.ids
    kept = worker.writer.scratch(f"kept{worker.launch.number}", ids, "A")
    return kept, f"np.{ids}({np.iinfo(ids).max})"


def _test(launch: s.Launch) -> b.If:
    test = b.only_test(launch.body.statements)
    assert test is not None, "arcs are kept behind a test"
    return test
