"""What pages refuse before they run, numbers out of range, and what they warn of behind a run.

The text of a program sees a number as a kernel does, which cannot complain, so `refusing` looks at
the arguments of a program before each of its runs. Nothing is copied from a GPU for it where the
array's own library can compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.errors import ArgumentError, NotFiniteWarning, TypeMismatchError
from emv.graph import Graph
from emv.graph.on_device import lies_on_device, on_host
from emv.runtime.arguments import Arguments
from emv.runtime.parameters import signature_of
from emv.runtime.program import ProgramFunction
from emv.runtime.run import Run
from emv.tracebacks import ends_at_caller, warn_at_caller

Program = TypeVar("Program", bound=ProgramFunction)
Check = Callable[[str, Any, Graph], None]
"""Takes how to call the argument, ``"bfs(): source"``, its value, and the graph. The value is None
only where that means nothing."""


class RefusingProgram(ProgramFunction):
    """A program whose arguments are checked before it runs, and whose result is looked at behind.

    Parameters
    ----------
    program : ProgramFunction
        Without checks.
    checks : dict
        By the name of the argument.
    """

    def __init__(self, program: ProgramFunction, checks: dict[str, Check]) -> None:
        super().__init__(
            program.python, program.bind, program.host_loop, program.form, program.precision
        )
        parameters = signature_of(self.python).parameters
        self.checks = [
            (name, f"{self.name}(): {name}", check, may_be_none(name, parameters, self.bind))
            for name, check in checks.items()
        ]

    @ends_at_caller
    def run(self, graph: Any, *args: Any, **named: Any) -> Run:
        """Run on a graph as `ProgramFunction.run` does, and warn of what came of it."""
        run = self.attempt(graph, *args, **named)
        if run.trouble is not None:
            warn_at_caller(str(run.trouble), type(run.trouble))
        return run

    def attempt(self, graph: Any, *args: Any, **named: Any) -> Run:
        """Run on a graph, and leave it to the caller what to do with `Run.trouble`."""
        return super().run(graph, *args, **named)

    def _finish(self, run: Run, arguments: Arguments, text: ProgramFunction, told: Any) -> None:
        """Note floats that are no numbers."""
        result = run.result
        is_one = not isinstance(result, tuple)
        count = num_not_finite(result) if is_one else sum(map(num_not_finite, result))
        if count:
            run.trouble = NotFiniteWarning(
                f"{self.name}(): {count:,} of the results are NaN or inf."
            )

    def _refuse(self, graph: Graph, arguments: Arguments, text: ProgramFunction) -> Any:
        """Check the arguments."""
        for name, what, check, is_optional in self.checks:
            given = arguments.values[name]
            for value in arguments.copies.get(name, (given,)):
                if value is not None or not is_optional:
                    check(what, value, graph)


def num_not_finite(result: Any) -> int:
    """Return how many numbers of a result are NaN or infinite; none of whole numbers are.

    Examples
    --------
    >>> num_not_finite(np.array([1, np.nan, np.inf])), num_not_finite(np.arange(3))
    (2, 0)
    """
    dtype = getattr(result, "dtype", None)
    if dtype is not None and dtype.kind != "f":
        return 0
    return int(np.count_nonzero(~np.isfinite(on_host(result))))


def may_be_none(name: str, parameters: Mapping[str, Parameter], bind: dict[str, Any]) -> bool:
    """Return whether None means something for a parameter: by default, or no column."""
    return name in bind or parameters[name].default is None


def refusing(**checks: Check) -> Callable[[Program], Program]:
    """Return a decorator that has arguments of a program checked before it runs.

    Examples
    --------
    >>> import emv
    >>> @refusing(k=at_least(0))
    ... @emv.program
    ... def twice(g, k):
    ...     return 2 * k
    >>> twice(Graph(), -1)
    Traceback (most recent call last):
    emv.errors.ArgumentError: twice(): k=-1
    Give a whole number from 0 on.
    """
    return lambda program: kept_type(program, RefusingProgram(program, checks))


def kept_type(program: Program, made: ProgramFunction) -> Program:
    """Return what was made of a program, for type checkers with the program's parameters."""
    assert made.python is program.python
    return cast(Program, made)


def at_least(low: int) -> Check:
    """Return a check that refuses what is no whole number, or one below the least."""

    def check(what: str, value: Any, _graph: Graph) -> None:
        remedy = f"Give a whole number from {low} on."
        if not is_whole(value):
            raise TypeMismatchError(f"{what}={value!r}", remedy=remedy)
        if value < low:
            raise ArgumentError(f"{what}={value!r}", remedy=remedy)

    return check


def a_sample(what: str, value: Any, graph: Graph) -> None:
    """Refuse what is no number of vertices that can be drawn from the graph."""
    at_least(1)(what, value, graph)
    if value > graph.num_vertices:
        raise ArgumentError(
            f"{what}={value!r}, but the graph has {graph.num_vertices:,} vertices",
            remedy="Draw no more than there are, or leave it out to take them all.",
        )


def a_number(what: str, value: Any, _graph: Graph) -> None:
    """Refuse what is no number."""
    if not is_number(value):
        raise TypeMismatchError(f"{what}={value!r}", remedy="Give a number.")


def a_truth_value(what: str, value: Any, _graph: Graph) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool):
        raise TypeMismatchError(f"{what}={value!r}", remedy="Give True or False.")


def one_chance(what: str, value: Any, _graph: Graph) -> None:
    """Refuse one number for all that is no chance; columns and arrays are not looked at."""
    if isinstance(value, int | float | np.number) and not 0 <= value <= 1:
        raise ArgumentError(f"{what}={value!r}", remedy="It is a chance, from 0 to 1.")


