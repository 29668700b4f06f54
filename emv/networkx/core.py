"""Functions of ``networkx.algorithms.core``: core numbers and the subgraphs made of them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import only, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.parts import part_of

LOOPS = (
    "Input graph has self loops which is not permitted; "
    "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
)


def refuse_loops(G: BackendGraph) -> None:
    """Refuse loops as networkx does.

    Raises
    ------
    networkx.NetworkXNotImplemented
        If there are any.
    """
    if G.structure.loops.any():
        raise nx.NetworkXNotImplemented(LOOPS)


def _cores(G: BackendGraph) -> NDArray[Any]:
    """Return the core number of every vertex; arcs both ways count as two edges."""
    refuse_loops(G)
    return np.asarray(algorithms.core_number(G.undirected()))


@serves()
def core_number(G: BackendGraph) -> dict[Any, int]:
    """Return the core numbers by node."""
    return G.by_node(_cores(G))


_unknown = only("core_number", None, why="the core numbers are known")


def _induced(G: BackendGraph, is_in: NDArray[np.bool_]) -> Any:
    src, dst = G.arrays.edges.endpoints()
    return part_of(G, is_in, is_in[src] & is_in[dst])


@serves(_unknown)
def k_core(G: BackendGraph, k: int | None = None, core_number: Any = None) -> Any:
    """Return the networkx graph of the nodes of at least a core number, by default the largest."""
    cores = _cores(G)
    return _induced(G, cores >= (max(cores.tolist()) if k is None else k))


@serves(_unknown)
def k_shell(G: BackendGraph, k: int | None = None, core_number: Any = None) -> Any:
    """Return the networkx graph of the nodes of one core number, by default the largest."""
    cores = _cores(G)
    return _induced(G, cores == (max(cores.tolist()) if k is None else k))


@serves(_unknown)
def k_crust(G: BackendGraph, k: int | None = None, core_number: Any = None) -> Any:
    """Return the networkx graph of the nodes up to a core number, by default all but the core."""
    cores = _cores(G)
    return _induced(G, cores <= (max(cores.tolist()) - 1 if k is None else k))
