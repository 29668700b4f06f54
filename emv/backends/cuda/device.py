"""Devices as the runtime uses them: pooled memory, uploads, arrays, kernels ready to launch.

A freed block is kept for the next request of its size, because asking the driver for memory takes
a hundred times as long, and giving it back waits for the whole GPU. The working space of all
programs on a device is one block, the *arena*, because a run leaves nothing in it.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends import simulated
from emv.backends.cuda.beside import NOWHERE, number_here
from emv.backends.cuda.driver import CudaDriver, OutOfMemoryError
from emv.backends.cuda.results import ResultPool
from emv.backends.cuda.staging import Staging
from emv.errors import BackendUnavailableError, CapacityError, HintWarning
from emv.imports import is_installed
from emv.tracebacks import warn_at_caller

THREADS = 512  # of a block
ENTRIES_PER_BLOCK = 2048  # vertices or arcs that are worth a block
BLOCKS_EXPECTED = 2  # per multiprocessor, before the kernel is compiled
GRAIN = 512  # bytes: sizes of blocks are multiples of it
KEPT_SHARE = 4  # a fourth of the memory may lie freed and unused


def rounded(nbytes: int) -> int:
    """Return the bytes of the block that holds so many.

    Examples
    --------
    >>> rounded(0), rounded(512), rounded(513)
    (512, 512, 1024)
    """
    return max(1, -(-nbytes // GRAIN)) * GRAIN


class Memory:
    """A block of device memory, given back when nobody holds it any more.

    Attributes
    ----------
    address : int
        Where it begins.
    nbytes : int
        Its size.
    used : int
        Bytes from its begin that some array has; what is behind them may be taken.
    is_lent : bool
        Whether another library has seen it, whose work on it may still be under way.
    place : int
        Where it was taken, and is taken again; see `beside`.
    """

    __slots__ = ("__weakref__", "address", "is_lent", "nbytes", "place", "pool", "used")

    def __init__(self, pool: Pool, address: int, nbytes: int) -> None:
        self.pool = pool
        self.address = address
        self.nbytes = nbytes
        self.used = nbytes
        self.is_lent = False
        self.place = number_here()

    def __del__(self) -> None:
        self.pool.give_back(self)


class Pool:
    """The memory of one device.

    Attributes
    ----------
    allocated_bytes : int
        What was asked of the driver and not given back.
    used_bytes : int
        Of that, what somebody holds.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.kept: dict[tuple[int, int], list[int]] = {}  # by place and bytes
        self.lent: list[tuple[int, int]] = []  # (address, bytes), perhaps still in use elsewhere
        self.allocated_bytes = 0
        self.used_bytes = 0
        self.arenas: list[Memory] = []  # working space that no run has, mostly one
        self.most_kept = driver.memory()[1] // KEPT_SHARE

    def take(self, nbytes: int) -> Memory:
        """Return a block of so many bytes, its content unknown.

        Raises
        ------
        CapacityError
            If the GPU has no such block left.
        """
        nbytes = rounded(nbytes)
        if self.lent:
            self.reclaim()
        addresses = self.kept.get((number_here(), nbytes))
        address = addresses.pop() if addresses else self.allocate(nbytes)
        self.used_bytes += nbytes
        return Memory(self, address, nbytes)

    def give_back(self, memory: Memory) -> None:
        """Keep a block for the next request; called by any thread, at any time."""
        self.used_bytes -= memory.nbytes
        if memory.is_lent:
            self.lent.append((memory.address, memory.nbytes))
        else:
            self.kept.setdefault((memory.place, memory.nbytes), []).append(memory.address)

    def reclaim(self) -> None:
        """Take over what other libraries held, once the GPU has done all its work."""
        lent, self.lent = self.lent, []
        self.driver.synchronize_all()
        for address, nbytes in lent:  # nobody works on it any more
            self.kept.setdefault((number_here(), nbytes), []).append(address)

    def allocate(self, nbytes: int) -> int:
        """Ask the driver for memory; drop what is kept for later if there is too little."""
        if self.kept_bytes() > self.most_kept:
            self.free_all()
        try:
            address = self.driver.allocate(nbytes)
        except OutOfMemoryError:
            self.free_all()
            try:
                address = self.driver.allocate(nbytes)
            except OutOfMemoryError:
                raise CapacityError(
                    f"the GPU has no block of {nbytes:,} bytes left: {self.driver.memory()[0]:,} "
                    f"of its {self.driver.memory()[1]:,} bytes are free",
                    remedy="Drop results and graphs that are no longer needed.",
                ) from None
        self.allocated_bytes += nbytes
        return int(address)

    def kept_bytes(self) -> int:
        """Return how many bytes lie unused, the arena included."""
        return self.allocated_bytes - self.used_bytes + sum(each.nbytes for each in self.arenas)

    def free_all(self) -> None:
        """Give the driver back everything that nobody holds."""
        self.arenas.clear()
        self.reclaim()
        kept, self.kept = self.kept, {}
        for (_, nbytes), addresses in kept.items():
            for address in addresses:
                self.driver.free(address)
            self.allocated_bytes -= nbytes * len(addresses)

    def take_arena(self, nbytes: int) -> Memory:
        """Return a block of at least so many bytes, if it is free that of earlier runs."""
        arena = self._idle_arena()
        if arena is not None and arena.nbytes >= nbytes:
            return arena
        if arena is not None:  # too small, and it might stand in the way
            size, address, place = arena.nbytes, arena.address, arena.place
            del arena
            self.kept[place, size].remove(address)
            self.driver.free(address)
            self.allocated_bytes -= size
        return self.take(nbytes)

    def _idle_arena(self) -> Memory | None:
        try:
            return self.arenas.pop()
        except IndexError:
            return None

    def give_arena(self, arena: Memory) -> None:
        """Leave the working space of a run to the next one; of two, the larger is kept."""
        other = self._idle_arena()
        self.arenas.append(arena if other is None or other.nbytes < arena.nbytes else other)

    def arena_bytes(self) -> int:
        """Return the size of the working space that the next run finds."""
        return max((each.nbytes for each in self.arenas), default=0)


