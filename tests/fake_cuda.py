"""A stand-in for a GPU: its memory is the host's, and its kernels are those of the CPU backend.

`FakeDriver` has the methods of `emv.backends.cuda.driver.CudaDriver`. A program is written as for
the CPU; "launching" it runs the CPU's driver on arrays that lie where the kernel's parameters say.
So everything around the kernel is real: binding, fills, uploads, the control block, results.
"""

from __future__ import annotations

import ctypes
import dataclasses
import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from emv.backends.cuda import compile as cuda_compile
from emv.backends.cuda import device as cuda_device
from emv.backends.cuda.driver import OutOfMemoryError
from emv.codegen.cpu.functions import CpuModule
from emv.codegen.state import PLACES, Own, place_of_launch, room_place
from emv.ir.kernel import Buffer
from emv.runtime.drive.driver import Driver
from emv.runtime.program import ProgramFunction
from emv.runtime.targets.cores import Cores
from emv_kernels.sizes import ROW_PLACES

SHARED = ("state", "ints", "floats")
PROGRAMS: dict[str, Any] = {}


class FakeDriver:
    """A device with so many bytes.

    Attributes
    ----------
    calls : list of tuple
        Name and arguments of every copy, fill and launch.
    allocated_bytes : int
        What is allocated now.
    """

    def __init__(self, ordinal: int = 0, total: int = 2**30) -> None:
        self.ordinal = ordinal
        self.name = "a GPU that is not there"
        self.capability = (9, 0)
        self.num_multiprocessors = 4
        self.total = total
        self.blocks: dict[int, np.ndarray] = {}
        self.pinned: dict[int, np.ndarray] = {}
        self.calls: list[tuple[Any, ...]] = []
        self.copied: dict[int, int] = {}  # bytes of the last copy to an address
        self.num_streams = 0
        self.clock = 0.0

    @property
    def allocated_bytes(self) -> int:
        return sum(block.nbytes for block in self.blocks.values())

    def use(self) -> Any:
        return None

    def leave(self, before: Any) -> None:
        pass

    def memory(self) -> tuple[int, int]:
        return self.total - self.allocated_bytes, self.total

    def allocate(self, nbytes: int) -> int:
        if nbytes > self.memory()[0]:
            raise OutOfMemoryError
        block = np.full(nbytes, 0xA5, np.uint8)  # what nobody has written
        self.blocks[block.ctypes.data] = block
        self.copied.pop(block.ctypes.data, None)  # to what lay there before
        return block.ctypes.data

    def free(self, address: int) -> None:
        del self.blocks[address]

    def allocate_pinned(self, nbytes: int) -> int:
        block = np.empty(nbytes, np.uint8)
        self.pinned[block.ctypes.data] = block
        return block.ctypes.data

    def free_pinned(self, address: int) -> None:
        del self.pinned[address]

    def ordinal_of(self, address: int) -> int:
        inside = (at <= address < at + block.nbytes for at, block in self.blocks.items())
        return self.ordinal if any(inside) else -1

    def copy(self, target: int, source: int, nbytes: int, stream: int) -> None:
        self.calls.append(("copy", target, source, nbytes, stream))
        self.copied[target] = nbytes
        ctypes.memmove(target, source, nbytes)

    def copy_apart(
        self, target: int, step: int, source: int, width: int, count: int, from_step: int = 0
    ) -> None:
        self.calls.append(("copy apart", target, step, source, width, count))
        for k in range(count):
            ctypes.memmove(target + k * step, source + k * (from_step or width), width)

    def fill(self, address: int, pattern: bytes, count: int, stream: int) -> None:
        self.calls.append(("fill", address, pattern, count, stream))
        self.copied[address] = len(pattern) * count
        kind = np.dtype(f"V{len(pattern)}")
        at(address, count, kind)[:] = np.frombuffer(pattern, kind)[0]

    def new_stream(self) -> int:
        self.num_streams += 1
        return 100 * (1 + self.ordinal) + self.num_streams

    def synchronize(self, stream: int) -> None:
        self.calls.append(("synchronize", stream))

    def is_done(self, stream: int) -> bool:
        return True

    def synchronize_all(self) -> None:
        self.calls.append(("synchronize all",))

    def new_event(self) -> Any:
        return [None]

    def free_event(self, event: Any) -> None:
        pass

    def record(self, event: Any, stream: int) -> None:
        self.calls.append(("record", stream))
        event[0] = self.clock

    def wait(self, stream: int, event: Any) -> None:
        self.calls.append(("wait", stream))

    def seconds_between(self, first: Any, second: Any) -> float:
        assert None not in (*first, *second), "the GPU refuses events that were never recorded"
        return second[0] - first[0]

    def load(self, cubin: bytes, kernel: str, shared_bytes: int = 0) -> tuple[Any, Any]:
        return None, PROGRAMS[cubin.decode()]

    def blocks_per_multiprocessor(self, function: Any, threads: int) -> int:
        return 2

    def launch(
        self, function: Any, blocks: int, threads: int, parameters: int, stream: int
    ) -> None:
        self.calls.append(("launch", blocks, threads, stream))
        self.clock += 0.001
        count = len(function.source.functions["program"])
        addresses = at(parameters, count, np.dtype(np.uint64)).tolist()
        words = [int(at(each, 1, np.dtype(np.uint64))[0]) for each in addresses]
        function.run(dict(zip(function.source.functions["program"], words, strict=True)), self)

    def count(self, name: str) -> int:
        """Return how many calls of a kind there were."""
        return sum(call[0] == name for call in self.calls)


def at(address: int, count: int, dtype: np.dtype) -> np.ndarray:
    """Return memory as an array."""
    if not count:
        return np.empty(0, dtype)
    where = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(address)
    return np.frombuffer(where, dtype)


class FakeProgram:
    """A program for the CPU that is launched like one for a GPU.

    Attributes
    ----------
    instead : callable or None
        Runs in place of the program, with its arrays by name; it says when the program is done.
    """

    instead: Callable[[dict[str, np.ndarray]], None] | None = None

    def __init__(self, schedule: Any, slots: Any, ids: str) -> None:
        text = CpuModule(schedule, slots, ids)
        source = text.write()
        self.schedule, self.slots, self.names = schedule, slots, text.names
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
            module=cpu.load(self.source),
            files=[],
        )
        resident = types.SimpleNamespace(budget=0)
        graph = types.SimpleNamespace(num_vertices=int(state[PLACES["NUM_VERTICES"]]))
        plan = types.SimpleNamespace(
            arrays=arrays, compiled=compiled, graph=graph, resident=resident, target=Cores(1)
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


COUNTS = (("V", "VERTICES"), ("E", "EDGES"), ("A", "ARCS"))


def one_thread(buffer: Buffer) -> Buffer:
    """Return a buffer of rows per thread as one row."""
    if buffer.size != "T*ROW":
        return buffer
    return dataclasses.replace(buffer, size=str(ROW_PLACES))


def counts_of(state: np.ndarray, source: Any) -> dict[str, int]:
    """Return what the letters of sizes mean, rooms for messages included; one thread runs."""
    counts = {letter: int(state[PLACES[f"NUM_{name}"]]) for letter, name in COUNTS}
    return {**counts, "T": 1, **{name: int(state[room_place(name)]) for name in source.rooms}}


def product(factors: list[str], counts: dict[str, int]) -> int:
    """Return what ``["V", "2"]`` or ``["A/4096"]`` means."""
    total = 1
    for factor in factors:
        name, _, divisor = factor.partition("/")
        total *= -(-counts.get(name, int(name) if name.isdecimal() else 0) // int(divisor or 1))
    return total


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
