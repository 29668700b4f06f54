"""Programs that call groups by their smallest vertex, or number them: ``numbered=True``.

The text of such a program gives labels that are vertices, which every backend finds on its own. The
numbers from 0 on are made of them behind the run: the k-th vertex that is its own label stands for
group k. They and their count are what scipy's ``connected_components`` returns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.algorithms._arguments import Program, RefusingProgram, kept_type
from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.runtime.arguments import Arguments
from emv.runtime.program import ProgramFunction
from emv.runtime.run import Run


class NumberingProgram(RefusingProgram):
    """A program with a parameter ``numbered``, whose result is a label for every vertex."""

    def _finish(self, run: Run, arguments: Arguments, text: ProgramFunction, told: Any) -> None:
        """Give numbers in place of the labels, if they are asked for."""
        super()._finish(run, arguments, text, told)
        if arguments.values["numbered"]:
            run.result = numbered(on_host(run.result))


def numbering(program: Program) -> Program:
    """Decorate a program whose groups the caller may want numbered."""
    return kept_type(program, NumberingProgram(program, {"numbered": a_truth}))


def a_truth(what: str, value: Any, _graph: Graph) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{what}={value!r}", remedy="It is True or False.")


def numbered(labels: NDArray[Any]) -> tuple[int, NDArray[np.int64]]:
    """Return how many groups there are, and for every vertex the number of its group.

    Parameters
    ----------
    labels : int[num_vertices]
        For every vertex the smallest of its group.

    Examples
    --------
    >>> numbered(np.array([0, 1, 1, 0, 4]))
    (3, array([0, 1, 1, 0, 2]))
    """
    stands_for = labels == np.arange(len(labels))
    number = np.cumsum(stands_for) - 1
    return int(np.count_nonzero(stands_for)), number[labels]
