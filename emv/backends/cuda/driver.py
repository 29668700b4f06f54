"""One GPU through the CUDA driver API: raw memory, copies, fills, streams, events, launches.

Everything is a number here: device pointers, host addresses, streams (0 is the legacy default
stream), events. `emv.backends.cuda.device` builds what the runtime uses on top; the tests put a
stand-in of the same methods in its place. The driver's own documentation is the reference:
https://docs.nvidia.com/cuda/cuda-driver-api/.
"""

from __future__ import annotations

import logging
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.answers import api as api
from emv.backends.cuda.answers import checked as checked
from emv.backends.cuda.together import Together
from emv.errors import BackendUnavailableError

FILLED_APART = 4096  # entries of 8 bytes whose halves are filled one by one

log = logging.getLogger("emv")


def num_devices() -> int:
    """Return how many GPUs there are; 0 without driver or packages."""
    try:
        return int(checked(api().cuDeviceGetCount()))
    except BackendUnavailableError as error:
        log.debug("no GPU: %s", error)
        return 0


class CudaDriver:
    """One GPU.

    Parameters
    ----------
    ordinal : int
        Which, from 0.

    Attributes
    ----------
    name : str
        As the driver calls it.
    capability : (int, int)
        Its compute capability.
    num_multiprocessors : int
        How many blocks it works on at one time, at least.

    Raises
    ------
    BackendUnavailableError
        If there is no such GPU.
    """

    def __init__(self, ordinal: int) -> None:
        self.cuda = cuda = api()
        count = num_devices()
        if ordinal >= count:
            there = "there is one GPU, cuda:0" if count == 1 else f"there are {count} GPUs"
            raise BackendUnavailableError(
                f"there is no device 'cuda:{ordinal}': {there}",
                remedy=f"Name one from cuda:0 to cuda:{count - 1}.",
            )
        self.ordinal = ordinal
        self.handle = handle = checked(cuda.cuDeviceGet(ordinal))
        self.context = checked(cuda.cuDevicePrimaryCtxRetain(handle))
        self.own = int(self.context)
        self.name = checked(cuda.cuDeviceGetName(256, handle)).split(b"\0")[0].decode()
        kinds = cuda.CUdevice_attribute

        def fact(name: str) -> int:
            attribute = getattr(kinds, f"CU_DEVICE_ATTRIBUTE_{name}")
            return int(checked(cuda.cuDeviceGetAttribute(attribute, handle)))

        self.capability = (fact("COMPUTE_CAPABILITY_MAJOR"), fact("COMPUTE_CAPABILITY_MINOR"))
        self.num_multiprocessors = fact("MULTIPROCESSOR_COUNT")
        self.shared_bytes: dict[int, int] = {}  # by kernel, of those that ask for any
        self.is_blocking = os.environ.get("CUDA_LAUNCH_BLOCKING", "0") not in ("", "0")
        self.attribute = cuda.CUpointer_attribute

    def use(self) -> Any:
        """Make this GPU the current one of the calling thread; return what was, None if it was."""
        status, before = self.cuda.cuCtxGetCurrent()
        if int(before) == self.own:
            return None
        checked((status, before))
        checked(self.cuda.cuCtxSetCurrent(self.context))
        return before

    def leave(self, before: Any) -> None:
        """Make current what `use` found."""
        if before is not None and int(before):
            checked(self.cuda.cuCtxSetCurrent(before))

    # Other GPUs.

    def reaches(self, ordinal: int) -> bool:
        """Return whether kernels here can read and write the memory of another GPU."""
        other = checked(self.cuda.cuDeviceGet(ordinal))
        return bool(checked(self.cuda.cuDeviceCanAccessPeer(self.handle, other)))

    def has_atomics(self, ordinal: int) -> bool:
        """Return whether atomics of kernels here work on the memory of another GPU."""
        kinds = self.cuda.CUdevice_P2PAttribute
        what = kinds.CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
        other = checked(self.cuda.cuDeviceGet(ordinal))
        return bool(checked(self.cuda.cuDeviceGetP2PAttribute(what, self.handle, other)))

    def open_peer(self, other: CudaDriver) -> None:
        """Let kernels here read and write the memory of another GPU; this one is current."""
        answer = self.cuda.cuCtxEnablePeerAccess(other.context, 0)
        if answer[0] != self.cuda.CUresult.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED:
            checked(answer)

    # Memory.

    def memory(self) -> tuple[int, int]:
        """Return the bytes that are free, and those there are."""
        free, total = checked(self.cuda.cuMemGetInfo())
        return int(free), int(total)

    def allocate(self, nbytes: int) -> int:
        """Return the address of new device memory."""
        return int(checked(self.cuda.cuMemAlloc(nbytes)))

    def free(self, address: int) -> None:
        """Give device memory back; waits for all work of the GPU."""
        checked(self.cuda.cuMemFree(address))

    def allocate_pinned(self, nbytes: int) -> int:
        """Return the address of new host memory that copies need not stage."""
        return int(checked(self.cuda.cuMemAllocHost(nbytes)))

    def pin(self, address: int, nbytes: int) -> None:
        """Pin whole pages of host memory where they are."""
        checked(self.cuda.cuMemHostRegister(address, nbytes, 0))

    def unpin(self, address: int) -> None:
        """Let pages go that were pinned."""
        checked(self.cuda.cuMemHostUnregister(address))

    def ordinal_of(self, address: int) -> int:
        """Return the GPU that an address lies on, -1 for memory of the host."""
        kind = self.attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        status, ordinal = self.cuda.cuPointerGetAttribute(kind, address)
        return int(ordinal) if status == 0 else -1

    # Copies and fills, all put on a stream.

    def copy(self, target: int, source: int, nbytes: int, stream: int) -> None:
        """Copy between any two places, host or device, this GPU's or another's.

        Returns at once, except that pageable host memory is staged first.
        """
        checked(self.cuda.cuMemcpyAsync(target, source, nbytes, stream))

    def copy_apart(
        self, target: int, step: int, source: int, width: int, count: int, from_step: int = 0
    ) -> None:
        """Copy entries of ``width`` bytes to places ``step`` bytes apart.

        They lie ``from_step`` bytes apart, side by side unless that is given. Both on this GPU; put
        on the legacy default stream, with which the others keep in order.
        """
        cuda, rows = self.cuda, self.cuda.CUDA_MEMCPY2D()
        rows.srcMemoryType = rows.dstMemoryType = cuda.CUmemorytype.CU_MEMORYTYPE_DEVICE
        rows.srcDevice, rows.srcPitch = source, from_step or width
        rows.dstDevice, rows.dstPitch = target, step
        rows.WidthInBytes, rows.Height = width, count
        checked(cuda.cuMemcpy2DUnaligned(rows))  # the other form may refuse a pitch so small

    def fill(self, address: int, pattern: bytes, count: int, stream: int) -> None:
        """Write a pattern of 1, 2, 4 or 8 bytes ``count`` times."""
        cuda, width = self.cuda, len(pattern)
        if len(set(pattern)) == 1:
            checked(cuda.cuMemsetD8Async(address, pattern[0], count * width, stream))
            return
        words = [int.from_bytes(pattern[k : k + 4], "little") for k in range(0, width, 4)]
        if width == 2:
            checked(cuda.cuMemsetD16Async(address, words[0], count, stream))
        elif len(set(words)) == 1:
            checked(cuda.cuMemsetD32Async(address, words[0], count * len(words), stream))
        else:  # the two halves of some entries, and copies of these: a pitch of one entry is slow
            done = min(count, FILLED_APART)
            for k, word in enumerate(words):
                checked(cuda.cuMemsetD2D32Async(address + 4 * k, 8, word, 1, done, stream))
            while done < count:
                more = min(done, count - done)
                self.copy(address + 8 * done, address, 8 * more, stream)
                done += more

    # Streams and events.

    def new_stream(self, apart: bool = False) -> int:
        """Return a new stream.

        The legacy default stream waits for it, and it for that, unless it is to be ``apart``.
        """
        flag = self.cuda.CUstream_flags.CU_STREAM_NON_BLOCKING if apart else 0
        return int(checked(self.cuda.cuStreamCreate(int(flag))))

    def synchronize(self, stream: int) -> None:
        """Wait until everything on a stream is done."""
        checked(self.cuda.cuStreamSynchronize(stream))

    def is_done(self, stream: int) -> bool:
        """Return whether everything on a stream is done."""
        answer = self.cuda.cuStreamQuery(stream)
        if answer[0] == self.cuda.CUresult.CUDA_ERROR_NOT_READY:
            return False
        checked(answer)
        return True

    def synchronize_all(self) -> None:
        """Wait until everything on this GPU is done."""
        checked(self.cuda.cuCtxSynchronize())

    def new_event(self) -> Any:
        """Return a new event."""
        return checked(self.cuda.cuEventCreate(0))

    def free_event(self, event: Any) -> None:
        """Give an event back, as soon as it has happened."""
        checked(self.cuda.cuEventDestroy(event))

    def record(self, event: Any, stream: int) -> None:
        """Let an event happen when everything on a stream until now is done."""
        checked(self.cuda.cuEventRecord(event, stream))

    def wait(self, stream: int, event: Any) -> None:
        """Let what comes on a stream wait for an event."""
        checked(self.cuda.cuStreamWaitEvent(stream, event, 0))

    def hold(self, stream: int, address: int) -> None:
        """Let what comes on a stream wait until a word of pinned memory, now 0, is 1.

        A stream is not held where the GPU cannot, nor where CUDA is asked to wait for every launch,
        as that would be for ever.
        """
        if self.is_blocking:
            return
        at_least = self.cuda.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ
        answer = self.cuda.cuStreamWaitValue32(stream, address, 1, int(at_least))
        if answer[0] != self.cuda.CUresult.CUDA_ERROR_NOT_SUPPORTED:
            checked(answer)

    def finish(self, event: Any) -> None:
        """Wait until an event has happened."""
        checked(self.cuda.cuEventSynchronize(event))

    def seconds_between(self, first: Any, second: Any) -> float:
        """Return the seconds between two events that have happened."""
        return float(checked(self.cuda.cuEventElapsedTime(first, second))) / 1000

    # Kernels.

    def load(self, cubin: bytes, kernel: str, shared_bytes: int = 0) -> tuple[Any, Any]:
        """Return a loaded module, which must outlive the kernel, and its kernel.

        ``shared_bytes`` is what a block gets beside the shared memory that the kernel names.
        """
        module = checked(self.cuda.cuModuleLoadData(cubin))
        function = checked(self.cuda.cuModuleGetFunction(module, kernel.encode()))
        if shared_bytes:
            most = self.cuda.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            checked(self.cuda.cuFuncSetAttribute(function, most, shared_bytes))
            self.shared_bytes[int(function)] = shared_bytes
        return module, function

    def blocks_per_multiprocessor(self, function: Any, threads: int) -> int:
        """Return how many blocks of a kernel a multiprocessor holds at one time."""
        ask = self.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor
        return int(checked(ask(function, threads, self.shared_bytes.get(int(function), 0))))

    def launch(
        self,
        function: Any,
        blocks: int,
        threads: int,
        parameters: int,
        stream: int,
        meets: bool = True,
    ) -> None:
        """Start a kernel; it takes some microseconds.

        Parameters
        ----------
        parameters : int
            Address of an array of addresses, one per parameter.
        meets : bool
            Whether all blocks run at the same time, so that they may wait for each other; else
            there may be more of them, and each begins when another one ends.
        """
        shape = (function, blocks, 1, 1, threads, 1, 1)
        told = self.shared_bytes.get(int(function), 0), stream, parameters
        if meets:
            checked(self.cuda.cuLaunchCooperativeKernel(*shape, *told))
        else:
            checked(self.cuda.cuLaunchKernel(*shape, *told, 0))

    def launch_apart(
        self, function: Any, blocks: int, words: NDArray[np.uint64], threads: int, stream: int
    ) -> None:
        """Start a kernel whose blocks do not wait for each other; its parameters are words."""
        addresses = words.ctypes.data + 8 * np.arange(len(words), dtype=np.uint64)
        shape = (blocks, 1, 1, threads, 1, 1)
        checked(
            self.cuda.cuLaunchKernel(function, *shape, 0, stream, int(addresses.ctypes.data), 0)
        )

    def round(self, around: Any) -> Together:
        """Return what launches a kernel with what is around it; see `around.Around`."""
        return Together(self, around)
