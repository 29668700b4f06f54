"""Launches that go to a GPU as one: a graph of the driver's, caught on a stream of its own.

A cooperative kernel stays one in a graph, and its parameters are read anew where they changed.
"""

from __future__ import annotations

import contextlib
from typing import Any

from emv.backends.cuda.answers import checked

MOST_NODES = 4
MOST_READY = 2  # graphs that are ready to launch, with other parameters
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
        self.node = checked(cuda.cuGraphGetNodes(self.graph, MOST_NODES))[0][1]
        self.changed = checked(cuda.cuGraphKernelNodeGetParams(self.node))
        self.changed.kernelParams = parameters
        self.ready = {self.words.tobytes(): checked(cuda.cuGraphInstantiate(self.graph, 0))}

    @property
    def mode(self) -> Any:
        """What other threads may do meanwhile: all."""
        return self.cuda.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

    def __call__(self, stream: int) -> None:
        """Put all on a stream."""
        words = self.words.tobytes()
        ready = self.ready.get(words) or self.made_ready(words)
        checked(self.cuda.cuGraphLaunch(ready, stream))

    def made_ready(self, words: bytes) -> Any:
        """Return what launches with these parameters; of many, the oldest one is changed.

        Results of one run after another often lie in two places by turns.
        """
        if len(self.ready) < MOST_READY:
            ready = checked(self.cuda.cuGraphInstantiate(self.graph, 0))
        else:
            ready = self.ready.pop(next(iter(self.ready)))
        self.ready[words] = ready
        checked(self.cuda.cuGraphExecKernelNodeSetParams(ready, self.node, self.changed))
        return ready

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the driver ends with its process
            for ready in self.ready.values():
                self.cuda.cuGraphExecDestroy(ready)
            self.cuda.cuGraphDestroy(self.graph)
