"""A stand-in for a GPU: its memory is the host's, and its kernels are those of the CPU backend.

`FakeDriver` has the methods of `emv.backends.cuda.driver.CudaDriver`. A program is written as for
the CPU; "launching" it runs the CPU's driver on arrays that lie where the kernel's parameters say.
So everything around the kernel is real: binding, fills, uploads, the control block, results.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from emv.backends.cuda import compile as cuda_compile
from emv.backends.cuda import device as cuda_device
from emv.backends.simulated.memory import SHARED, MemoryDriver, at, counts_of, product
from emv.codegen.cpu.functions import CpuModule
from emv.codegen.state import PLACES, Own, place_of_launch
from emv.ir import schedule as s
from emv.ir.kernel import Buffer
from emv.ir.shortcuts import JoinAll
from emv.runtime.arrays.taken import Taken
from emv.runtime.called import Called
from emv.runtime.drive.driver import Driver
from emv.runtime.program import ProgramFunction
from emv.runtime.targets.cores import Cores
from emv_kernels.sizes import ROW_PLACES

if TYPE_CHECKING:
    import pytest  # a process that only compiles does without

PROGRAMS: dict[str, Any] = {}


class FakeDriver(MemoryDriver):
    """A device with so many bytes, which runs the CPU's programs."""

    def load(self, cubin: bytes, kernel: str, shared_bytes: int = 0) -> tuple[Any, Any]:
        return None, PROGRAMS[cubin.decode()]

    def blocks_per_multiprocessor(self, function: Any, threads: int) -> int:
        return 2

    def launch(
        self,
        function: Any,
        blocks: int,
        threads: int,
        parameters: int,
        stream: int,
        meets: bool = True,
    ) -> None:
        self.calls.append(("launch", blocks, threads, stream))
        self.clock += 0.001
        count = len(function.source.functions["program"])
        addresses = at(parameters, count, np.dtype(np.uint64)).tolist()
        words = [int(at(each, 1, np.dtype(np.uint64))[0]) for each in addresses]
        function.run(dict(zip(function.source.functions["program"], words, strict=True)), self)


class FakeProgram:
    """A program for the CPU that is launched like one for a GPU.

    Attributes
    ----------
    instead : callable or None
        Runs in place of the program, with its arrays by name; it says when the program is done.
    """

    instead: Callable[[dict[str, np.ndarray]], None] | None = None

    def __init__(self, schedule: Any, slots: Any, ids: str) -> None:
        schedule = without_joins(schedule)
        text = CpuModule(schedule, slots, ids)
        source = text.write()
        self.schedule, self.slots = schedule, slots
        self.names, self.relaxing = text.names, text.relaxing
        buffers = {name: Buffer(name, "scratch", "int64") for name in SHARED}
        buffers |= {name: one_thread(each) for name, each in source.buffers.items()}
        names = (*SHARED, *sorted(buffers.keys() - set(SHARED)))
        functions = {**source.functions, "program": names}
        self.source = dataclasses.replace(source, buffers=buffers, functions=functions)
        self.dtypes: dict[str, str] = {}
        PROGRAMS[self.source.digest()] = self

    def write(self) -> Any:
        return self.source

    def run(self, words: dict[str, int], driver: FakeDriver) -> None:
        state = at(words["state"], 1024, np.dtype(np.int64))
        counts = counts_of(state, self.source)
        arrays = {}
        for name, word in words.items():
            dtype, buffer = np.dtype(self.dtypes[name]), self.source.buffers[name]
            if buffer.source == "graph":
                length = driver.copied.get(word, 0) // dtype.itemsize
            elif buffer.size == "ids":
                length = int(state[place_of_launch(int(name.removeprefix("ids")), Own.NUM_IDS)])
            else:
                length = self.length(buffer, counts)
            arrays[name] = at(word, length, dtype)
            if name.endswith("_rows"):
                arrays[name] = arrays[name].reshape(1, -1)
        if FakeProgram.instead is not None:
            FakeProgram.instead(arrays)
            return
        state[PLACES["NUM_THREADS"]] = 1
        cpu = importlib.import_module("emv.backends.cpu")  # numba loads only to run
        compiled = types.SimpleNamespace(
            schedule=self.schedule,
            source=self.source,
            slots=self.slots,
            names=self.names,
            called=Called(self.schedule.body, self.names, self.relaxing),
            module=cpu.load(self.source),
            files=[],
            grids=0,
            acts={},
            calls={},
            late_steps=self.schedule.body,
            taken={name: Taken(names) for name, names in self.source.functions.items()},
        )
        resident = types.SimpleNamespace(budget=0)
        graph = types.SimpleNamespace(num_vertices=int(state[PLACES["NUM_VERTICES"]]))
        plan = types.SimpleNamespace(
            arrays=arrays,
            compiled=compiled,
            graph=graph,
            whole=graph,
            resident=resident,
            target=Cores(1),
            is_under_way=False,
            meanwhile=int,
        )
        Driver(plan).run()
        state[PLACES["DONE"]] = 1

    def length(self, buffer: Buffer, counts: dict[str, int]) -> int:
        """Return the entries of an array; 1024 of the control block's."""
        if buffer.source in ("column", "next"):
            return counts["V" if buffer.key[0] == "vertex" else "E"]
        if buffer.source == "ordered":
            return counts["A"]
        parts = [part.split("*") for part in buffer.size.split("+") if part]
        return sum(product(part, counts) for part in parts) if parts else 1024


