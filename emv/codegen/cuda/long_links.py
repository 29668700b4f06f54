"""Loops over links that add up (`passes.share_links`): a warp takes each long row.

    if state[HAS_WIDE] != 0 and <the row is long>:
        list_row(<long rows>, ..., v)
    else:
        <one lane adds up>
        <what stands behind the loop>

Behind a barrier each warp takes vertices of that list (`emv.codegen.cuda.calls`). All lanes run
the same text of one vertex, so that they come to its loop side by side. Of `AHEAD` links each,
every 32nd, they ask the test, read what passes, and then add all of it in the order of the links.
What stands behind the loop is for the first lane.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda.links import AHEAD, seen_by
from emv.codegen.place import Pasting
from emv.codegen.rows import Rows
from emv.codegen.state import Own, place_of_launch
from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.promote import natural

LONG = 64  # links from which a warp takes a row


def rows_of(worker: Any) -> str:
    """Name the list of the vertices whose rows are left for warps."""
    return str(worker.writer.scratch("long_rows", worker.unit.ids, f"A/{LONG}+1"))


def share_links(text: Pasting, stmt: b.ForLinks, behind: tuple[b.Stmt, ...]) -> bool:
    """Write a loop that adds up, and what stands behind it; return whether it is one."""
    worker, writer = text.place.worker, text.writer
    shared = worker.launch.links if worker.launch is not None else None
    if shared is None or shared.loop is not stmt:
        return False
    if worker.by_long_rows:
        add_up(text, shared)
        with writer.block("if lane == 0:"):
            text.block(behind)
        return True
    own, first = text.place.vertex["own"], writer.graph("first_out")
    length = place_of_launch(worker.launch.number, Own.LONG_ONES)
    is_long = f"{first}[np.int64({own}) + 1] - {first}[{own}] >= {LONG}"
    with writer.block(f"if state[HAS_WIDE] != 0 and {is_long}:"):
        writer.add(f"list_row({rows_of(worker)}, state, {length}, {own})")
    with writer.block("else:"):
        text.links(stmt)
        text.block(behind)
    return True


def add_up(text: Pasting, shared: s.SharedLinks) -> None:
    """Write the loop of a warp, of which each lane takes every 32nd link."""
    place, writer = text.place, text.writer
    rows, number = Rows(writer, place.layout, "out"), place.worker.number
    first, others = writer.graph("first_out"), writer.graph("dst_of_arc")
    own, row = place.vertex["own"], writer.copies.vertex(place.vertex["own"])
    arc, last, end = (writer.fresh(each) for each in ("arc", "last", "end"))
    writer.add(f"{arc} = {number}({first}[{row}])")
    writer.add(f"{last} = {number}({first}[np.int64({row}) + 1])")
    with writer.block(f"while {arc} < {last}:", shared.loop.loc):
        for k in range(AHEAD):
            writer.add(f"{arc}_{k} = {number}({arc} + {number}(lane) + {number}({k} * 32))")
        for k in range(AHEAD):
            writer.add(f"{arc}_{k}_is = {arc}_{k} < {last}")
            writer.add(f"{arc}_{k} = {arc}_{k} if {arc}_{k}_is else {arc}")
        for k in range(AHEAD):
            writer.add(f"{end}_{k} = {writer.copies.like(f'{others}[{arc}_{k}]', own)}")
        before = place
        places = [seen_by(text, rows, f"{arc}_{k}", f"{end}_{k}") for k in range(AHEAD)]
        if shared.test is not None:
            for k, text.place in enumerate(places):
                writer.add(f"{arc}_{k}_asks = {text.text(shared.test)}", shared.test.loc)
            for k in range(AHEAD):
                writer.add(f"{arc}_{k}_is = {arc}_{k}_is and {arc}_{k}_asks")
        for k, text.place in enumerate(places):
            read(text, shared, f"{arc}_{k}")
        text.place = before
        add_side_by_side(text, shared, [f"{arc}_{k}" for k in range(AHEAD)])
        writer.add(f"{arc} = {number}({arc} + {number}({AHEAD} * 32))")


def read(text: Pasting, shared: s.SharedLinks, link: str) -> None:
    """Write what a link adds."""
    for j, step in enumerate(shared.steps):
        word = {"i64": "int64", "f32": "float32", "f64": "float64"}[natural(str(step.value.type))]
        text.writer.add(f"{link}_adds_{j} = np.{word}(0)")
    with text.writer.block(f"if {link}_is:"):
        for j, step in enumerate(shared.steps):
            added: Any = step.value
            value = text.text(added.right, natural(str(added.type)))
            text.writer.add(f"{link}_adds_{j} = {value}", step.loc)


def add_side_by_side(text: Pasting, shared: s.SharedLinks, links: list[str]) -> None:
    """Write how a warp adds what links of its lanes add, those of one round after the other.

    Whole numbers are added in any order; floats go by way of the warp's room, one behind the other.
    """
    writer, worker = text.writer, text.place.worker
    worker.shared["sums"] = None
    for link in links:
        writer.add(f"{link}_lanes = lanes_that({link}_is)")
    for j, step in enumerate(shared.steps):
        name, count = f"{text.place.prefix}{step.name}", writer.fresh("count")
        kind, adds = natural(str(step.value.type)), [f"{link}_adds_{j}" for link in links]
        if kind == "i64":
            writer.add(f"{name} = {name} + total_of({' + '.join(adds)})", step.loc)
            continue
        writer.add(f"{count} = np.int32(0)")
        for link, value in zip(links, adds, strict=True):
            writer.add(f"{count} = put_in_order(sums, {count}, {value}, {link}_lanes)")
        word = f"added_in_order_{kind}"
        writer.add(f"{name} = {word}({name}, sums, {count})", step.loc)
