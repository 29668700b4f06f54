"""The values of scalar expressions on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from emv.ir import program as p
from emv.runtime.arguments import Arguments

OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: np.float64(a) / np.float64(b),
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "&": lambda a, b: bool(a) and bool(b),
    "|": lambda a, b: bool(a) or bool(b),
    "neg": lambda a: -a,
    "abs": abs,
    "not": lambda a: not a,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if b > a else a,
}


def evaluate(expr: p.Scalar, value_of: Callable[[p.Scalar], Any]) -> Any:
    """Return the value of an expression.

    Parameters
    ----------
    value_of : callable
        Returns the value of what is neither a number nor an operation.
    """
    if isinstance(expr, p.Number):
        return expr.value
    if isinstance(expr, p.Operation):
        given = [evaluate(each, value_of) for each in expr.args]
        with np.errstate(all="ignore"):
            return OPERATIONS[expr.op](*given)
    return value_of(expr)


def evaluate_early(expr: p.Scalar, arguments: Arguments, graph: Any) -> Any:
    """Return a scalar that is known before the run, made of numbers, parameters and counts."""

    def value_of(leaf: Any) -> Any:
        is_parameter = isinstance(leaf, p.ScalarParameter)
        return arguments.numbers[leaf.name] if is_parameter else getattr(graph, leaf.name)

    return evaluate(expr, value_of)
