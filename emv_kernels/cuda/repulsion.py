"""Repulsion between all bodies by Barnes and Hut, on a GPU; see `emv_kernels.cpu.repulsion`.

The tree is the same: one array, in which node i has the children 2i and 2i + 1, above leaves of
bodies in the order of Hilbert's curve. A warp walks for a group, a lane for each of its bodies: a
node is opened for all if it is too near to one, so all lanes take one way and read the same nodes
(Burtscher and Pingali, GPU Computing Gems Emerald Edition, 2011).

Rows of four numbers are read by one load. That of a body is its place and its mass, behind the last
come some without mass until a group is full. That of a node is its centre and its mass; in a plane
its squared diagonal stands where the third coordinate would, in a space in an array of its own.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_max, fetch_min
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.singles import four, fused, inverse
from emv_kernels.cuda.warps import ALL, largest_of, smallest_of
from emv_kernels.curves import curve_functions

ROW, BOX = 4, 6  # entries of a body or node, and of a box: three lows, three highs
MASS, DIAGONAL2 = 3, 2
KEY_BITS = 32
TOGETHER = 8  # bodies whose rows are on their way at once; a leaf has a multiple of it

_in_plane, _in_space = curve_functions(device)


@device
def _bound_along(axis, box, part, count):
    """Widen one side of a box until it holds all coordinates."""
    i = np.int64(cuda.grid(1))
    low = high = axis[min(i, count - 1)]
    while i < count:
        low, high = min(low, axis[i]), max(high, axis[i])
        i += cuda.gridsize(1)
    low, high = smallest_of(low), largest_of(high)
    if cuda.laneid == 0:
        fetch_min(box, part, low)
        fetch_max(box, part + 3, high)


@device
def bound(x, y, z, box, parts, count):
    """Widen a box, three lows and three highs, until it holds all bodies."""
    _bound_along(x, box, 0, count)
    _bound_along(y, box, 1, count)
    if parts == 3:
        _bound_along(z, box, 2, count)


@device
def _cell(coordinate, low, scale, most):
    """Return in which of the cells from 0 to `most` a coordinate lies."""
    return min(max(np.int64((coordinate - low) * scale), np.int64(0)), most)


@device
def place_on_curve(x, y, z, box, keys, parts, count):
    """Write where each body stands on the curve."""
    bits = KEY_BITS // parts
    most = (np.int64(1) << bits) - 1
    widest = max(box[3] - box[0], box[4] - box[1])
    if parts == 3:
        widest = max(widest, box[5] - box[2])
    scale = np.float32(0.0)
    if widest > 0.0:
        scale = np.float32(np.float64(most + 1) / widest * (1.0 - 1e-6))
    i = np.int64(cuda.grid(1))
    while i < count:
        right, up = _cell(x[i], box[0], scale, most), _cell(y[i], box[1], scale, most)
        if parts == 2:
            keys[i] = _in_plane(right, up, bits)
        else:
            keys[i] = _in_space(right, up, _cell(z[i], box[2], scale, most), bits)
        i += cuda.gridsize(1)


@device
def line_up(x, y, z, mass, order, bodies, parts, count, whole):
    """Write the bodies in their order on the curve, and some without mass until all are there."""
    i = np.int64(cuda.grid(1))
    while i < whole:
        one, at = np.int64(order[min(i, count - 1)]), ROW * i
        bodies[at] = x[one]
        bodies[at + 1] = y[one]
        bodies[at + 2] = z[one] if parts == 3 else np.float32(0.0)
        bodies[at + MASS] = mass[one] if i < count else np.float32(0.0)
        i += cuda.gridsize(1)


@device
def _measure(nodes, sizes, boxes, parts, node):
    """Write the squared diagonal of a node's box."""
    diagonal2 = np.float32(0.0)
    for part in range(parts):
        side = boxes[BOX * node + part + 3] - boxes[BOX * node + part]
        diagonal2 += side * side
    if parts == 2:
        nodes[ROW * node + DIAGONAL2] = diagonal2
    else:
        sizes[node] = diagonal2


@device
def make_leaves(bodies, nodes, sizes, boxes, parts, leaf, num_bodies, count):
    """Write the nodes of the leaves, the last of the tree, and the boxes around their bodies."""
    number = np.int64(cuda.grid(1))
    while number < count:
        node, at = count + number, number * leaf
        stop = min(at + leaf, num_bodies)
        mass = np.float64(0.0)
        for i in range(at, stop):
            mass += bodies[ROW * i + MASS]
        nodes[ROW * node + MASS] = mass
        if at >= stop:
            for part in range(parts):
                nodes[ROW * node + part] = np.float32(0.0)
            if parts == 2:  # nobody is too near to what is empty
                nodes[ROW * node + DIAGONAL2] = -1.0
            else:
                sizes[node] = -1.0
        else:
            for part in range(parts):
                low = high = bodies[ROW * at + part]
                total = np.float64(0.0)
                for i in range(at, stop):
                    here = bodies[ROW * i + part]
                    low, high = min(low, here), max(high, here)
                    total += np.float64(here) * bodies[ROW * i + MASS]
                nodes[ROW * node + part] = total / mass
                boxes[BOX * node + part] = low
                boxes[BOX * node + part + 3] = high
            _measure(nodes, sizes, boxes, parts, node)
        number += cuda.gridsize(1)


