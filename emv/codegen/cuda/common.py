"""Loops over common neighbours on a GPU: a warp as a whole takes the rows of its edges.

    if <rounds are all alike, all rows are short, and the whole warp is here>:
        <how many rounds each edge has is counted by hashes>
    else:
        <all else>

All else is

    known = <how many neighbours both have, where one is busy and shares no others>
    table, walk = <the longer of the two rows, if it is long, else the first, and the other>
    short, long = <both rows are short>, <the row for the table is long>
    if <there are enough entries in both rows of any short edge, and the whole warp is here>:
        <the rows for the table of all short edges go into a filter of bits>
        <their other rows are laid end to end, and entries that pass are listed>
        for lanes, as many as are listed:
            <each lane searches for one of them; what the body counts goes to the edge's lane>
    waiting = lanes_that(<there are enough entries in both rows of a long edge>)
    while waiting != 0:
        <of the first lane that waits: the row for the table goes into the warp's, piece by piece>
        for lanes that wait with the same row in the table, as many as there are groups of lanes:
            <each group of lanes takes entries of one lane's other row and looks them up>
            <what the body counts is summed and given to that lane>
    if <this lane had no part in any of it>:
        <it takes the entries of its shorter row one by one and searches the longer>

An entry costs one load that is coalesced and some of shared memory (hashed intersection, after
Pandey et al., TRUST: Triangle Counting Reloaded on GPUs, IEEE TPDS 2021; for short rows see
`emv_kernels.cuda.short_rows`). All edges of a graph are walked in the order of the ends that have
the longer row of the two, where that is long, so the lanes of a warp mostly share the row in the
table, and what is walked is the shorter one. Otherwise it is the first row that neighbouring lanes
share, and that the table is for. A row that does not fit is taken in pieces; of the other row each
piece meets only those entries that lie between its ends.

Only rounds with a long row may last: they ask first whether the launch is being left, and so meshes
never ask.

That is allowed where the rounds of the loop do not depend on each other (`passes.share_rounds`).
Any other body is run by one lane. Where edges are walked so, rounds that are all alike are only
counted, which needs no table: if rows are those of the busiest vertices (`emv.graph.busy`), or if
all are short and arcs are edges (`emv.graph.hashed`, `emv_kernels.cuda.hashed`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from emv.codegen import common
from emv.codegen.common import Pair
from emv.codegen.cuda.counted import count_by_hashes, count_rounds
from emv.codegen.expressions import cast
from emv.codegen.place import Pasting, Place
from emv.ir import body as b
from emv.lang.promote import natural
from emv.passes.share_rounds import assigned_in, read_locals


def takes_rows(worker: Any, body: b.Body) -> bool:
    """Return whether a function of edges finds what the rows of their ends share, in tables."""
    inside = b.statements_in(body.statements)
    loops = [e.loop for e in worker.launch.shared if any(e.loop is stmt for stmt in inside)]
    fits = worker.number == "np.uint32"  # a table holds ids of 32 bits
    return fits and any({e.first.role, e.second.role} == {"src", "dst"} for e in loops)


def share_rows(text: Pasting, stmt: b.ForCommon) -> None:
    """Write the loop."""
    writer, worker = text.writer, text.place.worker
    found = next((each for each in worker.launch.shared if each.loop is stmt), None)
    sums = None if found is None else found.sums
    pair = common.name_rows(text, stmt)
    shares = sums is not None and worker.number == "np.uint32"
    if shares:
        writer.state()
        # Asked for all lanes.
        writer.add(f"{pair.left}_whole = np.uint32(cuda.activemask()) == ALL")
    alike = found.alike if shares and worker.by_row and found is not None else ()
    if not alike:
        take_rows(text, stmt, pair, sums if shares else None, ())
        return
    with writer.block(f"if state[HASHED] != 0 and {pair.left}_whole:"):
        count_by_hashes(text, pair, alike)
    with writer.block("else:"):
        take_rows(text, stmt, pair, sums, alike)


def take_rows(
    text: Pasting,
    stmt: b.ForCommon,
    pair: Pair,
    sums: dict[str, Any] | None,
    alike: tuple[b.Assign, ...],
) -> None:
    """Write how rows are taken, by tables where there are sums."""
    writer, worker = text.writer, text.place.worker
    common.open_rows(writer, pair, worker.number)
    left, right = pair.left, pair.right
    lengths = f"{left}_length", f"{right}_length"
    for length, row in zip(lengths, (left, right), strict=True):
        writer.add(f"{length} = {worker.number}({row}_end - {row})")
    writer.add(f"{left}_turned = {lengths[0]} > {lengths[1]}")
    if sums is not None:
        if alike:
            count_rounds(text, pair, alike)
        choose(text, pair, lengths, bool(alike))
    for name, one, other in (("walk", right, left), ("seek", left, right)):
        for part in ("", "_end"):
            chosen = f"{one}{part} if {left}_turned else {other}{part}"
            writer.add(f"{left}_{name}{part} = {chosen}")
    if sums is None:
        search(text, stmt, pair)
        return
    with writer.block(f"if {left}_near != 0:"):
        end_to_end(text, stmt, pair, sums)
    with writer.block(f"while {left}_wait != 0:", stmt.loc):
        together(text, stmt, pair, sums)
    waits = f"not {left}_known and " if alike else ""
    with writer.block(f"if {waits}not {left}_short and not {left}_long:"):
        search(text, stmt, pair)


def choose(text: Pasting, pair: Pair, lengths: tuple[str, str], counts: bool) -> None:
    """Write which lanes take their rows with others, and which of the two they look up in."""
    writer, worker, tag = text.writer, text.place.worker, pair.left
    worker.shared["tables"] = None
    is_open = f"{tag}_whole and not {tag}_known" if counts else f"{tag}_whole"
    second = f"holds_second({', '.join(lengths)})" if worker.by_row else "False"
    writer.add(f"{tag}_second = {second}")
    walked, held = (
        f"{one} if {tag}_second else {other}" for one, other in (lengths, lengths[::-1])
    )
    writer.add(f"{tag}_long = {is_open} and pays({walked}, {held})")
    writer.add(f"{tag}_short = {is_open} and are_short({', '.join(lengths)})")
    writer.add(f"{tag}_wait, {tag}_near = np.uint32(0), np.uint32(0)")
    with writer.block(f"if {tag}_whole:"):
        writer.add(f"{tag}_far = lanes_that(not {tag}_short)")
        writer.add(f"if {tag}_far != 0 and not warp_goes_on(state, LEAVING): break")
        writer.add(f"{tag}_near = lanes_that({tag}_long and {tag}_short)")
        writer.add(f"{tag}_short = {tag}_short and {tag}_near != 0")
        writer.add(f"{tag}_long = {tag}_long and not {tag}_short")
        writer.add(f"{tag}_wait = lanes_that({tag}_long)")
    with writer.block(f"if {tag}_short or {tag}_long:"):
        writer.add(f"{tag}_turned = not {tag}_second")


def end_to_end(text: Pasting, stmt: b.ForCommon, pair: Pair, sums: dict[str, Any]) -> None:
    """Write how the warp takes the short rows of all lanes at once."""
    writer, tag = text.writer, pair.left
    row = writer.graph("sorted_dst")
    for name, taken_if in (
        ("seek", f"is_first_with({tag}_seek, {tag}_short and {tag}_seek < {tag}_seek_end)"),
        ("walk", f"{tag}_short and {tag}_seek < {tag}_seek_end"),
    ):
        writer.add(f"{tag}_entries = np.int32(0)")
        with writer.block(f"if {taken_if}:"):
            writer.add(f"{tag}_entries = np.int32({tag}_{name}_end - {tag}_{name})")
        if name == "seek":
            writer.add(f"fill_filter(tables, {row}, {tag}_seek, {tag}_entries)")
    entries = f"{tag}_walk, {tag}_entries, salt_of({tag}_seek)"
    writer.add(f"{tag}_total = lay_rows(tables, {entries})")
    writer.add(f"{tag}_done, {tag}_begun = np.int32(0), first_of_rows()")
    with writer.block(f"while {tag}_done < {tag}_total:", stmt.loc):
        places = f"{tag}_done, {tag}_begun, {tag}_total"
        reached = f"{tag}_done, {tag}_begun, {tag}_many"
        writer.add(f"{reached} = list_likely(tables, {row}, {places})")
        writer.add(f"{tag}_first = np.int32(0)")
        with writer.block(f"while {tag}_first < {tag}_many:"):
            listed(text, stmt, pair, sums)
        writer.add("cuda.syncwarp()")


def listed(text: Pasting, stmt: b.ForCommon, pair: Pair, sums: dict[str, Any]) -> None:
    """Write how every lane searches for an entry that passed, and what lanes are given."""
    writer, outer, tag = text.writer, text.place, pair.left
    row, number = writer.graph("sorted_dst"), outer.worker.number
    waits = f"np.int32({tag}_first + cuda.laneid), {tag}_many"
    writer.add(f"{tag}_row, {tag}_k = taken_from_list(tables, {waits})")
    writer.add(f"{tag}_owner = np.int32({tag}_row & 31)")
    writer.add(f"{tag}_from = {taken(pair, f'{tag}_walk', number)}")
    for part in ("", "_end"):
        writer.add(f"{tag}_table{part} = {taken(pair, f'{tag}_seek{part}', number)}")
    text.place = place = brought(text, stmt, pair, sums)
    for name in sums:
        writer.add(f"{place.prefix}{name} = np.int64(0)")
    with writer.block(f"if {tag}_row < 32:"):
        writer.add(f"{tag}_dst = {row}[{tag}_k]")
        piece = f"np.int64({tag}_table), np.int64({tag}_table_end), {tag}_dst"
        writer.add(f"{tag}_found = first_not_below({row}, {piece})")
        is_new = f"({tag}_k == {tag}_from or {row}[np.int64({tag}_k) - 1] != {tag}_dst)"
        is_there = f"{tag}_found < {tag}_table_end and {row}[{tag}_found] == {tag}_dst"
        with writer.block(f"if {is_there} and {is_new}:"):
            paste(text, stmt, pair, theirs(pair), f"{tag}_their_turn")
    for name in sums:
        writer.add(f"{outer.prefix}{name} += sum_of_own({place.prefix}{name}, {tag}_row)")
    writer.add(f"{tag}_first = np.int32({tag}_first + 32)")
    text.place = outer


def together(text: Pasting, stmt: b.ForCommon, pair: Pair, sums: dict[str, Any]) -> None:
    """Write how the warp takes the waiting lanes that have one row in the table."""
    writer, tag, number = text.writer, pair.left, text.place.worker.number
    row = writer.graph("sorted_dst")
    writer.add(f"{tag}_owner = cuda.ffs({tag}_wait) - 1")
    for part in ("", "_end"):
        writer.add(f"{tag}_table{part} = {taken(pair, f'{tag}_seek{part}', number)}")
    same = f"{tag}_long and {tag}_seek == {tag}_table"
    writer.add(f"{tag}_group = np.uint32(lanes_that({same}) & {tag}_wait)")
    writer.add(f"{tag}_wait = np.uint32({tag}_wait ^ {tag}_group)")
    writer.add(f"{tag}_fold = lanes_for({tag}_table_end - {tag}_table)")
    writer.add(f"{tag}_width = np.uint32(np.uint32(1) << np.uint32({tag}_fold))")
    writer.add(f"{tag}_many = np.int32(cuda.popc({tag}_group))")
    writer.add(f"{tag}_owners = lane_at({tag}_group, cuda.laneid)")
    writer.add(f"{tag}_rank = place_among({tag}_group)")
    writer.add(f"{tag}_next = {tag}_walk")
    with writer.block(f"while {tag}_table < {tag}_table_end:"):
        room = f"min({tag}_table_end - {tag}_table, TABLE_ROOM)"
        writer.add(f"{tag}_piece = {number}({tag}_table + {number}({room}))")
        writer.add(f"{tag}_shift = shift_of({tag}_piece - {tag}_table)")
        writer.add(f"fill_table(tables, {tag}_shift, {row}, {tag}_table, {tag}_piece)")
        writer.add(f"{tag}_stop = {tag}_walk_end")
        with writer.block(f"if {tag}_piece < {tag}_table_end and {tag}_long:"):
            above = f"np.int64({row}[np.int64({tag}_piece) - 1]) + 1"
            slice_ = f"np.int64({tag}_next), np.int64({tag}_walk_end), {above}"
            writer.add(f"{tag}_stop = {number}(first_not_below({row}, {slice_}))")
        writer.add(f"{tag}_first = np.int32(0)")
        with writer.block(f"while {tag}_first < {tag}_many:"):
            look_up(text, stmt, pair, sums)
        writer.add("cuda.syncwarp()")
        writer.add(f"{tag}_next = {tag}_stop")
        writer.add(f"{tag}_table = {tag}_piece")


def look_up(text: Pasting, stmt: b.ForCommon, pair: Pair, sums: dict[str, Any]) -> None:
    """Write how groups of lanes look the rows of some lanes up, and what these are given."""
    writer, outer, tag = text.writer, text.place, pair.left
    number = outer.worker.number
    writer.add(f"{tag}_place = np.int32({tag}_first + (cuda.laneid >> {tag}_fold))")
    writer.add(f"{tag}_owner = cuda.shfl_sync(ALL, {tag}_owners, {tag}_place & 31)")
    writer.add(f"{tag}_from = {taken(pair, f'{tag}_next', number)}")
    writer.add(f"{tag}_count = {number}({taken(pair, f'{tag}_stop', number)} - {tag}_from)")
    text.place = place = brought(text, stmt, pair, sums)
    for name in sums:
        writer.add(f"{place.prefix}{name} = np.int64(0)")
    writer.add(f"{tag}_at = {number}(np.uint32(cuda.laneid) & ({tag}_width - np.uint32(1)))")
    with writer.block(f"while {tag}_place < {tag}_many and {tag}_at < {tag}_count:"):
        go_through(text, stmt, pair)
    writer.add(f"{tag}_place = np.int32(({tag}_rank - {tag}_first) << {tag}_fold)")
    for name in sums:
        writer.add(f"{place.prefix}{name} = total_within({place.prefix}{name}, {tag}_width)")
        given = f"cuda.shfl_sync(ALL, {place.prefix}{name}, {tag}_place & 31)"
        writer.add(f"{place.prefix}{name} = {given}")
        with writer.block(f"if {tag}_place >= 0 and {tag}_place < 32:"):
            writer.add(f"{outer.prefix}{name} += {place.prefix}{name}")
    writer.add(f"{tag}_first = np.int32({tag}_first + (32 >> {tag}_fold))")
    text.place = outer


def go_through(text: Pasting, stmt: b.ForCommon, pair: Pair) -> None:
    """Write how a lane looks up its next entries of a row; those found run the body."""
    writer, place, tag = text.writer, text.place, pair.left
    row, number = writer.graph("sorted_dst"), place.worker.number
    before = dict(place.vertex), dict(place.edge)
    writer.add(f"{tag}_begin = {number}({tag}_from + {tag}_at)")
    entries = f"{row}, {tag}_begin, {number}({tag}_count - {tag}_at), {tag}_width"
    writer.add(f"{tag}_bits = likely(tables, {tag}_shift, {entries})")
    writer.add(f"{tag}_at = {number}({tag}_at + {number}(AHEAD) * {tag}_width)")
    with writer.block(f"while {tag}_bits != 0:"):
        step = f"(np.uint32(cuda.ffs({tag}_bits) - 1) << np.uint32({tag}_fold))"
        writer.add(f"{tag}_k = {number}({tag}_begin + {step})")
        writer.add(f"{tag}_bits = np.uint32({tag}_bits & ({tag}_bits - np.uint32(1)))")
        writer.add(f"{tag}_dst = {row}[{tag}_k]")
        is_new = f"({tag}_k == {tag}_from or {row}[np.int64({tag}_k) - 1] != {tag}_dst)"
        with writer.block(f"if holds(tables, {tag}_shift, {tag}_dst) and {is_new}:"):
            roles = {each.role for each in common.elements_in(stmt.body)}
            if roles & {"left", "right"}:
                piece = f"np.int64({tag}_table), np.int64({tag}_piece), {tag}_dst"
                writer.add(f"{tag}_found = first_not_below({row}, {piece})")
            paste(text, stmt, pair, theirs(pair), f"{tag}_their_turn")
    place.vertex, place.edge = before


def paste(text: Pasting, stmt: b.ForCommon, pair: Pair, own: Pair, turned: str) -> None:
    """Write what is done with a neighbour: one arc was walked to, the other found."""
    common.name_ends(text.place, own, f"{pair.left}_dst")
    walked, found = f"np.int64({pair.left}_k)", f"{pair.left}_found"
    places = f"{found} if {turned} else {walked}", f"{walked} if {turned} else {found}"
    common.name_arcs(text.writer, text.place, stmt, pair, places)
    text.block(stmt.body)


def search(text: Pasting, stmt: b.ForCommon, pair: Pair) -> None:
    """Write the walk of one lane over its shorter row, each entry searched in the longer."""
    writer, place, number, tag = text.writer, text.place, text.place.worker.number, pair.left
    row, before = writer.graph("sorted_dst"), (dict(place.vertex), dict(place.edge))
    writer.add(f"{tag}_next = {tag}_walk")
    writer.add(f"{tag}_found = np.int64({tag}_seek)")
    with writer.block(f"while {tag}_next < {tag}_walk_end:", stmt.loc):
        writer.add(f"{tag}_k = {tag}_next")
        writer.add(f"{tag}_next = {number}({tag}_k + 1)")
        writer.add(f"{tag}_dst = {row}[{tag}_k]")
        seek = f"{tag}_found, np.int64({tag}_seek_end), {tag}_dst"  # what was passed is smaller
        writer.add(f"{tag}_found = first_not_below({row}, {seek})")
        with writer.block(f"if {tag}_found == {tag}_seek_end:"):
            writer.add("break")
        is_new = f"({tag}_k == {tag}_walk or {row}[np.int64({tag}_k) - 1] != {tag}_dst)"
        with writer.block(f"if {row}[{tag}_found] == {tag}_dst and {is_new}:"):
            paste(text, stmt, pair, pair, f"{tag}_turned")
    place.vertex, place.edge = before


def theirs(pair: Pair) -> Pair:
    """Return what the rows of another lane are called."""
    return Pair(f"their_{pair.left}", f"their_{pair.right}")


def brought(text: Pasting, stmt: b.ForCommon, pair: Pair, sums: dict[str, Any]) -> Place:
    """Write what the body reads of the lane whose rows they are; return the place it has then."""
    writer, place, tag = text.writer, text.place, f"their_{pair.right}_"
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
    if roles & {"left", "right"}:
        turned = f"np.int32(1 if {pair.left}_turned else 0)"
        turned = f"cuda.shfl_sync(ALL, {turned}, {pair.left}_owner) != 0"
        writer.add(f"{pair.left}_their_turn = {turned}")
    for (role, own), (_, their) in zip(pair.sides, theirs(pair).sides, strict=True):
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
