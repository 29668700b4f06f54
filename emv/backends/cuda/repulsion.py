"""What bodies push each other with, on a GPU: the steps of `emv_kernels.cuda.repulsion`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty, from_host
from emv.backends.cuda.kernels import launch
from emv.backends.cuda.sorting import entry_wise, sorted_places

LEAF, BODY, NODE, BOX = 32, 4, 5, 6  # as in the kernels, whose module imports numba
NUM_KEYS = 2**32
BOUNDING_BLOCKS = 32  # every one of their threads takes part in six atomics
SINGLE = np.dtype(np.float32)


def repelled_on_device(
    place: Sequence[DeviceArray], mass: DeviceArray, theta: float, near: float
) -> list[DeviceArray]:
    """Return what `emv.device.Device.repel` does; waits for nothing."""
    on, count = mass.device, mass.size
    box = from_host(on, np.repeat(np.float32([np.inf, -np.inf]), 3))
    launch(on, "repulsion.bound", [*place, box], [count], blocks=BOUNDING_BLOCKS)
    keys = empty(on, count, np.dtype(np.uint32))
    entry_wise(on, "repulsion.place_on_curve", [*place, box, keys], count)
    order, _ = sorted_places(keys, NUM_KEYS, keys.dtype, keeps_keys=False)
    bodies = empty(on, BODY * count, SINGLE)
    entry_wise(on, "repulsion.line_up", [*place, mass, order, bodies], count)
    first_leaf = 1 << max(0, (-(-count // LEAF) - 1).bit_length())
    nodes = empty(on, NODE * 2 * first_leaf, SINGLE)
    boxes = empty(on, BOX * 2 * first_leaf, SINGLE)
    entry_wise(on, "repulsion.make_leaves", [bodies, nodes, boxes], count, first_leaf)
    level = first_leaf // 2
    while level:
        entry_wise(on, "repulsion.join_children", [nodes, boxes], level)
        level //= 2
    forces = [empty(on, count, SINGLE) for _ in range(3)]
    numbers = (theta * theta, near * near, first_leaf, count)
    entry_wise(on, "repulsion.walk", [nodes, boxes, bodies, order, *forces], *numbers)
    return forces
