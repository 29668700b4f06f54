"""Launches that go to a GPU as one: a graph of the driver's, caught on a stream of its own.

A cooperative kernel stays one in a graph, and its parameters are read anew where they changed.
"""

from __future__ import annotations

import contextlib
from typing import Any

from emv.backends.cuda.answers import checked

MOST_NODES = 4
THREADS = 512  # of a block


class Together:
    """A kernel whose blocks run at the same time, between one before it and one behind it.

    Parameters
    ----------
    driver : CudaDriver
        Of the GPU, the current one.
    around : Around
        What is launched, with which parameters, which may change between launches; and what comes
        before it and behind it, whose parameters stay.
    """

    def __init__(self, driver: Any, around: Any) -> None:
        self.cuda = cuda = driver.cuda
        self.words = around.words
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
        self.ready = checked(cuda.cuGraphInstantiate(self.graph, 0))
        self.node = checked(cuda.cuGraphGetNodes(self.graph, MOST_NODES))[0][1]
        self.changed = checked(cuda.cuGraphKernelNodeGetParams(self.node))
        self.changed.kernelParams = parameters
        self.sent = self.words.tobytes()

    @property
    def mode(self) -> Any:
        """What other threads may do meanwhile: all."""
        return self.cuda.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

    def __call__(self, stream: int) -> None:
        """Put all on a stream."""
        words = self.words.tobytes()
        if words != self.sent:
            checked(self.cuda.cuGraphExecKernelNodeSetParams(self.ready, self.node, self.changed))
            self.sent = words
        checked(self.cuda.cuGraphLaunch(self.ready, stream))

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the driver ends with its process
            self.cuda.cuGraphExecDestroy(self.ready)
            self.cuda.cuGraphDestroy(self.graph)
