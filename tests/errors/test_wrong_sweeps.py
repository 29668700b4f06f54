"""Loops of sweeps whose end would depend on who writes when, or that cannot be."""

import numpy as np
from errors.expect import refuses

import emv
from emv import Edge, EdgeList, Graph, Mask, Vertex, elist, i32, program, vertex
from emv.errors import LanguageError, TypeMismatchError


class Spot(Vertex):
    x: i32 = 0
    y: i32 = 0
    chosen: Mask


@elist
def read_two(v: Spot, links: EdgeList[Edge[Spot]]):
    for link in links:
        if link.dst.x > link.dst.y:
            v.x = 1
            v.y = 2
            emv.keep_going()


@program
def two_fields(g):
    for _ in g.sweeps():
        read_two(g)


def test_two_fields_of_others_change():
    refuses(
        two_fields,
        LanguageError,
        at="read_two(g)",
        under="read_two(g)",
        function="two_fields",
        says="x and y of other elements are read while they change",
        remedy="put what others must see into one field",
    )


@vertex
def throw(v: Spot):
    if emv.random() < 0.5:
        emv.keep_going()


@program
def drawing(g):
    for _ in g.sweeps():
        throw(g)


def test_draws_in_a_sweep():
    refuses(
        drawing,
        LanguageError,
        at="throw(g)",
        under="throw(g)",
        function="drawing",
        says="throw() draws in a sweep",
        remedy="Draw before the loop",
    )


@vertex
def choose(v: Spot):
    if v.x == 0:
        v.x = 1
        v.chosen.set()
        emv.keep_going()


@program
def masking(g):
    for _ in g.sweeps():
        choose(g)


def test_masks_in_a_sweep():
    refuses(
        masking,
        LanguageError,
        at="choose(g)",
        under="choose(g)",
        function="masking",
        says="choose() changes the mask chosen in a sweep",
        remedy="keep a field of numbers",
    )


@vertex
def count(v: Spot, step: int):
    v.x = step


@program
def numbered(g):
    for step in g.sweeps():
        count(g, step)


def test_sweeps_have_no_numbers():
    refuses(
        numbered,
        TypeMismatchError,
        at="count(g, step)",
        under="count(g, step)",
        function="numbered",
        says="step",
        remedy="",
    )


@program(host_loop=True)
def on_the_host(g):
    for nothing in g.sweeps():
        count(g, nothing)
    return np.int64(1)


def test_host_loops_do_not_sweep():
    graph = Graph.from_edges([0], [1])
    refuses(
        lambda: on_the_host(graph, backend="cpu"),
        LanguageError,
        at="for nothing in g.sweeps():",
        under="g.sweeps()",
        function="on_the_host",
        says="g.sweeps() in a program with host_loop=True",
        remedy="a program of their own",
    )