@device
def _join(nodes, sizes, boxes, parts, node):
    """Write a node whose children are there."""
    left, right = 2 * node, 2 * node + 1
    heavy = nodes[ROW * right + MASS]
    if heavy == 0.0:  # the empty ones are the last
        for part in range(ROW):
            nodes[ROW * node + part] = nodes[ROW * left + part]
        for part in range(BOX):
            boxes[BOX * node + part] = boxes[BOX * left + part]
        if parts == 3:
            sizes[node] = sizes[left]
    else:
        mass = np.float64(nodes[ROW * left + MASS]) + heavy
        share = heavy / mass
        for part in range(parts):
            here = nodes[ROW * left + part]
            nodes[ROW * node + part] = here + share * (nodes[ROW * right + part] - here)
            low, high = BOX * node + part, BOX * node + part + 3
            boxes[low] = min(boxes[BOX * left + part], boxes[BOX * right + part])
            boxes[high] = max(boxes[BOX * left + part + 3], boxes[BOX * right + part + 3])
        nodes[ROW * node + MASS] = mass
        _measure(nodes, sizes, boxes, parts, node)


@device
def join_children(nodes, sizes, boxes, parts, span, count):
    """Write the nodes above the last `count`: each block those of so many, up to one node."""
    stretch = np.int64(cuda.blockIdx.x)
    while stretch * span < count:
        level, width = count // 2, span // 2
        while width > 0:
            k = np.int64(cuda.threadIdx.x)
            while k < width:
                _join(nodes, sizes, boxes, parts, level + stretch * width + k)
                k += cuda.blockDim.x
            cuda.syncthreads()
            level, width = level // 2, width // 2
        stretch += cuda.gridDim.x


@device
def _with_push(mass, dx, dy, dz, away2, sums):
    """Return the sum of forces on a body with that of a mass, by how far away it is, squared."""
    by = mass * inverse(away2)
    return fused(dx, by, sums[0]), fused(dy, by, sums[1]), fused(dz, by, sums[2])


@device
def _behind(node):
    """Return the node that follows in a walk which does not go down."""
    node = np.int32(node + 1)
    return np.int32(node >> (cuda.ffs(node) - 1))


def _leaf_walk(is_plane):
    """Return what adds the forces of the bodies of a leaf, one by one."""

    @device
    def with_leaf(bodies, j, stop, x, y, z, nearest, sums):
        while True:
            for k in range(TOGETHER):
                at_x, at_y, at_z, mass = four(bodies, j + k)
                dx, dy, dz = x - at_x, y - at_y, z - at_z
                away2 = fused(dx, dx, dy * dy)
                if not is_plane:
                    away2 = fused(dz, dz, away2)
                sums = _with_push(mass, dx, dy, dz, max(away2, nearest), sums)
            j += TOGETHER
            if j >= stop:
                return sums

    return with_leaf


def _tree_walk(is_plane):
    """Return what adds up the forces on a body, whose warp walks for it and 31 others."""
    with_leaf = _leaf_walk(is_plane)

    @device
    def felt(nodes, sizes, bodies, x, y, z, opening, nearest, first_leaf, leaf):
        sums = np.float32(0.0), np.float32(0.0), np.float32(0.0)
        node = np.int32(1)
        while True:
            at_x, at_y, at_z, mass = four(nodes, node)
            size = at_z if is_plane else sizes[node]
            dx, dy, dz = x - at_x, y - at_y, z - at_z
            away2 = dx * dx + dy * dy  # rounded as on cores, so that decisions are theirs
            if not is_plane:
                away2 += dz * dz
            is_near = size > opening * away2  # never where a place is no number: nothing is opened
            if cuda.all_sync(ALL, not is_near):
                sums = _with_push(mass, dx, dy, dz, max(away2, nearest), sums)
            elif node < first_leaf:
                node = np.int32(node << 1)
                continue
            else:
                first = np.int64(node - first_leaf) * leaf
                sums = with_leaf(bodies, first, first + leaf, x, y, z, nearest, sums)
            node = _behind(node)
            if node == 1:
                return sums

    return felt


_felt_in_plane, _felt_in_space = _tree_walk(True), _tree_walk(False)


@device
def _opening_of(theta2):
    """Return what squared distances are multiplied with; kept, where it would be made anew."""
    return cuda.shfl_sync(ALL, np.float32(theta2), 0)


@device
def walk_in_plane(
    nodes, sizes, bodies, order, force_x, force_y, theta2, near2, leaf, leaves, count
):
    """Write the force on every body, per mass of its own, in their order before the sort."""
    opening, nearest, first_leaf = _opening_of(theta2), np.float32(near2), np.int32(leaves)
    i = np.int64(cuda.grid(1))
    while (i & ~31) < count:  # whole warps
        x, y, z, _ = four(bodies, i)
        sums = _felt_in_plane(nodes, sizes, bodies, x, y, z, opening, nearest, first_leaf, leaf)
        if i < count:
            to = np.int64(order[i])
            force_x[to], force_y[to] = sums[0], sums[1]
        i += cuda.gridsize(1)


@device
def walk_in_space(
    nodes, sizes, bodies, order, force_x, force_y, force_z, theta2, near2, leaf, leaves, count
):
    """Write the force on every body, per mass of its own, in their order before the sort."""
    opening, nearest, first_leaf = _opening_of(theta2), np.float32(near2), np.int32(leaves)
    i = np.int64(cuda.grid(1))
    while (i & ~31) < count:  # whole warps
        x, y, z, _ = four(bodies, i)
        sums = _felt_in_space(nodes, sizes, bodies, x, y, z, opening, nearest, first_leaf, leaf)
        if i < count:
            to = np.int64(order[i])
            force_x[to], force_y[to], force_z[to] = sums
        i += cuda.gridsize(1)
