"""The loops of an eager run: supersteps, sweeps, votes and how a loop ends.

The calls of a sweep see what has just been written, and run in an order that is drawn from the
run's seed: results that depend on the order show when the seed changes.
"""

from __future__ import annotations

import sys
import types
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from emv.backends.eager_scalar import EagerScalar, known, number_for, number_of
from emv.backends.patience import Patience
from emv.backends.values import kind_of
from emv.errors import Loc
from emv.ir.program import NO_LIMIT
from emv.lang.carry import numbers_in, unchanged
from emv.lang.endless import endless_loop
from emv.lang.fits import check_loop
from emv.lang.frames import assign, variables_of
from emv.lang.source import caller_loc
from emv.lang.sweeps import stuck


class EagerLoops(ABC):
    """The part of an eager run that loops.

    Attributes
    ----------
    votes : list of dict
        Per loop that runs, which votes there may be and which were cast.
    swept : list
        Per loop that runs, the functions applied in its sweep; None in a superstep.
    changed : bool
        Whether a write of the round that runs, or of one in it, changed anything.
    asking : bool
        Whether an ``until`` is being asked.
    callback : callable
        Told how far the run is after every superstep.
    called_off : bool
        Whether it asked to end the run: all loops end, what follows them runs.
    is_of_host : bool
        Whether Python drives the loops, and may ask for numbers.
    left : Loc or None
        Where a loop was left by Python, which only programs of the host may do.
    """

    graph: Any
    seed: int
    active: dict[str, set[int]]
    pending: dict[str, set[int]]
    asked: dict[str, bool]

    def __init__(self) -> None:
        self.votes: list[dict[str, bool]] = [{}]
        self.swept: list[Any] = [None]
        self.changed = False
        self.asking = False
        self.callback: Any = None
        self.called_off = False
        self.is_of_host = False
        self.left: Loc | None = None
        self.supersteps = 0
        self.stopped = "no loop"

    @abstractmethod
    def settle(self) -> None:
        """Make the changes that were asked for: nothing is under way."""

    def number(self, value: Any) -> EagerScalar:
        """Return a number as the program holds it."""
        return number_of(value, self.is_of_host)

    def loop(self, limit: Any, until: Any, loc: Loc) -> Any:
        """Return what yields superstep numbers for as long as the loop's rule says."""
        check_loop(kind_of(limit) or type(limit).__name__, until, loc)
        return self.rounds(known(limit), until, loc)

    def sweeps(self, loc: Loc) -> Any:
        """Yield None for as long as somebody votes."""
        for _ in self.rounds(NO_LIMIT, None, loc, in_place=True):
            yield None

    def rounds(self, limit: Any, until: Any, loc: Loc, in_place: bool = False) -> Any:
        """Yield round numbers for as long as the loop's rule says."""
        step, endless = 0, limit == NO_LIMIT and until is None
        patience = Patience(loc, self.graph.num_vertices, endless)
        frame = sys._getframe(1)
        variables = variables_of(frame)
        while step < limit and not self.called_off:
            self.votes.append({})
            self.swept.append([] if in_place else None)
            self.supersteps += 1
            before, self.changed = self.changed, False
            self.settle()
            try:
                yield self.number(step)
            except GeneratorExit:  # Python swallows an error raised here
                self.left = self.left or caller_loc()
                raise
            finally:
                votes = self.votes.pop()
                self.swept.pop()
            self.hand_on(frame, variables)
            self.settle()
            changed, self.changed = self.changed, self.changed or before
            step += 1
            patience.look(step)
            if self.report(loc):
                self.stopped = "callback"
            elif votes.get("halt"):
                self.stopped = "halt"
            elif votes.get("by_votes") and not (votes.get("keep_going") or votes.get("activated")):
                self.stopped = "converged"
            elif until is not None and self.ask(until):
                self.stopped = "until"
            elif endless and not votes.keys() & {"by_votes", "may_halt"}:
                raise endless_loop(loc)
            else:
                if in_place and not changed:
                    self.demand_others(loc)
                continue
            return
        self.stopped = "callback" if self.called_off else "limit"

    def hand_on(self, frame: types.FrameType, before: dict[str, Any]) -> None:
        """Make numbers of the program of those that a superstep has changed in its variables."""
        changed = {
            name: number_for(value, self.is_of_host)
            for name, value in variables_of(frame).items()
            if name in before
            and not unchanged(before[name], value)
            and numbers_in(name, value) is not None
        }
        if changed:
            assign(frame, changed)

    def demand_others(self, loc: Loc) -> None:
        """Refuse to follow a sweep that changed nothing by one of the same elements."""
        waiting = {
            kind: set[int]() if self.asked[kind] else self.pending[kind] for kind in self.asked
        }
        if all(waiting[kind] <= self.active[kind] for kind in waiting):
            raise stuck(len(waiting["vertex"]), loc)

    def shuffled(self, instances: list[Any]) -> list[Any]:
        """Return instances in an order that is drawn, as in a sweep none may matter."""
        order = np.random.default_rng((self.seed, self.supersteps)).permutation(len(instances))
        return [instances[place] for place in order]

    def report(self, loc: Loc) -> bool:
        """Tell the callback how far the run is; return whether the run is called off."""
        if self.callback is not None and not self.called_off:
            active = (self.active if self.asked["vertex"] else self.pending)["vertex"]
            info = {"active": len(active), "line": loc.line}
            self.called_off = bool(self.callback(self.supersteps, info))
        return self.called_off

    def ask(self, until: Any) -> bool:
        """Return whether ``until`` is true; it may not apply functions."""
        self.asking = True
        try:
            return bool(known(until()))
        finally:
            self.asking = False
