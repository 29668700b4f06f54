"""Where a cell of a square or a cube stands on Hilbert's curve, written once for each target.

The curve goes through all cells and always to a neighbour, so that what stands together on it lies
together; a Z-curve (Morton, 1966) leaps. In a plane a quarter is turned before it is cut again. In
a space the coordinates' bits become the curve's by Skilling's way, which needs no tables.

Hilbert: Ueber die stetige Abbildung einer Linie auf ein Flaechenstueck, Math. Annalen 38, 1891.
Skilling: Programming the Hilbert curve, AIP Conference Proceedings 707, 2004.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def curve_functions(compiled: Callable[..., Any]) -> tuple[Any, Any]:
    """Return ``in_plane`` and ``in_space``, compiled by a decorator.

    Coordinates are int64 of so many bits; places are below 2 to the power of all of them.

    Examples
    --------
    >>> in_plane, in_space = curve_functions(lambda function: function)
    >>> [in_plane(x, y, 1) for x, y in ((0, 0), (0, 1), (1, 1), (1, 0))]
    [0, 1, 2, 3]
    >>> sorted(in_space(x, y, z, 1) for x in (0, 1) for y in (0, 1) for z in (0, 1))
    [0, 1, 2, 3, 4, 5, 6, 7]
    """

    @compiled
    def in_plane(x, y, bits):
        """Return where a cell of a square stands."""
        place = x ^ x
        for bit in range(bits - 1, -1, -1):
            right, up = (x >> bit) & 1, (y >> bit) & 1
            place = (place << 2) | ((3 * right) ^ up)
            if up == 0:  # the two lower quarters lie on their sides, one of them reversed
                x, y = y ^ -right, x ^ -right
        return place

    @compiled
    def in_space(x, y, z, bits):
        """Return where a cell of a cube stands."""
        for bit in range(bits - 1, 0, -1):
            low = (x ^ x) + (1 << bit) - 1
            x ^= low & -((x >> bit) & 1)
            differs = (x ^ y) & low & (((y >> bit) & 1) - 1)
            turned = low & -((y >> bit) & 1)
            x, y = x ^ differs ^ turned, y ^ differs
            differs = (x ^ z) & low & (((z >> bit) & 1) - 1)
            turned = low & -((z >> bit) & 1)
            x, z = x ^ differs ^ turned, z ^ differs
        y ^= x
        z ^= y
        flips = x ^ x
        for bit in range(bits - 1, 0, -1):
            flips ^= ((flips ^ flips) + (1 << bit) - 1) & -((z >> bit) & 1)
        x, y, z = x ^ flips, y ^ flips, z ^ flips
        place = x ^ x
        for bit in range(bits - 1, -1, -1):
            place = (place << 3) | ((x >> bit) & 1) << 2 | ((y >> bit) & 1) << 1 | ((z >> bit) & 1)
        return place

    return in_plane, in_space
