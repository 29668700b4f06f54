"""Repulsion between all bodies by Barnes and Hut, on a GPU; see `emv_kernels.cpu.repulsion`.

The tree is the same: one array, in which node i has the children 2i and 2i + 1, above leaves of
bodies in the order of a Z-curve. A body in a row has four entries, a node five, a box six. A warp
walks for a leaf, a lane for each of its bodies, so that all lanes take the same way and read the
same nodes (Burtscher and Pingali, GPU Computing Gems Emerald Edition, 2011, vote for that).
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_max, fetch_min
from emv_kernels.cuda.jit import device

LEAF = 32  # bodies, of which a warp walks for one
BODY, NODE, BOX = 4, 5, 6  # entries of each
MASS, DIAGONAL2 = 3, 4
KEY_BITS = 32


@device
def bound(x, y, z, box, count):
    """Widen a box, three lows and three highs, until it holds all bodies."""
    i = np.int64(cuda.grid(1))
    if i < count:
        low_x = high_x = x[i]
        low_y = high_y = y[i]
        low_z = high_z = z[i]
        while i < count:
            low_x, high_x = min(low_x, x[i]), max(high_x, x[i])
            low_y, high_y = min(low_y, y[i]), max(high_y, y[i])
            low_z, high_z = min(low_z, z[i]), max(high_z, z[i])
            i += cuda.gridsize(1)
        fetch_min(box, 0, low_x)
        fetch_min(box, 1, low_y)
        fetch_min(box, 2, low_z)
        fetch_max(box, 3, high_x)
        fetch_max(box, 4, high_y)
        fetch_max(box, 5, high_z)


@device
def _spread(coordinate, low, scale, bits, parts, part):
    """Return the bits of one coordinate where they stand in a key."""
    most = (np.int64(1) << bits) - 1
    cell = min(max(np.int64((coordinate - low) * scale), np.int64(0)), most)
    key = np.int64(0)
    for bit in range(bits):
        key |= ((cell >> bit) & 1) << (bit * parts + part)
    return key


@device
def place_on_curve(x, y, z, box, keys, count):
    """Write where each body stands on the Z-curve."""
    parts = 3 if box[5] > box[2] else 2
    bits = KEY_BITS // parts
    widest = max(box[3] - box[0], box[4] - box[1])
    widest = max(widest, box[5] - box[2])
    scale = np.float32(0.0)
    if widest > 0.0:
        scale = np.float32(np.float64(np.int64(1) << bits) / widest * (1.0 - 1e-6))
    i = np.int64(cuda.grid(1))
    while i < count:
        key = _spread(x[i], box[0], scale, bits, parts, 0)
        key |= _spread(y[i], box[1], scale, bits, parts, 1)
        if parts == 3:
            key |= _spread(z[i], box[2], scale, bits, parts, 2)
        keys[i] = key
        i += cuda.gridsize(1)


@device
def line_up(x, y, z, mass, order, bodies, count):
    """Write the bodies in their order on the curve."""
    i = np.int64(cuda.grid(1))
    while i < count:
        one, at = np.int64(order[i]), BODY * i
        bodies[at] = x[one]
        bodies[at + 1] = y[one]
        bodies[at + 2] = z[one]
        bodies[at + MASS] = mass[one]
        i += cuda.gridsize(1)


@device
def _measure(nodes, boxes, node):
    """Write the squared diagonal of a node's box."""
    diagonal2 = np.float32(0.0)
    for part in range(3):
        side = boxes[BOX * node + part + 3] - boxes[BOX * node + part]
        diagonal2 += side * side
    nodes[NODE * node + DIAGONAL2] = diagonal2


