"""Messages that all senders leave before they are folded: on cores the last arcs of a row at once.

What stands past a row's end must leave every fold as it is, be that -0.0, nothing, or the largest
number there is.
"""

from __future__ import annotations

import numpy as np
import pytest
from backends_available import BACKENDS

import emv
from emv import Edge, Graph, Vertex, edge, f32, f64, i32, program, u64, vertex

LONGEST = 13


class Spot(Vertex):
    real: f64
    single: f32
    narrow: i32
    natural: u64
    truth: bool
    folded_real: f64 = 0.0
    folded_single: f32 = 0.0
    folded_narrow: i32 = 0
    folded_natural: u64 = 0
    folded_truth: bool = False


Line = Edge[Spot]


@edge
def tell_real(e: Line):
    e.send(e.src.real)


@edge
def tell_single(e: Line):
    e.send(e.src.single)


@edge
def tell_narrow(e: Line):
    e.send(e.src.narrow)


@edge
def tell_natural(e: Line):
    e.send(e.src.natural)


@edge
def tell_truth(e: Line):
    e.send(e.src.truth)


@vertex
def hear_real(v: Spot, told: f64):
    v.folded_real = told


@vertex
def hear_single(v: Spot, told: f32):
    v.folded_single = told


@vertex
def hear_narrow(v: Spot, told: i32):
    v.folded_narrow = told


@vertex
def hear_natural(v: Spot, told: u64):
    v.folded_natural = told


@vertex
def hear_truth(v: Spot, told: bool):
    v.folded_truth = told


VALUES = ("real", "single", "narrow", "natural", "truth")


@program(bind={name: getattr(Spot, name) for name in VALUES})
def smallest(g, real, single, narrow, natural, truth):
    hear_real(g, emv.min(tell_real(g)))
    hear_single(g, emv.max(tell_single(g)))
    hear_narrow(g, emv.min(tell_narrow(g)))
    hear_natural(g, emv.bitwise_or(tell_natural(g)))
    hear_truth(g, emv.all(tell_truth(g)))
    v = g.vertices
    return v.folded_real, v.folded_single, v.folded_narrow, v.folded_natural, v.folded_truth


@program(bind={name: getattr(Spot, name) for name in VALUES})
def added(g, real, single, narrow, natural, truth):
    hear_real(g, emv.sum(tell_real(g)))
    hear_single(g, emv.sum(tell_single(g)))
    hear_narrow(g, emv.max(tell_narrow(g)))
    hear_natural(g, emv.sum(tell_natural(g)))
    hear_truth(g, emv.any(tell_truth(g)))
    v = g.vertices
    return v.folded_real, v.folded_single, v.folded_narrow, v.folded_natural, v.folded_truth


def rows() -> Graph:
    """Return a graph in which vertex v has v in-arcs, the last vertices none."""
    dst = np.repeat(np.arange(LONGEST), np.arange(LONGEST))
    src = np.random.default_rng(2).integers(0, 2 * LONGEST, len(dst))
    order = np.argsort(src, kind="stable")  # in which rows have their arcs
    return Graph.from_edges(src[order], dst[order], num_vertices=2 * LONGEST)


def values(kind: str) -> dict[str, np.ndarray]:
    """Return what the vertices of `rows` send."""
    rng, n = np.random.default_rng(3), 2 * LONGEST
    real = rng.normal(size=n)
    if kind == "edge":
        real = np.where(rng.random(n) < 0.5, -0.0, np.where(rng.random(n) < 0.5, -np.inf, -1e308))
    return {
        "real": real,
        "single": np.float32(-1) * rng.random(n, np.float32),
        "narrow": rng.integers(2**30, 2**31, n).astype(np.int32) * (1 if kind == "edge" else -1),
        "natural": rng.integers(0, 2**62, n).astype(np.uint64) * np.uint64(3),
        "truth": rng.random(n) < (0.95 if kind == "edge" else 0.1),
    }


def by_rows(graph: Graph, sent: np.ndarray, fold: np.ufunc, nothing: object) -> np.ndarray:
    """Return the folds of what every vertex is sent, in the order of the arcs."""
    src, dst = graph.edges.endpoints()
    made = np.full(graph.num_vertices, nothing, sent.dtype)
    with np.errstate(over="ignore"):
        for a, b in zip(src, dst, strict=True):
            made[b] = fold(made[b], sent[a])
    return made


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", ["edge", "drawn"])
def test_rows_of_every_length_are_folded_as_numpy_does(backend, kind):
    graph, given = rows(), values(kind)
    for made, folds in (
        (smallest, (np.minimum, np.maximum, np.minimum, np.bitwise_or, np.logical_and)),
        (added, (np.add, np.add, np.maximum, np.add, np.logical_or)),
    ):
        nothing = {np.minimum: np.inf, np.maximum: -np.inf, np.logical_and: True}
        limits = {np.minimum: 2**31 - 1, np.maximum: -(2**31)}
        for name, fold, found in zip(
            VALUES, folds, made(graph, **given, backend=backend), strict=True
        ):
            wide = given[name].astype(np.float64) if name == "single" else given[name]
            start = (limits if name == "narrow" else nothing).get(fold, 0)
            wanted = by_rows(graph, wide, fold, start).astype(given[name].dtype)
            if name == "single":
                np.testing.assert_array_max_ulp(np.asarray(found), wanted, 1)
            elif backend.startswith("cuda") and wanted.dtype.kind == "f":
                # The lanes of a GPU fold a row side by side, so last digits are others.
                np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
            else:
                assert np.asarray(found).tobytes() == wanted.tobytes(), (made.name, name)
