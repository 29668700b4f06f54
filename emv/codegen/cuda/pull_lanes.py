"""Pull on a GPU: receivers fold in registers, as many lanes per receiver as it has arcs for.

The lanes of a group (`emv.codegen.cuda.groups`) take every 32nd (16th, ...) slot, and their folds
are merged pairwise by shuffles. A hub is folded in pieces by many warps first; then one warp merges
its pieces. Who folds what never changes, so a float sum comes out the same in every run. A user's
combiner may tell a message from the one after it, so there every lane takes neighbouring slots, and
neighbours are merged in order.

Where a message depends on its source alone, it is computed once and kept in the order of
out-degrees, so that what is read most often lies together.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from emv.codegen import receiving
from emv.codegen.accumulators import Accumulators, Parts, accumulators_of
from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.cuda.groups import (
    TOGETHER,
    call_twice,
    groups,
    if_inside,
    next_slots,
    one_each,
    read_inside,
)
from emv.codegen.cuda.kept_lanes import place_of_kept, stay_open, walk_kept
from emv.codegen.cuda.next_messages import IS_PLAIN, OwnMessages
from emv.codegen.cuda.placed import OWN_ROW
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.cuda.walks import early_loads, held_first
from emv.codegen.folding import array_dtype
from emv.codegen.pull import fold_arcs, staged, start_receivers, who_cares
from emv.codegen.rows import Senders
from emv.codegen.state import Own
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer
from emv.graph.pull import WARP_HUB_ARCS, WARP_PIECE_ARCS
from emv.ir import nodes as n

PIECES = f"A/{WARP_PIECE_ARCS}+A/{WARP_HUB_ARCS}+2"  # how many pieces of hubs there may be at most


class LaneSenders(Senders):
    """The vertices that send in a launch: a bit for each.

    Where messages are computed once, arcs know a sender by the place of its message alone.
    """

    def begin(self, worker: Worker) -> None:
        """Write whether senders stand in another order than that of their ids, and how many send.

        Those without an arc stand last in that order, and nobody reads their messages.
        """
        if self.text.launch.staged:
            shift = worker.writer.copies.shift
            worker.writer.add(f"""
                placed = state[HAS_POSITION] != 0
                senders = state[NUM_SENDERS]{f" << {shift}" if shift else ""}
            """)

    def place(self, worker: Worker) -> str:
        """Write by what arcs know the sender ``v``; return its name."""
        if not self.text.launch.staged:
            return "v"
        assert isinstance(worker, CudaWorker)
        positions, copies = worker.writer.graph("gather_position"), worker.writer.copies
        place = worker.alike(f"{positions}[{copies.vertex('v')}]", "v")
        worker.writer.add(f"position = {place} if placed else v")
        return "position"

    def heard(self, worker: Worker, place: str) -> contextlib.AbstractContextManager[None]:
        return worker.writer.block(f"if {place} < senders:" if self.text.launch.staged else "")

    def put(self, worker: Worker, place: str, is_sender: bool) -> None:
        """Write whether somebody sends; all bits of a word are cleared by whoever has one there."""
        bits = self.bits(worker)
        if is_sender:
            worker.writer.add(f"set_bit({bits}, {place})")
        else:
            worker.writer.add(f"{bits}[np.uint64({place}) >> np.uint64(5)] = 0")

    def asked(self, worker: Worker, place: str) -> str:
        return f"has_bit({self.bits(worker)}, {place})"

    def bits(self, worker: Worker) -> str:
        """Name the bitmap."""
        return worker.writer.scratch("sends", "uint32", "V/32+1", 0)


def in_order(folded: Accumulators) -> bool:
    """Return whether messages are folded in the order of their slots."""
    return any(op.loc is not None for fold in folded.folds for op in fold.ops)


def fold_groups(text: CudaLaunch, senders: Senders) -> None:
    """Write the walk over the pieces of hubs, then over all receivers."""
    worker = text.worker("pull")
    start_receivers(text, worker)
    settles = text.launch.settles and text.inline

    def walk(folded: Accumulators) -> None:
        if text.launch.kept:
            walk_kept(worker, place_of_kept(worker, folded))
        elif text.launch.staged and senders.are_all and not in_order(folded):
            gather(text, worker, folded)
        else:
            fold_arcs(text, worker, folded, senders, walk_slots(worker, in_order(folded)))

    with worker.counted(), groups(worker, text.launch.staged, settles):
        fold_receiver(text, worker, walk, has_pieces=True)
        if settles:
            stay_open(text, worker)
    call_twice(text, worker)
    if settles:
        text.serial(f"{text.own(Own.IS_SETTLING)} = 1")


def fold_and_make(text: CudaLaunch, made: OwnMessages) -> None:
    """Write the pull whose receivers make messages for the next superstep, too.

    Where they have no order a thread folds each.
    """
    makes, placed, number = text.unit.makes, text.unit.placed, text.launch.number
    makes[number] = made.make
    with text.when(IS_PLAIN, has_else=True):
        fold_plain(text)
        text.serial(f"{made.flipped} = 1 - {made.flipped}")
    placed[number] = made.placed
    with text.otherwise():
        fold_groups(text, LaneSenders(text))
        text.serial(f"{made.flipped} = 1 - {made.flipped}")
    del makes[number], placed[number]


def fold_plain(text: CudaLaunch) -> None:
    """Write the walk over receivers with a thread each."""
    worker = text.worker("pull_plain")
    start_receivers(text, worker)
    with worker.counted(), one_each(worker):
        fold_receiver(text, worker, lambda folded: gather(text, worker, folded), has_lanes=False)
    text.phase(worker)


def fold_receiver(
    text: CudaLaunch,
    worker: CudaWorker,
    walk: Callable[[Accumulators], None],
    has_pieces: bool = False,
    has_lanes: bool = True,
) -> None:
    """Write the fold of a group's receiver, or of its piece; ``walk`` writes that of a lane.

    ``has_lanes`` is whether the group may have several.
    """
    writer, placed = worker.writer, worker.unit.placed.get(text.launch.number)
    early = writer.mark()
    folded = accumulators_of(text, writer)
    start(folded, "part == 0 and not pieces" if has_pieces else "part == 0")
    pieces = Parts(text, writer, "piece", PIECES) if has_pieces else None
    if pieces is not None:
        with writer.block("if hub >= 0:"):
            merge_pieces(worker, folded, pieces)
    # A lane without a receiver must not ask what another may be writing.
    otherwise, owned = writer.block("else:" if has_pieces else ""), worker.reaches("v")
    own = writer.block(f"if index >= 0 and {owned}:" if owned else "")
    with otherwise, own, who_cares(text, worker, "index >= 0 and "):
        walk(folded)
    if has_lanes:
        merge_lanes(folded)
    with writer.block("if part == 0 and index >= 0:"):
        begin = writer.mark()
        with writer.block(worker.if_owned("v")):
            if pieces is not None:
                with writer.block("if pieces:"):
                    copies = writer.copies
                    pieces.put(folded, copies.like("index", "v") if copies.shift else "task")
            with writer.block("else:" if has_pieces else ""):
                receiving.take(text, worker, folded)
        block, first = writer.cut(begin), dict[str, n.Node]()
        if placed is not None:
            first, block = early_loads(placed.block(worker, block), OWN_ROW)
        loads, block = early_loads(block, "v")
        writer.put(block)
    before = () if placed is None else placed.begin(worker)
    writer.insert(early, [*before, *held_first(first | loads)])


def start(folded: Accumulators, is_first: str) -> None:
    """Write the accumulators; ``initial=`` counts in the first lane of a receiver alone."""
    folded.start_part()
    if any(fold.fold.initial is not None for fold in folded.folds):
        with folded.writer.block(f"if {is_first}:"):
            folded.let([fold.starts(folded.writer) for fold in folded.folds])


@contextlib.contextmanager
def walk_slots(worker: CudaWorker, is_ordered: bool) -> Iterator[None]:
    """Write the loop over a lane's slots: ``slot``, ``src``."""
    writer, number = worker.writer, worker.number
    if is_ordered:
        neighbours(worker, "slot", "np.int64(slot) - np.int64(part)", "end", "part")
    is_staged = worker.launch.staged
    sources = message_slots(worker) if is_staged else writer.graph("src_of_slot")
    with writer.around(f"""
        while slot < end:
            src = {number}({writer.copies.like(f"{sources}[slot]", "v")})
            ...
            slot = {number}(slot + {"ONE" if is_ordered else "lanes"})
    """):
        yield


