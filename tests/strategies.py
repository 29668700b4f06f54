"""Hypothesis strategies that several tests share: graphs of all the shapes that break programs.

``graphs()`` draws the empty graph, one vertex, loops, parallel edges, vertices without edges,
several components, stars and paths, directed and undirected. It shrinks towards few vertices and
few edges.
"""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from emv.graph import Graph

TIED_WEIGHTS = (1.0, 2.0, 0.5, 3.0)
"""Few and exact in binary, so that many edges tie and float sums do not round."""

Pairs = list[tuple[int, int]]


@st.composite
def graphs(
    draw: st.DrawFn,
    max_vertices: int = 8,
    *,
    min_vertices: int = 0,
    directed: bool | None = None,
    weighted: bool = False,
) -> Graph:
    """Draw a graph; `directed` None draws either kind, `weighted` adds ``edges.weight`` (f64)."""
    num_vertices = draw(st.integers(min_vertices, max_vertices))
    pairs = draw(edge_pairs(num_vertices))
    if directed is None:
        directed = draw(st.booleans())
    columns = {}
    if weighted:
        weights = st.sampled_from(TIED_WEIGHTS)
        count = len(pairs)
        columns["weight"] = np.array(draw(st.lists(weights, min_size=count, max_size=count)), float)
    src, dst = [src for src, _ in pairs], [dst for _, dst in pairs]
    return Graph.from_edges(src, dst, num_vertices=num_vertices, directed=directed, **columns)


@st.composite
def edge_pairs(draw: st.DrawFn, num_vertices: int) -> Pairs:
    """Draw the ends of edges: any pairs, a star in or out, a path, or two separate parts."""
    if num_vertices == 0:
        return []
    any_vertex = st.integers(0, num_vertices - 1)
    shape = draw(st.sampled_from(["any", "star", "path", "parts"]))
    if shape == "star":
        centre = draw(any_vertex)
        pairs = [(centre, leaf) for leaf in range(num_vertices) if leaf != centre]
        if draw(st.booleans()):
            pairs = [(leaf, centre) for centre, leaf in pairs]
    elif shape == "path":
        order = draw(st.permutations(range(num_vertices)))
        pairs = list(itertools.pairwise(order))
    else:
        pairs = draw(st.lists(st.tuples(any_vertex, any_vertex), max_size=3 * num_vertices))
        if shape == "parts":
            half = num_vertices // 2
            pairs = [(src, dst) for src, dst in pairs if (src < half) == (dst < half)]
    return pairs + draw(st.lists(st.sampled_from(pairs), max_size=3) if pairs else st.just([]))
