"""A GPU simulated in plain Python, to debug on: ``NUMBA_ENABLE_CUDASIM=1``, numba's own switch.

Set it before Python starts. Then ``cuda`` is a GPU of two small blocks in the host's memory, and
every program runs there by its real kernels, bound and launched as on a real one: threads in an
order that a seed draws (`launch`, `block`), which numba's simulator lacks, as it lacks warps. An
index outside an array, threads that wait for each other in vain and a data race are errors that
name the lines (`races`). It takes some ten thousand times as long as a GPU, so graphs are to be
small, and needs neither a GPU nor CUDA, but the extra ``simulator``.
"""

from __future__ import annotations

import os

SWITCH = "NUMBA_ENABLE_CUDASIM"
PACKAGES = ("numba_cuda", "greenlet")
"""What it needs: the text of the simulator, and threads that take turns."""


def is_asked_for() -> bool:
    """Return whether ``cuda`` is to be a simulated GPU."""
    return os.environ.get(SWITCH) == "1"
