"""Spread of influence: how many hear a rumour on average, by many cascades at once.

Returns the mean of many runs, their deviation and an interval. Independent cascades run in the bits
of words, 64 at a time, and the program gives their sizes alone. Other runs, thresholds or chances
that repeat, are those of `ltm` and `icm` by trial: copies of a batch while 64 of them are small,
and one after another where they are not, since copies share no pass over arcs that pays for columns
64 times as large. With a precision asked for, lots of 64 follow until the interval is as narrow.

Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network, KDD 2003.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from emv.algorithms._arguments import a_number, at_least, one_of
from emv.algorithms._chances import for_lanes
from emv.algorithms._lanes import LANES, cascade_sizes, salt_of
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

BATCHED = 1 << 13  # vertices up to which copies of a batch are faster than runs in turn
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
    rng : int, Generator, BitGenerator, SeedSequence or None
        Of all draws. With `ltm`, and with chances that repeat, run k is that with ``trial=k``;
        other cascades have coins of their own.
    backend : str, optional
        Where to run, as for every program.
    **given
        What else the model takes: `p`, `single_chance`; `b`, `thresholds`; `loop`.

    Returns
    -------
    Spread
        Mean, deviation, interval, and the number of runs.

    Raises
    ------
    ArgumentError
        If there is no such vertex or model, or a number is out of range.
    CallError
        If the model takes no such parameter.
    ColumnError
        If the graph lacks a column that is asked for.

    Notes
    -----
    Independent cascades take two words of memory per vertex, and O(num_vertices + arcs that the
    runs reach) work for 64 runs, of which those in which a vertex hears in one step share a look at
    its arcs. The interval is that of the normal distribution, which holds for sizes of many runs;
    one that ends by its own width is a little too sure of itself (Chow and Robbins).

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
    by_lanes = takes_lanes(model, given)
    lot_of = lanes_lot if by_lanes else runs_lot
    given = {"rng": seed, "backend": backend, **given}
    if by_lanes:
        given["chances"] = for_lanes(graph, given.get("p", 0.1), backend=backend)
    done, total, squares = 0, 0, 0
    while done < runs:
        count = min(LANES, runs - done)
        added, added_squares = lot_of(graph, seeds, model, range(done, done + count), given)
        done, total, squares = done + count, total + added, squares + added_squares
        found = summary(done, total, squares)
        if precision is not None and found.high - found.mean <= precision * found.mean:
            break
    return found


def takes_lanes(model: str, given: dict[str, Any]) -> bool:
    """Return whether runs fit into bits: cascades in which an arc is tried once, by no loop asked.

    Examples
    --------
    >>> takes_lanes("icm", {"p": 0.1}), takes_lanes("icm", {"single_chance": False})
    (True, False)
    """
    asked = {name: value for name, value in given.items() if name != "p"}
    usual = {"single_chance": True, "loop": "auto"}
    is_usual = all(name in usual and usual[name] == value for name, value in asked.items())
    return model == "icm" and is_usual


def lanes_lot(
    graph: Graph, seeds: ArrayLike, _model: str, trials: range, given: dict[str, Any]
) -> tuple[int, int]:
    """Return the sum of the sizes of some runs in lanes, and that of their squares."""
    seed, backend = given["rng"], given["backend"]
    salt = salt_of(seed, trials[0] // LANES)
    named = {**given["chances"], "salt": salt, "lanes": len(trials), "backend": backend}
    total, squares = cascade_sizes(graph, seeds, **named)
    return int(total), int(squares)


def runs_lot(
    graph: Graph, seeds: ArrayLike, model: str, trials: range, given: dict[str, Any]
) -> tuple[int, int]:
    """Return the sum of the sizes of some runs by trial, and that of their squares."""
    program = MODELS[model]
    shared = given.get("single_chance", True) is True and given.get("loop") in (None, "auto", "C")
    if shared and graph.num_vertices <= BATCHED:
        steps = on_host(program.batch(graph, trials, seeds, along="trial", **given))
        sizes = np.count_nonzero(steps >= 0, axis=1).tolist()
    else:
        runs = (on_host(program(graph, seeds, trial=trial, **given)) for trial in trials)
        sizes = [int(np.count_nonzero(steps >= 0)) for steps in runs]
    return sum(sizes), sum(size * size for size in sizes)


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
