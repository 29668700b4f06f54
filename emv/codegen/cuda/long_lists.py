"""Tallies in whose rounds the order of kinds does not show: warps and blocks take the long lists.

    is_long = <the list is long>
    if is_long:
        list_row(<wide or long lists>, ..., v)
    <what leads to the loop>
    if not is_long:
        <one lane goes from kind to kind>
        <what stands behind the loop>

Then each block takes vertices of the wide lists, and each warp of the others
(`emv.codegen.cuda.calls`). All threads of such a crew run the same text of one vertex up to the
loop. There they add up amounts in a table (`emv_kernels.cuda.tallies`), of whose places each then
takes some and runs their rounds. What the rounds leave to the threads (`passes.tally_kinds`)
becomes one, and what stands behind the loop is for the first of them.
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

LONG, WIDE = 32, 512  # messages from which a warp takes a list, and a block


def lists_of(keys: SortedKeys, worker: Any, length: Own) -> str:
    """Name the list of the vertices whose messages are left for warps, or for blocks."""
    name, least = ("wide", WIDE) if length is Own.WIDE_ONES else ("long", LONG)
    size = "+".join(f"{each}/{least}" for each in keys.store.size_in(worker).split("+"))
    name = f"{name}_lists{worker.launch.number}"
    return str(worker.writer.scratch(name, worker.unit.ids, f"{size}+1"))


def find_span(keys: SortedKeys, worker: Any, vertex: str) -> None:
    """Write where the keys of a vertex stand; a map lists those that are left for crews."""
    writer, store = worker.writer, keys.store
    (first, last), heard = store.span(worker, vertex), store.is_heard(worker, vertex)
    last = f"{last} if {heard} else first_key" if heard else last
    writer.add(f"first_key = {first}\nend_of_keys = {last}")
    if worker.by_long_rows:
        return
    is_left = in_any_order(keys.launch)
    if is_left:
        writer.add(f"is_long = end_of_keys - first_key >= {LONG}")
        is_wide = f"end_of_keys - first_key >= {WIDE}"
        for test, length in ((f"if {is_wide}:", Own.WIDE_ONES), ("elif is_long:", Own.LONG_ONES)):
            with writer.block(test):
                place = place_of_launch(keys.launch.number, length)
                listed = lists_of(keys, worker, length)
                writer.add(f"list_row({listed}, state, {place}, {vertex})")
    if keys.shows_end or store.is_sent(worker):
        with writer.block("if not is_long:" if is_left else ""):
            find_end(keys, worker, vertex)


def find_end(keys: SortedKeys, worker: Any, vertex: str) -> None:
    """Write where the keys of what was sent end: behind them there is nothing."""
    writer = worker.writer
    if keys.shows_end:
        told = f"{keys.array(worker)}, first_key, end_of_keys, {keys.largest}"
        writer.add(f"end_of_keys = end_of_sent({told})")
    else:
        writer.add("end_of_keys = first_key")
        with keys.store.walk(worker, vertex):
            writer.add("end_of_keys += 1")


def share_list(text: Pasting, stmt: Any, behind: tuple[b.Stmt, ...]) -> bool:
    """Write a loop over links or messages, and what stands behind it, if warps share it."""
    share = share_links if isinstance(stmt, b.ForLinks) else share_messages
    return share(text, stmt, behind)


def share_messages(text: Pasting, stmt: b.ForMessages, behind: tuple[b.Stmt, ...]) -> bool:
    """Write a tally and what stands behind it; return whether crews take its long lists."""
    worker, writer = text.place.worker, text.writer
    if stmt.left is None or worker.launch is None:
        return False
    if worker.by_long_rows:
        CrewTally(text, stmt).write()
        with writer.block("if crew_lane(wide) == 0:"):
            text.block(behind)
        return True
    with writer.block("if not is_long:"):
        text.place.hearing.walk(text, stmt)
        text.block(behind)
    return True


class CrewTally:
    """The tally of one vertex by a crew, and what its rounds leave."""

    def __init__(self, text: Pasting, stmt: b.ForMessages) -> None:
        self.text, self.stmt, self.writer = text, stmt, text.writer
        self.worker: Any = text.place.worker
        self.keys: SortedKeys = text.place.hearing.keys
        store, is_sum = self.keys.store, self.keys.amount_dtype == "float64"
        self.amounts = "tally_sums" if is_sum and not self.keys.are_counts else "tally_words"
        self.table = f"tally_words, {self.amounts}, wide"
        self.spare = f"spare_{self.keys.name}"
        self.worker.shared |= dict.fromkeys(("rooms", "tally_words", self.amounts))
        self.is_sent = f"key != {self.keys.largest}"
        if not self.keys.shows_end:
            store.begin(self.worker)
            self.is_sent = store.is_sent(self.worker)
        self.stays = not self.keys.shows_end and bool(self.is_sent)  # a place says what was sent

    def write(self) -> None:
        """Write the loops over parts of a list and classes of kinds, and how it becomes one."""
        begin_lanes(self.text, self.stmt)
        self.writer.add("""
            num_keys = np.int32(end_of_keys - first_key)
            places = num_places(wide, num_keys)
            part, parts = np.int32(0), np.int32(1)
        """)
        with self.writer.block("while part < parts:"):
            self.writer.add("part_first, part_keys = np.int32(0), num_keys")
            self.writer.add("""
                if parts > 1: part_first, part_keys = part_of(rooms, part)
                finest, class_number = np.int32(1), np.int32(0)
                classes = np.int32(1 if part_keys > 0 else 0)
            """)
            with self.writer.block("while classes > 0:"):
                self.writer.add(f"clear_tally({self.table}, places)")
                self.fill()
                with self.writer.block("if not is_full:"):
                    self.rounds()
                self.go_on()
            self.writer.add("part = np.int32(part + 1)")
        self.join()

    def go_on(self) -> None:
        """Write what comes next: another class, or the first part of a list that is divided now."""
        writer, keys = self.writer, self.keys
        shift, size = 0 if keys.are_counts else 32, keys.store.size_in(self.worker)
        arrays = f"{keys.array(self.worker)}, {writer.scratch(self.spare, keys.dtype, size)}"
        with writer.block("if is_full and wide and parts == 1 and is_divided(places, num_keys):"):
            if self.stays:
                self.pack(arrays)
            writer.add(f"""
                divide_keys(rooms, {arrays}, first_key, num_keys, {shift})
                parts, part, classes = num_parts(), np.int32(-1), np.int32(0)
            """)
        with writer.block("else:"):
            writer.add("""
                finest = finer(finest, is_full, places, part_keys)
                classes, class_number = next_class(classes, class_number, finest, is_full)
            """)

    def pack(self, arrays: str) -> None:
        """Write how the keys of what was sent are brought together, as they lose their places."""
        writer, store = self.writer, self.keys.store
        writer.add("begin_packing(rooms)\nplace = crew_lane(wide)")
        with writer.block("while np.int32(place - lane) < num_keys:"):
            writer.add("position = first_key + np.int64(min(place, num_keys - 1))")
            writer.add(f"entry = {store.at(self.worker, 'position')}")
            writer.add(f"""
                is_there = place < num_keys and {self.is_sent}
                packed = first_key + np.int64(packed_place(rooms, is_there))
                if is_there: {self.spare}[packed] = {self.keys.name}[position]
                place = next_of_crew(wide, place)
            """)
        writer.add(f"num_keys = end_packing(rooms, {arrays}, first_key)")

    def fill(self) -> None:
        """Write how the messages of a class are put into the table."""
        writer, keys, store = self.writer, self.keys, self.keys.store
        amount, match = "np.int64(cuda.popc(alike))", "np.int64(kind)"
        if keys.kind_bits == 32:
            match = "np.int32(np.uint32(kind))"
        if not keys.are_counts:
            own = f"{keys.amount_in('key')} if is_there else np.{keys.amount_dtype}(0)"
            amount = f"sum_of_lanes(alike, {own})"
        given = "lanes_sum" if self.amounts == "tally_sums" else "np.uint64(lanes_sum)"
        at = "first_key + np.int64(part_first + min({}, part_keys - 1))"
        load = f"{keys.array(self.worker)}[{at}]"
        writer.add("is_full, place = False, crew_lane(wide)")
        writer.add(f"next_key = {load.format('place')}")
        with writer.block("while np.int32(place - lane) < part_keys and not is_full:"):
            writer.add("is_there, key = place < part_keys, next_key")
            writer.add(f"next_key = {load.format('next_of_crew(wide, place)')}")
            if self.stays:
                at = "first_key + np.int64(min(place, num_keys - 1))"
                writer.add(f"entry = {store.at(self.worker, at)}")
                writer.add(f"is_there = is_there and (parts > 1 or {self.is_sent})")
            elif self.is_sent:
                writer.add(f"is_there = is_there and {self.is_sent}")
            writer.add(f"""
                kind = np.uint64({keys.kind_in("key")})
                is_there = is_there and is_of_class(kind, classes, class_number)
                place = next_of_crew(wide, place)
            """)
            with writer.block("if any_of_warp(is_there):"):
                writer.add(f"""
                    alike = lanes_alike({match}, is_there)
                    lanes_sum = {amount}
                    has_place = put_amount({self.table}, places, kind, {given}, alike)
                    is_full = any_of_warp(not has_place)
                """)
        writer.add("is_full = any_of_crew(wide, is_full)")

    def rounds(self) -> None:
        """Write how each thread takes some places of the table and runs their rounds."""
        writer, keys = self.writer, self.keys
        is_kind, whole = "kind != NO_KIND", f"{self.text.place.prefix}{self.stmt.name}"
        amount = f"amount_at({self.amounts}, wide, at)"
        if keys.kind_bits == 64:
            is_kind = f"{is_kind} or (at == places and {amount} != 0)"
        if self.amounts == "tally_words":
            amount = f"np.int64({amount})"
        writer.add("at = crew_lane(wide)")
        with writer.block("while at <= places:"):
            writer.add("kind = kind_at(tally_words, wide, at)")
            with writer.block(f"if {is_kind}:"):
                kind = f"np.uint{keys.kind_bits}(kind)"
                writer.add(f"{whole} = ({keys.kind_of(kind)}, {amount})")
                self.text.block(self.stmt.body)
            writer.add("at = next_of_crew(wide, at)")

    def join(self) -> None:
        """Write how what the rounds have left becomes one: by warps, then for those of a block."""
        writer, lefts = self.writer, self.stmt.left or ()
        if not lefts:
            return
        writer.add("meet_crew(wide)\nof_block = wide\nis_joined = False")
        with writer.block("while not is_joined:"):
            for left in lefts:
                END[left.how](self.text, left)
            writer.add("is_joined = not of_block")
            with writer.block("if of_block:"):
                for left in lefts:
                    self.bring_warps(left)
                writer.add("of_block = False")

    def bring_warps(self, left: b.Left) -> None:
        """Write how lanes are given what the warps of a block have found."""
        for each in filter(None, (left.name, left.best)):
            name, kind = f"{self.text.place.prefix}{each}", kind_of(self.text, each)
            spare = name if left.how != "sum" else "np.int64(0)"
            if kind in ("f32", "f64"):
                self.worker.shared["tally_sums"] = None
                width = kind.removeprefix("f")
                told = f"tally_sums, np.float64({name}), np.float64({spare})"
                self.writer.add(f"{name} = np.float{width}(of_warps({told}))")
                continue
            word, end = (f"1 if {name} else 0", " != 0") if kind == "bool" else (spare, "")
            own = word if kind == "bool" else name
            told = f"tally_words, np.uint64(np.int64({own})), np.uint64(np.int64({word}))"
            self.writer.add(f"{name} = np.int64(of_warps({told})){end}")


def begin_lanes(text: Pasting, stmt: b.ForMessages) -> None:
    """Write what threads begin with: sums are for the first alone, what may change is kept."""
    for left in stmt.left or ():
        name = f"{text.place.prefix}{left.name}"
        if left.how == "sum":
            text.writer.add(f"{name} = {name} if crew_lane(wide) == 0 else np.int64(0)")
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
