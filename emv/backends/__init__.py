"""Where programs run: eager Python, which defines the language, and compiled CPU cores.

A GPU besides; graphs get it by the name that is registered here (`emv.device`).
"""

import functools

from emv.device import Devices, register


@functools.cache
def gpus() -> Devices:
    """Return the GPUs as graphs see them; loaded when the first graph asks for one."""
    from emv.backends.cuda import graph_device

    return graph_device


register("cuda", gpus)