def neighbours(worker: CudaWorker, place: str, begin: str, end: str, part: str) -> None:
    """Write which of the places from ``begin`` to ``end`` a lane takes: neighbouring ones."""
    number = worker.number
    worker.writer.add(f"""
        begin = {begin}
        share = (np.int64({end}) - begin + np.int64(lanes) - 1) // np.int64(lanes)
        begin += share * np.int64({part})
        {end} = {number}(min(np.int64({end}), begin + share))
        {place} = {number}(begin)
    """)


def message_slots(worker: CudaWorker) -> str:
    """Name the array of the places of messages: in the order of receivers where these make them."""
    return worker.writer.graph("gather_close_slot" if worker.launch.follows else "gather_slot")


def gather(text: CudaLaunch, worker: CudaWorker, folded: Accumulators) -> None:
    """Write the loop over messages computed once per source, several of them under way at once.

    Slots past the end are neither read nor folded.
    """
    writer, arrays = worker.writer, staged(text.launch)
    nothing = [nothing_of(kind) for kind in arrays.kinds]
    with writer.block("while slot < end:"):
        slots = next_slots(worker)
        senders = read_inside(worker, message_slots(worker), slots, "at")
        messages = []
        for k, sender in enumerate(senders):
            texts = arrays.read(writer, sender)
            messages.append([f"message_{k}_{part}" for part in range(len(texts))])
            for name, value, zero in zip(messages[-1], texts, nothing, strict=True):
                writer.add(f"{name} = {if_inside(value, slots[k], slots, zero)}")
        folded.step(messages[0])
        for slot, message in zip(slots[1:], messages[1:], strict=True):
            with writer.block(f"if {slot} < end:"):
                folded.step(message)
        writer.add(f"slot = {worker.number}(slot + lanes * {TOGETHER})")


