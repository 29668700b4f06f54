"""Communities by label propagation: every vertex takes the label most common among its neighbours.

Returns a label for every vertex, the id of some vertex. All vertices start with labels of their own
and change them at the same time, a given number of times; of labels that are equally common the
smallest is taken. So the result is one and the same everywhere. This is CDLP of the Graphalytics
benchmark; unlike it and like networkx, a run ends early if no label changes.

Raghavan, Albert, Kumara: Near Linear Time Algorithm to Detect Community Structures in Large-Scale
Networks, Physical Review E 76, 2007.
Iosup et al.: The LDBC Graphalytics Benchmark, arXiv:2011.15028, section 2.3.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import Edge, Graph, MessageList, Vertex, edge, i32, mlist, program
from emv.algorithms._arguments import at_least, refusing
from emv.algorithms._checks import WrongResultError, demand, demand_rows

__all__ = ["check_label_propagation", "label_propagation"]


class Voter(Vertex):
    label: i32


@edge
def tell(e: Edge[Voter]):
    e.send(e.src.label)


@mlist
def take_commonest(v: Voter, heard: MessageList[i32]):
    best, most = v.label, 0
    for label, count in emv.tally(heard):
        if count > most or (count == most and label < best):
            best, most = label, count
    if best != v.label:
        v.label = best
        emv.keep_going()


@refusing(max_iter=at_least(0))
@program(graph="both ways")
def label_propagation(g, max_iter=10):
    """Return the community of every vertex, by synchronous label propagation.

    Parameters
    ----------
    g : Graph
        Directed: the labels of in-neighbours and of out-neighbours count, that of a vertex joined
        in both directions twice. Repeated edges count each time, a loop counts the own label
        once.
    max_iter : int
        Supersteps at most; Graphalytics' default.

    Returns
    -------
    int32[num_vertices]
        The labels, each the id of a vertex that had it at the start. Vertices without edges keep
        their own.

    Raises
    ------
    ArgumentError
        If `max_iter` is below 0.

    Notes
    -----
    O(num_arcs * log(largest degree)) per superstep. If no label changes, the run ends: more
    supersteps would change none, so it is what `max_iter` supersteps give. Synchronous labels can
    swing between two states for ever (in a graph of two vertices and an edge), which only
    `max_iter` ends: then ``label_propagation.run(...).stopped`` is ``"limit"``.

    networkx's ``label_propagation_communities`` changes labels color by color instead, and its
    ``asyn_lpa_communities`` one by one in random order; neither gives these labels.

    References
    ----------
    .. [1] Raghavan, Albert, Kumara: Near Linear Time Algorithm to Detect Community Structures in
       Large-Scale Networks, Physical Review E 76, 2007.
    .. [2] Iosup et al.: The LDBC Graphalytics Benchmark, arXiv:2011.15028.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import label_propagation
    >>> two_bells = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], directed=False)
    >>> label_propagation(two_bells)
    array([0, 0, 0, 2, 2, 2], dtype=int32)
    """
    g.vertices.label[:] = g.vertices.id
    for _ in g.supersteps(max_iter):
        labels = tell(g)
        take_commonest(g, labels)
    return g.vertices.label


def check_label_propagation(graph: Graph, label: NDArray[Any], max_iter: int = 10) -> None:
    """Raise unless the labels are those of synchronous label propagation.

    Labels are one and the same for all right implementations, so they are computed again, with
    numpy: the pairs (vertex, neighbour's label) are sorted, and the longest run of each vertex
    found.

    Parameters
    ----------
    label : int32[num_vertices]
        What `label_propagation` returned.
    max_iter : int
        As given to `label_propagation`.

    Raises
    ------
    WrongResultError
        If a label is another; the message names the first vertex.
    """
    n = graph.num_vertices
    demand_rows(label, n, "vertices")
    demand((label >= 0) & (label < n), lambda v: f"vertex {v} has the label {label[v]}")
    src, dst = (ends.astype(np.int64) for ends in graph.both_ways().arcs())
    expected = np.arange(n)
    for _ in range(max_iter):
        keys, counts = np.unique(dst * n + expected[src], return_counts=True)
        order = np.lexsort((keys % max(n, 1), -counts, keys // max(n, 1)))
        receivers, first = np.unique(keys[order] // max(n, 1), return_index=True)
        expected = expected.copy()
        expected[receivers] = keys[order][first] % max(n, 1)
    if label.dtype.kind not in "iu":
        raise WrongResultError(f"labels are ids of vertices, not {label.dtype}")
    demand(label == expected, lambda v: f"vertex {v} has the label {label[v]}, not {expected[v]}")
