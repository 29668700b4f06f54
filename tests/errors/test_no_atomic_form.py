"""An update of another element's field that has no atomic form."""

from errors.expect import refuses

from emv import Edge, Vertex, edge, f32, program
from emv.errors import LanguageError


class Spot(Vertex):
    size: f32 = 1.0


@edge
def halve(e: Edge[Spot]):
    e.dst.size /= 2


@program
def mistaken(g):
    halve(g)


def test_division_of_anothers_field():
    refuses(
        mistaken,
        LanguageError,
        at="e.dst.size /= 2",
        under="e.dst.size /= 2",
        function="halve",
        says="/= on another element's field has no atomic form",
        remedy="Use +=, -=, *=",
    )
