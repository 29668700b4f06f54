"""A backend that does not exist."""

import pytest
from errors.expect import path, refuses

from emv import Vertex, i32, program, vertex
from emv.errors import BackendUnavailableError


class Spot(Vertex):
    depth: i32 = 0


@vertex
def settle(v: Spot):
    v.depth = 1


@program
def fine(g):
    settle(g)


def test_unknown_backend():
    with pytest.raises(BackendUnavailableError) as raised:
        fine.run(path(), backend="cuad")
    assert "there is no backend 'cuad'" in str(raised.value)
    assert "There are: auto, python, cpu, cuda, cuda:N." in str(raised.value)
