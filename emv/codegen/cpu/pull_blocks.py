"""Pull on cores: a thread takes blocks of receivers that have about as many in-arcs together.

A hub of a million in-arcs would keep one thread busy while the others wait, so it is folded in
pieces first. Pieces have a fixed size and are merged in their order, so a float sum does not depend
on the number of threads.

Where a loop leaves a test of arcs as it is (`emv.codegen.pull`), what passes is written one
behind the other before the loop, where the stretch of a receiver begins or that of a piece, so that
these walks find it without any count.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from emv.codegen import receiving
from emv.codegen.accumulators import Accumulators, Parts, accumulators_of
from emv.codegen.cpu.blocks import CpuWorker, Extent, receivers_text
from emv.codegen.cpu.regions import CpuLaunch
from emv.codegen.folding import ComponentArrays
from emv.codegen.pull import (
    asking_body,
    condition_of,
    fold_arcs,
    kept_array,
    staged,
    start_receivers,
    who_cares,
)
from emv.codegen.rows import Senders
from emv.codegen.sending import SEND, guard_arguments, hoist
from emv.codegen.statements import StatementText
from emv.codegen.writer import Writer
from emv.graph.hubs import HUB_ARCS
from emv_kernels.sizes import SENDERS_AHEAD

PIECES = "A/16384+2"  # how many pieces there may be at most
LAST = 4  # arcs at the end of a stretch that are folded without a branch for each


def pieces_of(text: CpuLaunch, writer: Writer) -> Parts:
    """Return the arrays of the pieces' folds."""
    return Parts(text, writer, "piece", PIECES)


def piece_bounds(writer: Writer) -> tuple[str, str, str]:
    """Name the receivers of pieces, and where their slots begin and end."""
    return (
        writer.graph("piece_vertex"),
        writer.graph("piece_begin"),
        writer.graph("piece_end"),
    )


def fold_blocks(text: CpuLaunch, senders: Senders) -> None:
    """Write the phase that folds the pieces of hubs, and the one in which all receivers fold."""
    fold_pieces(text, senders)
    worker = text.worker("pull")
    writer, first = worker.writer, worker.writer.graph("first_in")
    start_receivers(text, worker)
    blocks = writer.graph("in_blocks")
    with (
        worker.blocks(),
        writer.around(receivers_text(blocks)),
        writer.block(worker.if_owned("v")),
    ):
        folded = accumulators_of(text, writer)
        folded.start()
        with unless_hub(text, folded), who_cares(text, worker):
            fold_stretch(text, worker, folded, senders, (f"{first}[v]", f"{first}[v + 1]"))
        receiving.take(text, worker, folded)
        if text.carried is not None:
            text.carried.make(worker, text.carried.next)
    worker.extent = Extent(f"len({blocks}) - 1", "state[NUM_ARCS]", arrays=(blocks,))
    text.phase(worker)


def fold_pieces(text: CpuLaunch, senders: Senders) -> None:
    """Write the phase that folds the pieces of all hubs."""
    launch, worker = text.launch, text.worker("hubs")
    writer = worker.writer
    worker.scalar_arguments(launch.send, launch.args, SEND)
    guard_arguments(worker)
    vertex, begin, end = piece_bounds(writer)
    with worker.blocks():
        writer.add(f"v = {vertex}[block]")
        folded = accumulators_of(text, writer)
        folded.start_part()
        with who_cares(text, worker):
            fold_stretch(text, worker, folded, senders, (f"{begin}[block]", f"{end}[block]"))
        pieces_of(text, writer).put(folded, "block")
    worker.extent = Extent(f"len({vertex})", f"len({vertex}) * {HUB_ARCS}", arrays=(vertex,))
    text.phase(worker)


@contextlib.contextmanager
def unless_hub(text: CpuLaunch, folded: Accumulators) -> Iterator[None]:
    """Write the merge of a hub's pieces, and what other receivers do instead in the context."""
    writer = folded.writer
    first, vertex = writer.graph("first_in"), writer.graph("piece_vertex")
    pieces = pieces_of(text, writer)
    with writer.block(f"if np.int64({first}[v + 1]) - np.int64({first}[v]) >= {HUB_ARCS}:"):
        writer.add(f"piece = np.searchsorted({vertex}, v)")
        with writer.block(f"while piece < len({vertex}) and {vertex}[piece] == v:"):
            pieces.merge(folded, "piece")
            writer.add("piece += 1")
    with writer.block("else:"):
        yield


