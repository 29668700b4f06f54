"""Programs that store to vertices found by a conditional index, and read there in the next call."""

from __future__ import annotations

from emv import Vertex, i32, i64, program, vertex


class Place(Vertex):
    sort: i32 = 0
    seen: i32 = 0
    many: i32 = 1
    got: i32 = 0


@vertex
def set_sort(v: Place):
    v.sort = v.id % 2


@vertex
def mark(v: Place, by: i64, n: i64):
    Place.at((v.id + by) % n if v.sort == 1 else v.id).seen = 1


@vertex
def double(v: Place, by: i64, n: i64):
    Place.at((v.id + by) % n if v.sort == 1 else v.id).many *= 2


@vertex
def take(v: Place):
    v.got = v.seen * 10 + v.many


@program
def marked(g, by, n):
    set_sort(g)
    mark(g, by, n)
    double(g, by, n)
    take(g)
    return g.vertices.got


@program
def only_marked(g, by, n):
    set_sort(g)
    mark(g, by, n)
    take(g)
    return g.vertices.got
