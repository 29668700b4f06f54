"""The step before a loop in which a pull keeps arcs: every in-arc is asked once whether it passes.

What passes is written one behind the other where the stretch of its receiver begins, or that of a
piece of a hub, so that the walks of the pull find it without any count; see `emv.codegen.keeping`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from emv.codegen.cpu.visits import Extent
from emv.codegen.keeping import asking_body, condition_of, kept_array
from emv.codegen.sending import SEND, hoist
from emv.codegen.statements import StatementText
from emv.graph.hubs import HUB_ARCS


def keep_phase(text: Any) -> None:
    """Write the phase that asks the test of every in-arc."""
    launch, worker = text.launch, text.worker("keep")
    writer, body = worker.writer, asking_body(launch)
    kept, none = kept_array(worker)
    place = worker.place(SEND, {"src": "src", "dst": "v"}, {"own": ("slot", "slot")})
    with stretches(worker):
        hoist(worker, place, body, "dst")
        with writer.block("for slot in range(at, end):"):
            writer.add(f"src = {writer.graph('src_of_slot')}[slot]")
            test = StatementText(writer, place, launch.send.name, body).text(condition_of(launch))
            writer.add(f"{kept}[at] = src")
            writer.add(f"at += np.uint64({test})")
        with writer.block("if at < end:"):
            writer.add(f"{kept}[at] = {none}")
    text.phase(worker)


@contextlib.contextmanager
def stretches(worker: Any) -> Iterator[None]:
    """Write the walk over the pieces of hubs, then over all other receivers: ``at`` to ``end``."""
    writer = worker.writer
    blocks, first = writer.graph("in_blocks"), writer.graph("first_in")
    vertex, begin, end = (writer.graph(f"piece_{name}") for name in ("vertex", "begin", "end"))
    with worker.blocks():
        writer.add(f"is_piece = block < len({vertex})")
        writer.add(f"others = block - len({vertex})")
        writer.add(f"low = {vertex}[block] if is_piece else {blocks}[others]")
        writer.add(f"high = low + 1 if is_piece else {blocks}[others + 1]")
        with writer.block("for v in range(low, high):"):
            writer.add(f"at = np.uint64({begin}[block] if is_piece else {first}[v])")
            writer.add(f"end = np.uint64({end}[block] if is_piece else {first}[v + 1])")
            with writer.block(f"if is_piece or end - at < np.uint64({HUB_ARCS}):"):
                yield
    num_blocks = f"len({vertex}) + len({blocks}) - 1"
    worker.extent = Extent(num_blocks, "state[NUM_ARCS]", arrays=(vertex, blocks))


@contextlib.contextmanager
def walk_kept(worker: Any, span: tuple[str, str]) -> Iterator[None]:
    """Write the loop over what was kept of a stretch of in-arcs: ``slot``, ``src``."""
    writer, (kept, none) = worker.writer, kept_array(worker)
    with writer.block(f"for slot in range(np.uint64({span[0]}), np.uint64({span[1]})):"):
        writer.add(f"src = {kept}[slot]")
        with writer.block(f"if src == {none}:"):
            writer.add("break")
        yield
