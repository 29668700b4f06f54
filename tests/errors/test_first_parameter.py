"""A function that does not begin with the element it is for."""

import pytest
from errors.expect import refuses

from emv import Edge, EdgeList, Vertex, edge, elist, f32, message, mlist, vertex
from emv.errors import TypeMismatchError


class Page(Vertex):
    rank: f32 = 0.0


class Link(Edge[Page]):
    weight: f32 = 1.0


def vertex_over_an_edge():
    @vertex
    def wrong_vertex(link: Link):
        pass


def edge_over_a_vertex():
    @edge
    def wrong_edge(v: Page):
        pass


def elist_without_a_list():
    @elist
    def wrong_elist(v: Page):
        pass


def mlist_over_an_edge_list():
    @mlist
    def wrong_mlist(v: Page, links: EdgeList[Link]):
        pass


def message_over_a_number():
    @message
    def wrong_message(m: f32):
        pass


def vertex_over_nothing():
    @vertex
    def wrong_nothing():
        pass


@pytest.mark.parametrize(
    ("define", "at", "under", "says", "remedy"),
    [
        (
            vertex_over_an_edge,
            "def wrong_vertex(link: Link):",
            "link: Link",
            "must begin with a Vertex record, not with link: Link",
            "(v: Place, ...)",
        ),
        (
            edge_over_a_vertex,
            "def wrong_edge(v: Page):",
            "v: Page",
            "must begin with an Edge record, not with v: Page",
            "(e: Road, ...)",
        ),
        (
            elist_without_a_list,
            "def wrong_elist(v: Page):",
            "v: Page",
            "must begin with a Vertex record, then an EdgeList, not with v: Page",
            "links: EdgeList[Edge[Page]]",
        ),
        (
            mlist_over_an_edge_list,
            "def wrong_mlist(v: Page, links: EdgeList[Link]):",
            "v: Page",
            "must begin with a Vertex record, then a MessageList, not with v: Page, links: Edge",
            "heard: MessageList[f32]",
        ),
        (
            message_over_a_number,
            "def wrong_message(m: f32):",
            "m: f32",
            "must begin with a Message, not with m: float32",
            "(m: Message[f32], ...)",
        ),
        (
            vertex_over_nothing,
            "def wrong_nothing():",
            "wrong_nothing",
            "must begin with a Vertex record, not with no parameters",
            "(v: Place, ...)",
        ),
    ],
)
def test_wrong_first_parameter(define, at, under, says, remedy):
    function = at.removeprefix("def ").split("(")[0]
    refuses(
        define,
        TypeMismatchError,
        at=at,
        under=under,
        function=function,
        says=says,
        remedy=remedy,
    )
