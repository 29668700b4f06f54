"""Tallies in whose rounds the order of kinds does not show: a warp takes each long list.

    is_long = <the list is long>
    if is_long:
        list_row(<long lists>, ..., v)
    <what leads to the loop>
    if not is_long:
        <one lane goes from kind to kind>
        <what stands behind the loop>

Then each warp takes vertices of that list (`emv.codegen.cuda.calls`). All lanes run the same text
of one vertex up to the loop. There they take 32 sorted messages at once, and who has the last one
of a kind runs the round. What the rounds leave to the lanes (`passes.tally_kinds`) becomes one, and
what stands behind the loop is for the first lane.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda.long_links import share_links
from emv.codegen.place import Pasting
from emv.codegen.sorted_keys import SortedKeys
from emv.codegen.state import Own, place_of_launch
from emv.ir import body as b
from emv.lang.promote import natural
from emv.passes.sends import in_any_order

LONG = 64  # messages from which a warp takes a list


def lists_of(keys: SortedKeys, worker: Any) -> str:
    """Name the list of the vertices whose messages are left for warps."""
    size = "+".join(f"{each}/{LONG}" for each in keys.store.size_in(worker).split("+"))
    name = f"long_lists{worker.launch.number}"
    return str(worker.writer.scratch(name, worker.unit.ids, f"{size}+1"))


def find_span(keys: SortedKeys, worker: Any, vertex: str) -> None:
    """Write where the sorted keys of a vertex stand; a map lists those that are left for warps."""
    writer, store = worker.writer, keys.store
    (first, last), heard = store.span(worker, vertex), store.is_heard(worker, vertex)
    last = f"{last} if {heard} else first_key" if heard else last
    writer.add(f"first_key = {first}\nend_of_keys = {last}")
    is_left = in_any_order(keys.launch) and not worker.by_long_rows
    if is_left:
        length = place_of_launch(keys.launch.number, Own.LONG_ONES)
        writer.add(f"is_long = end_of_keys - first_key >= {LONG}")
        with writer.block("if is_long:"):
            writer.add(f"list_row({lists_of(keys, worker)}, state, {length}, {vertex})")
    if keys.shows_end or store.is_sent(worker):
        with writer.block("if not is_long:" if is_left else ""):
            find_end(keys, worker, vertex)


def find_end(keys: SortedKeys, worker: Any, vertex: str) -> None:
    """Write where the keys of what was sent end: behind them there is nothing."""
    writer = worker.writer
    if keys.shows_end:
        told = f"{keys.array(worker)}, first_key, end_of_keys, {keys.largest}"
        writer.add(f"end_of_keys = end_of_sent({told})")
    elif worker.by_long_rows:
        count_side_by_side(keys, worker)
    else:
        writer.add("end_of_keys = first_key")
        with keys.store.walk(worker, vertex):
            writer.add("end_of_keys += 1")


def count_side_by_side(keys: SortedKeys, worker: Any) -> None:
    """Write how the lanes of a warp count the messages that were sent."""
    writer, store = worker.writer, keys.store
    store.begin(worker)
    writer.add("num_sent = np.int64(0)\nposition = first_key + np.int64(lane)")
    with writer.block("while position < end_of_keys:"):
        writer.add(f"entry = {store.at(worker, 'position')}")
        writer.add(f"num_sent += 1 if {store.is_sent(worker)} else 0\nposition += 32")
    writer.add("end_of_keys = first_key + total_of(num_sent)")


def share_list(text: Pasting, stmt: Any, behind: tuple[b.Stmt, ...]) -> bool:
    """Write a loop over links or messages, and what stands behind it, if warps share it."""
    share = share_links if isinstance(stmt, b.ForLinks) else share_messages
    return share(text, stmt, behind)


def share_messages(text: Pasting, stmt: b.ForMessages, behind: tuple[b.Stmt, ...]) -> bool:
    """Write a tally and what stands behind it; return whether warps take its long lists."""
    worker, writer = text.place.worker, text.writer
    if stmt.left is None or worker.launch is None:
        return False
    if worker.by_long_rows:
        walk_side_by_side(text, stmt)
        with writer.block("if lane == 0:"):
            text.block(behind)
        return True
    with writer.block("if not is_long:"):
        text.place.hearing.walk(text, stmt)
        text.block(behind)
    return True


def walk_side_by_side(text: Pasting, stmt: b.ForMessages) -> None:
    """Write the rounds of a warp, and what they leave."""
    worker, writer, hearing = text.place.worker, text.writer, text.place.hearing
    keys: SortedKeys = hearing.keys
    whole = f"{text.place.prefix}{stmt.name}"
    kind, amount, place = map(writer.fresh, ("kind", "amount", "place"))
    begin_lanes(text, stmt)
    array, zero = keys.array(worker), f"np.{keys.amount_dtype}(0)"
    number = "np.int32(np.uint32" if keys.kind_bits == 32 else "np.int64(np.uint64"

    def kind_in(key: str) -> str:
        return f"{number}({keys.kind_in(f'{place}_{key}')}))"

    def key_at(text: str) -> str:
        return f"{array}[min({text}, end_of_keys - 1)]"

    ends = f"{kind}, {kind}_before"
    if keys.are_counts:
        within = f"count_within({ends}, {amount}_before)"
    else:
        own = f"{keys.amount_in(f'{place}_key')} if {place}_is else {zero}"
        within = f"add_within({ends}, np.{keys.amount_dtype}({own}), {amount}_before)"
    writer.add(f"""
        {place} = first_key + np.int64(lane)
        {place}_next = {place}_after = {keys.largest}
        if first_key < end_of_keys:
            {place}_next = {key_at(place)}
            {place}_after = {key_at(f"{place} + 32")}
        {kind}_before = {number}(0))
        {amount}_before = {zero}
    """)
    with writer.block(f"while {place} - np.int64(lane) < end_of_keys:", stmt.loc):
        writer.add(f"""
            {place}_key = {place}_next
            {place}_next = {place}_after
            {place}_after = {key_at(f"{place} + 64")}
            {place}_is = {place} < end_of_keys
            {kind} = {kind_in("key")}
            {amount} = {within}
            {kind}_before = from_last({kind})
            {amount}_before = from_last({amount})
            {place}_ends = is_last_of({kind}, {kind_in("next")}) or {place} + 1 == end_of_keys
            {place} += 32
        """)
        with writer.block(f"if {place}_is and {place}_ends:"):
            unsigned = f"np.uint{keys.kind_bits}({kind})"
            writer.add(f"{whole} = ({keys.kind_of(unsigned)}, {amount})")
            text.block(stmt.body)
    for left in stmt.left or ():
        END[left.how](text, left)


def begin_lanes(text: Pasting, stmt: b.ForMessages) -> None:
    """Write what lanes begin with: sums are for the first alone, and what may change is kept."""
    for left in stmt.left or ():
        name = f"{text.place.prefix}{left.name}"
        if left.how == "sum":
            text.writer.add(f"{name} = {name} if lane == 0 else np.int64(0)")
        elif left.how == "once":
            text.writer.add(f"{name}_before = {name}")


def end_sum(text: Pasting, left: b.Left) -> None:
    """Write the sum of all lanes."""
    name = f"{text.place.prefix}{left.name}"
    text.writer.add(f"{name} = total_of({name})")


def end_extreme(text: Pasting, left: b.Left) -> None:
    """Write the least or the largest of all lanes."""
    name, word = f"{text.place.prefix}{left.name}", {"min": "smallest", "max": "largest"}[left.how]
    text.writer.add(f"{name} = {word}_of({name})")


def end_once(text: Pasting, left: b.Left) -> None:
    """Write the number that a lane has put into a local, if one has."""
    name = f"{text.place.prefix}{left.name}"
    is_set = f"differs({name}, {name}_before)"
    if kind_of(text, left.name) == "bool":
        text.writer.add(f"{name} = of_one_lane(np.int32(1 if {name} else 0), {is_set}) != 0")
    else:
        text.writer.add(f"{name} = of_one_lane({name}, {is_set})")


def end_best(text: Pasting, left: b.Left) -> None:
    """Write how lanes find the best of all."""
    writer, step = text.writer, text.writer.fresh("step")
    most, best = (f"{text.place.prefix}{each}" for each in (left.name, left.best))
    is_better, is_before = left.ops
    kind = kind_of(text, left.name)
    word = "float" if kind in ("f32", "f64") else "int"
    writer.add(f"{step} = 16")
    with writer.block(f"while {step} > 0:"):
        writer.add(f"""
            {step}_most = other_{word}({most}, {step})
            {step}_best = other_int({best}, {step})
            {step}_wins = {step}_most {is_better} {most}
            {step}_wins = {step}_wins or ({step}_most == {most} and {step}_best {is_before} {best})
            {most} = {step}_most if {step}_wins else {most}
            {best} = {step}_best if {step}_wins else {best}
            {step} //= 2
        """)


END = {
    "sum": end_sum,
    "min": end_extreme,
    "max": end_extreme,
    "once": end_once,
    "best": end_best,
}
"""What is written for each way in which rounds leave a local."""


def kind_of(text: Pasting, name: str) -> str:
    """Return the type in which a local is computed."""
    return natural(str(text.body.locals[name]))
