"""R-MAT: every edge falls into a quadrant of the matrix, of that into a quadrant, and so on.

Chakrabarti, Zhan and Faloutsos, SDM 2004. `rmat` follows GTgraph (Bader and Madduri, 2006) to the
letter: sides are halved with integer division, so that any number of vertices will do; after each
level every share is perturbed, b only upwards; edges that are loops are drawn again and repeats
are kept. `kronecker` is Graph500's generator: powers of two, no noise, ids that are scrambled.

Shares are 32-bit integers and factors have 31 bits behind the point; 24 bits of each draw choose
the quadrant and ten perturb each share. Chances are exact to about 2**-24.
"""

from __future__ import annotations

from typing import Unpack

from emv.errors import ArgumentError
from emv.generators.draws import ends_of, key_of
from emv.generators.finish import (
    Options,
    checked_seed,
    count_of,
    device_of,
    held_of,
    made,
    number,
    truth,
    whole,
)
from emv.graph import Graph
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.tracebacks import ends_at_caller

GTGRAPH = (0.45, 0.15, 0.15, 0.25)
GRAPH500 = (0.57, 0.19, 0.19, 0.05)
Chances = tuple[float, float, float, float]

MOST_NOISE = 0.25
LEAST_OFF_DIAGONAL = 1 / 256
"""With less, nearly all edges would be loops, and be drawn again and again."""


@ends_at_caller
@renamed("0.2", seed="rng")
def rmat(
    n: int,
    m: int,
    chances: Chances = GTGRAPH,
    noise: float = 0.05,
    loops: bool = False,
    rng: Rng = 0,
    **options: Unpack[Options],
) -> Graph:
    """Return an R-MAT graph as GTgraph makes them: few vertices have very many edges.

    Parameters
    ----------
    n : int
        Vertices, at least 2, not necessarily a power of two.
    m : int
        Edges; repeats are kept.
    chances : tuple of four floats
        The shares a, b, c, d of the quadrants: upper left, upper right, lower left, lower right.
    noise : float
        By how much each share may be perturbed on each level, at most 0.25.
    loops : bool
        Whether loops are kept; otherwise such an edge is drawn again.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        The same number gives the same graph everywhere.
    **options
        `directed` (by default True), `weights`, `device`, `held`; see `emv.generators`.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Notes
    -----
    With the defaults and ``n=10**6, m=16 * 10**6`` the out-degrees have the spread that the
    papers on Medusa print: a largest one near 1700, a standard deviation of 32.9, and 48 % of the
    vertices without an edge.

    Examples
    --------
    >>> g = rmat(1000, 8000, rng=1, weights=(0, 100))
    >>> g
    Graph(1000 vertices, 8000 edges, directed, edges: weight i32)
    >>> int(g.out_degrees().max()) > 10 * g.num_edges / g.num_vertices
    True
    """
    held = held_of(options)
    n, m, seed = whole("n", n, 2), count_of("m", m, held=held), checked_seed(rng)
    loops = truth("loops", loops)
    noise = number("noise", noise, 0.0, MOST_NOISE)
    shares = _shares(chances, noise, n.bit_length(), loops)
    told = [key_of(seed, "edges"), n, shares, round(noise * 2**31), loops, 0, 0]
    return made(ends_of("rmat", n, m, told, device_of(options), held), seed, options, True)


@ends_at_caller
@renamed("0.2", seed="rng")
def kronecker(
    scale: int,
    edge_factor: int = 16,
    chances: Chances = GRAPH500,
    rng: Rng = 0,
    **options: Unpack[Options],
) -> Graph:
    """Return a Kronecker graph as Graph500 makes them, with scrambled ids.

    Parameters
    ----------
    scale : int
        The graph has ``2**scale`` vertices; at most 31.
    edge_factor : int
        Edges per vertex; repeats and loops are kept.
    chances : tuple of four floats
        The shares of the quadrants.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        The same number gives the same graph everywhere.
    **options
        `directed` (by default False), `weights`, `device`, `held`; see `emv.generators`.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Examples
    --------
    >>> kronecker(10)
    Graph(1024 vertices, 16384 edges, undirected)
    """
    scale, seed = whole("scale", scale, 1, 31), checked_seed(rng)
    m = whole("edge_factor", edge_factor, 0) << scale
    shares = _shares(chances, 0.0, scale, True)
    told = [key_of(seed, "edges"), 1 << scale, shares, 0, True, scale, key_of(seed, "ids")]
    ends = ends_of("rmat", 1 << scale, m, told, device_of(options), held_of(options))
    return made(ends, seed, options, False)


def _shares(
    chances: Chances, noise: float, num_levels: int, loops: bool
) -> tuple[int, int, int, int]:
    """Return the chances as integers that stay below 2**31 when noise only ever adds to them."""
    if not isinstance(chances, tuple | list) or len(chances) != 4:
        raise ArgumentError(f"chances is {chances!r}, but it is four numbers (a, b, c, d)")
    a, b, c, d = (number(f"chances[{i}]", each) for i, each in enumerate(chances))
    if abs(a + b + c + d - 1) > 1e-6:
        raise ArgumentError(
            f"chances add up to {a + b + c + d:g}, but the four together are 1",
            remedy="the papers take (0.45, 0.15, 0.15, 0.25)",
        )
    if not loops and b + c < LEAST_OFF_DIAGONAL:
        raise ArgumentError(
            f"chances b and c are {b:g} and {c:g}, so nearly every edge would be a loop",
            remedy="let b + c be at least 1/256, or keep loops with loops=True",
        )
    one = 2.0**30 / (1 + noise) ** num_levels
    whole_a, whole_b, whole_c, whole_d = (round(each * one) for each in (a, b, c, d))
    return whole_a, whole_b, whole_c, whole_d
