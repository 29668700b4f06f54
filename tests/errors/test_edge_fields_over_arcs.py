"""An @edge function that writes edge fields over g, where edges may come twice."""

from errors.expect import refuses

from emv import Edge, EdgeList, Graph, Vertex, edge, elist, f32, i32, program
from emv.errors import LanguageError


class Spot(Vertex):
    depth: i32 = 0


class Line(Edge[Spot]):
    cost: f32 = 1.0


@edge
def halve(line: Line):
    line.cost = line.cost / 2


@elist
def share(v: Spot, lines: EdgeList[Line]):
    for line in lines:
        line.cost = v.out_degree


def test_edge_fields_over_the_graph():
    @program
    def mistaken(g):
        halve(g)

    refuses(
        mistaken,
        LanguageError,
        at="halve(g)",
        under="halve(g)",
        function="mistaken",
        says="halve() writes 'cost' of its edge, but over all",
        remedy="Apply it to each edge once: halve(g.edges).",
    )


def test_listed_edges_of_an_undirected_graph():
    @program
    def mistaken(g):
        share(g)

    undirected = Graph.from_edges([0, 1], [1, 2], directed=False)
    mistaken(Graph.from_edges([0, 1], [1, 2]), backend="python")
    refuses(
        lambda: mistaken(undirected, backend="python"),
        LanguageError,
        at="share(g)",
        under="share(g)",
        function="mistaken",
        says="an edge of an undirected graph is in the lists of both its ends",
        remedy="Set it in an @edge function over g.edges",
    )
