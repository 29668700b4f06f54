"""Programs written for a GPU, with the dtypes of their arrays: what tests without one need."""

from __future__ import annotations

from typing import Any

import numpy as np

from emv import Graph
from emv.codegen.state import PLACES
from emv.ir import schedule as s
from emv.runtime.arguments import sort_arguments
from emv.runtime.compile import Compiled, compile_program
from emv.runtime.execute import id_lists
from emv.runtime.plan import Plan
from emv.runtime.resident import constants, id_places


class HostPlan(Plan):
    """The arrays of a run that one simulated block works on, in host memory."""

    blocks = 1

    def sizes(self) -> dict[str, int]:
        return {**super().sizes(), "B": self.blocks}

    def shared_places(self) -> dict[str, int]:
        lengths = super().shared_places()
        loops = [step.number for step in loops_of(self.schedule.body)]
        lengths["state"] += 16 * (1 + max(loops, default=0))
        return lengths

    def put_counts(self) -> None:
        super().put_counts()
        for place, value in [*constants(self), *id_places(self, 9)]:
            self.arrays["state"][place] = value
        self.arrays["state"][PLACES["BLOCKS"]] = self.blocks


def loops_of(steps: tuple[Any, ...]) -> list[s.LoopStep]:
    loops = [step for step in steps if isinstance(step, s.LoopStep)]
    return loops + [inner for loop in loops for inner in loops_of(loop.body)]


def cuda_program(program: Any, graph: Graph, *args: Any, **named: Any) -> tuple[Compiled, Any]:
    """Return a program written for a GPU, and its sorted arguments."""
    arguments = sort_arguments(program.python, program.bind, args, named)
    wide = False
    compiled = compile_program(program.python, program.bind, arguments, program.loc, wide, "cuda")
    return compiled, arguments


def host_plan(compiled: Compiled, graph: Graph, arguments: Any) -> HostPlan:
    """Return the arrays of a run, in host memory."""
    ids = id_lists(compiled, arguments, graph)
    plan = HostPlan(compiled, graph, arguments.bindings, ids, num_threads=1)
    plan.bind()
    return plan


def dtypes_of(plan: HostPlan) -> dict[str, str]:
    """Return the dtypes of what the kernel of a plan takes."""
    return {name: array.dtype.name for name, array in plan.arrays.items()}


def small_graph() -> Graph:
    """Return a triangle with a tail, with weights."""
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    return Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], weight=weights)
