"""A simulated GPU: the real kernels, bound and launched by the real runtime.

The memory is that of `memory`; what is "compiled" is the text, and a launch simulates it.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from emv.backends.cuda.binary import Binary
from emv.backends.simulated.launch import simulate, simulate_parts
from emv.backends.simulated.memory import (
    SHARED,
    MemoryDriver,
    at,
    counts_of,
    lies_in,
    pinned,
    product,
)
from emv.codegen.state import Own, place_of_launch
from emv.graph.row_storage import split_order
from emv.ir.kernel import Buffer, KernelSource

ENTRIES_PER_BLOCK = 8  # so that small graphs have several blocks


@dataclasses.dataclass(frozen=True)
class Program:
    """What a launch needs to know of a kernel."""

    source: KernelSource
    dtypes: dict[str, str]

    def arrays(
        self, words: dict[str, int], driver: MemoryDriver, blocks: int
    ) -> dict[str, np.ndarray]:
        """Return the arrays that lie at the addresses a launch is given."""
        control = bytes_from(words["state"], driver) // 8
        state = at(words["state"], control, np.dtype(np.int64))
        counts = counts_of(state, self.source)
        found = {}
        for name, address in words.items():
            if name not in SHARED and self.source.buffers[name].source == "peer":
                continue  # which is one of another part's arrays
            dtype = np.dtype(self.dtypes[name])
            if name in SHARED:  # to the end of the control block
                length = bytes_from(address, driver) // dtype.itemsize
            else:
                length = self.length(self.source.buffers[name], {**counts, "B": blocks}, state)
            if length is None:
                nbytes = driver.copied.get(address)  # None where a kernel by hand wrote it
                nbytes = bytes_from(address, driver) if nbytes is None else nbytes
                length = nbytes // dtype.itemsize
            found[name] = at(address, length, dtype)
            if name not in SHARED and self.source.buffers[name].source == "scratch":
                driver.copied.pop(address, None)  # another array may come to lie there
        return found

    @functools.cached_property
    def is_batch(self) -> bool:
        return "SHIFT = " in self.source.text

    def length(self, buffer: Buffer, counts: dict[str, int], state: np.ndarray) -> int | None:
        """Return the entries of an array; None if only its upload tells."""
        if buffer.source == "graph" or (buffer.source == "ordered" and split_order(buffer.key[2])):
            return None
        if buffer.source == "copies" or (self.is_batch and buffer.key):
            return None  # of a batch: some columns have an entry per copy, others are shared
        if buffer.size == "ids":
            return int(state[place_of_launch(int(buffer.name.removeprefix("ids")), Own.NUM_IDS)])
        if buffer.source in ("column", "next"):
            return counts["V" if buffer.key[0] == "vertex" else "E"]
        if buffer.source == "ordered":
            return counts["A"]
        return sum(product(part.split("*"), counts) for part in buffer.size.split("+"))


@dataclasses.dataclass(frozen=True)
class ByHand:
    """What a launch needs to know of a kernel written by hand."""

    source: KernelSource
    dtypes: dict[str, str]

    def arrays(self, words: dict[str, int], driver: MemoryDriver, blocks: int) -> dict[str, Any]:
        """Return its arrays, each to the end of the block that it lies in, and its numbers."""
        found: dict[str, Any] = {}
        for name, word in words.items():
            kind = self.dtypes[name]
            if kind.startswith("="):
                found[name] = np.uint64(word).view(kind[1:])
                continue
            dtype = np.dtype(kind)
            found[name] = at(word, bytes_from(word, driver) // dtype.itemsize, dtype)
            driver.copied.pop(word, None)  # what was copied there may be no more
        return found


def bytes_from(address: int, driver: MemoryDriver) -> int:
    """Return how many bytes of its block lie behind an address."""
    blocks = [*driver.blocks.items(), *(each for some in pinned() for each in some.items())]
    return max(a + each.nbytes for a, each in blocks if a <= address) - address


class SimulatedDriver(MemoryDriver):
    """A driver that simulates what is launched, with the options of `simulate`.

    There are as many blocks as multiprocessors, at most; every launch has a seed of its own. Copies
    and fills are as late as a GPU's may be: they are done when their stream is waited for, or has
    a launch, so what another stream reads or overwrites without waiting is wrong here, too.
    """

    entries_per_block = ENTRIES_PER_BLOCK

    def __init__(self, multiprocessors: int = 2, ordinal: int = 0, **options: Any) -> None:
        super().__init__(ordinal)
        self.name = "simulated, as NUMBA_ENABLE_CUDASIM=1 asks for"
        self.num_multiprocessors = multiprocessors
        self.late: dict[int, list[Callable[[], Any]]] = {}  # what streams have yet to do
        self.peers: list[MemoryDriver] = [self]
        self.options = {"block": 32, "seed": 0, "stops": 0.01, **options}

    def blocks_per_multiprocessor(self, function: Any, threads: int) -> int:
        return 1

    def load(self, cubin: bytes, kernel: str, shared_bytes: int = 0) -> tuple[Any, Any]:
        return None, PROGRAMS[cubin.decode()]

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
        self.catch_up(stream)
        self.clock += 0.001
        names = function.source.functions["program"]
        addresses = at(parameters, len(names), np.dtype(np.uint64)).tolist()
        words = [int(at(each, 1, np.dtype(np.uint64))[0]) for each in addresses]
        arrays = function.arrays(dict(zip(names, words, strict=True)), self, blocks)
        self.options["seed"] += 1
        if parts_of(function.source) < 2:
            with ONE_AT_A_TIME:
                simulate(function.source, arrays, blocks=blocks, **self.options)
            return
        WAITING.append((self, function.source, arrays, blocks, stream))
        if len(WAITING) == parts_of(function.source):
            run_side_by_side()

    def open_peer(self, other: MemoryDriver) -> None:
        super().open_peer(other)
        self.peers.append(other)

    def put(self, stream: int, work: Callable[[], Any]) -> None:
        if stream == LEGACY:  # it waits for all that keep in order with it, and they for it
            self.catch_up(*self.in_order)
            work()
        else:
            self.late.setdefault(stream, []).append(work)

    def catch_up(self, *streams: int) -> None:
        for stream in streams or list(self.late):
            for work in self.late.pop(stream, ()):
                work()

    def is_pageable(self, address: int) -> bool:
        return not any(lies_in(address, memory) for memory in self.mapped())

    def mapped(self) -> Iterator[dict[int, Any]]:
        """Yield the blocks that it reaches, and what host memory is pinned."""
        for each in self.peers:
            yield each.blocks
        yield from pinned()

    def synchronize(self, stream: int) -> None:
        if WAITING:  # who waits leaves in the end
            WAITING.clear()
            raise AssertionError("nobody launches the kernels that those of other parts wait for")
        super().synchronize(stream)


LEGACY = 0
"""The default stream of old."""

ONE_AT_A_TIME = threading.Lock()
"""Held while a kernel is simulated, as several threads may launch some."""

WAITING: list[tuple[SimulatedDriver, KernelSource, dict[str, Any], int, int]] = []
"""Launched kernels that wait for those of other parts, in the order of these."""


def parts_of(source: KernelSource) -> int:
    """Return how many grids run a program side by side."""
    return 1 + max((b.key[0] for b in source.buffers.values() if b.source == "peer"), default=0)


def run_side_by_side() -> None:
    """Simulate the kernels of all parts, and do what was to be done behind them."""
    some = WAITING.copy()
    WAITING.clear()
    driver, source, *_ = some[0]
    blocks = min(
        each[3] for each in some
    )  # parts with more arcs may have more; any number is right
    parts = [arrays for _, _, arrays, _, _ in some]
    for arrays in parts:
        for name, buffer in source.buffers.items():
            if buffer.source == "peer" and name in source.functions["program"]:
                part, own = buffer.key
                arrays[name] = parts[part][own]
    simulate_parts(source, parts, blocks=blocks, **driver.options)


PROGRAMS: dict[str, Program | ByHand] = {}


def keep_text(source: KernelSource, dtypes: dict[str, str], **named: Any) -> Binary:
    """Stand in for the compiler."""
    key = source.digest(repr(sorted(dtypes.items())))
    PROGRAMS[key] = Program(source, dtypes) if "state" in dtypes else ByHand(source, dtypes)
    return Binary(key.encode(), "program", 32, 0, 0, 0, 0.0)
