"""Road-like graphs: a town plan with gaps, and highways.

A square lattice of crossings loses some of its links, more of them in the country than in the
towns, which alternate in squares; a crossing that would lose all keeps one. Highways run along
every `SPACING`-th line: their links span `STRIDE` crossings, which brings the diameter down to that
of a road network of the size. Where two highways meet there is an interchange with ramps to the
crossings around it.
"""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from emv.generators.draws import happens, words
from emv.generators.finish import Options, checked_seed, device_of, made, whole
from emv.graph import Graph
from emv.graph.widths import public_dtype
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.tracebacks import ends_at_caller

IN_TOWNS, IN_THE_COUNTRY = 0.84, 0.54
TOWN = 16  # crossings along the side of a square of town or country
SPACING, STRIDE = 60, 4


@ends_at_caller
@renamed("0.2", seed="rng")
def road(n: int, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a road-like graph: nearly planar, degrees of one to a dozen, long ways.

    Parameters
    ----------
    n : int
        Crossings.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        The same number gives the same graph everywhere.
    **options
        `directed` (by default False), `weights`; see `emv.generators`.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Notes
    -----
    About 2.8 arcs per vertex with a standard deviation of 1, and one component with most vertices
    beside many small ones, as in the road network of California.

    Examples
    --------
    >>> g = road(10000, rng=1)
    >>> 2.5 < g.num_arcs / g.num_vertices < 3.1
    True
    """
    n, seed = whole("n", n, 0), checked_seed(rng)
    device_of(options, "road")
    return made((n, *road_ends(n, seed)), seed, options, False)


def road_ends(n: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ends of the links: local ones, highways, ramps."""
    width = max(1, math.isqrt(n))
    vertex = np.arange(n, dtype=np.int64)
    x, y = vertex % width, vertex // width
    in_town = (x // TOWN + y // TOWN) % 2 == 0
    chance = np.where(in_town, IN_TOWNS, IN_THE_COUNTRY)
    has_right, has_below = (x < width - 1) & (vertex + 1 < n), vertex + width < n
    right = has_right & happens(words(seed, "kept", n, 1), chance)
    below = has_below & happens(words(seed, "kept", n, 2), chance)
    lonely = ~(right | below)
    lonely[1:] &= ~right[:-1]
    lonely[width:] &= ~below[: n - width]
    right |= lonely & has_right
    below |= lonely & ~has_right & has_below
    parts = [(vertex[right], 1), (vertex[below], width), *_highways(vertex, x, y, width)]
    src = np.concatenate([starts for starts, _ in parts])
    dst = np.concatenate([starts + step for starts, step in parts])
    kept = (dst < n) & (dst >= 0)
    dtype = public_dtype(n)
    return src[kept].astype(dtype), dst[kept].astype(dtype)


def _highways(
    vertex: NDArray[Any], x: NDArray[Any], y: NDArray[Any], width: int
) -> list[tuple[NDArray[Any], int]]:
    """Return where the links of highways and ramps begin, each with the step to their end."""
    along = (y % SPACING == 0) & (x % STRIDE == 0) & (x + STRIDE < width)
    down = (x % SPACING == 0) & (y % STRIDE == 0)
    meet = (x % SPACING == 0) & (y % SPACING == 0) & (x > 0) & (x < width - 1) & (y > 0)
    ramps = [(vertex[meet], step) for step in (width + 1, width - 1, -width - 1, -width + 1)]
    return [(vertex[along], STRIDE), (vertex[down], STRIDE * width), *ramps]
