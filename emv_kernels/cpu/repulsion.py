"""Repulsion between all bodies by Barnes and Hut, on several threads.

Bodies stand in the order of Hilbert's curve (`emv_kernels.curves`), cut into leaves of `LEAF` each.
Above them is a complete binary tree in one array: node i has the children 2i and 2i + 1, the root
is node 1. A node has the mass of its bodies, their centre, and the diagonal of their box. `GROUP`
bodies in a row walk as one. Where all of them are farther away from the centre than the diagonal
over theta, they feel the mass there (Barnes and Hut, A hierarchical O(N log N) force-calculation
algorithm, Nature 324, 1986; groups are from Barnes, J. Comput. Phys. 87, 1990), which with theta
= 0 none does. The walk needs no stack: behind node i comes i + 1 without its trailing zeros. Each
body adds up its forces in the order of the walk, so the number of threads does not show.
`emv_kernels.cuda.repulsion` is the same on a GPU.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.jit import called, inlined
from emv_kernels.curves import curve_functions
from emv_kernels.sizes import GROUP, LEAF

X, Y, Z, MASS, DIAGONAL2 = range(5)  # of a node: its centre, its mass, the diagonal squared
KEY_BITS, ID_BITS = 32, 32  # of a body's place on the curve, and which body it is
ZERO = np.float32(0.0)
TINY = np.finfo(np.float32).tiny  # the square of what is nearer would be none
PARTS = 4  # of the bodies a thread, as some walk longer than others

_in_plane, _in_space = curve_functions(inlined)


@inlined
def _cell(coordinate, low, scale, most):
    """Return in which of the cells from 0 to `most` a coordinate lies."""
    return min(max(np.int64((coordinate - low) * scale), 0), most)


@entry()
def _keys(places, lows, scale, bits, begin, end, keys):
    """Write where each body stands on the curve, and behind these bits which body it is."""
    most = (1 << bits) - 1
    for i in range(begin, end):
        x = _cell(places[0, i], lows[0], scale, most)
        y = _cell(places[1, i], lows[1], scale, most)
        if len(places) == 2:
            keys[i] = _in_plane(x, y, bits) << ID_BITS | i
        else:
            place = _in_space(x, y, _cell(places[2, i], lows[2], scale, most), bits)
            keys[i] = place << ID_BITS | i


@entry()
def _leaves(bodies, first_leaf, begin, end, nodes, boxes):
    """Write the nodes of some leaves, and the boxes around their bodies."""
    for node in range(begin, end):
        at = (node - first_leaf) * LEAF
        stop = min(at + LEAF, bodies.shape[0])
        if at >= stop:
            nodes[node] = 0.0
            nodes[node, DIAGONAL2] = -1.0  # nobody is too near to what is empty
            continue
        mass = 0.0
        for part in range(3):
            low = high = bodies[at, part]
            total, mass = 0.0, 0.0
            for i in range(at, stop):
                low = min(low, bodies[i, part])
                high = max(high, bodies[i, part])
                total += np.float64(bodies[i, part]) * bodies[i, MASS]
                mass += bodies[i, MASS]
            nodes[node, part] = total / mass
            boxes[node, part] = low
            boxes[node, part + 3] = high
        nodes[node, MASS] = mass
        _measure(nodes, boxes, node)


@called
def _measure(nodes, boxes, node):
    """Write the squared diagonal of a node's box."""
    diagonal2 = np.float32(0.0)
    for part in range(3):
        side = boxes[node, part + 3] - boxes[node, part]
        diagonal2 += side * side
    nodes[node, DIAGONAL2] = diagonal2


@inlined
def _copy_row(array, row, other):
    """Write a row of an array over another one."""
    for part in range(array.shape[1]):
        array[row, part] = array[other, part]


@entry()
def _above(first_leaf, nodes, boxes):
    """Write the nodes above the leaves, from the lowest to the root."""
    for node in range(first_leaf - 1, 0, -1):
        left, right = 2 * node, 2 * node + 1
        if nodes[right, MASS] == 0.0:  # the empty ones are the last
            _copy_row(nodes, node, left)
            _copy_row(boxes, node, left)
            continue
        mass = np.float64(nodes[left, MASS]) + nodes[right, MASS]
        share = nodes[right, MASS] / mass
        for part in range(3):
            apart = nodes[right, part] - nodes[left, part]
            nodes[node, part] = nodes[left, part] + share * apart
            boxes[node, part] = min(boxes[left, part], boxes[right, part])
            boxes[node, part + 3] = max(boxes[left, part + 3], boxes[right, part + 3])
        nodes[node, MASS] = mass
        _measure(nodes, boxes, node)


@inlined
def _push(places, x, y, z, mass, near2, sums, axes):
    """Add what a mass at a place pushes the bodies of a group with."""
    dz = ZERO
    for lane in range(GROUP):
        dx, dy = places[0, lane] - x, places[1, lane] - y
        away2 = dx * dx + dy * dy
        if len(axes) == 3:  # which is known when this is compiled
            dz = places[2, lane] - z
            away2 += dz * dz
        by = mass / max(away2, near2)
        sums[0, lane] += dx * by
        sums[1, lane] += dy * by
        if len(axes) == 3:
            sums[2, lane] += dz * by


