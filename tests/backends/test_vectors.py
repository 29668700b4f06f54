"""Vectors of a fixed size as messages, folded part by part, and as parameters."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import busy, heard

import emv
from emv import Edge, MessageList, Vector, Vertex, edge, f32, f64, i32, mlist, program, vertex
from emv.errors import EmvError, LanguageError, TypeMismatchError


class Place(Vertex):
    x: f32
    y: f32
    n: i32
    far: f64 = 0.0
    turned: f32 = 0.0
    seen: i32 = 0


@edge
def tell(e: Edge[Place]):
    e.send(Vector(e.src.x, e.src.y, 1))


@edge
def tell_counts(e: Edge[Place]):
    counts = Vector(e.src.n, -e.src.n)
    if counts[0] < counts[1]:
        counts = (counts[1], counts[0])
    e.send(counts)


@vertex
def measure(v: Place, total: Vector[f32, 3], axis: int):
    squares = 0.0
    for k in range(len(total)):
        squares += total[k] * total[k]
    v.far = squares
    v.turned = total[axis] - total[-1]


@mlist
def count(v: Place, said: MessageList[Vector[i32, 2]]):
    for each in said:
        for k in range(2):
            v.seen += each[k] * (k + 1)


larger = emv.combiner(lambda a, b: b if b[0] > a[0] else a, (-10, 0))


@program
def vectors(g, axis):
    said, pushed, counts = tell(g), tell(g.only([0, 1, 2, 3, 4])), tell_counts(g)
    measure(g, emv.sum(said), axis)
    count(counts.receivers, counts)
    return {
        "sum": emv.sum(pushed),
        "min": emv.min(pushed),
        "max": emv.max(said, initial=Vector(0.0, 1.0, 0.0)),
        "any": emv.any(said),
        "counts": emv.sum(counts),
        "least": emv.min(counts),
        "larger": larger(counts),
        "columns": (g.vertices.far, g.vertices.turned, g.vertices.seen),
    }


def test_vectors_are_folded_by_parts(backend):
    g, x, y, n = busy(), [2.0, 0.5, -2.0, 4.0, 9.0], [0.0, 3.0, 5.0, -6.0, 1.0], [3, -1, 4, 1, -5]
    g.vertices.x, g.vertices.y = np.array(x, f32), np.array(y, f32)
    g.vertices.n = np.array(n, i32)
    found = vectors(g, 1, backend=backend)
    said = heard(g, [(x[v], y[v], 1.0) for v in range(5)])
    counts = heard(g, [(abs(each), -abs(each)) for each in n])

    def folded(messages, fold, start):
        rows = []
        for each in messages:
            parts = zip(*each, strict=True) if each else [()] * len(start)
            rows.append([fold([a, *b]) for a, b in zip(start, parts, strict=True)])
        return rows

    inf = np.inf
    expected = {
        "sum": folded(said, sum, (0.0,) * 3),
        "min": folded(said, min, (inf,) * 3),
        "max": folded(said, max, (0.0, 1.0, 0.0)),
        "any": folded(said, any, (False,) * 3),
        "counts": folded(counts, sum, (0, 0)),
        "least": folded(counts, min, (2**31 - 1,) * 2),
        "larger": [list(max(each, key=lambda c: c[0], default=(-10, 0))) for each in counts],
    }
    kinds = {"sum": f32, "min": f32, "max": f32, "any": bool, "counts": np.int64, "least": i32}
    for name, rows in expected.items():
        assert found[name].tolist() == rows, name
        assert found[name].dtype == kinds.get(name, i32), name
    far, turned, seen = (each.tolist() for each in found["columns"])
    assert far == [sum(part**2 for part in row) for row in expected["sum"]]
    assert turned == [row[1] - row[2] for row in expected["sum"]]
    assert seen == [sum(a + 2 * b for a, b in each) for each in counts]


def test_an_index_past_the_end_is_an_error(backend):
    g = busy()
    for name, kind in {"x": f32, "y": f32, "n": i32}.items():
        g.vertices[name] = np.ones(5, kind)
    with pytest.raises((EmvError, IndexError)):
        vectors(g, 3, backend=backend)


def test_what_is_no_vector_is_refused():
    for wrong in [(f32, 0), (f32, 65), (f32, True), (str, 3), f32]:
        with pytest.raises(TypeMismatchError, match="number type and how many"):
            Vector[wrong]

    @edge
    def index_by_float(e: Edge[Place]):
        e.send(Vector(1, 2)[e.src.x])

    with pytest.raises(TypeMismatchError, match="whole number, not f32"):
        index_by_float.body  # noqa: B018

    @edge
    def nothing(e: Edge[Place]):
        e.send(Vector())

    with pytest.raises(LanguageError, match="a vector has 1 to 64 numbers"):
        nothing.body  # noqa: B018
