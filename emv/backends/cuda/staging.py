"""Long copies from the host to a GPU: several threads fill pinned memory, which the bus empties.

The driver copies from pageable memory by one thread that fills one small buffer after another, at
a fraction of the bus's speed. Here each thread has two buffers: it fills one while the other is on
its way. The buffers of a device stay, as pinning memory takes longer than many copies.
"""

from __future__ import annotations

import ctypes
import logging
import threading
from typing import Any

from emv.backends.cuda.answers import OutOfMemoryError
from emv.config import config
from emv_kernels.aside import all_at_once

STAGED_FROM = 2**23  # bytes from which a copy is worth threads
PIECE = 2**21  # bytes of a buffer
MOST_THREADS = 8

log = logging.getLogger("emv")


class Staging:
    """The pinned buffers of one device.

    Parameters
    ----------
    driver : CudaDriver
        Of the device.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.lock = threading.Lock()
        self.buffers: list[list[tuple[int, Any]]] | None = None  # by thread: address and event
        self.threads = 0

    def upload(self, target: int, source: int, nbytes: int, stream: int) -> bool:
        """Put a copy from the host on a stream, which has read it all when this returns.

        Return whether that was done: not where few bytes or one thread gain nothing by it.
        """
        if nbytes < STAGED_FROM or config.num_threads < 2:
            return False
        with self.lock:
            if self.buffers is None:
                self.make_buffers()
            if not self.buffers:
                return False
            bounds = list(range(0, nbytes, PIECE))
            parts = [bounds[k :: self.threads] for k in range(self.threads)]

            def fill(begins: list[int], buffers: list[tuple[int, Any]]) -> None:
                self.send(target, source, nbytes, stream, begins, buffers)

            all_at_once(fill, parts, self.buffers, num_threads=self.threads)
        return True

    def send(
        self,
        target: int,
        source: int,
        nbytes: int,
        stream: int,
        begins: list[int],
        buffers: list[tuple[int, Any]],
    ) -> None:
        """Copy the pieces of one thread through its buffers, and wait until both are free."""
        driver = self.driver
        before = driver.use()
        try:
            for number, begin in enumerate(begins):
                address, event = buffers[number % 2]
                if number > 1:
                    driver.finish(event)
                size = min(PIECE, nbytes - begin)
                ctypes.memmove(address, source + begin, size)  # lets go of Python's lock
                driver.copy(target + begin, address, size, stream)
                driver.record(event, stream)
            for _, event in buffers[: len(begins)]:
                driver.finish(event)
        finally:
            driver.leave(before)

    def make_buffers(self) -> None:
        """Pin the buffers; none where the system allows no more."""
        self.threads = min(config.num_threads, MOST_THREADS)
        try:
            self.buffers = [
                [(self.driver.allocate_pinned(PIECE), self.driver.new_event()) for _ in range(2)]
                for _ in range(self.threads)
            ]
        except OutOfMemoryError:
            log.info("no memory can be pinned: copies to the GPU are slower")
            self.buffers = []
