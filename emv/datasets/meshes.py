"""Stand-ins of road networks, meshes, circuits and matrices, and the papers' bipartite graph.

Most are a regular shape with about the degrees of the real graph (roads by `emv.generators.road`, a
honeycomb with holes, a grid, a path), from which edges are left out by chance, or to which some are
added, until there are as many as the papers print. Ends of the bipartite graph are drawn with
chances that give the deviation of degrees that is printed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from emv import generators
from emv.datasets.shaping import Ends, drawn, simple, thinned, with_counts
from emv.generators.draws import fractions, happens, words
from emv.generators.lattices import honeycomb_ends
from emv.generators.roads import road_ends
from emv.graph import Graph

SEED = 20140609


def roads(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Take the road-like generator, and leave links out until there are as many."""
    src, dst = (ends.astype(np.int64) for ends in road_ends(n, SEED))
    src, dst = with_counts(n, (src, dst), num_arcs // 2, max_degree, SEED)
    ends = np.concatenate([src, dst]), np.concatenate([dst, src])
    return Graph.from_edges(*ends, num_vertices=n)


def bubbles(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Cut round holes into a honeycomb that is closed to a tube, so that borders are few.

    Vertices at holes and borders have two edges, all others three.
    """
    del max_degree  # of a honeycomb: 3
    columns = 2 * max(2, round(math.sqrt(n) / 2))
    per_hole = _hole_radius(columns) ** 2 * math.pi
    num_holes = 49
    rows = math.ceil((n + num_holes * per_hole) / columns) + 4
    src, dst = (ends.astype(np.int64) for ends in honeycomb_ends(rows, columns))
    seam = np.arange(rows, dtype=np.int64) * columns
    src, dst = np.concatenate([src, seam]), np.concatenate([dst, seam + columns - 1])
    alive = ~_holes(rows, columns, num_holes)
    src, dst = _whole_hexagons(src, dst, alive)
    number = np.cumsum(alive) - 1
    src, dst = number[src], number[dst]
    inside = (src < n) & (dst < n)  # the last lines are cut off where there are enough
    src, dst = thinned((src[inside], dst[inside]), num_arcs // 2, SEED)
    return Graph.from_edges(src, dst, num_vertices=n, directed=False)


def _hole_radius(columns: int) -> float:
    return max(2.0, columns * 0.0085)


def _holes(rows: int, columns: int, num_holes: int) -> NDArray[np.bool_]:
    """Return which places are in a hole: discs near the places of a 7 by 7 grid."""
    gone = np.zeros((rows, columns), np.bool_)
    side, radius = math.isqrt(num_holes), _hole_radius(columns)
    for hole in range(num_holes):
        y = (hole // side + 0.5) / side * rows
        x = (hole % side + 0.5) / side * columns
        top, left = max(0, int(y - radius)), max(0, int(x - radius))
        part = gone[top : int(y + radius) + 2, left : int(x + radius) + 2]
        rows_in, columns_in = np.ogrid[: part.shape[0], : part.shape[1]]
        part |= (rows_in + top - y) ** 2 + (columns_in + left - x) ** 2 <= radius**2
    return gone.ravel()


def _whole_hexagons(
    src: NDArray[np.int64], dst: NDArray[np.int64], alive: NDArray[np.bool_]
) -> Ends:
    """Return the edges between vertices that are left, once those with a single edge are gone."""
    while True:
        kept = alive[src] & alive[dst]
        src, dst = src[kept], dst[kept]
        degrees = np.bincount(src, minlength=len(alive)) + np.bincount(dst, minlength=len(alive))
        loose = alive & (degrees < 2)
        if not loose.any():
            return src, dst
        alive[loose] = False


def optimisation(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Join variables and equations of an optimal power flow: most have few, some have many.

    A path through all vertices, and edges of which one vertex in eleven takes more than half of the
    ends. Two thirds of them join neighbours on the path, the others lead up to a twentieth away.
    """
    count = max(8, num_arcs // 2 - n) * 21 // 20
    heavy = max(1, n // 11)

    def ends(number: int) -> NDArray[np.int64]:
        drawn_ids = drawn(SEED, "edges", count, number, n)
        is_heavy = happens(words(SEED, "kept", count, number), 0.53)
        drawn_ids[is_heavy] = drawn(SEED, "places", count, number, heavy)[is_heavy] * 11
        return drawn_ids % n

    src, there = ends(2), ends(3)
    reach = np.where(happens(words(SEED, "ids", count, 1), 0.67), 400, max(400, n // 20))
    shift = drawn(SEED, "ids", count, 2, reach)
    dst = ((src + shift) % n // 11 * 11 + there % 11) % n
    path = np.arange(n - 1, dtype=np.int64)
    src, dst = np.concatenate([path, src]), np.concatenate([path + 1, dst])
    src, dst = with_counts(n, simple(n, (src, dst)), num_arcs // 2, max_degree, SEED)
    return Graph.from_edges(src, dst, num_vertices=n, directed=False)


def circuit(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Leave some edges of a square grid out, as the layers of a circuit board do."""
    del max_degree  # none is printed
    width = math.isqrt(n)
    vertex = np.arange(n, dtype=np.int64)
    right = vertex[(vertex % width < width - 1) & (vertex < n - 1)]
    below = vertex[: n - width]
    src, dst = np.concatenate([right, below]), np.concatenate([right + 1, below + width])
    src, dst = thinned((src, dst), num_arcs // 2, SEED)
    return Graph.from_edges(src, dst, num_vertices=n, directed=False)


def deformation(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Join the rows of a tall matrix to three or four columns near their own place.

    The rows are the first vertices, the columns follow, as in a Matrix Market file that is not
    square; the vertex column ``side`` tells them apart.
    """
    del max_degree  # none is printed
    num_edges = num_arcs // 2
    num_columns = max(8, round(n * 9393 / 243_416))
    num_rows = n - num_columns
    row = np.arange(num_edges, dtype=np.int64) * num_rows // num_edges
    place = np.arange(num_edges) - np.searchsorted(row, row)  # 0, 1, 2 and perhaps 3 in its row
    reach = max(1, round(math.sqrt(num_columns)))
    step = np.array([0, 1, reach, reach + 1])[np.minimum(place, 3)]
    column = (row * num_columns // num_rows + step) % num_columns
    graph = Graph.from_edges(row, num_rows + column, num_vertices=n, directed=False)
    graph.vertices["side"] = (np.arange(n) >= num_rows).astype(np.uint8)
    return graph


def bipartite(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Draw edges from the left half, whose vertices have 2 to 14 times the chance of each other.

    The papers do not say how theirs was made; uniform draws have too small a deviation, and this
    has the one that is printed.
    """
    del max_degree
    left = n // 2
    x = fractions(words(SEED, "edges", num_arcs, 1))
    place = (np.sqrt(4 + 192 * x) - 2) / 12  # where the chances 2 + 12 t add up to 8 x
    src = np.minimum((place * left).astype(np.int64), left - 1)
    dst = left + drawn(SEED, "edges", num_arcs, 2, n - left)
    graph = Graph.from_edges(src, dst, num_vertices=n)
    graph.vertices["side"] = (np.arange(n) >= left).astype(np.uint8)
    return graph


def triangles(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Triangulate random points: a triangulation indeed, of other points than the collection's."""
    del num_arcs, max_degree  # as they come
    return generators.delaunay(n, rng=SEED)


def rmat(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Take GTgraph's R-MAT with its own parameters: the paper's recipe."""
    del max_degree  # as it comes
    return generators.rmat(n, num_arcs, rng=SEED)


def random(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Take GTgraph's G(n, m): the paper's recipe."""
    del max_degree  # as it comes
    return generators.random(n, num_arcs, rng=SEED)
