"""What a pull in a loop need not look at again: arcs that fail a test, receivers that are settled.

A lane keeps what passes of the slots that are its own, in their places, as neighbouring lanes go
on reading neighbouring places then; ``none`` stands behind the last where there is room left. A
warp keeps a list of its own tasks that have an open receiver, without asking other warps.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

from emv.codegen.accumulators import Accumulators
from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.cuda.groups import (
    TOGETHER,
    call_twice,
    groups,
    next_slots,
    open_lists,
    read_inside,
)
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.expressions import ExpressionText
from emv.codegen.place import Place
from emv.codegen.pull import asking_body, condition_of, kept_array, passed_body
from emv.codegen.sending import SEND, guard_text, hoist
from emv.codegen.state import Own
from emv.codegen.statements import StatementText
from emv.ir import body as b


def prepare_phases(text: CudaLaunch) -> None:
    """Write what comes before the loop: arcs are kept, and all receivers are open."""
    if text.launch.kept and text.launch.again != "receivers":  # which keeps as it first looks
        keep_phase(text)
    text.serial(f"{text.own(Own.IS_SETTLING)} = 0")


def keep_phase(text: CudaLaunch) -> None:
    """Write the phase that asks the test of every in-arc."""
    worker = text.worker("keep")
    place = worker.place(SEND, {"dst": "v"}, {})
    with (
        worker.counted(),
        groups(worker, staged=False),
        worker.writer.block("if hub < 0:"),
        ask_arcs(worker, place),
    ):
        pass
    call_twice(text, worker)


@contextlib.contextmanager
def ask_arcs(worker: CudaWorker, place: Place) -> Iterator[list[str]]:
    """Write the loop over all arcs of a lane that keeps those that pass, several at a time.

    What else is done along those whose condition holds, of the ones that are given, stands in it.
    """
    writer, number, launch = worker.writer, worker.number, worker.launch
    body, test = asking_body(launch), condition_of(launch)
    kept, none = kept_array(worker)
    asking = dataclasses.replace(place, hoisted={})
    hoist(worker, asking, body, "dst")
    writer.add("at = slot")
    with writer.block("while slot < end:"):
        slots = next_slots(worker)
        read_inside(worker, writer.graph("src_of_slot"), slots, "src")
        places = [seen_from(asking, k, {"own": ("slot", slot)}) for k, slot in enumerate(slots)]
        read_sources(worker, places, b.inside(test))
        for k, at in enumerate(places):
            asked = StatementText(writer, at, launch.send.name, body).text(test)
            writer.add(f"is_{k} = {slots[k]} < end and ({asked})" if k else f"is_0 = {asked}")
            writer.add(f"""
                if is_{k}:
                    {kept}[at] = src_{k}
                    at = {number}(at + lanes)
            """)
        yield [f"is_{k}" for k in range(TOGETHER)]
        writer.add(f"slot = {number}(slot + lanes * {TOGETHER})")
    writer.add(f"if at < end: {kept}[at] = {none}")


def place_of_kept(worker: CudaWorker, folded: Accumulators) -> Place:
    """Write what the receiver's arcs share; return the place of one, which folds what it sends."""
    place = worker.place(SEND, {"dst": "v"}, {}, on_send=folded.take)
    hoist(worker, place, passed_body(worker.launch), "dst")
    return place


def walk_first(worker: CudaWorker, place: Place) -> None:
    """Write the loop over all arcs of a lane, which keeps those that pass, and does what they do.

    What does not pass is read as the receiver's own, and not used.
    """
    with ask_arcs(worker, place) as passes:
        for k, is_kept in enumerate(passes):
            worker.writer.add(f"src_{k} = src_{k} if {is_kept} else v")
        before = dataclasses.replace(place, first_look="True")
        for is_kept, at in zip(passes, several_places(worker, before), strict=True):
            with worker.writer.block(f"if {is_kept}:"):
                paste_passed(worker, at)


