"""The push of a `Drain` on a GPU: pieces are taken off as they come, and warps go on.

Nothing is folded, and nobody has to be told that messages came: who reaches the floor is activated
by the lane that took the last piece. Its warp walks its row next if that is short and the warp has
few such rows; all others are queued, for the superstep that comes.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.expressions import ExpressionText
from emv.codegen.launch import LaunchText
from emv.codegen.place import Place
from emv.codegen.queues import queue_of
from emv.codegen.sending import RECEIVE, SEND, guard_arguments, hoist, place_of
from emv.codegen.statements import StatementText
from emv.codegen.worker import Worker
from emv.ir import body as b


def write_push(text: LaunchText) -> None:
    """Write the walk over the arcs of the active."""
    launch, worker = text.launch, text.worker("drain")
    assert isinstance(worker, CudaWorker)
    writer, function, drained = worker.writer, launch.receiver.function, launch.shortcut
    worker.onward = "once"
    if not worker.writer.copies.shift:  # a pile's arcs are those of vertices
        worker.use_piles()
    worker.scalar_arguments(launch.send, launch.args, SEND)
    guard_arguments(worker)
    column = function.record.fields[drained.field]
    array = writer.column("vertex", drained.field, column.dtype.name)
    own = Place({"own": "dst"}, {}, RECEIVE, text.unit.written)
    floor = ExpressionText(writer, own, function.name).text(drained.floor)

    def on_send(w: Worker, stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        amount = f"np.int64({values[0]})"
        writer.add(f"is_down = drain({array}, {receiver}, {amount}, {floor})", stmt.loc)
        writer.add("down = dst")

    ends: Any = {"src": "src", "dst": "dst"}
    place = place_of(worker, ends, {"own": ("arc", "arc")}, "np.int64(arc)", on_send)

    def per_row() -> None:
        hoist(worker, place, launch.body, "src")

    with worker.arcs(queue_of(worker, launch.domain, launch.ids), per_row):
        StatementText(writer, place, launch.send.name, launch.body).paste()
    text.phase(worker)
