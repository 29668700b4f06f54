"""Programs that compare numbers and do not add them: f32 will do wherever it holds them all.

Two numbers that f32 holds compare in it as they do in any type, and a pair of an f32 and an id has
a key of 64 bits, which a wider number and an id have not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.algorithms._arguments import Program, kept_type
from emv.graph.bind import source_of
from emv.graph.on_device import lies_on_device
from emv.runtime.arguments import Arguments
from emv.runtime.program import ProgramFunction

STRETCH = 1 << 20  # numbers that are looked at together


class ComparingProgram(ProgramFunction):
    """A program that only compares the numbers that its ``precision`` names."""

    def __init__(self, program: ProgramFunction) -> None:
        super().__init__(
            program.python, program.bind, program.is_of_host, program.form, program.precision
        )

    def _called(
        self,
        graph: Any,
        args: tuple[Any, ...],
        named: dict[str, Any],
        schedule: Any,
        precision: str | None,
    ) -> tuple[ProgramFunction, Arguments]:
        """Return the program as it is written if f32 holds all numbers, else in their width."""
        text, arguments = super()._called(graph, args, named, schedule, precision)
        if precision is not None or text is self:
            return text, arguments
        field = self.bind[self.precision]
        source = source_of(graph, field, arguments.bindings.get((field.kind, field.name)))
        if not is_held(graph, source):
            return text, arguments
        return super()._called(graph, args, named, schedule, "single")


def comparing(program: Program) -> Program:
    """Return a program that only compares the numbers of its ``precision``; a decorator."""
    return kept_type(program, ComparingProgram(program))


def is_held(graph: Any, source: Any) -> bool:
    """Return whether f32 holds all numbers of an edge column; of one on a GPU it is not asked."""
    if isinstance(source, str):
        if graph.edges.on_device(source) is not None:
            return False
        source = graph.edges.stored(source)
    return not lies_on_device(source) and fits_f32(np.asarray(source).reshape(-1))


def fits_f32(numbers: NDArray[Any]) -> bool:
    """Return whether f32 holds every number; NaN is held.

    Examples
    --------
    >>> fits_f32(np.array([2**24, 0.5, np.nan])), fits_f32(np.array([2**24 + 1]))
    (True, False)
    """
    for begin in range(0, len(numbers), STRETCH):
        part = numbers[begin : begin + STRETCH]
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = part.astype(np.float32)
            held = narrow.astype(part.dtype) == part
            if part.dtype.kind in "iu":  # the largest whole numbers of f32 wrap on their way back
                held &= np.abs(narrow) < 2.0**62
            else:
                held |= part != part
        if not held.all():
            return False
    return True