class IdleProgram:
    """A program that ends at once."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.dtypes: dict[str, str] = {}

    def run(self, words: dict[str, int], driver: FakeDriver) -> None:
        at(words["state"], 1024, np.dtype(np.int64))[PLACES["DONE"]] = 1


def without_joins(schedule: Any) -> Any:
    """Return a schedule that joins edges one by one: cores would ask for rows that GPUs lack."""

    def changed(step: Any) -> list[Any]:
        joins = isinstance(step, s.Launch) and isinstance(step.shortcut, JoinAll)
        return [dataclasses.replace(step, shortcut=None) if joins else step]

    return dataclasses.replace(schedule, body=s.changed_steps(schedule.body, changed))


def one_thread(buffer: Buffer) -> Buffer:
    """Return a buffer of rows per thread as one row."""
    if buffer.size != "T*ROW":
        return buffer
    return dataclasses.replace(buffer, size=str(ROW_PLACES))


def fresh(function: ProgramFunction) -> ProgramFunction:
    """Return a program that has not been compiled yet, so that other tests do not meet its text."""
    how = function.host_loop, function.form, function.precision
    return ProgramFunction(function.python, function.bind, *how)


class faked:  # noqa: N801 - used like a function
    """Put a stand-in in the place of a GPU while a test runs.

    With ``is_idle`` programs are those for a GPU, and a launch does nothing.
    """

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        ordinal: int = 0,
        total: int = 2**30,
        is_idle: bool = False,
    ) -> None:
        self.driver = FakeDriver(ordinal, total)
        self.patch = monkeypatch
        self.is_idle = is_idle

    def __enter__(self) -> FakeDriver:
        if not self.is_idle:
            module = types.ModuleType("emv.codegen.cuda.kernel")
            module.CudaModule = FakeProgram
            self.patch.setitem(sys.modules, module.__name__, module)
        self.patch.setattr(cuda_compile, "load", fake_load)
        device = cuda_device.Device(self.driver)
        self.patch.setitem(cuda_device.DEVICES, self.driver.ordinal, device)
        return self.driver

    def __exit__(self, *error: object) -> None:
        FakeProgram.instead = None


def fake_load(source: Any, dtypes: dict[str, str], **named: Any) -> Any:
    PROGRAMS.setdefault(source.digest(), IdleProgram(source)).dtypes = dtypes
    return cuda_compile.Binary(source.digest().encode(), "program", 32, 0, 0, 0, 0.0)
