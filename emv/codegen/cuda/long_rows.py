"""The phase in which warps take the vertices that a map has listed for their long rows.

A graph without rows of `WIDE` links has no such list, and no barrier for it.
"""

from __future__ import annotations

from emv.codegen import sending
from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.cuda.long_links import rows_of
from emv.codegen.state import Own


def take_rows(text: CudaLaunch) -> None:
    """Write the phase."""
    launch, length = text.launch, text.own(Own.LONG_ONES)
    worker = text.worker("long_rows")
    worker.by_long_rows = True
    worker.vote_words(launch.send)
    worker.scalar_arguments(launch.send, launch.args, sending.SEND)
    writer, number = worker.writer, worker.number
    with worker.counted():
        writer.add("lane = np.int32(cuda.laneid)\nrow = np.int64(me >> 5)")
        with writer.block(f"while row < {length}:"):
            writer.add(f"v = {number}({rows_of(worker)}[row])")
            sending.value_arguments(worker, "v")
            place = sending.place_of(worker, {"own": "v"}, {}, "np.int64(v)", None)
            sending.paste(worker, place, launch.send, launch.body)
            writer.add("row += np.int64(threads >> 5)")
    text.program.run_behind(worker)
    text.serial(f"{length} = 0")
