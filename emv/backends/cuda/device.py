"""Devices as the runtime uses them: their memory, uploads, streams, kernels ready to launch."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends import simulated
from emv.backends.cuda.answers import awaken
from emv.backends.cuda.beside import here
from emv.backends.cuda.driver import CudaDriver
from emv.backends.cuda.pool import Memory, Pinned, Pool
from emv.backends.cuda.results import ResultPool
from emv.backends.cuda.staging import Staging
from emv.backends.cuda.together import THREADS
from emv.errors import BackendUnavailableError, HintWarning
from emv.imports import is_installed
from emv.tracebacks import warn_at_caller
from emv_kernels import aside, forks

ENTRIES_PER_BLOCK = 2048  # vertices or arcs that are worth a block
WAKING_SHARE = 1 << 17
"""One in so many bytes of its memory is copied to wake links: about a MiB."""
BLOCKS_EXPECTED = 2  # per multiprocessor, before the kernel is compiled


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
        if self.before is not None:
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
        self.label = f"cuda:{self.ordinal}"  # what `Graph.on` calls it
        self.by_hand: dict[tuple[str, tuple[str, ...]], Kernel] = {}  # see `kernels`
        self.ready: dict[tuple[Any, ...], Any] = {}  # the same, by what a launch is given
        self.face: Any = None  # as a graph sees it, see `graph_device`
        self.rooms: dict[int, Any] = {}  # made ready for the next call, by stream, see `few_slots`
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
        place = here()
        return self.own_stream if place is None else self.stream_apart(place.number)

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

    @functools.cached_property
    def touched(self) -> tuple[int, int]:
        """Where others write to that links may wake, and how many bytes; nobody reads it."""
        with self.current():
            nbytes = self.driver.memory()[1] // WAKING_SHARE
            return (self.driver.allocate(nbytes) if nbytes else 0), nbytes

    def wake_links(self, others: Iterable[Device]) -> None:
        """Copy to others, beside all else, before kernels meet that are to have awake links.

        A link that has slept answers the first access after some 100 microseconds, and addresses
        are spread over all links between two GPUs. So more is copied than goes over one of them.
        """
        with self.current():
            for other in others:
                if other is not self:
                    nbytes = min(self.touched[1], other.touched[1])
                    self.driver.copy(other.touched[0], self.touched[0], nbytes, self.beside)

    def free_bytes(self) -> int:
        """Return what a run may take: what the driver has free, and what the pool keeps."""
        with self.current():  # another thread may have made it
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

MAKING = threading.Lock()  # who has it makes a device, which others wait for
forks.wait_for(MAKING, 0)


def device(name: str = "cuda") -> Device:
    """Return a device by name: ``cuda`` is the first GPU, ``cuda:1`` the second.

    Raises
    ------
    BackendUnavailableError
        If there is no such GPU, no driver, or the packages are missing.
    """
    ordinal = ordinal_of(name)
    if ordinal not in DEVICES:
        with MAKING:
            if ordinal not in DEVICES:
                is_such = simulated.is_asked_for()
                DEVICES[ordinal] = Device(simulation(ordinal) if is_such else CudaDriver(ordinal))
    return DEVICES[ordinal]


def begin(name: str) -> None:
    """Let other threads make a device, unless it was made before.

    The driver takes tenths of a second for the first, and Python can do something else meanwhile:
    one thread wakes the driver, another loads what speaks to it, and then makes the device.
    Whoever asks `device` waits for it, and hears there why there is none.
    """
    if made(name) is None and not simulated.is_asked_for():
        aside.begin(lambda: awaken(ordinal_of(name)))
        aside.begin(lambda: device(name))


def made(name: str) -> Device | None:
    """Return a device if it was made before."""
    return DEVICES.get(ordinal_of(name))


def ordinal_of(name: str) -> int:
    """Return the number of a device.

    Examples
    --------
    >>> ordinal_of("cuda"), ordinal_of("cuda:1")
    (0, 1)
    """
    return int(name.partition(":")[2] or 0)


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
