"""Whole programs on one simulated block: a target like the CPU and a GPU."""

from __future__ import annotations

from typing import Any

from cuda_programs import HostPlan, cuda_program
from simulator import simulate

from emv import Graph
from emv.codegen.state import PLACES, REASONS
from emv.runtime.compile import Compiled
from emv.runtime.driver import Driver
from emv.runtime.execute import execute
from emv.runtime.run import Run


class SimulatedDriver(Driver):
    """Launches the kernel until the program is done."""

    def __init__(self, plan: HostPlan, compiled: Compiled, options: dict[str, Any]) -> None:
        super().__init__(plan, None, {}, compiled.slots, None)
        self.options = dict(options)
        self.budget = self.options.pop("budget", 2**40)

    def run(self) -> None:
        while not self.place("DONE"):
            self.state[PLACES["BUDGET"]] = self.budget
            simulate(self.plan.source, self.plan.arrays, **self.options)

    def stopped(self) -> str:
        return REASONS[self.place("STOPPED")]


class SimulatedTarget:
    """One block of a GPU that is not there."""

    kind, label = "cuda", "simulated"

    def __init__(self, **options: Any) -> None:
        self.options = options

    def load(self, compiled: Compiled) -> None:
        pass

    def compile_seconds(self) -> float:
        return 0.0

    def plan(self, compiled: Compiled, graph: Graph, arguments: Any, ids: Any) -> HostPlan:
        return HostPlan(compiled, graph, arguments.bindings, ids, num_threads=1)

    def driver(self, plan: HostPlan, compiled: Compiled, callback: Any) -> SimulatedDriver:
        return SimulatedDriver(plan, compiled, self.options)


def simulated(
    program: Any, graph: Graph, *args: Any, seed: int = 0, options: Any = None, **named: Any
) -> Run:
    """Run a program on one simulated block.

    Parameters
    ----------
    options : dict, optional
        Of `simulate`; and ``budget``, the supersteps of one launch.
    """
    compiled, arguments = cuda_program(program, graph, *args, **named)
    return execute(compiled, graph, arguments, seed, None, SimulatedTarget(**(options or {})))