@inlined
def _is_far(places, x, y, z, diagonal2, theta2, axes):
    """Return whether a node looks small to all bodies of a group."""
    near = np.int32(0)
    for lane in range(GROUP):
        dx, dy = places[0, lane] - x, places[1, lane] - y
        away2 = dx * dx + dy * dy
        if len(axes) == 3:
            dz = places[2, lane] - z
            away2 += dz * dz
        near += np.int32(diagonal2 > theta2 * away2)
    return near == 0


@inlined
def _walk_for(places, sums, nodes, bodies, first_leaf, theta2, near2, axes):
    """Add up what pushes the bodies of one group."""
    node = 1
    while True:
        x, y, z = nodes[node, X], nodes[node, Y], nodes[node, Z]
        if _is_far(places, x, y, z, nodes[node, DIAGONAL2], theta2, axes):
            _push(places, x, y, z, nodes[node, MASS], near2, sums, axes)
        elif node < first_leaf:
            node *= 2
            continue
        else:
            other = (node - first_leaf) * LEAF
            for j in range(other, min(other + LEAF, bodies.shape[0])):
                x, y, z = bodies[j, X], bodies[j, Y], bodies[j, Z]
                _push(places, x, y, z, bodies[j, MASS], near2, sums, axes)
        node += 1
        while node & 1 == 0:
            node >>= 1
        if node == 1:
            break


@entry()
def _walk(nodes, bodies, order, axes, first_leaf, theta2, near2, begin, end, room, forces):
    """Write the forces on the bodies of some groups, per mass of their own, in their first order.

    Parameters
    ----------
    room : float32[6, GROUP]
        For the places of a group's bodies, and for their forces.
    axes : tuple of two or three int
        The parts of a place; how many decides what is compiled.
    """
    places, sums = room[:3], room[3:]
    for group in range(begin, end):
        at = group * GROUP
        count = min(GROUP, bodies.shape[0] - at)
        for part in range(3):
            for lane in range(GROUP):
                places[part, lane] = bodies[at + min(lane, count - 1), part]
                sums[part, lane] = 0.0
        _walk_for(places, sums, nodes, bodies, first_leaf, theta2, near2, axes)
        for lane in range(count):
            for part in axes:
                forces[part, order[at + lane]] = sums[part, lane]


def repelled(
    places: NDArray[np.float32],
    mass: NDArray[np.float32],
    theta: float,
    near: float,
    num_threads: int,
) -> NDArray[np.float32]:
    """Return the force on every body that all others push it with, per mass of its own.

    That is, of every other the mass over the distance, away from it.

    Parameters
    ----------
    places : float32[2, n] or float32[3, n]
        Coordinates in a plane or a space.
    mass : float32[n]
        Above 0.
    theta : float
        At least 0 and below 1: how wide a group of bodies may look that is felt as one.
    near : float
        Above 0: distances below it count as it.
    num_threads : int
        At most.

    Returns
    -------
    float32[2, n] or float32[3, n]

    Examples
    --------
    >>> places = np.array([[0, 2, 4], [0, 0, 0]], np.float32)
    >>> repelled(places, np.ones(3, np.float32), 0.5, 0.01, 1)[0]
    array([-0.75,  0.  ,  0.75], dtype=float32)
    """
    dim, count = places.shape
    bits = KEY_BITS // dim
    lows = places.min(axis=1)
    widest = float((places.max(axis=1) - lows).max()) or 1.0
    scale = np.float32((1 << bits) / widest * (1 - 1e-6))
    keys = np.empty(count, np.uint64)
    spread = places, lows, scale, bits
    _in_parts(lambda begin, end: _keys(*spread, begin, end, keys), 0, count, num_threads)
    keys.sort()
    order = (keys & np.uint64((1 << ID_BITS) - 1)).view(np.int64)
    bodies = np.zeros((count, 4), np.float32)
    bodies[:, :dim], bodies[:, MASS] = places.T[order], mass[order]
    first_leaf = 1 << max(0, (-(-count // LEAF) - 1).bit_length())
    nodes = np.empty((2 * first_leaf, 5), np.float32)
    boxes = np.empty((2 * first_leaf, 6), np.float32)

    def grow(begin: int, end: int) -> None:
        _leaves(bodies, first_leaf, begin, end, nodes, boxes)

    _in_parts(grow, first_leaf, 2 * first_leaf, num_threads)
    _above(first_leaf, nodes, boxes)
    forces = np.empty((dim, count), np.float32)
    tree = nodes, bodies, order, tuple(range(dim)), first_leaf
    theta2, near2 = np.float32(theta * theta), np.float32(max(near * near, TINY))

    def walk(begin: int, end: int) -> None:
        room = np.empty((6, GROUP), np.float32)
        _walk(*tree, theta2, near2, begin, end, room, forces)

    _in_parts(walk, 0, -(-count // GROUP), num_threads)
    return forces


def _in_parts(task: Any, begin: int, end: int, num_threads: int) -> None:
    """Do a task on stretches of a range, several at a time."""
    count = PARTS * num_threads if end - begin > 1024 and num_threads > 1 else 1
    bounds = [begin + (end - begin) * part // count for part in range(count + 1)]
    all_at_once(task, bounds[:-1], bounds[1:], num_threads=num_threads)
