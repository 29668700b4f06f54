"""Programs that iterate until their result settles, and what is said where it has not.

The text of such a program returns, behind its results, by how much they still changed in the last
superstep, in the unit of ``tol``. The caller gets the results alone; the change is `Run.reached`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.algorithms._arguments import Check, Program, RefusingProgram, a_number, kept_type
from emv.errors import ArgumentError, ConvergenceWarning, NotFiniteWarning
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.runtime.arguments import Arguments
from emv.runtime.program import ProgramFunction
from emv.runtime.run import Run


class SettlingProgram(RefusingProgram):
    """A program that iterates until its result settles, with parameters ``max_iter`` and ``tol``.

    With ``tol=0`` as many supersteps are asked for as ``max_iter`` says, and nothing is to settle.
    """

    def _refuse(self, graph: Graph, arguments: Arguments, text: ProgramFunction) -> Any:
        """Check the arguments, and refuse numbers that the floats of the text have no room for."""
        super()._refuse(graph, arguments, text)
        for name, field in text.bind.items():
            given = arguments.values[name]
            if given is not None and field.dtype == np.float32:
                refuse_vanishing(f"{self.name}(): {name}", numbers_of(given, field.kind, graph))

    def _finish(self, run: Run, arguments: Arguments, text: ProgramFunction, told: Any) -> None:
        """Take the change from behind the results, and note what there is to be said of it."""
        found, change = run.result, run.result[-1]
        run.result = found[0] if len(found) == 2 else found[:-1]
        if not (run.supersteps and len(found[0])):
            return
        run.reached, tol = float(change), arguments.numbers["tol"]
        if run.reached <= tol:
            return
        if not math.isfinite(run.reached):
            run.trouble = NotFiniteWarning(
                f"{self.name}(): numbers have grown beyond what floats hold, or were so before: "
                f"after {run.supersteps} supersteps the result is NaN or inf."
            )
        elif run.stopped == "limit" and tol > 0:
            run.trouble = ConvergenceWarning(
                f"{self.name}() has not settled: in the last of {run.supersteps} supersteps the "
                f"result changed by {run.reached:.3g}, and tol={tol:g} is to be reached. Give a "
                "larger max_iter= or tol=."
            )


def settling(**checks: Check) -> Callable[[Program], Program]:
    """Return a decorator for a program that settles; see `emv.algorithms._arguments.refusing`."""
    return lambda program: kept_type(program, SettlingProgram(program, checks))


def tolerance(what: str, value: Any, graph: Graph) -> None:
    """Refuse what is no number, or one below 0."""
    a_number(what, value, graph)
    if value < 0:
        raise ArgumentError(f"{what}={value!r}", remedy="Give a number from 0 on.")


def chance(what: str, value: Any, graph: Graph) -> None:
    """Refuse what is no number from 0 to 1."""
    a_number(what, value, graph)
    if not 0 <= value <= 1:
        raise ArgumentError(f"{what}={value!r}", remedy="It is a chance, from 0 to 1.")


def shares_of_sum(what: str, value: Any, graph: Graph) -> None:
    """Refuse numbers of vertices that are to be divided by their sum where that is 0 or NaN."""
    numbers = numbers_of(value, "vertex", graph)
    with np.errstate(over="ignore", invalid="ignore"):
        whole = numbers.sum(dtype=np.float64)
    if graph.num_vertices and (whole == 0 or not np.isfinite(whole)):
        raise ArgumentError(
            f"{what} sums to {whole:g}, and only the proportions of its numbers count",
            remedy="Give finite numbers, one of them above 0.",
        )


def moderate_weights(what: str, value: Any, graph: Graph) -> None:
    """Refuse weights whose products are more or less than floats of double precision hold."""
    refuse_extremes(what, numbers_of(value, "edge", graph))


def moderate_numbers(what: str, value: Any, graph: Graph) -> None:
    """Refuse numbers of vertices whose squares are more or less than such floats hold."""
    refuse_extremes(what, numbers_of(value, "vertex", graph))


def refuse_extremes(what: str, numbers: NDArray[Any]) -> None:
    """Refuse numbers the largest of which is far from 1; those that are infinite are not looked at.

    Raises
    ------
    ArgumentError
        If it is.
    """
    sizes = np.abs(numbers.astype(np.float64))
    most = sizes[np.isfinite(sizes)].max(initial=0)
    if most > 0 and not 1e-90 < most < 1e90:
        raise ArgumentError(
            f"{what} has {most:g}, and floats hold no products of such numbers",
            remedy="Divide all by one number; where scores are normalized, that changes none.",
        )


def numbers_of(value: Any, kind: str, graph: Graph) -> NDArray[Any]:
    """Return the numbers that an argument means; none if the run is to refuse it."""
    if isinstance(value, str):
        store = graph.vertices if kind == "vertex" else graph.edges
        value = store.stored(value) if value in store else ()
    numbers = np.atleast_1d(on_host(value))
    return numbers if numbers.dtype.kind in "iufb" else np.zeros(0)


def refuse_vanishing(what: str, numbers: NDArray[Any]) -> None:
    """Refuse numbers that single precision takes for 0 or inf.

    Raises
    ------
    ArgumentError
        If there are any.
    """
    if numbers.dtype.itemsize <= np.dtype(np.float32).itemsize:
        return
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        narrow = numbers.astype(np.float32)
        is_lost = (np.isinf(narrow) & np.isfinite(numbers)) | ((narrow == 0) & (numbers != 0))
    if is_lost.any():
        raise ArgumentError(
            f"{what} has {numbers[np.argmax(is_lost)]:g}, which single precision has no room for",
            remedy="Give precision='double', or divide all numbers by one.",
        )
