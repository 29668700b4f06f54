"""Checks that are compiled serial loops: what arrays would take thousands of passes for.

Paths: U. Brandes, Journal of Mathematical Sociology 25, 2001. Forests: J. B. Kruskal, Proceedings
of the AMS 7, 1956, with union by pointer halving. Core numbers: V. Batagelj, M. Zaversnik, 2003,
vertices in bins by what is left of their degree. None of it is emv's.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def dependencies_of(first, other, source):
    """Return what each vertex adds to the shortest paths from a source, float64[num_vertices].

    Numbers of paths are logarithms: of a grid of 520 x 520 there are more than floats hold.
    """
    n = len(first) - 1
    depth, order = np.full(n, -1, np.int32), np.empty(n, np.int32)
    logs, adds = np.zeros(n), np.zeros(n)
    depth[source], order[0], begin, end = 0, source, 0, 1
    while begin < end:
        v = order[begin]
        begin += 1
        for k in range(first[v], first[v + 1]):
            w = other[k]
            if depth[w] < 0:
                depth[w], logs[w], order[end] = depth[v] + 1, logs[v], w
                end += 1
            elif depth[w] == depth[v] + 1:
                logs[w] = np.logaddexp(logs[w], logs[v])
    for k in range(end - 1, -1, -1):
        v = order[k]
        for place in range(first[v], first[v + 1]):
            w = other[place]
            if depth[w] == depth[v] + 1:
                adds[v] += np.exp(logs[v] - logs[w]) * (1 + adds[w])
    adds[source] = 0
    return adds


@njit(nogil=True, cache=True)
def joining(src, dst, num_vertices):
    """Return which edges, taken one after the other, join two components: bool[num_edges]."""
    parent = np.arange(num_vertices).astype(np.int32)
    joins = np.zeros(len(src), np.bool_)
    for k in range(len(src)):
        one, other = src[k], dst[k]
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        while parent[other] != other:
            parent[other] = parent[parent[other]]
            other = parent[other]
        if one != other:
            parent[max(one, other)] = min(one, other)
            joins[k] = True
    return joins


@njit(nogil=True, cache=True)
def core_numbers(first, other):
    """Return the core number of every vertex of a simple graph, int32[num_vertices]."""
    n = len(first) - 1
    left = np.empty(n, np.int32)
    for v in range(n):
        left[v] = first[v + 1] - first[v]
    begins = np.zeros((left.max() if n else 0) + 2, np.int64)  # of each bin
    for v in range(n):
        begins[left[v] + 1] += 1
    for k in range(1, len(begins)):
        begins[k] += begins[k - 1]
    order, place, free = np.empty(n, np.int32), np.empty(n, np.int64), begins.copy()
    for v in range(n):
        place[v] = free[left[v]]
        order[place[v]] = v
        free[left[v]] += 1
    for k in range(n):
        v = order[k]
        for at in range(first[v], first[v + 1]):
            w = other[at]
            if left[w] > left[v]:  # w leaves its bin by changing places with the first in it
                ahead = order[begins[left[w]]]
                place[ahead], place[w] = place[w], place[ahead]
                order[place[ahead]], order[place[w]] = ahead, w
                begins[left[w]] += 1
                left[w] -= 1
    return left
