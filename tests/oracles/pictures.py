"""How far a picture of a graph is from its distances: the stress of E. Gansner, Y. Koren, S. North.

Graph Drawing by Stress Majorization, GD 2004: squares of what places are apart over how far one is
from the other, less one, at the scale that makes their mean least.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def least_stress(wanted: NDArray[Any], sources: NDArray[Any], where: NDArray[Any]) -> float:
    """Return the mean stress of all pairs of a source and a vertex, of whose places it is told.

    ``wanted`` are the distances, a row for every source; pairs without a way do not count, nor does
    a vertex and itself.
    """
    ratios = []
    for place, distance in zip(sources, wanted, strict=True):
        is_other = np.isfinite(distance) & (distance > 0)
        ratios.append(np.linalg.norm(where[is_other] - place, axis=1) / distance[is_other])
    ratio = np.concatenate(ratios)
    if not ratio.any():
        return float("nan")
    return float(((ratio * ratio.sum() / (ratio**2).sum() - 1) ** 2).mean())