def fold_stretch(
    text: CpuLaunch,
    worker: CpuWorker,
    folded: Accumulators,
    senders: Senders,
    bounds: tuple[str, str],
) -> None:
    """Write the fold of the messages along a stretch of in-arcs.

    Sums of floats in single precision, which are formed in double and rounded once, are formed
    side by side (`emv_kernels.cpu.gathered`): of all other folds every bit is that of plain Python.
    Where messages are computed once, the loop of others leaves the last `LAST` arcs to `fold_last`,
    and asks for senders ahead: until an id is there, no message can be asked for.
    """
    launch = text.launch
    if not (launch.staged and senders.are_all and not launch.kept and not folded.tracks):
        fold_arcs(text, worker, folded, senders, walk_stretch(worker, *bounds))
        return
    writer, sources = worker.writer, worker.writer.graph("src_of_slot")
    messages = staged(launch)
    adds = all(op.name == "sum" and op.loc is None for fold in text.folds for op in fold.ops)
    if adds and all(kind == "f32" for fold in text.folds for kind in fold.kinds):
        ends = ", ".join(f"np.uint64({bound})" for bound in bounds)
        sums = [f"sum_at({array}, {sources}, {ends})" for array in messages.arrays(writer)]
        folded.merge([sums for _ in text.folds])
        return
    writer.add(f"slot = np.uint64({bounds[0]})\nend = np.uint64({bounds[1]})")
    writer.add("last = np.uint64(state[NUM_ARCS] - 1)")
    with writer.block(f"while slot + np.uint64({LAST}) < end:"):
        writer.add(f"ask_ahead({sources}, min(slot + np.uint64({SENDERS_AHEAD}), last))")
        for at in ("slot", "slot + ONE"):
            folded.step(messages.read(writer, f"{sources}[{at}]"))
        writer.add("slot += np.uint64(2)")
    with writer.block("if slot < end:"):
        fold_last(writer, messages, folded)


def fold_last(writer: Writer, messages: ComponentArrays, folded: Accumulators) -> None:
    """Write the fold of a stretch's last arcs, up to `LAST`, without a branch for each.

    A processor guesses wrong where a short row ends, which takes as long as a dozen arcs. So as
    many messages are read in any case, and those past the end replaced by what leaves a fold as it
    is.
    """
    sources, given = writer.graph("src_of_slot"), []
    for k in range(1, LAST):
        writer.add(f"is_in_{k} = slot + np.uint64({k}) < end")
        place = f"slot + np.uint64({k}) if is_in_{k} else slot"
        given.append([f"message_{k}_{part}" for part in range(len(messages.names))])
        for name, text in zip(given[-1], messages.read(writer, f"{sources}[{place}]"), strict=True):
            writer.add(f"{name} = {text}")
    folded.step(messages.read(writer, f"{sources}[slot]"))
    for k, names in enumerate(given, start=1):
        folded.step_if(f"is_in_{k}", names)


@contextlib.contextmanager
def walk_stretch(worker: CpuWorker, begin: str, end: str) -> Iterator[None]:
    """Write the loop over a stretch of in-arcs, or what was kept of them: ``slot``, ``src``."""
    writer, none = worker.writer, ""
    if worker.launch.kept:
        sources, none = kept_array(worker)
    else:
        sources = writer.graph("src_of_slot")
    with writer.block(f"for slot in range(np.uint64({begin}), np.uint64({end})):"):
        writer.add(f"src = {sources}[slot]")
        if none:
            writer.add(f"if src == {none}: break")
        yield


def keep_phase(text: CpuLaunch) -> None:
    """Write the phase before a loop that asks the test of every in-arc."""
    launch, worker = text.launch, text.worker("keep")
    writer, body = worker.writer, asking_body(launch)
    kept, none = kept_array(worker)
    place = worker.place(SEND, {"src": "src", "dst": "v"}, {"own": ("slot", "slot")})
    with all_stretches(worker):
        hoist(worker, place, body, "dst")
        with writer.block("for slot in range(at, end):"):
            writer.add(f"src = {writer.graph('src_of_slot')}[slot]")
            test = StatementText(writer, place, launch.send.name, body).text(condition_of(launch))
            writer.add(f"{kept}[at] = src")
            writer.add(f"at += np.uint64({test})")
        writer.add(f"if at < end: {kept}[at] = {none}")
    text.phase(worker)


@contextlib.contextmanager
def all_stretches(worker: CpuWorker) -> Iterator[None]:
    """Write the walk over the pieces of hubs, then over all other receivers: ``at`` to ``end``."""
    writer = worker.writer
    blocks, first = writer.graph("in_blocks"), writer.graph("first_in")
    vertex, begin, end = piece_bounds(writer)
    stretches = f"""
        is_piece = block < len({vertex})
        others = block - len({vertex})
        low = {vertex}[block] if is_piece else {blocks}[others]
        high = low + 1 if is_piece else {blocks}[others + 1]
        for v in range(low, high):
            at = np.uint64({begin}[block] if is_piece else {first}[v])
            end = np.uint64({end}[block] if is_piece else {first}[v + 1])
            if is_piece or end - at < np.uint64({HUB_ARCS}):
                ...
    """
    with worker.blocks(), writer.around(stretches):
        yield
    num_blocks = f"len({vertex}) + len({blocks}) - 1"
    worker.extent = Extent(num_blocks, "state[NUM_ARCS]", arrays=(vertex, blocks))