def one_of(*words: str) -> Check:
    """Return a check that refuses what is none of some words."""

    def check(what: str, value: Any, _graph: Graph) -> None:
        if value not in words:
            raise ArgumentError(f"{what}={value!r}", remedy=f"Give {', '.join(map(repr, words))}.")

    return check


def is_number(value: Any) -> bool:
    """Return whether a value is a single number; truth values are none."""
    if type(value) is int or type(value) is float:  # as most often, before every run
        return True
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iuf"
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Return whether a value is a single whole number, of a type for such numbers."""
    if type(value) is int:
        return True
    return is_number(value) and np.asarray(value).dtype.kind != "f"


def no_length_below_0(what: str, value: Any, graph: Graph) -> None:
    """Refuse lengths of edges below 0, with which a search need not end."""
    refuse_lengths(what, value, graph, lambda lengths: lengths < 0, "below 0", "0 or more")


def lengths_above_0(what: str, value: Any, graph: Graph) -> None:
    """Refuse lengths of edges of 0 or less, with which shortest paths have no order."""
    refuse_lengths(what, value, graph, lambda lengths: lengths <= 0, "of 0 or less", "above 0")


def refuse_lengths(
    what: str,
    value: Any,
    graph: Graph,
    wrong: Callable[[Any], Any],
    found: str,
    wanted: str,
) -> None:
    """Raise if a comparison holds for a length; NaN, the length of an edge not taken, is right.

    Parameters
    ----------
    value : str, number or array
        A column's name, one length or all; what is none of these the run refuses.
    wrong : callable
        Takes a number or an array, also one on a GPU, and compares.

    Raises
    ------
    ArgumentError
        If it does.
    """
    if isinstance(value, str):
        if value not in graph.edges:
            return  # which the run refuses
        value = graph.edges[value]
    elif not lies_on_device(value):
        value = np.asarray(value)
        if value.dtype.kind not in "iufb":
            return  # which the run refuses
    try:
        is_wrong, total = bool(wrong(value).any()), float(value.sum())
    except (TypeError, AttributeError):  # an array on a GPU whose class does not compare
        is_wrong, total = bool(np.any(wrong(on_host(value)))), np.inf
    if is_wrong:
        raise ArgumentError(f"{what} has a length {found}", remedy=f"Lengths are {wanted}.")
    if not np.isfinite(total * graph.num_vertices):  # also where an edge is never taken
        refuse_endless(what, on_host(value), graph)


def refuse_endless(what: str, lengths: NDArray[Any], graph: Graph) -> None:
    """Refuse lengths with which distances to all vertices may sum to more than floats hold.

    Raises
    ------
    ArgumentError
        If they may.
    """
    with np.errstate(over="ignore"):
        total = lengths[np.isfinite(lengths)].sum(dtype=np.float64) * graph.num_vertices
    if not np.isfinite(total):
        raise ArgumentError(
            f"{what} has lengths whose sum over paths is more than floats hold",
            remedy="Divide all lengths by one number.",
        )


def different(numbers: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """Return numbers of which none stands for another, and how many stand for each.

    One number for all, as `numpy.broadcast_to` gives it, is one number.

    Examples
    --------
    >>> different(np.broadcast_to(2.0, 5)), different(np.array([2.0, 2.0]))
    ((array([2.]), 5), (array([2., 2.]), 1))
    """
    if numbers.strides == (0,) and len(numbers):
        return numbers[:1], len(numbers)
    return numbers, 1


def refuse_weights(what: str, weights: NDArray[Any]) -> None:
    """Refuse weights that no share of their sum can be taken of: below 0, inf, nan, or too large.

    Parameters
    ----------
    what : str
        The program, ``"louvain()"``.

    Raises
    ------
    ArgumentError
        If there are such.
    """
    own, times = different(weights)
    if not (own >= 0).all():
        raise ArgumentError(f"{what}: an edge weighs less than 0 or nan", remedy="Leave it out.")
    with np.errstate(over="ignore"):
        whole = own.sum(dtype=np.float64) * times
    if not np.isfinite(whole):
        raise ArgumentError(
            f"{what}: an edge weighs inf, or the weights sum to it",
            remedy="Divide them all by a number, or leave it out.",
        )


def vertex_ids(what: str, given: ArrayLike, graph: Graph) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the ids of vertices as int64[n], or refuse the first that is none.

    Raises
    ------
    ArgumentError
        If there is no such vertex, or they are no list of whole numbers.

    Examples
    --------
    >>> vertex_ids("bfs(): source", 2, Graph.from_edges([0], [2]))
    array([2])
    """
    try:
        array = np.atleast_1d(on_host(given))
    except ValueError:  # rows of different lengths
        array = np.zeros((0, 0))
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise ArgumentError(f"{what} is a vertex id or a list of vertex ids, not {given!r}")
    last = graph.num_vertices - 1
    bad = array[~((array >= 0) & (array <= last) & (array == np.floor(array)))]
    if len(bad):
        there = f"The graph's vertex ids are 0..{last}." if last >= 0 else "The graph is empty."
        raise ArgumentError(f"there is no vertex {bad[0]}", remedy=there)
    return array.astype(np.int64)


def one_vertex(what: str, value: Any, graph: Graph) -> None:
    """Refuse what is not the id of one vertex."""
    if not is_number(value):
        raise ArgumentError(f"{what} is a vertex id, not {value!r}")
    vertex_ids(what, value, graph)