def nothing_of(kind: str) -> str:
    """Return the text of what stands for a value of a type that is not read."""
    return "False" if kind == "bool" else f"np.{array_dtype(kind)}(0)"


def merge_lanes(folded: Accumulators) -> None:
    """Write the pairwise merge of the folds of a group's lanes."""
    writer = folded.writer
    first, test, change = "lanes >> 1", "step > 0", ">> 1"
    if in_order(folded):
        first, test, change = "1", "step < lanes", "<< 1"
    others = Accumulators(writer, folded.folds, stem="other")
    with writer.around(f"""
        step = np.int32({first})
        while {test}:
            ...
            step = np.int32(step {change})
    """):
        others.let(folded.map(lambda name, kind: in_other_lane("other", name, kind)))
        if folded.tracks:
            writer.add("heard = other_bool(received, step)\nreceived = received or heard")
        with writer.block("if heard:" if folded.tracks else ""):
            folded.merge(others.names)


def in_other_lane(whose: str, name: str, kind: str) -> str:
    """Return the text of a local as the lane ``step`` away has it, or before, in its own type."""
    if kind == "bool":
        return f"{whose}_bool({name}, step)"
    if kind in ("f32", "f64"):
        return f"{whose}_float({name}, step)"
    return f"np.{array_dtype(kind)}({whose}_int({name}, step))"


def merge_pieces(worker: CudaWorker, folded: Accumulators, pieces: Parts) -> None:
    """Write the merge of a hub's pieces, shared out among the lanes."""
    writer: Writer = worker.writer
    bounds = writer.graph("pull_hub_piece")
    last, stride = f"np.int32({bounds}[hub + 1])", "32"
    if writer.copies.shift:  # a lane has all pieces of its copy
        writer.add(f"piece = np.int32({bounds}[hub])")
        stride = "1"
    elif in_order(folded):
        writer.add(f"last_piece = np.int32({bounds}[hub + 1])")
        neighbours(worker, "piece", f"np.int64({bounds}[hub])", "last_piece", "lane")
        last, stride = "last_piece", "1"
    else:
        writer.add(f"piece = np.int32({bounds}[hub] + lane)")
    with writer.block(f"while piece < {last}:"):
        pieces.merge(folded, writer.copies.like("piece", "v"))
        writer.add(f"piece = np.int32(piece + {stride})")
