"""Graphs whose vertices are groups of another's: an edge for all between two groups.

The ends of edges are replaced by the numbers of their groups, and repeated edges become one
(`emv.graph.simple`). Where the graph runs on a GPU and has some thousand edges all of this is done
there, so that what groups vertices, level after level, moves nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.device import device_named
from emv.graph.build import is_compiled
from emv.graph.graph import Graph
from emv.graph.on_device import gathered, lies_on_device, moved_to, on_host
from emv.graph.simple import simple_edges
from emv.graph.tables import Tables

SUMMED = np.dtype(np.float64)
FIRST_ON_DEVICE = 2**14
"""Vertices and edges from which on a graph that runs on a GPU is contracted there."""


def contracted(graph: Graph, number: Any, count: int, weight: Any) -> Graph:
    """Return the undirected graph of groups, where the graph runs; weights are added, as f64.

    Parameters
    ----------
    number : int[num_vertices]
        The group of every vertex, below `count`, on the host or a GPU.
    count : int
        How many groups there are, which is not looked at.
    weight : float[num_edges]
        What edges weigh, on the host or a GPU; those within a group become one loop.

    Examples
    --------
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False)
    >>> two = contracted(path, np.array([0, 0, 1, 1]), 2, np.array([5.0, 6.0, 7.0]))
    >>> two.edges.endpoints(), two.edges.weight
    ((array([0, 0, 1], dtype=int32), array([0, 1, 1], dtype=int32)), array([5., 6., 7.]))
    """
    ends = graph.edges.ends()
    src: Any
    dst: Any
    size = graph.num_vertices + graph.num_edges
    if is_there := graph.device.startswith("cuda") and size >= FIRST_ON_DEVICE:
        on = device_named(graph.device)
        number, weight = moved_to(on, number), on.convert(moved_to(on, weight), SUMMED)
        src, dst = (gathered(number, each) for each in ends.on(on))
    else:
        number, weight = on_host(number), on_host(weight).astype(SUMMED, copy=False)
        src, dst = _joined(number, ends.src, ends.dst)
    has_order = not is_there  # the lower end first, which undirected edges would be given
    src, dst, summed = simple_edges(src, dst, count, has_order, {"weight": weight}, "sum")
    if lies_on_device(src):
        own = summed["weight"]
        made = Graph.from_edges(src, dst, num_vertices=count, directed=False, weight=own)
    else:
        made = Graph.of_tables(Tables(count, src, dst, False, edge_columns=summed), owned=True)
    return made.on(graph.device)


def _joined(
    number: NDArray[Any], src: NDArray[Any], dst: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the lower and the higher one of the groups of both ends of edges."""
    if is_compiled(len(src)):
        from emv_kernels.cpu.simple import joined

        return joined(number, src, dst, config.num_threads)
    one, other = number[src], number[dst]
    return np.minimum(one, other), np.maximum(one, other)


def where_it_runs(graph: Graph, values: NDArray[Any]) -> Any:
    """Return values on the GPU on which a graph runs, or as they are if on none."""
    if not graph.device.startswith("cuda"):
        return values
    return moved_to(device_named(graph.device), values)