@device
def make_leaves(bodies, nodes, boxes, num_bodies, count):
    """Write the nodes of the leaves, the last of the tree, and the boxes around their bodies."""
    leaf = np.int64(cuda.grid(1))
    while leaf < count:
        node, at = count + leaf, leaf * LEAF
        stop = min(at + LEAF, num_bodies)
        mass = np.float64(0.0)
        for i in range(at, stop):
            mass += bodies[BODY * i + MASS]
        nodes[NODE * node + MASS] = mass
        if at >= stop:
            nodes[NODE * node + DIAGONAL2] = -1.0  # nobody is too near to what is empty
        else:
            for part in range(3):
                low = high = bodies[BODY * at + part]
                total = np.float64(0.0)
                for i in range(at, stop):
                    here = bodies[BODY * i + part]
                    low, high = min(low, here), max(high, here)
                    total += np.float64(here) * bodies[BODY * i + MASS]
                nodes[NODE * node + part] = total / mass
                boxes[BOX * node + part] = low
                boxes[BOX * node + part + 3] = high
            _measure(nodes, boxes, node)
        leaf += cuda.gridsize(1)


@device
def join_children(nodes, boxes, count):
    """Write the nodes of one level, from the number of them on, whose children are there."""
    node = count + np.int64(cuda.grid(1))
    while node < 2 * count:
        left, right = 2 * node, 2 * node + 1
        heavy = nodes[NODE * right + MASS]
        if heavy == 0.0:  # the empty ones are the last
            for part in range(NODE):
                nodes[NODE * node + part] = nodes[NODE * left + part]
            for part in range(BOX):
                boxes[BOX * node + part] = boxes[BOX * left + part]
        else:
            mass = np.float64(nodes[NODE * left + MASS]) + heavy
            share = heavy / mass
            for part in range(3):
                here = nodes[NODE * left + part]
                nodes[NODE * node + part] = here + share * (nodes[NODE * right + part] - here)
                low, high = BOX * node + part, BOX * node + part + 3
                boxes[low] = min(boxes[BOX * left + part], boxes[BOX * right + part])
                boxes[high] = max(boxes[BOX * left + part + 3], boxes[BOX * right + part + 3])
            nodes[NODE * node + MASS] = mass
            _measure(nodes, boxes, node)
        node += cuda.gridsize(1)


@device
def _outside(low, high, at):
    """Return how far a coordinate lies outside a range."""
    return max(max(low - at, at - high), np.float32(0.0))


@device
def _push(mass, dx, dy, dz, nearest):
    """Return what a mass pushes with, over the distance."""
    return mass / max(dx * dx + dy * dy + dz * dz, nearest)


@device
def walk(nodes, boxes, bodies, order, force_x, force_y, force_z, theta2, near2, first_leaf, count):
    """Write the force on every body, per mass of its own, in their order before the sort."""
    opening, nearest = np.float32(theta2), np.float32(near2)
    i = np.int64(cuda.grid(1))
    while i < count:
        x, y, z = bodies[BODY * i], bodies[BODY * i + 1], bodies[BODY * i + 2]
        box = BOX * (first_leaf + i // LEAF)
        low_x, low_y, low_z = boxes[box], boxes[box + 1], boxes[box + 2]
        high_x, high_y, high_z = boxes[box + 3], boxes[box + 4], boxes[box + 5]
        sum_x = sum_y = sum_z = np.float32(0.0)
        node = np.int64(1)
        while True:
            row = NODE * node
            at_x, at_y, at_z = nodes[row], nodes[row + 1], nodes[row + 2]
            dx, dy = _outside(low_x, high_x, at_x), _outside(low_y, high_y, at_y)
            dz = _outside(low_z, high_z, at_z)
            if nodes[row + DIAGONAL2] <= opening * (dx * dx + dy * dy + dz * dz):
                dx, dy, dz = x - at_x, y - at_y, z - at_z
                by = _push(nodes[row + MASS], dx, dy, dz, nearest)
                sum_x += dx * by
                sum_y += dy * by
                sum_z += dz * by
            elif node < first_leaf:
                node *= 2
                continue
            else:
                first = (node - first_leaf) * LEAF
                for j in range(first, min(first + LEAF, count)):
                    body = BODY * j
                    dx, dy, dz = x - bodies[body], y - bodies[body + 1], z - bodies[body + 2]
                    by = _push(bodies[body + MASS], dx, dy, dz, nearest)
                    sum_x += dx * by
                    sum_y += dy * by
                    sum_z += dz * by
            node += 1
            while node & 1 == 0:
                node >>= 1
            if node == 1:
                break
        to = np.int64(order[i])
        force_x[to], force_y[to], force_z[to] = sum_x, sum_y, sum_z
        i += cuda.gridsize(1)
