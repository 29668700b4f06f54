"""Receivers with very many in-arcs: their folds are split into pieces that threads share.

A hub of a million in-arcs would otherwise keep one thread busy while the others wait. Pieces have a
fixed size and are merged in their order, so a float sum does not depend on the number of threads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from emv.codegen.cpu.visits import Extent
from emv.codegen.expressions import as_read, as_stored
from emv.codegen.folding import array_dtype, merge_of, without_initial
from emv.codegen.worker import Worker
from emv.graph.hubs import HUB_ARCS

PIECES = "A/16384+2"  # how many pieces there may be at most


def piece_arrays(text: Any, worker: Worker) -> tuple[list[list[str]], str]:
    """Name the arrays of the pieces' folds, and of the flags whether they received."""
    number = text.launch.number
    folds = [
        [
            worker.writer.scratch(f"piece{number}_{k}_{part}", array_dtype(kind), PIECES)
            for part, kind in enumerate(fold.stored)
        ]
        for k, fold in enumerate(text.folds)
    ]
    return folds, worker.writer.scratch(f"piece{number}_received", "uint8", PIECES)


def hub_phase(
    text: Any, worker: Any, walk: Callable[[Worker, list[list[str]], str, str], None]
) -> None:
    """Write the phase that folds the pieces of all hubs.

    Parameters
    ----------
    walk : callable
        ``walk(worker, locals, begin, end)`` writes the fold of some slots of receiver ``v``.
    """
    writer = worker.writer
    vertex, begin, end = (writer.graph(f"piece_{name}") for name in ("vertex", "begin", "end"))
    arrays, flags = piece_arrays(text, worker)
    with worker.blocks():
        writer.add(f"v = {vertex}[block]")
        locals_ = [without_initial(fold).start(writer, k) for k, fold in enumerate(text.folds)]
        writer.add("received = False")
        walk(worker, locals_, f"{begin}[block]", f"{end}[block]")
        for names, pieces, fold in zip(locals_, arrays, text.folds, strict=True):
            for name, piece, kind in zip(names, pieces, fold.stored, strict=True):
                writer.add(f"{piece}[block] = {as_stored(name, kind)}")
        writer.add(f"{flags}[block] = received")
    worker.extent = Extent(f"len({vertex})", f"len({vertex}) * {HUB_ARCS}", arrays=(vertex,))
    text.phase(worker)


@contextlib.contextmanager
def unless_hub(text: Any, worker: Worker, locals_: list[list[str]]) -> Any:
    """Write the merge of a hub's pieces, and what other receivers do instead in the context."""
    writer = worker.writer
    first, vertex = writer.graph("first_in"), writer.graph("piece_vertex")
    arrays, flags = piece_arrays(text, worker)
    arcs = f"np.int64({first}[v + 1]) - np.int64({first}[v])"
    with writer.block(f"if {arcs} >= {HUB_ARCS}:"):
        writer.add(f"piece = np.searchsorted({vertex}, v)")
        with writer.block(f"while piece < len({vertex}) and {vertex}[piece] == v:"):
            with writer.block(f"if {flags}[piece] != 0:"):
                for names, pieces, fold in zip(locals_, arrays, text.folds, strict=True):
                    parts = [
                        as_read(f"{piece}[piece]", kind)
                        for piece, kind in zip(pieces, fold.stored, strict=True)
                    ]
                    merge_of(fold).step(writer, names, parts)
                writer.add("received = True")
            writer.add("piece += 1")
    with writer.block("else:"):
        yield
