"""A thread's loop over the edges of its vertex, with loads of several other ends under way at once.

    for link in links:
        if link.dst.mark > own: ...

One neighbour after the other, a thread waits for each of them twice: for its id, then for what it
holds. Where all that a sweep reads of the other ends are their fields, those of `AHEAD` edges are
loaded first, the last edge's in the place of those that are not there. Then the body runs once per
edge, in their order. What it writes of another end may be one that was loaded already, where edges
are parallel: that is loaded again.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.codegen.expressions import ExpressionText
from emv.codegen.place import Pasting
from emv.codegen.rows import Rows, drawn_id
from emv.ir import body as b

AHEAD = 4
Loads = dict[str, tuple[b.Load, bool]]
PLAIN = (b.Assign, b.If, b.Store, b.Break, b.Vote, b.Activate)  # what a body may do


def several_links(text: Pasting, stmt: b.ForLinks) -> bool:
    """Write the loop that loads ahead; return whether it is one."""
    place, writer = text.place, text.writer
    loads, rows = ahead(text, stmt), Rows(writer, place.layout, "out")
    if not loads or rows.name != "compressed":
        return False
    first, others = writer.graph("first_out"), writer.graph("dst_of_arc")
    own, row = place.vertex["own"], writer.copies.vertex(place.vertex["own"])
    number = place.worker.number
    arc, last, end = (writer.fresh(each) for each in ("arc", "last", "end"))
    writer.add(f"{arc} = {number}({first}[{row}])")
    writer.add(f"{last} = {number}({first}[np.int64({row}) + 1])")
    with writer.block(f"while {arc} < {last}:", stmt.loc):
        for k in range(AHEAD):
            at = f"{arc} + {number}({k})"
            writer.add(f"{arc}_{k} = {at} if {at} < {last} else {arc}" if k else f"{arc}_0 = {arc}")
        for k in range(AHEAD):
            writer.add(f"{end}_{k} = {writer.copies.like(f'{others}[{arc}_{k}]', own)}")
        places = [seen_by(text, rows, f"{arc}_{k}", f"{end}_{k}") for k in range(AHEAD)]
        load_all(text, places, loads)
        for k, seen in enumerate(places):
            with writer.block(f"if {arc} + {number}({k}) < {last}:" if k else ""):
                again = [field for field, (_, is_written) in loads.items() if k and is_written]
                if again:
                    same = " or ".join(f"{end}_{k} == {end}_{j}" for j in range(k))
                    with writer.block(f"if {same}:"):
                        writer.add("\n".join(load_of(text, seen, loads, each) for each in again))
                before, text.place = text.place, seen
                text.block(stmt.body)
                text.place = before
        writer.add(f"{arc} = {number}({arc} + {number}({AHEAD}))")
    return True


def seen_by(text: Pasting, rows: Rows, arc: str, end: str) -> Any:
    """Return the place of the body at one edge."""
    place = text.place
    return dataclasses.replace(
        place,
        vertex={**place.vertex, "link_dst": end},
        edge={**place.edge, "link": (rows.order, arc)},
        element=drawn_id(rows, text.body, arc),
        hoisted=dict(place.hoisted),
    )


def load_all(text: Pasting, places: list[Any], loads: Loads) -> None:
    """Write the loads of the other ends, side by side."""
    writer, looks = text.writer, text.place.first_look
    ways = {f"if {looks}:": "True", "else:": ""} if looks else {"": ""}
    for head, first_look in ways.items():
        with writer.block(head):
            for place in places:
                for field in loads:
                    seen = dataclasses.replace(place, first_look=first_look)
                    writer.add(load_of(text, seen, loads, field))
    for place in places:
        for field in loads:
            place.hoisted["link_dst", field] = local_of(place, field)


def local_of(place: Any, field: str) -> str:
    """Return the local that holds a field of an edge's other end."""
    return f"{place.vertex['link_dst']}_{field}"


def load_of(text: Pasting, place: Any, loads: Loads, field: str) -> str:
    """Return the text of a load."""
    load = loads[field][0]
    read = ExpressionText(text.writer, place, "").load(load.element, field, str(load.type))
    return f"{local_of(place, field)} = {read}"


def ahead(text: Pasting, stmt: b.ForLinks) -> Loads:
    """Return what may be loaded ahead, by field, and whether the loop writes it of other ends.

    Nothing where the body does more than to read, compare and write, or where what it reads of
    other ends it also writes of an element that may be one of them by another name.
    """
    launch = text.place.worker.launch if text.place.worker is not None else None
    statements = list(b.statements_in(stmt.body))
    if launch is None or launch.again != "elements":
        return {}
    if not all(isinstance(each, PLAIN) for each in statements):
        return {}
    stores = [each for each in statements if isinstance(each, b.Store)]
    loads: Loads = {}
    for each in b.expressions_in(stmt.body):
        if isinstance(each, b.Load) and each.element.role == "link_dst":
            same = [e for e in stores if (e.element.kind, e.field) == ("vertex", each.field)]
            if any(e.op is not None or e.element.role != "link_dst" for e in same):
                return {}
            loads[each.field] = (each, bool(same))
    return loads
