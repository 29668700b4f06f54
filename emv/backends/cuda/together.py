"""Launches that go to a GPU as one: a graph of the driver's, caught on a stream of its own.

A cooperative kernel stays one in a graph. What is launched with the parameters of a launch before
takes up the graph of that one; else these are read anew.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from emv.backends.cuda.answers import checked

MOST_NODES = 4
MOST_READY = 4  # graphs that are ready to launch, with other parameters
THREADS = 512  # of a block


class Together:
    """A kernel whose blocks run at the same time, between one before it and one behind it.

    Parameters
    ----------
    driver : CudaDriver
        Of the GPU, the current one.
    around : Around
        What is launched, with which parameters, which may change between launches; what comes
        before it, which is told by then what to fill; and behind it, whose parameters stay.
    """

    def __init__(self, driver: Any, around: Any) -> None:
        self.cuda = cuda = driver.cuda
        self.words, self.order = around.words, around.order
        before, behind = around.launches()
        stream = driver.new_stream(apart=True)
        checked(cuda.cuStreamBeginCapture(stream, self.mode))
        try:
            driver.launch_apart(*before, THREADS, stream)
            kernel, parameters = around.kernel.function, around.parameters
            driver.launch(kernel, around.blocks, THREADS, parameters, stream)
            driver.launch_apart(*behind, THREADS, stream)
        finally:
            self.graph = checked(cuda.cuStreamEndCapture(stream))
            checked(cuda.cuStreamDestroy(stream))
        first, second = checked(cuda.cuGraphGetNodes(self.graph, MOST_NODES))[0][:2]
        self.told = before[2]
        self.places = self.told.ctypes.data + 8 * np.arange(len(self.told), dtype=np.uint64)
        self.changing = [
            self.changed(first, int(self.places.ctypes.data)),
            self.changed(second, parameters),
        ]
        self.ready: dict[Any, Any] = {}

    def changed(self, node: Any, parameters: int) -> tuple[Any, Any]:
        """Return a kernel of the graph, and what it is to be, with parameters from an address."""
        found = checked(self.cuda.cuGraphKernelNodeGetParams(node))
        found.kernelParams = parameters
        return node, found

    @property
    def mode(self) -> Any:
        """What may be done meanwhile: all, as Python's collector may give memory back at any line.

        That would end what is caught otherwise, and with it the launch.
        """
        return self.cuda.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED

    def __call__(self, stream: int, up: int, fills: Sequence[tuple[int, int, int]]) -> None:
        """Put all on a stream; see `Around.order` of what comes before the program."""
        known = (self.words.tobytes(), up, *fills)
        ready = self.ready.get(known) or self.made_ready(known, up, fills)
        answer = self.cuda.cuGraphLaunch(ready, stream)
        if answer[0]:
            checked(answer)

    def made_ready(self, known: Any, up: int, fills: Sequence[tuple[int, int, int]]) -> Any:
        """Return what launches with these parameters; of many, the oldest one is changed.

        Results of one run after another often lie in two places by turns.
        """
        self.order(up, fills)
        if len(self.ready) < MOST_READY:
            ready = checked(self.cuda.cuGraphInstantiate(self.graph, 0))
        else:
            ready = self.ready.pop(next(iter(self.ready)))
        for node, changed in self.changing:
            checked(self.cuda.cuGraphExecKernelNodeSetParams(ready, node, changed))
        self.ready[known] = ready  # not before: who is interrupted has changed some at most
        return ready

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the driver ends with its process
            for ready in self.ready.values():
                self.cuda.cuGraphExecDestroy(ready)
            self.cuda.cuGraphDestroy(self.graph)
