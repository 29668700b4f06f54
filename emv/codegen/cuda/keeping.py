"""What a pull in a loop need not look at again: arcs that fail a test, receivers that are settled.

A lane keeps what passes of the slots that are its own, in their places, as neighbouring lanes go
on reading neighbouring places then; ``none`` stands behind the last where there is room left. A
warp keeps a list of its own tasks that have an open receiver, without asking other warps.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from emv.codegen.cuda.groups import call_twice, groups, open_arrays
from emv.codegen.expressions import ExpressionText
from emv.codegen.keeping import asking_body, condition_of, kept_array
from emv.codegen.place import Place
from emv.codegen.sending import SEND, guard_text, hoist
from emv.codegen.state import IS_SETTLING
from emv.codegen.statements import StatementText
from emv.ir import body as b

TOGETHER = 4  # arcs whose loads are under way at once


def prepare_phases(text: Any) -> None:
    """Write what comes before the loop: arcs are kept, and all receivers are open."""
    if text.launch.kept and text.launch.again != "receivers":  # which keeps as it first looks
        keep_phase(text)
    text.serial(f"state[{text.length + IS_SETTLING}] = 0")


def keep_phase(text: Any) -> None:
    """Write the phase that asks the test of every in-arc."""
    launch, worker = text.launch, text.worker("keep")
    writer, number = worker.writer, worker.number
    place = worker.place(SEND, {"dst": "v"}, {})
    with worker.counted(), groups(worker, staged=False), writer.block("if hub < 0:"):
        hoist(worker, place, asking_body(launch), "dst")
        writer.add("at = slot")
        with writer.block("while slot < end:"):
            for k, asked in enumerate(asked_of(worker, place)):
                with writer.block(f"if {asked}:"):
                    keep(worker, k)
            writer.add(f"slot = {number}(slot + lanes * {TOGETHER})")
        end_kept(worker)
    call_twice(text, worker)


def asked_of(worker: Any, place: Place) -> list[str]:
    """Write the loads of the next arcs of a lane, and return the texts of the test of each."""
    writer, launch, number = worker.writer, worker.launch, worker.number
    body, test = asking_body(launch), condition_of(launch)
    slots, source = several_slots(worker), writer.graph("src_of_slot")
    for k, slot in enumerate(slots):
        writer.add(f"src_{k} = {number}({source}[{slot if not k else clamped(slot)}])")
    places = [seen_from(place, k, {"own": ("slot", slot)}) for k, slot in enumerate(slots)]
    read_sources(worker, places, test)
    texts = [StatementText(writer, at, launch.send.name, body).text(test) for at in places]
    inside = [f"{slot} < end and " for slot in slots]
    return [texts[0], *(f"{a}({b})" for a, b in zip(inside[1:], texts[1:], strict=True))]


def keep(worker: Any, k: int) -> None:
    """Write that the arc number ``k`` of those that are under way is kept."""
    kept, _ = kept_array(worker)
    worker.writer.add(f"{kept}[at] = src_{k}")
    worker.writer.add(f"at = {worker.number}(at + lanes)")


def end_kept(worker: Any) -> None:
    """Write what stands behind the last arc that a lane keeps."""
    kept, none = kept_array(worker)
    with worker.writer.block("if at < end:"):
        worker.writer.add(f"{kept}[at] = {none}")


def first_arcs(worker: Any, place: Place, body: b.Body) -> Iterator[Place]:
    """Write the loop over all arcs of a lane, which keeps those that pass; give the place of each.

    What does not pass is read as the receiver's own, and not used.
    """
    writer, number = worker.writer, worker.number
    asking = dataclasses.replace(place, hoisted={})
    hoist(worker, asking, asking_body(worker.launch), "dst")
    writer.add("at = slot")
    with writer.block("while slot < end:"):
        for k, asked in enumerate(asked_of(worker, asking)):
            writer.add(f"is_{k} = {asked}")
            with writer.block(f"if is_{k}:"):
                keep(worker, k)
            writer.add(f"src_{k} = src_{k} if is_{k} else v")
        places = [seen_from(place, k) for k in range(TOGETHER)]
        for statement in body.statements:
            for expr in b.expressions_in((statement,)):
                read_sources(worker, places, expr)
        for k in range(TOGETHER):
            with writer.block(f"if is_{k}:"):
                yield places[k]
        writer.add(f"slot = {number}(slot + lanes * {TOGETHER})")
    end_kept(worker)


def kept_arcs(worker: Any, place: Place, body: b.Body) -> Iterator[Place]:
    """Write the loop over what a lane has kept, several at a time; give the place of each."""
    writer, number = worker.writer, worker.number
    kept, none = kept_array(worker)
    with writer.block("while slot < end:"):
        slots = several_slots(worker)
        for k, slot in enumerate(slots):
            writer.add(f"kept_{k} = {number}({kept}[{slot if not k else clamped(slot)}])")
        with writer.block(f"if kept_0 == {none}:"):
            writer.add("break")
        writer.add("src_0 = kept_0")
        before = ""
        for k in range(1, TOGETHER):
            writer.add(f"is_{k} = {before}{slots[k]} < end and kept_{k} != {none}")
            writer.add(f"src_{k} = kept_{k} if is_{k} else kept_0")
            before = f"is_{k} and "
        places = [seen_from(place, k) for k in range(TOGETHER)]
        for statement in body.statements:
            for expr in b.expressions_in((statement,)):
                read_sources(worker, places, expr)
        yield places[0]
        for k in range(1, TOGETHER):
            with writer.block(f"if is_{k}:"):
                yield places[k]
        writer.add(f"slot = {number}(slot + lanes * {TOGETHER}) if is_{TOGETHER - 1} else end")


def several_slots(worker: Any) -> list[str]:
    """Write the next slots of a lane; return their names."""
    for k in range(1, TOGETHER):
        worker.writer.add(f"slot_{k} = {worker.number}(slot + lanes * {k})")
    return ["slot", *(f"slot_{k}" for k in range(1, TOGETHER))]


def clamped(slot: str) -> str:
    """Return the text of a slot; past the end it is the first again, which is in the cache."""
    return f"{slot} if {slot} < end else slot"


def seen_from(place: Place, k: int, edge: Any = None) -> Place:
    """Return the place of the arc number ``k`` of those that are under way at once."""
    vertex = {**place.vertex, "src": f"src_{k}"}
    return dataclasses.replace(place, vertex=vertex, edge=edge or {}, hoisted=dict(place.hoisted))


def read_sources(worker: Any, places: list[Place], expr: b.Expr) -> None:
    """Read the fields of the sources of which an expression speaks, each once per arc."""
    for load in b.inside(expr):
        if not isinstance(load, b.Load) or load.element.role != "src":
            continue
        key = ("src", load.field)
        for k, place in enumerate(places):
            if key not in place.hoisted:
                text = ExpressionText(worker.writer, place, "").load(
                    load.element, load.field, str(load.type)
                )
                name = f"src__{load.field}_{k}"
                worker.writer.add(f"{name} = {text}")
                place.hoisted[key] = name


def stay_open(text: Any, worker: Any) -> None:
    """Write the entry of a task into its warp's list if a receiver of it is open still."""
    writer = worker.writer
    writer.add("is_open = False")
    with writer.block("if part == 0 and index >= 0 and not pieces:"):
        writer.add(f"is_open = {guard_text(text, worker, 'v')}")
    with writer.block("if cuda.ballot_sync(ALL, is_open) != 0:"):
        with writer.block("if lane == 0 and not pieces:"):
            writer.add(f"{open_arrays(worker)[0]}[(me >> 5) + still_open * warps] = task")
        writer.add("still_open = np.int32(still_open + 1)")
