"""Trace the loops of a program: their bodies run until it is known what supersteps hand on."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from emv.errors import Loc, TraceError
from emv.ir import program as ir
from emv.lang.carry import Carrying, Names, renamed, same
from emv.lang.fits import check_loop, endless_loop
from emv.lang.source import caller_loc
from emv.lang.sweeps import check_sweep
from emv.lang.traced import TracedScalar, scalar

MOST_ROUNDS = 5  # of a loop's body, after which it is refused


class LoopTracer:
    """The part of a tracer that traces loops.

    Attributes
    ----------
    blocks : list of list of Node
        The block that is being traced, and those around it.
    num_ids : int
        The last number given to a value.
    aggregated : list of Scalar
        The aggregates of the round of a body that is traced.
    names : list
        What variables hold after loops, and what names it.
    left : Loc or None
        Where a loop was left early.
    asking : bool
        Whether an ``until`` is being asked.
    why : TraceError
        The first reason not to follow a loop.
    swept : list
        Per loop that is being traced, the functions applied in its sweep; None in a superstep.
    """

    def __init__(self) -> None:
        self.blocks: list[list[ir.Node]] = [[]]
        self.num_ids = 0
        self.aggregated: list[ir.Scalar] = []
        self.names: Names = []
        self.left: Loc | None = None
        self.asking = False
        self.why = TraceError("")
        self.swept: list[Any] = [None]

    def new_id(self) -> int:
        """Return the next value number."""
        self.num_ids += 1
        return self.num_ids

    def add(self, node: ir.Node) -> None:
        """Append a node to the block that is being traced."""
        self.blocks[-1].append(renamed(node, self.names) if self.names else node)

    def supersteps(self, limit: Any, until: Any, loc: Loc) -> Iterator[TracedScalar]:
        """Return what yields superstep numbers."""
        check_loop(scalar(limit).type, until, loc)
        return self.rounds(scalar(limit), until, loc)

    def sweeps(self, loc: Loc) -> Iterator[Any]:
        """Return what yields None: sweeps have no numbers."""
        return self.rounds(scalar(ir.NO_LIMIT), None, loc, in_place=True)

    def rounds(
        self, bound: ir.Scalar, until: Any, loc: Loc, in_place: bool = False
    ) -> Iterator[Any]:
        """Yield twice, or three times, and wrap what was recorded meanwhile into a loop."""
        number = self.new_id()
        step, begun, names = ir.Step("i64", number), self.num_ids, self.names
        rounds, made, around = list[Any](), list[list[ir.Scalar]](), self.aggregated
        carrying: Carrying | None = None
        program = sys._getframe(1)
        while carrying is None and not (len(rounds) == 2 and is_steady(*rounds)):
            self.num_ids = begun  # so that the same calls have the same numbers
            self.aggregated, self.names = [], list(names)
            self.blocks.append([])
            self.swept.append([] if in_place else None)
            condition, begins = None, numbers_in(program.f_locals, step)
            try:
                yield None if in_place else TracedScalar(step)
                condition = self.condition(until)
            except GeneratorExit:  # break or return; Python swallows an error raised here
                self.left = self.left or caller_loc()
                return
            finally:
                body = tuple(self.blocks.pop())
                self.swept.pop()
            rounds.append((begins, body, condition))
            made.append(self.aggregated)
            carrying = self.carrying(number, rounds, made, loc)
        self.aggregated = around + made[-1]
        loop = self.loop(number, bound, rounds[-1][1:], carrying, loc)
        if in_place:
            loop = dataclasses.replace(loop, in_place=True)
        self.close(loop, carrying, names)

    def carrying(
        self, number: int, rounds: list[Any], made: list[list[ir.Scalar]], loc: Loc
    ) -> Carrying | None:
        """Return what a loop hands on, once its rounds tell."""
        if len(rounds) < 3:
            return None
        try:
            three = (0, -2, -1)
            return Carrying(number, [rounds[k] for k in three], [made[k] for k in three], loc)
        except TraceError as error:
            self.why = error if len(rounds) == 3 else self.why
            if len(rounds) == MOST_ROUNDS:
                raise self.why from None
        return None

    def check_swept(self, function: Any, loc: Loc) -> None:
        """Refuse a function that the sweep that is being traced must not apply."""
        if self.swept[-1] is not None:
            self.swept[-1].append(function)
            check_sweep(self.swept[-1], loc)

    def close(self, loop: ir.Loop, carrying: Carrying | None, names: Names) -> None:
        """Add a loop; what its variables hold from here on has a name then."""
        if carrying is not None:
            then = renamed(tuple(loop.carried), self.names)  # by inner loops too
            loop = dataclasses.replace(loop, carried=then)
        inner, self.names = self.names, names
        self.add(loop)
        self.names = inner + (carrying.after() if carrying is not None else [])

    def condition(self, until: Any) -> ir.Scalar | None:
        """Return what ``until`` says; what it aggregates is recorded."""
        if until is None:
            return None
        self.asking = True
        condition = renamed(scalar(until()), self.names)
        self.asking = False
        assert isinstance(condition, ir.Scalar)
        return condition

    def loop(
        self, number: int, bound: ir.Scalar, last: Any, carrying: Carrying | None, loc: Loc
    ) -> ir.Loop:
        """Return the loop node after checking that it can end."""
        body, condition = last if carrying is None else (carrying.body, carrying.until)
        carried = () if carrying is None else carrying.carried()
        acts = {
            act for node in body if isinstance(node, ir.Apply) for act in node.function.effects.acts
        }
        by_votes = bool(acts & {"keep_going", "activate"})
        endless = bound == ir.Number("i64", ir.NO_LIMIT) and condition is None
        if endless and not by_votes and "halt" not in acts:
            raise endless_loop(loc)
        return ir.Loop(loc, number, bound, condition, body, by_votes, carried)


def numbers_in(variables: Mapping[str, Any], step: ir.Step) -> dict[str, ir.Scalar]:
    """Return the numbers in a program's variables, by name; of lists, how long they are."""
    found: dict[str, ir.Scalar] = {}
    for name, value in variables.items():
        if isinstance(value, TracedScalar):
            if value.expr is not step:
                found[name] = value.expr
        elif isinstance(value, bool | int | float | np.number | np.bool_):
            found[name] = scalar(value)
        elif isinstance(value, list | dict | set):
            found[name] = ir.Number("i64", len(value))
    return found


def is_steady(first: Any, second: Any) -> bool:
    """Return whether two rounds of a body say the same, and find the same in variables."""
    both = first[0].keys() & second[0].keys()
    variables = all(same(first[0][name], second[0][name]) for name in both)
    return variables and same(first[1:], second[1:])
