"""What programs that look for shortest paths refuse: lengths whose sums have no end, or no room.

The text of a program adds lengths as a kernel does, which neither complains of a cycle of negative
length nor of a sum that is too large for its type. Before a run the least length and the sum of all
say whether either can be; only then is more looked at. Lengths that lie on a GPU stay there, and
what came of the run tells.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.algorithms._arguments import Program, RefusingProgram, is_number, kept_type, vertex_ids
from emv.algorithms._lengths import no_path, whole_sum
from emv.algorithms._negative_cycles import refuse_negative_cycle, search_for_cycle
from emv.errors import ArgumentError, NotFiniteWarning
from emv.graph import Graph
from emv.graph.bind import column_values, source_of
from emv.graph.on_device import lies_on_device, on_host
from emv.runtime.arguments import Arguments
from emv.runtime.program import ProgramFunction
from emv.runtime.run import Run

ROOM = 2**63 - 1  # whole distances are below it, which means that no path leads there
NEARLY = 2.0**62  # sums of floats up to it are surely below


class PathsProgram(RefusingProgram):
    """A program that adds lengths along paths, in the type of what its ``precision`` names."""

    def __init__(self, program: ProgramFunction) -> None:
        super().__init__(program, {})

    def _refuse(self, graph: Graph, arguments: Arguments, text: ProgramFunction) -> bool:
        """Refuse whole lengths whose sums may overflow, and cycles of negative length.

        Return whether no distance surely is infinite that is not to be, or none can be looked at.

        Raises
        ------
        ArgumentError
            If a sum of lengths might not fit 64 bits.
        NegativeCycleError
            If such a cycle can be reached from the source.
        """
        field, source = self.lengths(graph, arguments, text)
        is_whole = field.dtype.kind == "i"
        if lies_there(graph, source) and not is_whole:
            return True
        least, total = least_and_total(graph, source)
        if is_whole and (total > NEARLY or least < 0):
            refuse_overflow(self.name, graph, column_values(graph, field, source))
        if least < 0:
            given = arguments.copies.get("source", (arguments.values["source"],))
            sources = [vertex_ids(f"{self.name}(): source", each, graph) for each in given]
            lengths = by_arc(graph, column_values(graph, field, source))
            search_for_cycle(graph, np.concatenate(sources), source, lengths, self.name)
        return is_whole or total < float(np.finfo(field.dtype).max) / 2

    def _finish(self, run: Run, arguments: Arguments, text: ProgramFunction, told: Any) -> None:
        """Refuse what came of a cycle of negative length, and warn of sums that are infinite."""
        graph, is_over = run.graph, run.stopped == "limit"
        if told and not is_over:
            return
        field, source = self.lengths(graph, arguments, text)
        lengths = by_arc(graph, column_values(graph, field, source))
        for dist in np.atleast_2d(on_host(run.vertices.dist)):
            if is_over:
                refuse_negative_cycle(graph, dist, lengths, self.name, is_over)
            else:
                run.trouble = run.trouble or overflow(self.name, graph, dist, lengths)

    def lengths(self, graph: Graph, arguments: Arguments, text: ProgramFunction) -> tuple[Any, Any]:
        """Return the field that holds the lengths, and where they come from; see `source_of`."""
        field = text.bind[self.precision]
        return field, source_of(graph, field, arguments.bindings.get((field.kind, field.name)))


def adding_lengths(program: Program) -> Program:
    """Return a program that adds lengths along paths, with checks; a decorator."""
    return kept_type(program, PathsProgram(program))


def lies_there(graph: Graph, source: Any) -> bool:
    """Return whether lengths lie on a GPU."""
    if isinstance(source, str):
        return graph.edges.on_device(source) is not None
    return lies_on_device(source)


def least_and_total(graph: Graph, source: Any) -> tuple[float, float]:
    """Return the least length, and the sum of all rounded; of lengths that are finite.

    Kept with the graph for its columns.
    """
    if is_number(source):
        return float(source), float(source) * graph.num_edges
    if isinstance(source, str):
        given = graph.edges.on_device(source)
        least, mean = graph.layouts.lowest_and_mean(
            graph.edges.stored(source) if given is None else given
        )
        if np.isfinite(least + mean):
            return least, mean * graph.num_edges
        values = graph.edges.stored(source)
    else:
        values = on_host(source)
    finite = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        return float(finite.min(initial=0)), float(finite.sum(dtype=float))


def by_arc(graph: Graph, lengths: NDArray[Any]) -> NDArray[Any]:
    """Return the lengths of edges in the order of the arcs."""
    edge_of_arc = graph.layouts.out_rows.edge
    return lengths if edge_of_arc is None else lengths[edge_of_arc]


def refuse_overflow(program: str, graph: Graph, lengths: NDArray[np.int64]) -> None:
    """Refuse whole lengths that might add up to more than 64 bits hold.

    A path takes an edge once; while there are lengths below 0 a search may walk a cycle, in as many
    supersteps as there are vertices.

    Raises
    ------
    ArgumentError
        If they might.
    """
    low, high = int(lengths.min(initial=0)), int(lengths.max(initial=0))
    most = graph.num_vertices * max(-low, high)
    if low >= 0:
        most = min(most, int(whole_sum(lengths)))
    if most >= ROOM:
        raise ArgumentError(
            f"{program}(): lengths of up to {max(-low, high)} may add up to {most}, and whole "
            f"distances are below {ROOM}",
            remedy="Give precision='double', or shorter lengths.",
        )


def overflow(
    program: str, graph: Graph, dist: NDArray[Any], lengths: NDArray[Any]
) -> NotFiniteWarning | None:
    """Return a warning if a distance is infinite though a path of finite lengths leads there."""
    src, dst = graph.arcs()
    is_lost = np.isfinite(dist[src]) & np.isfinite(lengths) & ~(dist[dst] < no_path(dist.dtype))
    if not is_lost.any():
        return None
    or_wider = "" if dist.dtype == np.float64 else ", or precision='double'"
    return NotFiniteWarning(
        f"{program}(): a path leads to vertex {dst[np.argmax(is_lost)]}, but its length is more "
        f"than {dist.dtype} holds, so it is inf. Give shorter lengths{or_wider}."
    )
