"""In which storage launches walk: as asked where they walk arcs, without shortcuts there."""

from __future__ import annotations

import pytest
from scheduled import asked_launches

import emv
from emv import Edge, Vertex, edge, f32, program, vertex
from emv.algorithms import bfs, boruvka, components, icm, pagerank, sssp
from emv.errors import ArgumentError


class Spot(Vertex):
    value: f32 = 0.0


class Road(Edge[Spot]):
    length: f32 = 1.0


@vertex
def to_all(v: Spot):
    v.send(v.value)
    v.value = 1.0


@edge
def tell(road: Road):
    road.send(road.src.value)


@vertex
def take(v: Spot, heard: f32):
    v.value = heard


@program
def all_hear(g):
    sent = to_all(g)
    take(sent.receivers, emv.sum(sent))


@program
def edges_tell(g):
    sent = tell(g.edges)
    take(sent.receivers, emv.sum(sent))


def test_unasked_rows_are_compressed():
    assert {each.layout for each in asked_launches(sssp, None, 0)} == {"csr"}
    assert {each.layout for each in asked_launches(sssp, emv.layout("csr"), 0)} == {"csr"}


@pytest.mark.parametrize(("made", "args"), [(bfs, (0,)), (sssp, (0,)), (icm, (0,))])
def test_shortcuts_need_compressed_rows(made, args):
    found = asked_launches(made, emv.layout("caa"), *args)
    assert all(each.shortcut is None for each in found)
    assert [each.layout for each in found].count("caa") == 1
    assert any("in caa: the caller asks" in reason for each in found for reason in each.reasons)


def test_only_what_walks_arcs_has_a_storage():
    first, spreading = asked_launches(bfs, emv.layout("ell"), 0)
    assert (first.layout, spreading.layout) == ("csr", "ell")


def test_arcs_one_by_one_are_pushed():
    (found,) = [e for e in asked_launches(pagerank, emv.layout("coo")) if e.folds]
    assert found.direction == "push"
    (pulled,) = [e for e in asked_launches(pagerank, emv.layout("ell")) if e.folds]
    assert pulled.direction == "pull"


def test_edges_visited_by_source_are_arcs():
    assert asked_launches(components, emv.layout("hybrid", width=3))[0].layout == "hybrid3"


@pytest.mark.parametrize("made", [edges_tell, boruvka])
def test_what_walks_no_arcs_refuses(made):
    with pytest.raises(ArgumentError, match=r"walks the arcs of vertices"):
        asked_launches(made, emv.layout("caa"))


def test_a_function_that_walks_its_arcs_refuses_coo():
    with pytest.raises(ArgumentError, match=r"does not fit to_all\(\), which walks the arcs"):
        asked_launches(all_hear, emv.layout("coo"))
    assert asked_launches(all_hear, emv.layout("caa"))[0].layout == "caa"


def test_two_words_for_what_runs_together():
    schedule = {"offer_path": emv.near_far(), "keep_shorter": emv.layout("aa")}
    with pytest.raises(ArgumentError, match=r"which run together"):
        asked_launches(sssp, schedule, 0)
