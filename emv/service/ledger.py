"""Who has been promised how much memory: all of what a job needs, or nothing.

A job that held a part of its memory while it waits for the rest could wait for another that does
the same, for ever. So a claim is granted as a whole before the job begins, and whoever needs more
gives back what it has before it asks again (Coffman, Elphick, Shoshani: System Deadlocks, ACM
Computing Surveys 3(2), 1971: without *hold and wait* there is none). Index arrays belong to their
graph: they are counted once, for all jobs on it, and as long as there is the graph.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from emv.errors import CapacityError
from emv.runtime.arrays.available import readable
from emv.runtime.arrays.memory import MemoryPlan

INDEX = "index arrays"  # the group of what a graph keeps


@dataclass
class Claim:
    """The memory that a job needs.

    Attributes
    ----------
    own : int
        Bytes that are free again when it ends.
    graph : hashable, optional
        What the shared arrays belong to.
    shared : dict
        Bytes of arrays that stay with the graph, by name.
    counted_by : Ledger, optional
        Which has counted these already: they stay counted as long as there is the graph.
    """

    own: int
    graph: Hashable = None
    shared: Mapping[str, int] = field(default_factory=dict)
    counted_by: Ledger | None = field(default=None, repr=False, compare=False)

    @staticmethod
    def of(plan: MemoryPlan, graph: Hashable, form: str | None = None) -> Claim:
        """Return what a run needs by its plan, on a graph seen in a form."""
        entries = [each for each in plan.entries if each.note == "new"]
        index = [each for each in entries if each.group == INDEX]
        shared = {f"{each.name} {form or ''}": each.nbytes for each in index}
        return Claim(plan.peak_bytes - sum(shared.values()), graph, shared)


class Ledger:
    """What is promised of some memory; not locked, as whoever has it is.

    Parameters
    ----------
    capacity : int
        Bytes that there are.

    Examples
    --------
    >>> ledger = Ledger(100)
    >>> ledger.reserve("first", Claim(60))
    True
    >>> ledger.reserve("second", Claim(60)), ledger.free
    (False, 40)
    >>> ledger.release("first")
    >>> ledger.reserve("second", Claim(60))
    True
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.own: dict[Hashable, int] = {}
        self.shared: dict[Hashable, dict[str, int]] = {}
        self.sizes: dict[Hashable, int] = {}  # of these, for each graph

    @property
    def free(self) -> int:
        """Bytes that nobody has been promised."""
        return self.capacity - sum(self.own.values()) - self.kept

    @property
    def kept(self) -> int:
        """Bytes that graphs keep; asked each time, as they go whenever a graph does."""
        return sum(self.sizes.values())

    def missing(self, claim: Claim) -> int:
        """Return the bytes that a claim takes beyond what its graph has been promised already."""
        there = self.shared.get(claim.graph, {})
        more = (max(0, nbytes - there.get(name, 0)) for name, nbytes in claim.shared.items())
        return claim.own + sum(more)

    def refusal(self, claim: Claim) -> CapacityError:
        """Return the error of a job that never fits, as graphs keep too much."""
        return CapacityError(
            f"the job needs {readable(self.missing(claim))}; of the service's "
            f"{readable(self.capacity)} index arrays of graphs keep {readable(self.kept)}",
            remedy="Drop graphs that are no longer needed.",
        )

    def reserve(self, key: Hashable, claim: Claim) -> bool:
        """Promise all that is claimed, if there is as much; return whether there is."""
        own, is_counted = self.own, claim.counted_by is self  # as for all jobs but the first
        missing = claim.own if is_counted else self.missing(claim)
        if missing > self.capacity - (sum(own.values()) if own else 0) - sum(self.sizes.values()):
            return False
        own[key] = claim.own
        if is_counted:
            return True
        claim.counted_by = self
        if missing > claim.own:
            there = self.shared.setdefault(claim.graph, {})
            for name, nbytes in claim.shared.items():
                there[name] = max(nbytes, there.get(name, 0))
            self.sizes[claim.graph] = sum(there.values())
        return True

    def release(self, key: Hashable) -> None:
        """Take back what a job had for itself; its graph keeps what it shares."""
        self.own.pop(key, None)

    def exchange(self, key: Hashable, claim: Claim) -> bool:
        """Promise another amount in the place of what a job has, or leave it; return whether."""
        if self.missing(claim) > self.free + self.own[key]:
            return False
        self.release(key)
        return self.reserve(key, claim)

    def watch(self, graph: Hashable, owner: Any) -> None:
        """Take back what a graph keeps once there is none of its owners any more."""
        if graph not in self.shared:
            self.shared[graph] = {}
            weakref.finalize(owner, self._forget, graph)

    def _forget(self, graph: Hashable) -> None:
        """Take back what a graph kept that is gone."""
        self.shared.pop(graph, None)
        self.sizes.pop(graph, None)
