"""One launch as text: its phases (prepare, send or pull, receive, commit), run in order.

A phase is a work function. What stands between phases (numbers in the shared state, choices of the
direction) and how a phase is started is the target's.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from emv.codegen import receiving, sending, stored_pull, storing
from emv.codegen.folding import FoldText, array_dtype
from emv.codegen.queues import Queue
from emv.codegen.sorting import SortedKeys, sorted_loops
from emv.codegen.state import place_of_launch
from emv.codegen.worker import Unit, Worker
from emv.codegen.writer import Writer
from emv.ir import schedule as s
from emv.passes.flag_activations import activations


class LaunchText:
    """Writes one launch; a target fills in what raises `NotImplementedError`."""

    def __init__(self, unit: Unit, launch: s.Launch) -> None:
        self.unit = unit
        self.launch = launch
        self.name = f"{launch.name}_{launch.number}"
        self.folds = [FoldText(fold) for fold in launch.folds]
        self.writer = Writer(unit.buffers)
        self.writer.scratch("state", "int64", "")
        self.length = place_of_launch(launch.number)
        receive = launch.receive
        self.everyone = receive is not None and receive.everyone
        self.listed = launch.direction in ("push", "either", "pull") and not self.everyone
        self.inline = launch.joined

    @property
    def heard(self) -> Any:
        """Return what makes the message list of a vertex; None if the function takes none."""
        return storing.heard_of(self) if self.launch.send.kind == "mlist" else None

    # What a target says.

    def worker(self, phase: str) -> Worker:
        """Return a new work function."""
        made: Worker = self.unit.worker(self.unit, f"{self.name}_{phase}", self.launch)
        return made

    def phase(self, worker: Worker) -> None:
        """Finish a work function and write the place where it runs."""
        raise NotImplementedError

    def serial(self, line: str) -> None:
        """Write a change of the shared state, made once all phases so far are over."""
        raise NotImplementedError

    def when(self, condition: str, has_else: bool = False) -> AbstractContextManager[None]:
        """Write phases that only run if a condition on the shared state holds.

        ``has_else`` says that `otherwise` follows.
        """
        raise NotImplementedError

    def otherwise(self) -> AbstractContextManager[None]:
        """Write what runs instead of the `when` before."""
        raise NotImplementedError

    def copy(self, target: str, source: str, kind: str) -> None:
        """Write the copy of a column of a kind of element."""
        raise NotImplementedError

    def settle(self, target: str, source: str) -> None:
        """Write what becomes of a mask whose second copy holds what was asked for."""
        raise NotImplementedError

    def fill(self, array: str, value: str, length: str) -> None:
        """Write the fill of a working array."""
        raise NotImplementedError

    def sort(self, queue: Queue) -> None:
        """Write the sorting of a queue."""
        raise NotImplementedError

    def sort_messages(self, store: Any) -> None:
        """Write the sorting of each receiver's grouped messages by their keys."""
        raise NotImplementedError

    def sort_heard(self, keys: SortedKeys) -> None:
        """Write the phases that sort keys before a function hears them, where phases do."""
        raise NotImplementedError

    def sort_here(self, keys: SortedKeys, worker: Worker, vertex: str) -> None:
        """Write where the sorted keys of a vertex begin and end, behind the sorting if need be."""
        raise NotImplementedError

    def walk_keys(
        self, keys: SortedKeys, worker: Worker, name: Callable[[str], None], loc: Any
    ) -> AbstractContextManager[None]:
        """Write the loop over the sorted keys of a vertex; ``name`` writes what a key is."""
        raise NotImplementedError

    def fold_shares(self, store: Any) -> None:
        """Write the fold of kept messages in equal shares, however they are spread."""
        raise NotImplementedError

    def measure(self) -> None:
        """Write the count of the arcs of the domain's queue, where a walk over them needs it."""
        raise NotImplementedError

    def prefer_pull(self) -> AbstractContextManager[None]:
        """Write what runs if the active vertices have many arcs; `otherwise` follows."""
        raise NotImplementedError

    def claim(self) -> None:
        """Write the phases of a `Claim`."""
        raise NotImplementedError

    def pull_phases(self) -> None:
        """Write the phases in which receivers fold their in-arcs."""
        raise NotImplementedError

    def flatten(self) -> None:
        """Write the flattening of the disjoint sets that were joined, so that reads are direct."""
        raise NotImplementedError

    # The same everywhere.

    def write_phases(self) -> None:
        """Write all phases of the launch."""
        launch = self.launch
        for values, stored in ((f.fold.values, f.stored) for f in self.folds):
            self.unit.stored_kinds[values.id] = stored
        self.clear_returned()
        if launch.heard is not None and launch.send.kind == "mlist" and sorted_loops(launch):
            self.sort_heard(SortedKeys(self.unit.stores[launch.heard], launch))
        if launch.direction == "store" or launch.send.kind == "message":
            storing.store_phases(self)
        elif launch.direction == "none":
            sending.map_phase(self, heard=self.heard)
        elif isinstance(launch.shortcut, s.Claim):
            self.claim()
        elif launch.direction == "either":
            self.pull_or_send()
        elif launch.direction == "pull":
            self.pull()
        else:
            self.push()
        self.flatten()
        for suffix in self.made_stale():
            self.serial(f"state[STALE{suffix}] = 1")

    def pull_or_send(self) -> None:
        """Write both directions, and the choice of one."""
        if self.launch.receive is None:  # whoever received last, in whichever direction
            receiving.clear_receivers(self)
        with self.prefer_pull():
            self.pull()
        with self.otherwise():
            if self.launch.keeps:
                storing.store_phases(self)
            else:
                self.push()

    def clear_returned(self) -> None:
        """Write the zeros of elements for which a call, over some of them, returns nothing."""
        launch, receive = self.launch, self.launch.receive
        if launch.returned is not None and launch.domain.kind not in ("all", "edges"):
            size = "A" if launch.send.kind == "edge" else "V"
            size = "E" if launch.domain.kind == "active_edges" else size
            self.zero(launch.returned, launch.body.result, size)
        if receive is not None and receive.returned is not None and not receive.everyone:
            self.zero(receive.returned, receive.function.body.result, "V")

    def zero(self, values: s.Values, kind: Any, size: str) -> None:
        """Write zeros into the arrays of values."""
        count = {"V": "NUM_VERTICES", "E": "NUM_EDGES", "A": "NUM_ARCS"}[size]
        for array, inner in zip(values.names, s.component_types(kind), strict=True):
            self.fill(self.writer.scratch(array, array_dtype(inner), size), "0", f"state[{count}]")

    def made_stale(self) -> list[str]:
        """Return the suffixes of the active sets that have to turn when they are next asked for.

        Who can activate vertices or edges makes both sets stale. A set that nobody in the whole
        run activates stays empty.
        """
        schedule = self.unit.schedule
        suffixes = {"vertex": "", "edge": "_EDGES"}
        launches = [self.launch, *s.launches_in(schedule.body)]
        functions = [function for each in launches for function in s.functions_of(each)]
        if not any(activations(f, kind) for f in s.functions_of(self.launch) for kind in suffixes):
            return []
        return [
            suffix
            for kind, suffix in suffixes.items()
            if schedule.is_piece or any(activations(each, kind) for each in functions)
        ]

    def turn_edges(self, writer: Writer) -> None:
        """Write that relaxations are over, which leave no vertices active: only edges can be."""
        if "_EDGES" in self.made_stale():
            writer.add("state[STALE_EDGES] = 1")

    def joined(self) -> list[str]:
        """Return the disjoint-set columns that the launch joins."""
        writes = self.launch.send.effects.writes
        return sorted(each.field for each in writes if each.op == "union")

    def push(self) -> None:
        """Write push, and the receiver behind it."""
        receiving.prepare_phase(self)
        sending.push_phase(self, self.heard)
        receiving.after_send(self, pushed=True)

    def pull(self) -> None:
        """Write pull, with the receiver in it where that is allowed."""
        if self.launch.layout == "csr":
            self.pull_phases()
        else:
            stored_pull.pull_phases(self)
        if not self.inline:
            receiving.after_send(self, pushed=False)
