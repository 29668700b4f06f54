"""Fold kept messages in equal shares: a segmented scan, so that degrees do not matter.

Each warp takes a share of consecutive positions and scans 32 of them at a time: a lane adds what
the lanes before it have of the same receiver, five times at twice the distance (Sengupta, Harris
and Garland, NVIDIA NVR-2008-003). The lane at a receiver's last position has its fold. What the
last lane has goes on in the next 32. A receiver who began in another share, or goes on in another,
leaves one part per share; one warp scans the parts afterwards, in the same way. Shares depend on
the number of positions alone and a fold keeps the order, so that a sum of floats over slots always
comes out the same.
"""

from __future__ import annotations

from collections.abc import Callable

from emv.codegen.accumulators import Accumulators, Parts
from emv.codegen.buffers import Store
from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.cuda.pull_lanes import in_other_lane
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.folding import array_dtype
from emv.codegen.writer import Writer

SHARES = 4096  # at most: about as many as there are warps
LEAST = 64  # positions of a share


def parts_of(text: CudaLaunch, worker: CudaWorker) -> Parts:
    """Return the arrays of what shares leave: of each, at its begin and at its end."""
    return Parts(text, worker.writer, "part", str(2 * SHARES))


def fold_phases(text: CudaLaunch, store: Store) -> None:
    """Write the scan of the shares, and that of the parts they leave."""
    scan_shares(text, store)
    worker = text.worker("fold_parts")
    writer, parts = worker.writer, parts_of(text, worker)
    folded = Accumulators(writer, text.folds, tracks=True)
    share_size(store, writer)
    writer.add("end = 2 * ((total + size - 1) // size)")

    def load() -> None:
        with writer.around(f"""
            if position < end:
                row = {worker.signed}({parts.rows}[position])
                if row >= 0 and {parts.received}[position] != 0:
                    received = True
                    ...
        """):
            folded.let(parts.read("position"))

    with writer.block("if me < 32:"):
        begin_scan(worker, folded)
        with writer.around("""
            place = np.int64(0)
            while place < end:
                position = place + np.int32(cuda.laneid)
                ...
                place += 32
        """):
            scan(worker, folded, load)
            last = f"position + 1 == end or {parts.rows}[position + 1] != row"
            with writer.block("if row >= 0:"), writer.block(f"if {last}:"):
                folded.finish("row")
    text.phase(worker)


def scan_shares(text: CudaLaunch, store: Store) -> None:
    """Write the scan of each share."""
    worker = text.worker("fold_shares")
    writer, parts = worker.writer, parts_of(text, worker)
    folded = Accumulators(writer, text.folds, tracks=True)

    def load() -> None:
        located = store.locate(worker, "position").format(low="first_row", high="last_row")
        with writer.block("if position < high:"):
            writer.add(f"row = {worker.signed}({located})")
            store.step(worker, folded, "position")

    store.begin(worker)
    share_size(store, writer)
    with writer.around(f"""
        share = np.int64(me >> 5)
        while share * size < total:
            low = share * size
            high = min(low + size, total)
            if cuda.laneid == 0:
                {parts.rows}[2 * share] = -1
                {parts.rows}[2 * share + 1] = -1
            cuda.syncwarp()
            ...
            share += np.int64(threads >> 5)
    """):
        is_searched = find_rows(store, worker)
        begin_scan(worker, folded)
        with writer.around("""
            place = low
            while place < high:
                position = place + np.int32(cuda.laneid)
                ...
                place += 32
        """):
            scan(worker, folded, load)
            if is_searched:
                writer.add("if carried_row > first_row: first_row = carried_row")
            emit(worker, store, folded, parts)
    text.phase(worker)


def find_rows(store: Store, worker: CudaWorker) -> bool:
    """Write the first and the last but one receiver of a share; return whether they are needed."""
    first, last = store.locate(worker, "low"), store.locate(worker, "(high - 1)")
    if "{low}" not in first:
        return False
    first = first.format(low="0", high="state[NUM_VERTICES]")
    last = last.format(low="first_row", high="state[NUM_VERTICES]")
    worker.writer.add(f"first_row = {worker.signed}({first})")
    worker.writer.add(f"last_row = {worker.signed}({last} + 1)")
    return True


def share_size(store: Store, writer: Writer) -> None:
    """Write how many positions there are, and how many a warp takes."""
    writer.add(f"""
        total = np.int64({store.total()})
        size = max((total + {SHARES - 1}) // {SHARES}, np.int64({LEAST}))
        size = ((size + 31) >> 5) << 5
    """)


def emit(worker: CudaWorker, store: Store, folded: Accumulators, parts: Parts) -> None:
    """Write what the lane at the last position of a receiver, or of the share, does."""
    writer = worker.writer
    first, last = store.span(worker, "row")
    with writer.around(f"""
        if row >= 0:
            begin = {first}
            end = {last}
            if position + 1 == min(end, high):
                ...
    """):
        with writer.block("if begin < low or end > high:"):
            writer.add(f"""
                if begin < low and end > high:  # so that its parts adjoin
                    {parts.rows}[2 * share] = row
                    {parts.received}[2 * share] = 0
                part = 2 * share + (1 if end > high else 0)
            """)
            parts.leave(folded, "part")
        with writer.block("else:"):
            folded.finish("row")


def carried(folded: Accumulators) -> Accumulators:
    """Return the accumulators of what goes on in the next 32 positions."""
    return Accumulators(folded.writer, folded.folds, stem="carried")


def begin_scan(worker: CudaWorker, folded: Accumulators) -> None:
    """Write what nothing is carried over from."""
    worker.writer.add(f"carried_row = {worker.signed}(-1)")
    worker.writer.add("carried = False")
    carried(folded).start_part()


def scan(worker: CudaWorker, folded: Accumulators, load: Callable[[], None]) -> None:
    """Write the scan of 32 positions, what was carried included.

    ``row``, ``received`` and the accumulators are those of a lane, and afterwards of all lanes up
    to it that have its row.
    """
    writer = worker.writer
    writer.add(f"row = {worker.signed}(-1)")
    folded.start_part()
    load()
    with writer.block("if cuda.laneid == 0 and carried and carried_row == row:"):
        put_before(carried(folded), folded)
    before = Accumulators(writer, folded.folds, stem="before")
    with writer.around("""
        step = np.int32(1)
        while step < 32:
            other_row = cuda.shfl_up_sync(ALL, row, step)
            others = before_bool(received, step)
            ...
            step = np.int32(step * 2)
    """):
        before.let(folded.map(lambda name, kind: in_other_lane("before", name, kind)))
        with writer.block("if cuda.laneid >= step and others and other_row == row:"):
            put_before(before, folded)
    writer.add("carried_row = from_last(row)")
    writer.add("carried = from_last(np.int32(1 if received else 0)) != 0")
    carried(folded).let(folded.map(of_last_lane))


def put_before(before: Accumulators, folded: Accumulators) -> None:
    """Write the fold of other accumulators with a lane's own behind them."""
    with folded.writer.block("if received:"):
        before.merge(folded.names)
    folded.let(before.names)
    folded.writer.add("received = True")


def of_last_lane(name: str, kind: str) -> str:
    """Return the text of a local as the last lane has it, in its own type."""
    if kind == "bool":
        return f"from_last(np.int32(1 if {name} else 0)) != 0"
    if kind in ("f32", "f64"):
        return f"from_last({name})"
    return f"np.{array_dtype(kind)}(from_last(np.int64({name})))"
