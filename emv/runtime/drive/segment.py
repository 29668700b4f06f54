"""Pieces of a program that the host drives, as programs of their own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import LanguageError, Loc
from emv.ir import program as p


class Segment:
    """Recorded nodes as a program of their own: values renumbered from 1, numbers as parameters.

    Attributes
    ----------
    nodes, results
        The rewritten nodes and results.
    numbers, arrays : dict
        Values of the parameters that stand for numbers and id lists.
    old : dict
        New value numbers to those of the run.
    """

    def __init__(
        self, evaluate: Callable[[p.Scalar], Any], nodes: tuple[p.Node, ...], results: Any
    ) -> None:
        self.evaluate = evaluate
        self.numbers: dict[str, Any] = {}
        self.arrays: dict[str, NDArray[Any]] = {}
        self.new: dict[int, int] = {}
        self.old: dict[int, int] = {}
        self.nodes = tuple(self.node(each) for each in nodes)
        self.results = self.values(results, Loc("", 0))

    def node(self, node: Any) -> Any:
        """Return a node of the segment."""
        changes: dict[str, Any] = {}
        for name in ("args", "source", "initial", "value"):
            if hasattr(node, name):
                changes[name] = self.values(getattr(node, name), node.loc)
        if isinstance(node, p.Apply):
            source = node.domain.source
            domain = dataclasses.replace(
                node.domain,
                source=None if source is None else self.known(source, node.loc),
                ids=self.ids(node.domain.ids),
            )
            changes["domain"] = domain
        if hasattr(node, "id"):
            self.new[node.id] = changes["id"] = len(self.new) + 1
            self.old[changes["id"]] = node.id
        return dataclasses.replace(node, **changes)

    def known(self, number: int, loc: Loc) -> int:
        """Return the new number of a value of this segment."""
        if number not in self.new:
            raise LanguageError(
                "these messages or values were made before the host asked for a number, or the "
                "graph changed",
                loc,
                "Where the host drives a program, what a call gives is used before the next `if`, "
                "float(...), superstep or new vertex: fold or receive it first, or keep it in a "
                "column.",
            )
        return self.new[number]

    def ids(self, ids: Any) -> Any:
        """Return the ids of a domain as a parameter."""
        if isinstance(ids, tuple):
            name = f"ids_{len(self.arrays)}"
            self.arrays[name] = np.array(ids, np.int64)
            return p.ArrayParameter(name)
        return self.scalar(ids) if isinstance(ids, p.Scalar) else ids

    def values(self, values: Any, loc: Loc) -> Any:
        """Return arguments, references and scalars of the segment, inside tuples and dicts too."""
        return p.changed_results(values, lambda value: self.value(value, loc))

    def value(self, value: Any, loc: Loc) -> Any:
        """Return an argument or a reference of the segment, and a scalar by its parameters."""
        if isinstance(value, p.Ref):
            return p.Ref(self.known(value.id, loc))
        return self.scalar(value) if isinstance(value, p.Scalar) else value

    def scalar(self, expr: p.Scalar) -> p.Scalar:
        """Return a scalar with its numbers as parameters; aggregates of this segment stay."""
        if isinstance(expr, p.Operation):
            return dataclasses.replace(expr, args=tuple(map(self.scalar, expr.args)))
        if isinstance(expr, p.Aggregated) and expr.id in self.new:
            return dataclasses.replace(expr, id=self.new[expr.id])
        if isinstance(expr, p.GraphNumber):
            return expr
        name = f"number_{len(self.numbers)}"
        self.numbers[name] = self.evaluate(expr)
        return p.ScalarParameter(expr.type, name)


def functions_in(program: p.Program) -> list[Any]:
    """Return the user functions of a program."""
    return [node.function for node in program.body if isinstance(node, p.Apply)]


def folds_of(program: p.Program) -> list[Any]:
    """Return the functions of the user's combiners in a program."""
    combines = [node for node in program.body if isinstance(node, p.Combine)]
    return [op.function for node in combines for op in node.ops if op.loc is not None]
