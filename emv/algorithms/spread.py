"""Spread of influence: how many hear a rumour on average, by many cascades at once.

Returns the mean of many runs of `icm` or `ltm`, their deviation and an interval. The runs are
copies of one batch, `LOT` at a time, each with coins of its own, and of each only its size is kept.
With a precision asked for, lots follow until the interval is as narrow.

Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network, KDD 2003.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from emv.algorithms._arguments import a_number, at_least, one_of
from emv.algorithms.icm import icm
from emv.algorithms.ltm import ltm
from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.runtime.arguments import check_call
from emv.runtime.program import ProgramFunction

__all__ = ["Spread", "spread"]

LOT = 64  # runs of a batch
LIKELY = 1.96  # standard errors to either side that hold the mean in 95 of 100 cases
MODELS: dict[str, ProgramFunction] = {"icm": icm, "ltm": ltm}


@dataclass(frozen=True)
class Spread:
    """How many vertices cascades reach, seeds included.

    Attributes
    ----------
    mean : float
        Of all runs.
    deviation : float
        The standard deviation of a single run.
    low, high : float
        The ends of an interval that holds the true mean in 95 of 100 cases.
    runs : int
        How many there were.
    """

    mean: float
    deviation: float
    low: float
    high: float
    runs: int


@renamed("0.2", seed="rng")
def spread(
    graph: Graph,
    seeds: ArrayLike,
    model: str = "icm",
    runs: int = 1000,
    precision: float | None = None,
    rng: Rng = 0,
    backend: str | None = None,
    **given: Any,
) -> Spread:
    """Return how many vertices cascades from some seeds reach on average.

    Parameters
    ----------
    graph : Graph
        As the model takes it.
    seeds : int or list of int
        Ids of the vertices that know from the start.
    model : {"icm", "ltm"}
        Independent cascades or linear thresholds.
    runs : int
        How many, at most if `precision` is asked for.
    precision : float, optional
        Ends as soon as the interval goes no further from the mean than this part of it. It is
        looked at after every lot of 64 runs.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        Of all draws. Run k is ``icm(graph, seeds, ..., trial=k, rng=seed)``.
    backend : str, optional
        Where to run, as for every program.
    **given
        What else the model takes: `p`; `b`, `thresholds`; and `loop` where that runs in a batch.

    Returns
    -------
    Spread
        Mean, deviation, interval, and the number of runs.

    Raises
    ------
    ArgumentError
        If there is no such vertex or model, a number is out of range, or the model cannot run in a
        batch as asked for.
    ColumnError
        If the graph lacks a column that is asked for.

    Notes
    -----
    O(vertices and arcs that the runs reach) work, of which 64 runs share the passes over the arcs,
    and memory for 64. The interval is that of the normal distribution, which holds for sizes of
    many runs; one that ends by its own width is a little too sure of itself (Chow and Robbins).

    References
    ----------
    .. [1] Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network,
       KDD 2003.
    .. [2] Chow, Robbins: On the Asymptotic Theory of Fixed-Width Sequential Confidence Intervals
       for the Mean, Annals of Mathematical Statistics 36(2), 1965.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import spread
    >>> star = Graph.from_edges([0] * 10, range(1, 11))
    >>> spread(star, 0, p=1.0, runs=64)
    Spread(mean=11.0, deviation=0.0, low=11.0, high=11.0, runs=64)
    """
    seed = check_call("spread", graph, rng)
    one_of(*MODELS)("spread(): model", model, graph)
    at_least(2)("spread(): runs", runs, graph)
    if precision is not None:
        a_number("spread(): precision", precision, graph)
        if not precision > 0:
            raise ArgumentError(
                f"spread(): precision={precision!r}", remedy="Give a number above 0."
            )
    sizes: list[int] = [0, 0, 0]  # how many runs, the sum of their sizes, and of the squares
    while sizes[0] < runs:
        lot = lot_sizes(graph, model, seeds, sizes[0], {"rng": seed, "backend": backend, **given})
        lot = lot[: runs - sizes[0]]
        sizes = [sizes[0] + len(lot), sizes[1] + sum(lot), sizes[2] + sum(k * k for k in lot)]
        found = summary(*sizes)
        if precision is not None and found.high - found.mean <= precision * found.mean:
            break
    return found


def lot_sizes(
    graph: Graph, model: str, seeds: ArrayLike, first: int, given: dict[str, Any]
) -> list[int]:
    """Return how many vertices each run of a lot reaches."""
    trials = range(first, first + LOT)
    steps = MODELS[model].batch(graph, trials, seeds, along="trial", **given)
    reached = np.count_nonzero(on_host(steps) >= 0, axis=1)
    return [int(each) for each in reached]


def summary(runs: int, total: int, squares: int) -> Spread:
    """Return what the sizes of runs come to, of which only sums are known.

    Examples
    --------
    >>> summary(4, 10, 30).deviation
    1.2909944487358056
    """
    mean = total / runs
    variance = (squares * runs - total * total) / (runs * (runs - 1))
    width = LIKELY * math.sqrt(variance / runs)
    return Spread(mean, math.sqrt(variance), mean - width, mean + width, runs)
