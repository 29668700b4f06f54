"""One launch as the strategies see it that write its phases (`emv.codegen.phases`).

A phase is a work function. What stands between phases (numbers in the shared state, choices of the
direction) and how a phase is started is the target's.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from emv.codegen.folding import FoldText
from emv.codegen.queues import ACTIVE_SETS, EDGES, ActiveSet, Queue, count_of
from emv.codegen.sorted_keys import SortedKeys
from emv.codegen.state import REASONS, Own, own_text, place_of_launch
from emv.codegen.unit import Unit
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer, bare
from emv.errors import Loc
from emv.ir import schedule as s
from emv.passes.settle_loops import activations


class LaunchText(abc.ABC):
    """Writes one launch, with the strategies of a target."""

    def __init__(self, unit: Unit, launch: s.Launch) -> None:
        self.unit = unit
        self.launch = launch
        self.name = f"{launch.name}_{launch.number}"
        self.folds = [FoldText(fold) for fold in launch.folds]
        self.writer = Writer(unit.buffers)
        self.writer.state()
        self.length = place_of_launch(launch.number)
        receive = launch.receive
        self.everyone = receive is not None and receive.everyone
        self.listed = launch.direction in ("push", "either", "pull") and not self.everyone
        self.inline = launch.joined

    # What a target says.

    @abc.abstractmethod
    def worker(self, phase: str) -> Worker:
        """Return a new work function."""

    @abc.abstractmethod
    def phase(self, worker: Worker) -> None:
        """Finish a work function and write the place where it runs."""

    @abc.abstractmethod
    def serial(self, text: str, loc: Loc | None = None) -> None:
        """Write changes of the shared state, made once all phases so far are over."""

    @abc.abstractmethod
    def when(self, condition: str, has_else: bool = False) -> AbstractContextManager[None]:
        """Write phases that only run if a condition on the shared state holds.

        ``has_else`` says that `otherwise` follows.
        """

    @abc.abstractmethod
    def otherwise(self) -> AbstractContextManager[None]:
        """Write what runs instead of the `when` before."""

    @abc.abstractmethod
    def every(self, name: str, count: str, body: str, arrays: list[str], whole: str = "") -> None:
        """Write what is done for every ``row`` below a count.

        Parameters
        ----------
        name : str
            Of the phase, where it is one.
        body : str
            What is done for one.
        whole : str
            What one thread does instead for all.
        """

    @abc.abstractmethod
    def sort(self, queue: Queue) -> None:
        """Write the sorting of a queue."""

    @abc.abstractmethod
    def sort_messages(self, store: Any) -> None:
        """Write the sorting of each receiver's grouped messages by their keys."""

    @abc.abstractmethod
    def sort_here(self, keys: SortedKeys, worker: Worker, vertex: str) -> None:
        """Write where the sorted keys of a vertex begin and end, behind the sorting if need be."""

    @abc.abstractmethod
    def walk_keys(
        self,
        keys: SortedKeys,
        worker: Worker,
        name: Callable[[str, str, str], None],
        loc: Loc | None,
    ) -> AbstractContextManager[None]:
        """Write the loop over the sorted keys of a vertex; ``name`` writes what a key is.

        It is told the texts of the key and the following one, and of whether there is none.
        """

    @abc.abstractmethod
    def fold_shares(self, store: Any) -> None:
        """Write the fold of kept messages in equal shares, however they are spread."""

    @abc.abstractmethod
    def prefer_pull(self) -> AbstractContextManager[None]:
        """Write what runs if the active vertices have many arcs; `otherwise` follows."""

    @abc.abstractmethod
    def claim(self) -> None:
        """Write the phases of a `Claim`."""

    @abc.abstractmethod
    def pull_phases(self) -> None:
        """Write the phases in which receivers fold their in-arcs."""

    # What a target may say.

    def sort_heard(self, keys: SortedKeys) -> None:
        """Write the phases that sort keys before a function hears them, where phases do."""

    def measure(self) -> None:
        """Write the count of the arcs of the domain's queue, where a walk over them needs it."""

    def long_rows(self, heard: Any) -> None:
        """Write the phase that takes up the vertices which a map has left for their long rows."""

    def drain(self) -> None:
        """Write the push of a `Drain`, which schedules for a GPU alone have."""
        raise AssertionError(f"{self.launch.name} has no drain here")

    def check_index(self) -> None:
        """Write how a launch ends for which there is no such vertex, where that is seen at once."""

    has_tables = False
    """Whether messages are added up by kind in tables, in any order."""

    def tally_here(self, keys: SortedKeys, worker: Worker, vertex: str) -> None:
        """Write how the messages of a vertex are added up by kind, which cores do in tables."""
        raise AssertionError(f"{self.launch.name} has no tables here")

    def walk_tally(
        self, keys: SortedKeys, worker: Worker, name: str, loc: Loc | None
    ) -> AbstractContextManager[None]:
        """Write the loop over the kinds of a vertex; ``name`` is a kind and its amount."""
        raise AssertionError(f"{self.launch.name} has no tables here")

    # The same everywhere.

    def own(self, place: Own) -> str:
        """Return the text of a place that the launch has for itself."""
        return own_text(self.launch.number, place)

    def own_place(self, place: Own) -> str:
        """Return the number of such a place, as calls are told it."""
        return str(place_of_launch(self.launch.number, place))

    def copy(self, target: str, source: str, kind: str) -> None:
        """Write the copy of a column of a kind of element."""
        name, whole = f"copy_{bare(target)}_{bare(source)}", f"copy_into({target}, {source})"
        body = f"{target}[row] = {source}[row]"
        self.every(name, count_of(kind), body, [target, source], whole)

    def settle(self, target: str, source: str) -> None:
        """Write what becomes of a mask whose second copy holds what was asked for."""
        name, whole = f"settle_{bare(target)}", f"settle_into({target}, {source})"
        body = f"{target}[row] = {source}[row] & 1"
        self.every(name, count_of("vertex"), body, [target, source], whole)

    def fill(self, array: str, value: str, length: str) -> None:
        """Write the fill of a working array."""
        body, whole = f"{array}[row] = {value}", f"{array}[:] = {value}"
        self.every(f"fill_{bare(array)}", length, body, [array], whole)

    def take_id(self) -> None:
        """Write the entry of an id into the list of ids, if it is known only now."""
        slot, writer = self.launch.late_id, self.writer
        if slot is not None:
            ids = writer.scratch(str(self.launch.ids), self.unit.ids, "ids")
            value = f"checked({writer.slot(slot)}, {count_of('vertex')}, state, BAD_INDEX)"
            self.serial(f"{ids}[0] = {value}", self.launch.loc)
            self.check_index()

    def flatten(self) -> None:
        """Write the flattening of the disjoint sets that were joined, so that reads are direct."""
        writes = self.launch.send.effects.writes
        for field in sorted(each.field for each in writes if each.op == "union"):
            worker = self.worker(f"flatten_{field}")
            worker.flatten(worker.writer.column("vertex", field, "int64"))
            self.phase(worker)

    def made_stale(self) -> list[ActiveSet]:
        """Return the active sets that have to turn when they are next asked for.

        Who can activate vertices or edges makes both sets stale. A set that nobody in the whole
        run activates stays empty.
        """
        schedule = self.unit.schedule
        launches = [self.launch, *s.launches_in(schedule.body)]
        functions = [function for each in launches for function in s.functions_of(each)]
        if not any(
            activations(f, kind) for f in s.functions_of(self.launch) for kind in ACTIVE_SETS
        ):
            return []
        return [
            members
            for kind, members in ACTIVE_SETS.items()
            if schedule.is_piece or any(activations(each, kind) for each in functions)
        ]

    # Of a shortcut that is a whole loop.

    def count_superstep(self, writer: Writer, loop: s.LoopStep) -> None:
        """Write that a superstep begins."""
        step = writer.slot(loop.step)
        writer.add(f"state[BUDGET] -= 1\nstate[SUPERSTEPS] += 1\n{step} += 1")

    def converge(self, writer: Writer) -> None:
        """Write that the loop ends, which leaves no vertices active: only edges can be."""
        writer.add(f"state[STOPPED] = {REASONS.index('converged')}  # converged")
        if EDGES in self.made_stale():
            writer.add("state[STALE_EDGES] = 1")