class Pinned:
    """A small piece of pinned host memory that holds what goes up and comes down in every run.

    What was given up is handed out again, as the driver takes longer to pin memory, and to let it
    go, than most runs take: a run on every version of a graph has a piece of its own.

    Attributes
    ----------
    bytes : uint8[nbytes]
        Its content.
    """

    def __init__(self, driver: Any, nbytes: int) -> None:
        self.driver, self.nbytes = driver, rounded(nbytes)
        kept = _PINNED.setdefault(driver, {}).setdefault(self.nbytes, [])
        try:
            self.address = kept.pop()
        except IndexError:
            self.address = driver.allocate_pinned(self.nbytes)
        where = (ctypes.c_uint8 * nbytes).from_address(self.address)
        self.bytes: NDArray[np.uint8] = np.frombuffer(where, np.uint8)

    def __del__(self) -> None:
        try:  # noqa: SIM105  # where Python ends, modules and what is kept may be gone
            _PINNED[self.driver][self.nbytes].append(self.address)
        except Exception:  # the driver ends with its process
            pass


_PINNED: weakref.WeakKeyDictionary[Any, dict[int, list[int]]] = weakref.WeakKeyDictionary()
"""The addresses of pieces that nobody holds, by driver and bytes."""


class Kernel:
    """A kernel on one device.

    Attributes
    ----------
    most_blocks : int
        Blocks that run at the same time.
    """

    def __init__(self, driver: Any, cubin: bytes, name: str, shared_bytes: int) -> None:
        self.module, self.function = driver.load(cubin, name, shared_bytes)
        per_multiprocessor = driver.blocks_per_multiprocessor(self.function, THREADS)
        self.most_blocks = per_multiprocessor * driver.num_multiprocessors


class Current:
    """What ``with device.current():`` does; entered by one thread, once."""

    __slots__ = ("before", "driver")

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def __enter__(self) -> None:
        self.before = self.driver.use()

    def __exit__(self, *_: object) -> None:
        self.driver.leave(self.before)


