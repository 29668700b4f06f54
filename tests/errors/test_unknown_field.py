"""A field that the record does not declare, misspelled."""

import pytest
from errors.expect import refuses

from emv import Vertex, f32, program, vertex
from emv.errors import FieldError


class Page(Vertex):
    rank: f32 = 0.0


@vertex
def update(v: Page):
    v.rank = (v.rnak + 1) / 2


@program
def mistaken(g):
    update(g)


@pytest.mark.paper("S12")
def test_unknown_field_names_the_nearest_one():
    refuses(
        mistaken,
        FieldError,
        at="v.rank = (v.rnak + 1) / 2",
        under="rnak",
        function="update",
        says="Page has no field 'rnak'",
        remedy="Page declares: rank (f32) at ",
    )


def test_unknown_field_suggests_the_nearest_one():
    refuses(
        mistaken,
        FieldError,
        at="v.rank = (v.rnak + 1) / 2",
        under="rnak",
        function="update",
        says="Page has no field 'rnak'",
        remedy="Did you mean 'rank'?",
    )


@vertex
def assign(v: Page):
    v.ranks = 1.0


def test_assigning_an_unknown_field():
    @program
    def mistaken(g):
        assign(g)

    refuses(
        mistaken,
        FieldError,
        at="v.ranks = 1.0",
        under="ranks",
        function="assign",
        says="Page has no field 'ranks'",
        remedy="Did you mean 'rank'?",
    )
