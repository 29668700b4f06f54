"""A program on GPUs whose host drives it step by step: one kernel, which runs one step a launch.

Between its steps the parts of a graph hand each other what they read (`emv.runtime.targets.gpus`).
One kernel and not one for each step, so that one is compiled and loaded, and given its arrays once.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda.kernel import CudaModule
from emv.ir import schedule as s


class CudaSteps(CudaModule):
    """Writes the module of one schedule, whose kernel asks the state which step it runs.

    ``names`` has the steps in the order of their numbers.
    """

    def steps(self, steps: tuple[Any, ...]) -> None:
        """Write steps, those of loops among them; the host sets scalars, and turns queues."""
        by_host = s.SetScalar if self.schedule.all_active else (s.SetScalar, s.TakeActive)
        for step in steps:
            if isinstance(step, s.LoopStep):
                self.steps(step.body)
            elif not isinstance(step, by_host):
                self.one(step)

    def one(self, step: Any) -> None:
        """Write a step, with the barriers that it needs."""
        number = len(self.names)
        self.names[id(step)] = f"{name_of(step)}_{number}"
        with self.program.when(f"state[STEP] == {number}"):
            self.step(step)


def name_of(step: Any) -> str:
    """Return what a step is called where times are told."""
    match step:
        case s.Launch():
            return step.name
        case s.PreparePull(launch):
            return f"{launch.name}_before"
        case s.TakeActive(kind):
            return f"take_active_{kind}"
        case s.FillColumn(column):
            return f"fill_{column.name}"
        case s.FoldColumn(column=column):
            return f"fold_{column.name}"
    return "aggregate"
