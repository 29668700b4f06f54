"""What bodies push each other with, on a GPU: the steps of `emv_kernels.cuda.repulsion`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.device import THREADS
from emv.backends.cuda.kernels import launch
from emv.backends.cuda.sorting import entry_wise, sorted_places
from emv_kernels.sizes import GROUP, LEAF

ROW, BOX = 4, 6  # as in the kernels, whose module imports numba
NUM_KEYS = 2**32
BOUNDING_BLOCKS = 32  # every one of their warps takes part in six atomics
SPAN = 2 * THREADS  # nodes above which a block writes the tree
SINGLE = np.dtype(np.float32)
TINY = float(np.finfo(SINGLE).tiny)  # the square of what is nearer would be none


def repelled_on_device(
    place: Sequence[DeviceArray], mass: DeviceArray, theta: float, near: float
) -> list[DeviceArray]:
    """Return what `emv.device.Device.repel` does; waits for nothing."""
    order, bodies = lined_up(place, mass)
    nodes, sizes = tree_above(bodies, mass.size, len(place))
    return walked(nodes, sizes, bodies, order, (len(place), theta, near))


def lined_up(place: Sequence[DeviceArray], mass: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
    """Return the order of bodies on the curve, and their rows in it, in whole groups."""
    on, count, dim = mass.device, mass.size, len(place)
    axes = [*place, place[-1]][:3]  # where there is no third the kernels do not look
    box = empty(on, BOX, SINGLE)
    for half, farthest in ((box[:3], np.inf), (box[3:], -np.inf)):
        on.driver.fill(half.address, SINGLE.type(farthest).tobytes(), half.size, on.stream)
    launch(on, "repulsion.bound", [*axes, box], [dim, count], blocks=BOUNDING_BLOCKS)
    keys = empty(on, count, np.dtype(np.uint32))
    entry_wise(on, "repulsion.place_on_curve", [*axes, box, keys], dim, count)
    order, _ = sorted_places(keys, NUM_KEYS, keys.dtype, keeps_keys=False)
    whole = -(-count // GROUP) * GROUP
    bodies = empty(on, ROW * whole, SINGLE)
    entry_wise(on, "repulsion.line_up", [*axes, mass, order, bodies], dim, count, whole)
    return order, bodies


def tree_above(
    bodies: DeviceArray, count: int, dim: int, leaf: int = LEAF
) -> tuple[DeviceArray, DeviceArray]:
    """Return the nodes above so many bodies, and the squared diagonals of those in a space."""
    on, leaves = bodies.device, leaves_of(count, leaf)
    nodes = empty(on, ROW * 2 * leaves, SINGLE)
    sizes = empty(on, 2 * leaves if dim == 3 else 1, SINGLE)
    boxes = empty(on, BOX * 2 * leaves, SINGLE)
    arrays = [nodes, sizes, boxes]
    entry_wise(on, "repulsion.make_leaves", [bodies, *arrays], dim, leaf, count, leaves)
    while leaves > 1:
        span = min(SPAN, leaves)
        numbers = (dim, span, leaves)
        launch(on, "repulsion.join_children", arrays, numbers, blocks=leaves // span)
        leaves //= span
    return nodes, sizes


def leaves_of(count: int, leaf: int) -> int:
    """Return how many leaves of so many bodies a tree has, a power of two.

    Examples
    --------
    >>> leaves_of(1, 16), leaves_of(33, 16)
    (1, 4)
    """
    return 1 << max(0, (-(-count // leaf) - 1).bit_length())


def walked(
    nodes: DeviceArray,
    sizes: DeviceArray,
    bodies: DeviceArray,
    order: DeviceArray,
    numbers: tuple[int, float, float],
    leaf: int = LEAF,
) -> list[DeviceArray]:
    """Return the forces that walks find; the numbers are the dimension, theta, what is near."""
    (dim, theta, near), on, count = numbers, order.device, order.size
    forces = [empty(on, count, SINGLE) for _ in range(dim)]
    function = f"repulsion.walk_in_{'plane' if dim == 2 else 'space'}"
    told = (theta * theta, max(near * near, TINY), leaf, leaves_of(count, leaf), count)
    arrays = [nodes, sizes, bodies, order, *forces]
    launch(on, function, arrays, told, blocks=-(-count // THREADS))
    return forces
