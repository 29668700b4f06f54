"""A whole program as one Python module: user helpers, and the steps of its schedule in order.

Where the text of a step stands is the target's: in a function for each step on cores, in one kernel
on a GPU.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

from emv.codegen.columns import aggregate_values, fill_column, fold_column
from emv.codegen.heads import head_of
from emv.codegen.loops import Slots
from emv.codegen.printer import module_of
from emv.codegen.queues import ACTIVE_SETS, ActiveSet
from emv.codegen.unit import Unit
from emv.codegen.worker import Worker
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.kernel import KernelSource


class ModuleText(abc.ABC):
    """Writes the module of one schedule.

    Attributes
    ----------
    names : dict
        The functions of steps, by `id` of the step, where steps have any.
    """

    def __init__(self, unit: Unit, slots: Slots) -> None:
        self.unit = unit
        self.schedule = unit.schedule
        self.slots = slots
        self.names: dict[int, str] = {}
        self.relaxing: dict[int, tuple[str, int]] = {}

    # What a target says.

    @abc.abstractmethod
    def write(self) -> KernelSource:
        """Write everything."""

    @property
    @abc.abstractmethod
    def number(self) -> int:
        """Return a number that tells the function of a step apart."""

    @abc.abstractmethod
    def set_scalar(self, step: s.SetScalar) -> None:
        """Write the assignment of a scalar to its slot."""

    @abc.abstractmethod
    def take(self, members: ActiveSet) -> None:
        """Write the moment at which an active set is asked for."""

    @abc.abstractmethod
    def launch(self, launch: s.Launch) -> None:
        """Write a launch."""

    @abc.abstractmethod
    def prepare(self, step: s.PreparePull) -> None:
        """Write what comes before the loop of a launch that keeps arcs."""

    @abc.abstractmethod
    def run(self, step: Any, name: str, write: Callable[[Worker, Any], None]) -> None:
        """Write a function for a step that runs none of the user's, and its call."""

    @abc.abstractmethod
    def loop(self, loop: s.LoopStep) -> None:
        """Write a loop."""

    # The same everywhere.

    def steps(self, steps: tuple[Any, ...]) -> None:
        """Write a list of steps."""
        for step in steps:
            self.step(step)

    def step(self, step: Any) -> None:
        """Write a step."""
        match step:
            case s.SetScalar():
                self.set_scalar(step)
            case s.TakeActive(kind):
                self.take(ACTIVE_SETS[kind])
            case s.Launch():
                self.launch(step)
            case s.PreparePull():
                self.prepare(step)
            case s.FillColumn(column):
                self.run(step, f"fill_{column.name}_{self.number}", fill_column)
            case s.FoldColumn(values, _, column):
                self.run(step, f"fold_{column.name}_{values.id}", fold_column)
            case s.AggregateValues(slot=slot):
                self.run(step, f"aggregate_{slot.array}_{slot.index}", aggregate_values)
            case s.LoopStep():
                self.loop(step)

    def source(
        self, target: str, functions: list[n.Function], constants: dict[str, str]
    ) -> KernelSource:
        """Return the module with its functions.

        Parameters
        ----------
        constants : dict
            Texts of constants that only this module has, by name.
        """
        program, copies = self.schedule.program, self.unit.buffers.copies
        title = f'"""Kernels of {program.name}.\n\n{self.schedule}"""'
        head = head_of(target, functions, copies.constants() | constants)
        text, lines = module_of("\n\n".join([title, *head]), functions)
        taken = {each.name: each.arrays for each in functions}
        buffers, rooms = self.unit.buffers, self.unit.rooms
        return KernelSource(program.name, text, taken, buffers, lines, rooms=rooms)
