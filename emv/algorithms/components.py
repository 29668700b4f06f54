"""Connected components: which vertices hang together when the direction of edges is ignored.

Returns the smallest vertex id of its component for every vertex. Union-find: each edge joins the
sets of its two ends, in any order, because a set is named by its smallest member.

Jaiganesh, Burtscher: A High-Performance Connected Components Implementation for GPUs, HPDC 2018.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import DisjointSet, Edge, Graph, Vertex, edge, program
from emv.algorithms._checks import WrongResultError, demand, demand_rows, num_components
from emv.algorithms._numbering import numbering

__all__ = ["check_components", "components"]


class Member(Vertex):
    group: DisjointSet


@edge
def unite(e: Edge[Member]):
    emv.union(e.src.group, e.dst.group)


@numbering
@program
def components(g, numbered=False):
    """Return for every vertex the smallest vertex id of its connected component.

    Parameters
    ----------
    g : Graph
        Of a directed graph these are the weakly connected components.
    numbered : bool
        Return how many components there are and their numbers from 0 on, as scipy's
        ``connected_components`` does: ``count, number = components(g, numbered=True)``.

    Returns
    -------
    int64[num_vertices], or (int, int64[num_vertices])
        The label of every vertex: the smallest id in its component. Two vertices are connected
        when their labels are equal, and a vertex that is its own label stands for its component.
        If `numbered`, the number of components, and of every vertex the number of its own, in the
        order of their smallest ids; on the host.

    Notes
    -----
    Union-find over the edges, each once; nearly O(num_vertices + num_edges). No supersteps.

    References
    ----------
    .. [1] Jaiganesh, Burtscher: A High-Performance Connected Components Implementation for GPUs,
       HPDC 2018.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import components
    >>> g = Graph.from_edges([4, 1, 2], [0, 2, 5])
    >>> components(g)
    array([0, 1, 1, 3, 0, 1])
    >>> components(g, numbered=True)
    (3, array([0, 1, 1, 2, 0, 1]))
    """
    unite(g.edges)
    return g.vertices.group


def check_components(graph: Graph, group: NDArray[Any]) -> None:
    """Raise unless the labels are those of the connected components.

    Three conditions, which together only the right labels meet: the ends of every edge have one
    label; there are as many labels as components; a label is the smallest id that bears it.

    Parameters
    ----------
    group : int64[num_vertices]
        What `components` returned, not numbered.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first edge or vertex.
    """
    demand_rows(group, graph.num_vertices, "vertices")
    ids = np.arange(graph.num_vertices)
    demand((group >= 0) & (group <= ids), lambda v: f"vertex {v} has the label {group[v]}")
    demand(group[group] == group, lambda v: f"vertex {v} has the label of vertex {group[v]}")
    src, dst = graph.edges.endpoints()
    demand(
        group[src] == group[dst],
        lambda e: f"edge {src[e]} - {dst[e]} joins the labels {group[src[e]]} and {group[dst[e]]}",
    )
    there_are = num_components(graph, np.ones(graph.num_edges, bool))
    found = int(np.count_nonzero(group == ids))
    if found != there_are:
        raise WrongResultError(f"there are {found} labels, but {there_are} components")
