"""Where compiled programs run: what differs between the CPU and a GPU, behind one face.

A target makes the plan of a run, loads its kernels and drives them; everything else of a run is
the same everywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from numpy.typing import NDArray

from emv.config import config
from emv.errors import ArgumentError
from emv.runtime.arguments import Arguments
from emv.runtime.compile import Compiled
from emv.runtime.driver import Driver
from emv.runtime.memory import MemoryPlan, plan_memory
from emv.runtime.plan import Plan

Callback = Callable[[int, dict[str, Any]], Any] | None


class Target(Protocol):
    """What a run needs to know of where it runs.

    Attributes
    ----------
    kind : str
        ``cpu`` or ``cuda``: what kernels are written for.
    label : str
        What `Run.backend` says.
    """

    kind: str
    label: str

    def load(self, compiled: Compiled) -> None:
        """Load a program's kernels, where that needs no graph."""

    def compile_seconds(self) -> float:
        """Return the seconds that compilers took so far, besides those of `Compiled`."""

    def plan(
        self, compiled: Compiled, graph: Any, arguments: Arguments, ids: dict[str, NDArray[Any]]
    ) -> Any:
        """Return the plan of a run, nothing allocated yet."""

    def driver(self, plan: Any, compiled: Compiled, callback: Callback) -> Driver:
        """Return what runs a plan."""

    def memory_plan(self, plan: Any) -> MemoryPlan:
        """Return the bytes of a plan."""


class CpuTarget:
    """The cores of this machine.

    Parameters
    ----------
    num_threads : int, optional
        Threads to use; by default what the knob says.
    """

    kind = label = "cpu"

    def __init__(self, num_threads: int | None = None) -> None:
        self.num_threads = num_threads or config.num_threads

    def load(self, compiled: Compiled) -> None:
        """Load a program's kernels."""
        from emv.backends import cpu  # numba loads only to run

        if compiled.module is None:
            started = time.perf_counter()
            compiled.module = cpu.load(compiled.source)
            compiled.seconds += time.perf_counter() - started
        self.num_threads = cpu.set_threads(config.num_threads)

    def compile_seconds(self) -> float:
        """Return the seconds that numba took so far."""
        from emv.backends import compiling

        return compiling.CLOCK.seconds

    def plan(
        self, compiled: Compiled, graph: Any, arguments: Arguments, ids: dict[str, NDArray[Any]]
    ) -> Plan:
        """Return the plan of a run, nothing allocated yet."""
        return Plan(compiled, graph, arguments.bindings, ids, self.num_threads)

    def driver(self, plan: Plan, compiled: Compiled, callback: Callback) -> Driver:
        """Return what runs a plan."""
        return Driver(plan, compiled.module, compiled.names, compiled.slots, callback)

    def memory_plan(self, plan: Plan) -> MemoryPlan:
        """Return the bytes of a plan."""
        return plan_memory(plan)


class CudaTarget:
    """One GPU.

    Parameters
    ----------
    name : str
        ``cuda`` or ``cuda:N``.
    stream : optional
        Where runs are put: a stream of another library or its handle; by default the device's own.
    """

    kind = "cuda"

    def __init__(self, name: str, stream: Any = None) -> None:
        from emv.backends.cuda import device as cuda  # a GPU's modules load only for one

        self.device = cuda.device(name)
        self.label = name
        self.stream = self.device.stream if stream is None else cuda.stream_handle(stream)

    def load(self, compiled: Compiled) -> None:
        """Do nothing: a kernel depends on the types of a graph's arrays, so binding loads it."""

    def compile_seconds(self) -> float:
        """Return 0: `Compiled` counts everything."""
        return 0.0

    def plan(
        self, compiled: Compiled, graph: Any, arguments: Arguments, ids: dict[str, NDArray[Any]]
    ) -> Any:
        """Return the plan of a run, nothing allocated yet."""
        from emv.runtime.device_plan import DevicePlan

        return DevicePlan(compiled, graph, arguments.bindings, ids, self.device, self.stream)

    def driver(self, plan: Any, compiled: Compiled, callback: Callback) -> Driver:
        """Return what runs a plan."""
        from emv.runtime.device_driver import DeviceDriver

        return DeviceDriver(plan, compiled.slots, callback)

    def memory_plan(self, plan: Any) -> MemoryPlan:
        """Return the bytes of a plan."""
        from emv.runtime.device_memory import plan_device_memory

        return plan_device_memory(plan)


def target_of(backend: str, stream: Any = None) -> Target:
    """Return where compiled programs of a backend run.

    Raises
    ------
    ArgumentError
        If a stream is given for the CPU.
    """
    if backend.startswith("cuda"):
        return CudaTarget(backend, stream)
    if stream is not None:
        raise ArgumentError(
            f"stream= is for GPUs, and this run is on {backend!r}",
            remedy="Leave it out, or run with backend='cuda'.",
        )
    return CpuTarget()
