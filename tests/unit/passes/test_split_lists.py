"""Which functions over edge lists may be done arc by arc."""

from __future__ import annotations

import pytest

import emv
from emv import Edge, EdgeList, Vertex, edge, elist, f32, vertex
from emv.ir import body as b
from emv.passes.split_lists import arc_form


class Page(Vertex):
    rank: f32


class Link(Edge[Page]):
    weight: f32 = 1.0


Links = EdgeList[Link]


@elist
def send_share(v: Page, links: Links):
    for link in links:
        link.send(v.rank / v.out_degree)


@elist
def send_heavy(v: Page, links: Links):
    share = v.rank / v.out_degree
    if share > 0:
        for link in links:
            part = share * link.weight
            if link.dst.rank < part:
                link.send(part)


@vertex
def send_all(v: Page):
    v.send(v.rank)


@edge
def along(e: Link):
    e.send(e.src.rank)


@pytest.mark.paper("S10")
@pytest.mark.parametrize("function", [send_share, send_heavy, send_all], ids=lambda f: f.name)
def test_rounds_that_share_nothing_become_arcs(function):
    statements = b.statements_in(arc_form(function).statements)
    assert not any(isinstance(each, b.ForLinks) for each in statements)
    assert {each.along for each in statements if isinstance(each, b.Send)} == {"arc"}


def test_roles_are_those_seen_from_an_arc():
    body = arc_form(send_heavy)
    loads = [each for each in b.expressions_in(body.statements) if isinstance(each, b.Load)]
    assert {(each.element.role, each.field) for each in loads} == {
        ("src", "rank"),
        ("own", "weight"),
        ("dst", "rank"),
    }


def test_edge_functions_are_arcs_already():
    assert arc_form(along) is along.body


@elist
def count_up(v: Page, links: Links):
    sent = 0.0
    for link in links:
        sent += v.rank
        link.send(sent)


@elist
def stop_early(v: Page, links: Links):
    for link in links:
        if link.weight > 1:
            break
        link.send(v.rank)


@elist
def skip_some(v: Page, links: Links):
    for link in links:
        if link.weight > 1:
            continue
        link.send(v.rank)


@elist
def after_the_loop(v: Page, links: Links):
    for link in links:
        link.send(v.rank)
    v.send(0.0)


@elist
def write_own(v: Page, links: Links):
    v.rank = 0.0
    for link in links:
        link.send(v.rank)


@elist
def activate_own(v: Page, links: Links):
    v.activate()
    for link in links:
        link.send(v.rank)


@elist
def return_sum(v: Page, links: Links):
    total = 0.0
    for link in links:
        total += link.weight
    return total


@vertex
def send_far(v: Page):
    v.send_to(0, v.rank)


@vertex
def vote(v: Page):
    v.send(v.rank)
    emv.keep_going()


@elist
def inside_range(v: Page, links: Links):
    for _ in range(2):
        for link in links:
            link.send(v.rank)


REFUSED = [
    count_up,
    stop_early,
    skip_some,
    after_the_loop,
    write_own,
    activate_own,
    return_sum,
    send_far,
    vote,
    inside_range,
]


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.name)
def test_what_an_arc_alone_cannot_do_is_left_as_it_is(function):
    assert arc_form(function) is None
