"""Hypothesis strategies for graphs of all the shapes that break programs.

Every strategy shrinks towards few vertices and few edges, and what fails is printed as code that
makes the graph again (`emv.testing.code_of`). All take ``directed``, ``weighted``, ``edge_columns``
and ``vertex_columns``, see `Options`. Only this module needs hypothesis:
``pip install "emv-graph[testing]"``.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from emv.graph import Graph
from emv.testing.code import code_of, with_columns

try:
    from hypothesis import strategies as st
    from hypothesis.vendor import pretty
except ImportError:
    raise ImportError(
        'emv.testing.strategies needs hypothesis: pip install "emv-graph[testing]"'
    ) from None

__all__ = [
    "TIED_WEIGHTS",
    "bipartite_graphs",
    "degenerate_graphs",
    "edge_pairs",
    "graphs",
    "meshes",
    "power_law_graphs",
    "trees",
]

TIED_WEIGHTS = (1.0, 2.0, 0.5, 3.0)
"""Few and exact in binary, so that many edges tie and float sums do not round."""

Pairs = list[tuple[int, int]]


class Options(TypedDict, total=False):
    """What every strategy takes.

    Attributes
    ----------
    directed : bool, optional
        Whether edges lead one way only; None, the default, draws either kind.
    weighted : bool
        Adds an edge column ``weight`` of numbers that often tie and whose sums do not round.
    edge_columns, vertex_columns : dict of strategies
        Further columns by name, and what their numbers are drawn from: ``st.integers(1, 9)``.
    """

    directed: bool | None
    weighted: bool
    edge_columns: Mapping[str, st.SearchStrategy[Any]]
    vertex_columns: Mapping[str, st.SearchStrategy[Any]]


@st.composite
def graphs(
    draw: st.DrawFn,
    max_vertices: int = 8,
    *,
    min_vertices: int = 0,
    components: int | None = None,
    simple: bool = False,
    **options: Unpack[Options],
) -> Graph:
    """Draw a graph of any kind: the empty one, stars, paths, loops, parallel edges, lone vertices.

    Parameters
    ----------
    max_vertices, min_vertices : int
        Its size; edges are at most some four for each vertex.
    components : int, optional
        How many parts it has that no edge joins; 1 gives connected graphs. By default any number.
    simple : bool
        Leaves loops and parallel edges out.
    **options
        See `Options`.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> @settings(max_examples=5, database=None)
    ... @given(graphs(5, components=2, weighted=True))
    ... def check(g):
    ...     assert g.num_vertices >= 2
    >>> check()
    """
    num_vertices = draw(st.integers(max(min_vertices, components or 0), max_vertices))
    if components is None:
        pairs = draw(edge_pairs(num_vertices))
    else:
        pairs = draw(joined_pairs(num_vertices, components))
    directed = drawn_kind(draw, options)
    if simple:
        pairs = without_repeats(pairs, directed)
    return finished(draw, num_vertices, pairs, directed, options)


@st.composite
def trees(
    draw: st.DrawFn,
    max_vertices: int = 8,
    *,
    min_vertices: int = 1,
    **options: Unpack[Options],
) -> Graph:
    """Draw a tree; the edges of a directed one lead from any vertex, the root, to all others."""
    num_vertices = draw(st.integers(max(min_vertices, 1), max_vertices))
    name = draw(st.permutations(range(num_vertices)))
    pairs = [(name[draw(st.integers(0, v - 1))], name[v]) for v in range(1, num_vertices)]
    return finished(draw, num_vertices, pairs, drawn_kind(draw, options), options)


@st.composite
def bipartite_graphs(
    draw: st.DrawFn, max_left: int = 4, max_right: int = 4, **options: Unpack[Options]
) -> Graph:
    """Draw a graph of two sides: edges lead from the first so many vertices to the others.

    Either side may be empty, and vertices may have no edge; edges may be repeated.
    """
    left, right = draw(st.integers(0, max_left)), draw(st.integers(0, max_right))
    ends = st.tuples(st.integers(0, max(left - 1, 0)), st.integers(left, left + right - 1))
    pairs = draw(st.lists(ends, max_size=3 * (left + right))) if left and right else []
    return finished(draw, left + right, pairs, drawn_kind(draw, options), options)


@st.composite
def power_law_graphs(
    draw: st.DrawFn, max_vertices: int = 24, links: int = 2, **options: Unpack[Options]
) -> Graph:
    """Draw a graph of a few hubs: every vertex is joined to so many ends of earlier edges.

    Barabasi, Albert: Emergence of Scaling in Random Networks, Science 286, 1999. Edges lead to the
    older vertex; some may be repeated.
    """
    num_vertices = draw(st.integers(2, max_vertices))
    pairs: Pairs = [(1, 0)]
    for v in range(2, num_vertices):
        ends = [end for pair in pairs for end in pair]
        chosen = draw(st.lists(st.sampled_from(ends), min_size=1, max_size=links))
        pairs += [(v, each) for each in chosen]
    return finished(draw, num_vertices, pairs, drawn_kind(draw, options), options)


@st.composite
def meshes(
    draw: st.DrawFn, max_rows: int = 4, max_columns: int = 4, **options: Unpack[Options]
) -> Graph:
    """Draw a mesh: rows and columns of squares, or of triangles, open or closed to a ring."""
    rows, columns = draw(st.integers(1, max_rows)), draw(st.integers(1, max_columns))
    is_ring, has_diagonals = draw(st.booleans()), draw(st.booleans())
    steps = [(0, 1), (1, 0), *([(1, 1)] if has_diagonals else [])]
    width = columns + (is_ring and columns > 2)
    pairs = [
        (row * columns + column, (row + down) * columns + (column + right) % columns)
        for row in range(rows)
        for column in range(columns)
        for down, right in steps
        if row + down < rows and column + right < width
    ]
    return finished(draw, rows * columns, pairs, drawn_kind(draw, options), options)


DEGENERATE: tuple[tuple[int, Pairs], ...] = (
    (0, []),
    (1, []),
    (1, [(0, 0)]),
    (1, [(0, 0), (0, 0)]),
    (3, []),
    (3, [(1, 1)]),
    (2, [(0, 1), (1, 0)]),
    (2, [(0, 1)] * 3),
    (4, [(v, v) for v in range(4)]),
    (5, [(0, v) for v in range(1, 5)]),
    (5, [(v, 4) for v in range(4)]),
    (6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]),
    (4, list(itertools.permutations(range(4), 2))),
    (40, list(itertools.pairwise(range(40)))),
    (70, [(0, v) for v in range(1, 70)]),
)
"""Vertices and edges: nothing, loops, repeats, stars, two rings, all pairs, a long path, a hub."""


@st.composite
def degenerate_graphs(draw: st.DrawFn, **options: Unpack[Options]) -> Graph:
    """Draw one of the graphs that programs forget, see `DEGENERATE`."""
    num_vertices, pairs = draw(st.sampled_from(DEGENERATE))
    return finished(draw, num_vertices, pairs, drawn_kind(draw, options), options)


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


@st.composite
def joined_pairs(draw: st.DrawFn, num_vertices: int, components: int) -> Pairs:
    """Draw the ends of edges that leave so many components: a tree in each, and more edges."""
    name = draw(st.permutations(range(num_vertices)))
    members: list[list[int]] = [[name[part]] for part in range(components)]
    pairs: Pairs = []
    for v in name[components:]:
        part = members[draw(st.integers(0, components - 1))]
        ends = (v, draw(st.sampled_from(part)))
        pairs.append(ends if draw(st.booleans()) else ends[::-1])
        part.append(v)
    for part in members:
        ends_within = st.tuples(st.sampled_from(part), st.sampled_from(part))
        pairs += draw(st.lists(ends_within, max_size=len(part)))
    return pairs


def without_repeats(pairs: Pairs, directed: bool) -> Pairs:
    """Return pairs without loops, each once; undirected ones in either order are the same."""
    kept: dict[tuple[int, int], tuple[int, int]] = {}
    for src, dst in pairs:
        if src != dst:
            kept.setdefault((src, dst) if directed or src < dst else (dst, src), (src, dst))
    return list(kept.values())


def drawn_kind(draw: st.DrawFn, options: Options) -> bool:
    """Return whether the graph is directed: as the options say, or drawn."""
    directed = options.get("directed")
    return draw(st.booleans()) if directed is None else directed


def finished(
    draw: st.DrawFn, num_vertices: int, pairs: Pairs, directed: bool, options: Options
) -> Graph:
    """Return the graph of some edges, with the columns that the options ask for."""
    unknown = set(options) - set(Options.__annotations__)
    if unknown:
        raise TypeError(
            f"there is no option {min(unknown)!r}; there are {', '.join(Options.__annotations__)}"
        )
    wanted = dict(options.get("edge_columns", {}))
    if options.get("weighted"):
        wanted["weight"] = st.sampled_from(TIED_WEIGHTS)
    src, dst = [src for src, _ in pairs], [dst for _, dst in pairs]
    return with_columns(
        Graph.from_edges(src, dst, num_vertices=num_vertices, directed=directed),
        {
            name: column(draw, each, num_vertices)
            for name, each in options.get("vertex_columns", {}).items()
        },
        {name: column(draw, each, len(pairs)) for name, each in wanted.items()},
    )


def column(draw: st.DrawFn, numbers: st.SearchStrategy[Any], count: int) -> NDArray[Any]:
    """Draw the numbers of a column; one is drawn also for none, so that these have its type."""
    size = max(count, 1)
    return np.array(draw(st.lists(numbers, min_size=size, max_size=size)))[:count]


def print_graph(graph: Graph, printer: Any, _is_cycle: bool) -> None:
    """Print a graph where hypothesis tells what failed."""
    printer.text(code_of(graph))


pretty.for_type_by_name(Graph.__module__, Graph.__name__, print_graph)
