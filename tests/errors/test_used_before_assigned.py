"""A variable that may have no value where it is read."""

from errors.expect import refuses

from emv import Edge, EdgeList, Vertex, elist, f32, program, vertex
from emv.errors import LanguageError


class Page(Vertex):
    rank: f32 = 0.0


def refused(function, **wanted):
    @program
    def mistaken(g):
        function(g)

    refuses(
        mistaken,
        LanguageError,
        file=__file__,
        function=function.name,
        remedy="Give it one on every way that leads here",
        **wanted,
    )


@vertex
def early(v: Page):
    v.rank = best * 2
    best = 1.0


@vertex
def on_one_way(v: Page):
    if v.out_degree > 0:
        share = 1 / v.out_degree
    v.rank = share


@elist
def after_the_loop(v: Page, links: EdgeList[Edge[Page]]):
    for link in links:
        last = link.dst.rank
    v.rank = last + 1


@elist
def link_after_the_loop(v: Page, links: EdgeList[Edge[Page]]):
    for link in links:
        pass
    v.rank = link.dst.rank


def test_read_above_its_assignment():
    refused(early, at="v.rank = best * 2", under="best", says="'best' may have no value here yet")


def test_assigned_in_one_branch():
    refused(on_one_way, at="v.rank = share", under="share", says="'share' may have no value")


def test_assigned_in_a_loop():
    refused(after_the_loop, at="v.rank = last + 1", under="last", says="'last' may have no value")


def test_the_loops_own_variable_after_it():
    refused(
        link_after_the_loop, at="v.rank = link.dst.rank", under="link", says="'link' may have no"
    )
