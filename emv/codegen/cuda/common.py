"""Loops over common neighbours on a GPU: the warp as a whole takes the edges with long rows.

    left, right = <the rows>
    is_long = <both are, and the whole warp is here>
    waiting = lanes_that(is_long)
    while waiting != 0:
        <of the first lane that waits: the left row goes into the warp's table, piece by piece>
        for every lane that waits with the same left row:
            <all lanes take entries of its right row and look them up>
            <what the body counts is summed and given to that lane>
    <the left rows of other lanes go into parts of the table>
    if <this lane has a part>:
        <it takes the entries of its right row one by one and looks them up>
    else if not is_long:
        <it takes the entries of its shorter row one by one and searches the longer>

Edges stand in the order of their sources, so the lanes of a warp mostly share the left row, and an
entry costs one load that is coalesced and one or two of shared memory (hashed intersection, after
Pandey et al., TRUST: Triangle Counting Reloaded on GPUs, IEEE TPDS 2021). That is allowed where the
rounds of the loop do not depend on each other: the body leaves nothing behind but sums of whole
numbers, writes to other elements, activations and votes. Any other body is run by one lane.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from emv.codegen import common
from emv.codegen.common import Pair
from emv.codegen.expressions import cast, natural
from emv.ir import body as b

LONG = 32  # entries of the shorter row from which the warp takes the edge
FITS = 128  # entries of a left row that fit a part of the table
FEW = 64  # entries of a right row that one lane looks up
WHOLE = ("int", "i64")


def share_rows(text: Any, stmt: b.ForCommon) -> None:
    """Write the loop."""
    sums, writer, worker = shared_sums(text.body, stmt), text.writer, text.place.worker
    pair = common.open_rows(text, stmt, worker.number)
    if sums is None or worker.number != "np.uint32":  # a table holds ids of 32 bits
        search(text, stmt, pair)
        return
    left, right = pair.left, pair.right
    worker.shared["tables"] = None
    shorter = f"min({left}_end - {left}, {right}_end - {right})"
    writer.add(f"{left}_whole = np.uint32(cuda.activemask()) == ALL")  # asked once for all lanes
    writer.add(f"{left}_long = {left}_whole and {shorter} >= {LONG}")
    writer.add(f"{left}_wait = np.int64(0)")
    with writer.block(f"if {left}_whole:"):
        writer.add(f"{left}_wait = lanes_that(ALL, {left}_long)")
    with writer.block(f"while {left}_wait != 0:", stmt.loc):
        together(text, stmt, pair, sums)
    parts(text, stmt, pair)
    with writer.block(f"elif not {left}_long:"):
        search(text, stmt, pair)


def parts(text: Any, stmt: b.ForCommon, pair: Pair) -> None:
    """Write how lanes with shorter rows walk their right rows, the left ones in parts."""
    writer, left, right = text.writer, pair.left, pair.right
    row, number = writer.graph("sorted_dst"), text.place.worker.number
    fits = f"4 <= {left}_end - {left} <= {FITS} and {right}_end - {right} <= {FEW}"
    writer.add(f"{left}_part = np.int32(-1)")
    writer.add(f"{left}_fits = {left}_whole and not {left}_long and {fits}")
    with writer.block(f"if {left}_whole:"):
        writer.add(f"{left}_wait = lanes_that(ALL, {left}_fits)")
        with writer.block(f"for {left}_room in range(PARTS):"):
            with writer.block(f"if {left}_wait == 0:"):
                writer.add("break")
            writer.add(f"{left}_owner = cuda.ffs({left}_wait) - 1")
            for part in ("", "_end"):
                writer.add(f"all_{left}{part} = {taken(pair, f'{left}{part}', number)}")
            same = f"{left}_fits and {left} == all_{left}"
            writer.add(f"{left}_group = lanes_that(ALL, {same}) & {left}_wait")
            writer.add(f"{left}_wait ^= {left}_group")
            writer.add(f"fill_part(tables, {left}_room, {row}, all_{left}, all_{left}_end)")
            with writer.block(f"if ({left}_group >> np.int64(cuda.laneid)) & 1 != 0:"):
                writer.add(f"{left}_part = np.int32({left}_room)")
    with writer.block(f"if {left}_part >= 0:"):
        look_up_alone(text, stmt, pair)


def look_up_alone(text: Any, stmt: b.ForCommon, pair: Pair) -> None:
    """Write how one lane looks its right row up in a part of the table."""
    writer, place, left, right = text.writer, text.place, pair.left, pair.right
    row, before = writer.graph("sorted_dst"), (dict(place.vertex), dict(place.edge))
    writer.add(f"{right}_next = np.int64({right})")
    with writer.block(f"while {right}_next < {right}_end:", stmt.loc):
        writer.add(f"{right}_k = {right}_next")
        writer.add(f"{right}_next += 1")
        writer.add(f"{right}_dst = {row}[{right}_k]")
        is_new = f"({right}_k == {right} or {row}[{right}_k - 1] != {right}_dst)"
        with writer.block(f"if part_holds(tables, {left}_part, {right}_dst) and {is_new}:"):
            common.name_ends(place, pair, f"{right}_dst")
            if "left" in {each.role for each in common.elements_in(stmt.body)}:
                piece = f"np.int64({left}), np.int64({left}_end), {right}_dst"
                writer.add(f"{left}_at = first_not_below({row}, {piece})")
            common.name_arcs(writer, place, stmt, pair, (f"{left}_at", f"{right}_k"))
            text.block(stmt.body)
    place.vertex, place.edge = before


def together(text: Any, stmt: b.ForCommon, pair: Pair, sums: dict[str, Any]) -> None:
    """Write how the warp takes the waiting lanes that have one left row."""
    writer, worker, left = text.writer, text.place.worker, pair.left
    theirs, row = Pair(f"all_{pair.left}", f"all_{pair.right}"), writer.graph("sorted_dst")
    writer.add(f"{left}_owner = cuda.ffs({left}_wait) - 1")
    for part in ("", "_end"):
        writer.add(f"{theirs.left}{part} = {taken(pair, f'{left}{part}', worker.number)}")
    same = f"{left}_long and {left} == {theirs.left}"
    writer.add(f"{left}_group = lanes_that(ALL, {same}) & {left}_wait")
    writer.add(f"{left}_wait ^= {left}_group")
    with writer.block(f"while {theirs.left} < {theirs.left}_end:"):
        piece = f"{worker.number}(min({theirs.left} + TABLE_ROOM, {theirs.left}_end))"
        writer.add(f"{left}_piece = {piece}")
        writer.add(f"fill_table(tables, {row}, {theirs.left}, {left}_piece)")
        writer.add(f"{left}_rest = {left}_group")
        with writer.block(f"while {left}_rest != 0:"):
            writer.add(f"{left}_owner = cuda.ffs({left}_rest) - 1")
            writer.add(f"{left}_rest &= {left}_rest - 1")
            look_up(text, stmt, pair, theirs, sums)
        writer.add("cuda.syncwarp()")
        writer.add(f"{theirs.left} = {left}_piece")


def look_up(text: Any, stmt: b.ForCommon, pair: Pair, theirs: Pair, sums: dict[str, Any]) -> None:
    """Write how all lanes look the right row of one of them up in the table."""
    writer, outer, number = text.writer, text.place, text.place.worker.number
    for part in ("", "_end"):
        writer.add(f"{theirs.right}{part} = {taken(pair, f'{pair.right}{part}', number)}")
    tag = theirs.right
    text.place = place = brought(text, stmt, pair, theirs, sums)
    for name in sums:
        writer.add(f"{place.prefix}{name} = np.int64(0)")
    writer.add(f"{tag}_next = {number}({theirs.right} + cuda.laneid)")
    row = writer.graph("sorted_dst")
    with writer.block(f"while {tag}_next < {tag}_end:"):
        writer.add(f"{tag}_k = {tag}_next")
        writer.add(f"{tag}_next = {number}({tag}_k + 32)")
        writer.add(f"{tag}_dst = {row}[{tag}_k]")
        writer.add(f"{tag}_hit = holds(tables, {tag}_dst)")
        with writer.block(f"if {tag}_hit and {tag}_k != {theirs.right}:"):
            writer.add(f"{tag}_hit = {row}[np.int64({tag}_k) - 1] != {tag}_dst")
        with writer.block(f"if {tag}_hit:"):
            common.name_ends(place, theirs, f"{tag}_dst")
            if "left" in {each.role for each in common.elements_in(stmt.body)}:
                piece = f"np.int64({theirs.left}), np.int64({pair.left}_piece), {tag}_dst"
                writer.add(f"{tag}_at = first_not_below({row}, {piece})")
            common.name_arcs(writer, place, stmt, theirs, (f"{tag}_at", f"{tag}_k"))
            text.block(stmt.body)
    for name in sums:
        writer.add(f"{place.prefix}{name} = total_of({place.prefix}{name})")
        with writer.block(f"if cuda.laneid == {pair.left}_owner:"):
            writer.add(f"{outer.prefix}{name} += {place.prefix}{name}")
    text.place = outer


def search(text: Any, stmt: b.ForCommon, rows: Pair) -> None:
    """Write the walk of one lane over its shorter row, each entry searched in the longer."""
    writer, place, number = text.writer, text.place, text.place.worker.number
    left, right, row, tag = rows.left, rows.right, writer.graph("sorted_dst"), rows.left
    before = dict(place.vertex), dict(place.edge)
    writer.add(f"{tag}_turned = {left}_end - {left} > {right}_end - {right}")
    for name, one, other in (("walk", right, left), ("seek", left, right)):
        for part in ("", "_end"):
            chosen = f"{one}{part} if {tag}_turned else {other}{part}"
            writer.add(f"{tag}_{name}{part} = {chosen}")
    writer.add(f"{tag}_next = {tag}_walk")
    writer.add(f"{tag}_at = np.int64({tag}_seek)")
    with writer.block(f"while {tag}_next < {tag}_walk_end:", stmt.loc):
        writer.add(f"{tag}_k = {tag}_next")
        writer.add(f"{tag}_next = {number}({tag}_k + 1)")
        writer.add(f"{tag}_dst = {row}[{tag}_k]")
        seek = f"{tag}_at, np.int64({tag}_seek_end), {tag}_dst"  # what was passed is smaller
        writer.add(f"{tag}_at = first_not_below({row}, {seek})")
        with writer.block(f"if {tag}_at == {tag}_seek_end:"):
            writer.add("break")
        is_new = f"({tag}_k == {tag}_walk or {row}[np.int64({tag}_k) - 1] != {tag}_dst)"
        with writer.block(f"if {row}[{tag}_at] == {tag}_dst and {is_new}:"):
            common.name_ends(place, rows, f"{tag}_dst")
            walked, sought = f"np.int64({tag}_k)", f"{tag}_at"
            places = (
                f"{sought} if {tag}_turned else {walked}",
                f"{walked} if {tag}_turned else {sought}",
            )
            common.name_arcs(writer, place, stmt, rows, places)
            text.block(stmt.body)
    place.vertex, place.edge = before


def brought(text: Any, stmt: b.ForCommon, pair: Pair, theirs: Pair, sums: dict[str, Any]) -> Any:
    """Write what the body reads of the lane whose rows they are; return the place it has then."""
    writer, place, tag = text.writer, text.place, f"{theirs.right}_"
    roles = {each.role for each in common.elements_in(stmt.body)}
    vertex, edge = dict(place.vertex), dict(place.edge)
    for role, name in place.vertex.items():
        if role in roles:
            vertex[role] = f"{tag}{role}"
            writer.add(f"{tag}{role} = {taken(pair, name, place.worker.number)}")
    for role, (order, name) in place.edge.items():
        if role in roles:
            edge[role] = (order, f"{tag}{role}_at")
            writer.add(f"{tag}{role}_at = {taken(pair, name, place.worker.number)}")
    for (role, own), (_, their) in zip(pair.sides, theirs.sides, strict=True):
        if f"{role}_src" in roles:
            writer.add(f"{their}_src = {taken(pair, f'{own}_src', 'u64')}")
    for name, kind in read_locals(stmt).items():
        if name not in sums and name not in assigned_in(stmt.body):
            local = f"{place.prefix}{name}"
            writer.add(f"{tag}{local} = {taken(pair, local, kind)}")
    return replace(place, vertex=vertex, edge=edge, prefix=f"{tag}{place.prefix}", hoisted={})


def taken(pair: Pair, name: str, kind: str) -> str:
    """Return the text of a value of the lane whose rows are walked."""
    source = f"ALL, {{}}, {pair.left}_owner"
    if kind in ("f32", "f64", "float"):
        return f"cuda.shfl_sync({source.format(name)})"
    if kind.startswith("np."):
        signed = kind.replace("uint", "int")
        return f"{kind}(cuda.shfl_sync({source.format(f'{signed}({name})')}))"
    word = f"cuda.shfl_sync({source.format(f'np.int64({name})')})"
    return cast(word, "i64", natural(kind))


def shared_sums(body: b.Body, stmt: b.ForCommon) -> dict[str, Any] | None:
    """Return the locals that the rounds of a loop add to; None where rounds depend on each other.

    Every other local that the loop assigns must be of use within one round only.
    """
    inside, everything = b.statements_in(stmt.body), b.statements_in(body.statements)
    if any(isinstance(each, b.Break) for each in inside) or has_own_effects(body, stmt):
        return None
    outside = [each for each in everything if all(each is not one for one in inside)]
    elsewhere = {each.name for each in outside if isinstance(each, b.Assign)}
    for each in outside:
        elsewhere |= names_read(each)
    sums: dict[str, Any] = {}
    for name in assigned_in(stmt.body):
        steps = [each for each in inside if isinstance(each, b.Assign) and each.name == name]
        if name not in elsewhere and body.locals.get(name) is not None:
            continue
        if body.locals.get(name) not in WHOLE or not all(map(is_step, steps)):
            return None
        reads = [each for each in inside if name in names_read(each)]
        if any(all(each is not step for step in steps) for each in reads):
            return None
        sums[name] = body.locals[name]
    is_plain = all(isinstance(kind, str) for kind in read_locals(stmt).values())
    return sums if is_plain else None


def has_own_effects(body: b.Body, stmt: b.ForCommon) -> bool:
    """Return whether a loop writes the instance's own fields, or reads what it wrote to them."""
    stores = [e for e in b.statements_in(body.statements) if isinstance(e, b.Store)]
    own = {(e.element.kind, e.field) for e in stores if e.element.role in ("own", "link")}
    inner = [e for e in b.statements_in(stmt.body) if isinstance(e, b.Store)]
    reads = {
        (e.element.kind, e.field)
        for e in b.expressions_in(stmt.body)
        if isinstance(e, b.Load) and e.element.role in ("own", "link")
    }
    return bool(reads & own) or any(e.element.role in ("own", "link") for e in inner)


def is_step(stmt: b.Assign) -> bool:
    """Return whether an assignment adds something that does not depend on the local to it."""
    value = stmt.value
    return (
        isinstance(value, b.Binary)
        and value.op == "+"
        and value.type in WHOLE
        and isinstance(value.left, b.Local)
        and value.left.name == stmt.name
        and stmt.name not in {e.name for e in b.inside(value.right) if isinstance(e, b.Local)}
    )


def assigned_in(block: tuple[b.Stmt, ...]) -> list[str]:
    """Return the locals that a block assigns, counters of its loops included, each once."""
    names = [e.name for e in b.statements_in(block) if isinstance(e, b.Assign | b.ForRange)]
    return list(dict.fromkeys(names))


def names_read(stmt: b.Stmt) -> set[str]:
    """Return the locals that a statement itself reads, not those in its blocks."""
    found = [inner for part in b.parts_of(stmt) for inner in b.inside(part)]
    return {each.name for each in found if isinstance(each, b.Local)}


def read_locals(stmt: b.ForCommon) -> dict[str, Any]:
    """Return the type of every local that a loop reads."""
    found = b.expressions_in(stmt.body)
    return {each.name: each.type for each in found if isinstance(each, b.Local)}