def walk_kept(worker: CudaWorker, place: Place) -> None:
    """Write the loop over what a lane has kept, several at a time."""
    writer, number = worker.writer, worker.number
    kept, none = kept_array(worker)
    with writer.block("while slot < end:"):
        slots = next_slots(worker)
        read_inside(worker, kept, slots, "kept")
        writer.add(f"""
            if kept_0 == {none}:
                break
            is_0, src_0 = True, kept_0
        """)
        before = ""
        for k in range(1, TOGETHER):
            writer.add(f"is_{k} = {before}{slots[k]} < end and kept_{k} != {none}")
            writer.add(f"src_{k} = kept_{k} if is_{k} else kept_0")
            before = f"is_{k} and "
        first, *others = several_places(worker, place)
        paste_passed(worker, first)
        for k, at in enumerate(others, 1):
            with writer.block(f"if is_{k}:"):
                paste_passed(worker, at)
        writer.add(f"slot = {number}(slot + lanes * {TOGETHER}) if is_{TOGETHER - 1} else end")


def begin_held(worker: CudaWorker) -> None:
    """Write that a lane has no arc at hand yet, and whether it can have all of its own there."""
    worker.writer.add(f"holds = {worker.number}(slot + lanes * {TOGETHER}) >= end")
    for k in range(TOGETHER):
        worker.writer.add(f"is_{k} = False")


def walk_held(worker: CudaWorker, place: Place) -> None:
    """Write what is done along the arcs that a lane has at hand, where these are all of its own."""
    writer, places = worker.writer, [seen_from(place, k) for k in range(TOGETHER)]
    asked = b.expressions_in(passed_body(worker.launch).statements)
    for k, at in enumerate(places):
        with writer.block(f"if is_{k}:"):
            read_sources(worker, [at], asked, k)
    for k, at in enumerate(places):
        with writer.block(f"if is_{k}:"):
            paste_passed(worker, at)


def paste_passed(worker: CudaWorker, place: Place) -> None:
    """Write what is done along an arc that passes."""
    launch = worker.launch
    StatementText(worker.writer, place, launch.send.name, passed_body(launch)).paste()


def several_places(worker: CudaWorker, place: Place) -> list[Place]:
    """Write the reads of what is done along some arcs, side by side; return the places of these."""
    places = [seen_from(place, k) for k in range(TOGETHER)]
    read_sources(worker, places, b.expressions_in(passed_body(worker.launch).statements))
    return places


def seen_from(place: Place, k: int, edge: dict[str, tuple[str, str]] | None = None) -> Place:
    """Return the place of the arc number ``k`` of those that are under way at once."""
    vertex = {**place.vertex, "src": f"src_{k}"}
    return dataclasses.replace(place, vertex=vertex, edge=edge or {}, hoisted=dict(place.hoisted))


def read_sources(
    worker: CudaWorker, places: list[Place], expressions: list[b.Expr], first: int = 0
) -> None:
    """Read the fields of the sources of which some expressions speak, each once per arc.

    The places are those of the arcs at hand from number ``first`` on.
    """
    for load in expressions:
        if not isinstance(load, b.Load) or load.element.role != "src":
            continue
        key = ("src", load.field)
        for k, place in enumerate(places, first):
            if key not in place.hoisted:
                text = ExpressionText(worker.writer, place, "").load(
                    load.element, load.field, str(load.type)
                )
                name = f"src__{load.field}_{k}"
                worker.writer.add(f"{name} = {text}")
                place.hoisted[key] = name


def stay_open(text: CudaLaunch, worker: CudaWorker) -> None:
    """Write the entry of a task into its warp's list if a receiver of it is open still."""
    worker.writer.add(f"""
        is_open = False
        if part == 0 and index >= 0 and not pieces:
            is_open = {guard_text(text.launch, worker, "v")}
        if cuda.ballot_sync(ALL, is_open) != 0:
            if lane == 0 and not pieces:
                {open_lists(worker)[0]}[(me >> 5) + still_open * warps] = task
            still_open = np.int32(still_open + 1)
    """)
