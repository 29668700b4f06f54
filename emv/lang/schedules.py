"""The words of a schedule: how a program runs, told apart from what it computes.

A schedule is given where a program is called, and never changes its result. That the two are
separate texts is GraphIt's idea (Zhang, Yang, Baghdadi, Kamil, Shun and Amarasinghe, OOPSLA 2018).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from emv.errors import ArgumentError, did_you_mean
from emv.lang.buffers import Buffer
from emv.lang.frontiers import AllActive, Queued
from emv.lang.hops import Hops


@dataclass(frozen=True)
class NearFar:
    """Relax in place, nearest first; see `near_far`."""

    delta: float | str = "auto"

    def __str__(self) -> str:
        shown = f"{self.delta:g}" if isinstance(self.delta, float) else f'"{self.delta}"'
        return f"near_far(delta={shown})"


@dataclass(frozen=True)
class BySuperstep:
    """Run loops as they are written; see `by_superstep`."""

    def __str__(self) -> str:
        return "by_superstep()"


@dataclass(frozen=True)
class Layout:
    """Walk the arcs of a graph as they are stored in some way; see `layout`."""

    name: str
    width: int | None = None

    @property
    def tag(self) -> str:
        """The name with the width, where one is given."""
        return self.name if self.width is None else f"{self.name}{self.width}"

    def __str__(self) -> str:
        width = "" if self.width is None else f", width={self.width}"
        return f"layout({self.name!r}{width})"


Word = NearFar | BySuperstep | Layout | AllActive | Queued | Buffer | Hops

LAYOUTS = ("csr", "aa", "caa", "ell", "hybrid", "coo", "dia")


def near_far(delta: float | str = "auto") -> NearFar:
    """Return the schedule that relaxes in place, nearest first, with a threshold that moves.

    For loops that only lower a column: a vertex sends its own value plus something that is not
    negative, and a receiver keeps the smallest. Values below the threshold are relaxed until none
    are left, the others wait in a far pile; then the threshold moves on by ``delta``. A small
    delta does less work in more rounds, a large one relaxes in parallel what may be relaxed again.
    It is what such loops do without being asked, so the word is there to choose ``delta``, or to
    hear why a loop cannot be run so.

    Parameters
    ----------
    delta : float or "auto"
        How far the threshold moves, in the unit of the weights, above 0. ``"auto"`` takes some
        mean weights over the mean degree; ``math.inf`` means no priority: everything is near.

    Returns
    -------
    NearFar
        For ``schedule=`` of a program's call. Another delta compiles nothing anew.

    Raises
    ------
    ArgumentError
        If delta is neither ``"auto"`` nor a number above 0.

    Notes
    -----
    A round counts as one superstep, so their number is not that of the text; the values are the
    same. Where a run finds something negative that is added, it goes by superstep instead. All
    relaxing loops of one program share the delta.

    References
    ----------
    .. [1] Meyer, Sanders: Delta-stepping: a parallelizable shortest path algorithm, Journal of
       Algorithms 49, 2003.
    .. [2] Davidson, Baxter, Garland, Owens: Work-efficient parallel GPU methods for single-source
       shortest paths, IPDPS 2014.

    Examples
    --------
    >>> import emv
    >>> from emv.algorithms import sssp
    >>> g = emv.Graph.from_edges([0, 0, 1], [1, 2, 2], weight=[1.0, 5.0, 2.5])
    >>> sssp(g, 0, schedule=emv.near_far(delta=2.0))
    array([0. , 1. , 3.5])
    >>> sssp(g, 0, schedule={"offer_path": emv.near_far(delta=2.0)})
    array([0. , 1. , 3.5])
    """
    if isinstance(delta, str) and delta == "auto":
        return NearFar()
    step = _step(delta)
    if step > 0:
        return NearFar(step)
    meant = did_you_mean(delta, ["auto"]) if isinstance(delta, str) else ""
    raise ArgumentError(
        f'near_far(): delta= is "auto" or a number above 0, not {delta!r}.{meant}',
        remedy="It is in the unit of the weights; math.inf makes everything near.",
    )


def _step(delta: Any) -> float:
    """Return a number as a float, and NaN for all else."""
    if isinstance(delta, int | float | np.integer | np.floating) and not isinstance(delta, bool):
        with contextlib.suppress(OverflowError):
            return float(delta)
    return math.nan


def by_superstep() -> BySuperstep:
    """Return the schedule that runs every loop superstep by superstep, as it is written.

    Bulk-synchronous, as in the language's first rule: all messages of a superstep are made of the
    columns before it. `Run.supersteps` then counts what the text says, which relaxing in place
    (`near_far`) does not; the result is the same.

    Returns
    -------
    BySuperstep
        For ``schedule=`` of a program's call. Any program and function takes it.

    Examples
    --------
    >>> import emv
    >>> from emv.algorithms import sssp
    >>> g = emv.Graph.from_edges([0, 1, 2], [1, 2, 3], weight=[1.0, 1.0, 1.0])
    >>> sssp.run(g, 0, schedule=emv.by_superstep()).supersteps
    4
    """
    return BySuperstep()


def layout(name: str, width: int | None = None) -> Layout:
    """Return the schedule that walks arcs in a given storage of the graph.

    The text of a program is the same in all of them, and so is its result. A storage is built when
    a program first asks for it and kept with the graph; what would not fit the memory is refused
    before. Loops then run by superstep, as they are written.

    ==========  ===================================================================================
    ``csr``     compressed rows, shared out by the degrees: what is done without being asked
    ``aa``      the adjacency array of Medusa: the same rows, walked by one thread per vertex
    ``caa``     Medusa's column-major adjacency array: the i-th arcs of all vertices side by side,
                vertices by falling degree, nothing padded
    ``ell``     ELLPACK: the same, by id, with room for the largest degree at every vertex
    ``hybrid``  ELLPACK for the first ``width`` arcs of a vertex, rows for the rest
    ``coo``     arcs one by one with both ends, folded by atomic operations
    ``dia``     by the difference of the two ids: no end is stored, for graphs with a band
    ==========  ===================================================================================

    Parameters
    ----------
    name : str
        One of those above.
    width : int, optional
        For ``hybrid``: arcs of a vertex in the padded part, from 0 to 1024. By default the most
        that a third of the vertices have.

    Returns
    -------
    Layout
        For ``schedule=`` of a program's call.

    Raises
    ------
    ArgumentError
        If there is no such storage, or a width is given for another one or out of range.

    Notes
    -----
    A run raises an error if nothing in the program walks arcs by vertex, if ``coo`` is asked for a
    function that walks the arcs of its vertex itself or a fold without an atomic form, or ``dia``
    for arcs that occur twice or are not in the order of ids.

    References
    ----------
    .. [1] Zhong, He: Medusa: simplified graph processing on GPUs, TPDS 25, 2014.
    .. [2] Bell, Garland: Efficient sparse matrix-vector multiplication on throughput-oriented
       processors, SC 2009.

    Examples
    --------
    >>> import emv
    >>> from emv.algorithms import bfs
    >>> g = emv.Graph.from_edges([0, 1, 1], [1, 2, 3])
    >>> bfs(g, 0, schedule=emv.layout("caa"))
    array([0, 1, 2, 2], dtype=int32)
    """
    if name not in LAYOUTS:
        meant = did_you_mean(name, LAYOUTS) if isinstance(name, str) else ""
        raise ArgumentError(
            f"layout(): there is no storage {name!r}.{meant}",
            remedy=f"There are {', '.join(LAYOUTS)}.",
        )
    if width is None:
        return Layout(name)
    if name != "hybrid":
        raise ArgumentError(f"layout(): width= is for 'hybrid', not for {name!r}")
    is_whole = isinstance(width, int | np.integer) and not isinstance(width, bool)
    if not is_whole or not 0 <= width <= 1024:
        raise ArgumentError(f"layout(): width= is a whole number from 0 to 1024, not {width!r}")
    return Layout(name, int(width))


@dataclass(frozen=True)
class Asked:
    """What a call asks of the schedule.

    Attributes
    ----------
    whole : Word or None
        For the whole program.
    by_name : tuple of (name, Word)
        For the launches that a function takes part in.
    """

    whole: Word | None = None
    by_name: tuple[tuple[str, Word], ...] = ()

    def __bool__(self) -> bool:
        return self.whole is not None or bool(self.by_name)

    def words(self, names: Iterable[str]) -> list[Word]:
        """Return the words for a launch of these functions."""
        if self.whole is not None:
            return [self.whole]
        names = set(names)
        return [word for name, word in self.by_name if name in names]

    @property
    def delta(self) -> float | str:
        """Return the one delta of the program."""
        words = [self.whole, *(word for _, word in self.by_name)]
        return next((each.delta for each in words if isinstance(each, NearFar)), "auto")

    @property
    def hops(self) -> int | str:
        """Return how many hops of replicas parts of a graph keep."""
        return self.whole.number if isinstance(self.whole, Hops) else 1

    @property
    def key(self) -> tuple[Any, ...]:
        """Return what the text of kernels depends on: everything but the delta and hops."""
        if not self:
            return ()
        words = [("", self.whole), *self.by_name]
        plain_words = BySuperstep | AllActive | Queued
        plain = [(name, str(word)) for name, word in words if isinstance(word, plain_words)]
        stored = [(name, word.tag) for name, word in words if isinstance(word, Layout)]
        kept = [(name, str(word)) for name, word in words if isinstance(word, Buffer)]
        return tuple(sorted([*plain, *kept, *(each for each in stored if each[1] != "csr")]))


NOTHING_ASKED = Asked()


def asked_of(program: str, given: Any) -> Asked:
    """Return what ``schedule=`` asks for.

    Raises
    ------
    ArgumentError
        If it is neither a word nor a dict of words, or gives two deltas.

    Examples
    --------
    >>> asked_of("paths", {"offer": near_far(4)}).delta
    4.0
    """
    if given is None:
        return NOTHING_ASKED
    if isinstance(given, Word):
        return Asked(given)
    words = tuple(given.items()) if isinstance(given, Mapping) else ()
    fit = all(isinstance(name, str) and isinstance(word, Word) for name, word in words)
    if not (isinstance(given, Mapping) and fit):
        raise ArgumentError(
            f"{program}(): schedule= is a word of a schedule, or a dict of them by function name, "
            f"not {given!r}",
            remedy="Write emv.near_far(), emv.by_superstep(), emv.layout('csr'), "
            "emv.buffer('slots'), emv.hops(2), emv.queue() or emv.all_active(), or "
            "{'function': emv.near_far()}.",
        )
    for name, word in words:
        if isinstance(word, AllActive | Hops):
            what = "active sets" if isinstance(word, AllActive) else "replicas"
            raise ArgumentError(
                f"{program}(): schedule= asks for {word} of {name}() alone, but a program keeps "
                f"its {what} in one way",
                remedy=f"Give the word for the whole program: schedule=emv.{word}.",
            )
    deltas = dict.fromkeys(str(word) for _, word in words if isinstance(word, NearFar))
    if len(deltas) > 1:
        raise ArgumentError(
            f"{program}(): schedule= gives {' and '.join(deltas)}, but the relaxations of one "
            "program share their delta",
            remedy="Give all of them the same.",
        )
    return Asked(None, words)
