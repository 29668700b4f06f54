"""What becomes of those whom a warp activates along the arcs of its rows.

They are queued at once; or the warp goes on with some of them itself (`CudaLaunch.drain`);
or it piles them up, and queues a whole pile at a time (`emv_kernels.cuda.claims`), as otherwise
hundreds of thousands of atomics wait for each other at the length of one queue: 0.8 ns each. Where
there are few rows they are queued at once all the same, which is one wait less.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.queues import VERTICES, count_of

FEW_ROWS = 8  # threads for each row from which whom it activates is queued at once
FEW_DRAINED = 128  # those where messages are taken off as they come: a row has arcs for some warps
LONG = 16  # arcs of a mean row from which several warps share each, where there are few


def long_rows(worker: Any) -> str:
    """Return the condition that rows may be so long that several warps share each."""
    many = f" or state[ACTIVE_ARCS] >= rows * {LONG}" if worker.is_counted else ""
    are_long = f"wide or has_wide{many}"
    return f"rounds == 0 and ({are_long})" if worker.onward else are_long  # else it has its own


def start_of(worker: Any, partial: Any) -> str:
    """Return the text of what a thread begins an aggregate with.

    Pieces of long rows are walked behind all else, and one thread of a block goes on with what the
    block has kept of that.
    """
    if "wide" not in worker.first:
        return str(partial.start)
    return (
        f"{partial.array}[cuda.blockIdx.x] if wide and cuda.threadIdx.x == 0 else {partial.start}"
    )


def cutting(worker: Any) -> str:
    """Return the condition that a row may be cut into pieces, of active vertices with their arcs.

    Few arcs are no long row, and all threads know how many. Where warps may go on by themselves
    supersteps are short, and a crew walks a row that is not very long sooner than all meet. Where
    messages are taken off as they come, it is known whether a long row was queued.
    """
    if not worker.onward:
        return "state[ACTIVE_ARCS] >= WIDE"
    alone = f"rounds_of(state[NUM_ARCS], {count_of('vertex')}) > 0 and state[ACTIVE_ARCS] >= WIDE"
    some = f"({alone} or cuts_rows(state[ACTIVE_ARCS], state[NUM_ACTIVE], threads))"
    return f"state[ACTIVE_LONG] != 0 and {some}" if worker.onward == "once" else some


def begin_rows(worker: Any) -> None:
    """Write what a warp knows before its rows."""
    if worker.piles:
        worker.writer.add(f"""
            few = not wide and rows * {FEW_DRAINED if worker.onward else FEW_ROWS} < threads
            piled = np.int32(0)
        """)
    if worker.onward:
        worker.writer.add(f"""
            own, kept, held, goes = {worker.signed}(0), np.int32(0), np.int32(0), np.int32(0)
            rounds = rounds_of(state[NUM_ARCS], {count_of("vertex")})
        """)


def has_several(worker: Any) -> str:
    """Return the condition under which a warp has laid several rows end to end."""
    return "kept_rows or span > 1" if worker.onward else "span > 1"


def lay_arc(worker: Any, number: int = 0, suffix: str = "") -> None:
    """Write which arc a lane takes, and whose: the next, or one so many steps behind it."""
    ahead = f" + ({32 * number} << crew)" if number else ""
    worker.writer.add(f"""
        place{suffix} = np.int32(done + lane{ahead})
        owner{suffix} = owner_of(offset, place{suffix}) if {has_several(worker)} else 0
        arc{suffix} = {worker.number}(cuda.shfl_sync(ALL, shift, owner{suffix}) + place{suffix})
        src{suffix} = {worker.number}(cuda.shfl_sync(ALL, sender, owner{suffix}))
    """)


def begin_arcs(worker: Any) -> None:
    """Write that no lane has activated anybody."""
    if worker.onward:
        worker.writer.add(f"is_down, down = False, {worker.number}(0)")
    if worker.piles:
        worker.writer.add(f"is_active, found = False, {worker.number}(0)")


def end_arcs(worker: Any) -> None:
    """Write what becomes of those whom the lanes have just activated."""
    if not worker.onward:
        queue_active(worker)
        return
    with worker.writer.block("if cuda.ballot_sync(ALL, is_down) != 0:"):
        keep_or_queue(worker)
        queue_active(worker)


def queue_active(worker: Any) -> None:
    """Write how those go into the queue whom the lanes have not queued yet."""
    if not worker.piles:
        return
    queue, length, counted = queue_of(worker)
    with worker.writer.block("if few:"), worker.writer.block("if is_active:"):
        if counted:
            worker.append_counted(queue, length, "PENDING_ARCS", "found")
        else:
            worker.append(queue, length, "found")
    with worker.writer.block("else:"):
        pile = f"{worker.piles}, own_pile(0), piled, is_active, found"
        worker.writer.add(f"piled = pile_up{taken(*queue_of(worker), pile)}")


def end_rows(worker: Any) -> None:
    """Write what becomes of those who are left on a warp's pile."""
    if worker.piles:
        pile = f"{worker.piles}, own_pile(0), piled"
        with worker.writer.block("if piled > 0:"):  # all lanes of a warp know
            worker.writer.add(f"empty_pile{taken(*queue_of(worker), pile)}")


def queue_of(worker: Any) -> tuple[str, str, str]:
    """Return the queue of whom a warp piles up, the place of its length, and what counts arcs."""
    if worker.listed is not None:
        return (*worker.listed, "")
    return VERTICES.queue(worker, "pending"), "NUM_PENDING", worker.writer.offsets("out")


def taken(queue: str, length: str, counted: str, pile: str) -> str:
    """Return the end of a call that takes ids off a pile, and perhaps adds their arcs up."""
    if counted:
        return f"_counted({pile}, {queue}, state, {length}, PENDING_ARCS, {counted})"
    return f"({pile}, {queue}, state, {length})"


def keep_or_queue(worker: Any) -> None:
    """Write what becomes of those whom the lanes have just activated.

    The warp keeps a few with short rows, which it walks next; all others are queued.
    """
    writer, first = worker.writer, worker.writer.offsets("out")
    writer.add("is_kept = False")
    with writer.block("if goes < rounds:"):
        row, vertex = writer.copies.vertex("down"), f"{worker.signed}(down)"
        given = f"own, kept, held, {first}, {row}, is_down, {vertex}"
        writer.add(f"own, kept, held, is_kept = keep_rows({given})")
    with writer.block("if is_down and not is_kept:"):
        is_first = worker.onward == "again" and worker.is_first(VERTICES, "down")
        with writer.block(f"if {is_first}:" if is_first else ""):
            worker.put_active(VERTICES, "down")
