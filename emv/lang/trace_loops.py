"""Trace the loops of a program: their bodies run until it is known what supersteps hand on."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from typing import Any

from emv.errors import Loc, TraceError
from emv.ir import program as ir
from emv.lang.carry import REMEDY, Carrying, leaves_in
from emv.lang.changing import refuse_unnamed
from emv.lang.endless import endless_loop
from emv.lang.fits import check_loop
from emv.lang.source import caller_loc
from emv.lang.sweeps import check_sweep
from emv.lang.traced import TracedScalar, scalar


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
    stale : dict
        Those of rounds that were run again, by their identity.
    left : Loc or None
        Where a loop was left early.
    asking : bool
        Whether an ``until`` is being asked.
    swept : list
        Per loop that is being traced, the functions applied in its sweep; None in a superstep.
    activating : tuple
        How many calls have been made that can activate, and of what function the last was.
    """

    def __init__(self) -> None:
        self.blocks: list[list[ir.Node]] = [[]]
        self.num_ids = 0
        self.aggregated: list[ir.Scalar] = []
        self.stale: dict[int, ir.Scalar] = {}
        self.left: Loc | None = None
        self.asking = False
        self.swept: list[Any] = [None]
        self.activating = (0, "")

    def new_id(self) -> int:
        """Return the next value number."""
        self.num_ids += 1
        return self.num_ids

    def add(self, node: ir.Node) -> None:
        """Append a node to the block that is being traced."""
        self.check_fresh(node, node.loc)
        self.blocks[-1].append(node)

    def check_fresh(self, part: Any, loc: Loc) -> None:
        """Refuse aggregates of a superstep before, kept elsewhere than in a variable."""
        if self.stale and any(id(each) in self.stale for each in leaves_in(part)):
            raise TraceError("a number of the superstep before is used", loc, REMEDY)

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
        """Yield until it is known what the body hands on, and wrap the last round into a loop."""
        number = self.new_id()
        begun, around = self.num_ids, self.aggregated
        carrying = Carrying(number, ir.is_sure(bound), loc)
        while not carrying.is_done:
            if self.aggregated is not around:
                self.stale |= {id(each): each for each in self.aggregated}
            self.num_ids, self.aggregated = begun, []  # the same calls have the same numbers
            self.blocks.append([])
            self.swept.append([] if in_place else None)
            condition = None
            carrying.begin(sys._getframe(1))
            try:
                yield None if in_place else TracedScalar(ir.Step("i64", number))
                condition = self.condition(until, loc)
            except GeneratorExit:  # break or return; Python swallows an error raised here
                self.left = self.left or caller_loc()
                return
            finally:
                body = tuple(self.blocks.pop())
                self.swept.pop()
            carrying.end(sys._getframe(1), body, condition)
        self.aggregated = around + self.aggregated
        self.add(dataclasses.replace(self.loop(number, bound, carrying, loc), in_place=in_place))
        carrying.leave(sys._getframe(1))

    def check_changes(self, function: Any) -> None:
        """Refuse a function that changes the graph where all supersteps are one text."""
        refuse_unnamed(function)

    def check_swept(self, function: Any, loc: Loc) -> None:
        """Refuse a function that the sweep that is being traced must not apply."""
        if self.swept[-1] is not None:
            self.swept[-1].append(function)
            check_sweep(self.swept[-1], loc)

    def condition(self, until: Any, loc: Loc) -> ir.Scalar | None:
        """Return what ``until`` says; what it aggregates is recorded."""
        if until is None:
            return None
        self.asking = True
        condition = scalar(until())
        self.asking = False
        self.check_fresh(condition, loc)
        return condition

    def loop(self, number: int, bound: ir.Scalar, carrying: Carrying, loc: Loc) -> ir.Loop:
        """Return the loop node after checking that it can end."""
        body, condition = carrying.body, carrying.until
        acts = {
            act for node in body if isinstance(node, ir.Apply) for act in node.function.effects.acts
        }
        by_votes = bool(acts & {"keep_going", "activate"})
        endless = bound == ir.Number("i64", ir.NO_LIMIT) and condition is None
        if endless and not by_votes and "halt" not in acts:
            raise endless_loop(loc)
        return ir.Loop(loc, number, bound, condition, body, by_votes, carrying.carried())