class Device:
    """One GPU.

    Parameters
    ----------
    driver : CudaDriver
        What talks to it.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.ordinal: int = driver.ordinal
        self.by_hand: dict[tuple[str, tuple[str, ...]], Kernel] = {}  # see `kernels`
        self.ready: dict[tuple[Any, ...], Any] = {}  # the same, by what a launch is given
        with self.current():
            self.pool = Pool(driver)
            self.staging = Staging(driver)
            self.results = ResultPool(driver)
            self.own_stream: int = driver.new_stream()
            self.apart: list[int] = []
            self.beside: int = driver.new_stream()  # for what a kernel is told while it runs
            self.words = Pinned(driver, 16)
            self.told = self.words.bytes.view(np.int64)
            self.told[:] = 0, 1

    def __repr__(self) -> str:
        return f"<{self.label}: {self.driver.name}>"

    @property
    def label(self) -> str:
        """What `Graph.on` calls it."""
        return f"cuda:{self.ordinal}"

    @property
    def arch(self) -> str:
        """The architecture to compile for."""
        from emv.backends.cuda import compile as compiler  # only what is compiled needs it

        return str(compiler.arch_of(*self.driver.capability))

    def current(self) -> Current:
        """Make it the current one of the calling thread for a while; libraries share that."""
        return Current(self.driver)

    @property
    def stream(self) -> int:
        """The stream on which things are done here: the device's own, or that of a place."""
        number = number_here()
        return self.own_stream if number == NOWHERE else self.stream_apart(number)

    def stream_apart(self, number: int) -> int:
        """Return a stream for kernels side by side; the legacy default stream waits for none."""
        with self.current():
            while len(self.apart) <= number:
                self.apart.append(self.driver.new_stream(apart=True))
        return self.apart[number]

    def reaches(self, other: Device) -> bool:
        """Return whether kernels here can read and write another's memory."""
        return self is other or bool(self.driver.reaches(other.ordinal))

    def open_peers(self, others: Iterable[Device]) -> None:
        """Let kernels here read and write the memory of others, which they must be able to."""
        with self.current():
            for other in others:
                if other is not self:
                    self.driver.open_peer(other.driver)

    def free_bytes(self) -> int:
        """Return what a run may take: what the driver has free, and what the pool keeps."""
        return int(self.driver.memory()[0]) + self.pool.kept_bytes()

    def upload(self, values: NDArray[Any], memory: Memory | None = None, stream: int = 0) -> Memory:
        """Copy a host array to the device; it may be changed as soon as this returns."""
        values = np.ascontiguousarray(values)
        memory = self.pool.take(values.nbytes) if memory is None else memory
        if values.nbytes:
            stream, source = stream or self.stream, values.ctypes.data
            if not self.staging.upload(memory.address, source, values.nbytes, stream):
                self.driver.copy(memory.address, source, values.nbytes, stream)
            self.driver.synchronize(stream)
        return memory

    def download(self, address: int, values: NDArray[Any], stream: int = 0) -> None:
        """Copy device memory into a contiguous host array; waits until it is there."""
        if values.nbytes:
            stream = stream or self.stream
            self.driver.copy(values.ctypes.data, address, values.nbytes, stream)
            self.driver.synchronize(stream)

    def kernel(self, cubin: bytes, name: str, shared_bytes: int = 0) -> Kernel:
        """Return a kernel, ready to launch with so much shared memory of its own choice."""
        return Kernel(self.driver, cubin, name, shared_bytes)

    def num_blocks(self, entries: int, kernel: Kernel | None) -> int:
        """Return how many blocks a launch over so many vertices, edges or arcs has."""
        most = BLOCKS_EXPECTED * self.driver.num_multiprocessors
        most = most if kernel is None else kernel.most_blocks
        per_block = getattr(self.driver, "entries_per_block", ENTRIES_PER_BLOCK)
        return max(1, min(most, -(-entries // per_block)))


DEVICES: dict[int, Device] = {}
"""Those asked for so far."""


def device(name: str = "cuda") -> Device:
    """Return a device by name: ``cuda`` is the first GPU, ``cuda:1`` the second.

    Raises
    ------
    BackendUnavailableError
        If there is no such GPU, no driver, or the packages are missing.
    """
    ordinal = int(name.partition(":")[2] or 0)
    if ordinal not in DEVICES:
        is_simulated = simulated.is_asked_for()
        DEVICES[ordinal] = Device(simulation(ordinal) if is_simulated else CudaDriver(ordinal))
    return DEVICES[ordinal]


def simulation(ordinal: int) -> Any:
    """Return what stands in for a GPU's driver and simulates it, and say so.

    Raises
    ------
    BackendUnavailableError
        Of all but the first; and if the packages are missing.
    """
    if ordinal:
        raise BackendUnavailableError(
            f"there is no cuda:{ordinal}: with {simulated.SWITCH}=1 one GPU is simulated",
            remedy="Take cuda.",
        )
    if not all(map(is_installed, simulated.PACKAGES)):
        raise BackendUnavailableError(
            f"{simulated.SWITCH}=1 asks for a simulated GPU, which needs greenlet and numba-cuda",
            remedy="Install them with: pip install 'emv-graph[simulator]'.",
        )
    from emv.backends.simulated.gpu import SimulatedDriver  # it loads numba

    warn_at_caller(
        f"{simulated.SWITCH}=1: cuda is a GPU simulated in Python, to debug small graphs on. Times "
        "mean nothing.",
        HintWarning,
    )
    return SimulatedDriver()


def reach_each_other(some: Sequence[Device]) -> bool:
    """Return whether each of some GPUs can read and write the memory of every other."""
    return all(one.reaches(other) for one in some for other in some)
