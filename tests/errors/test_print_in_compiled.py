"""print() and breakpoint() work in eager runs and are refused when compiled."""

from errors.expect import path, refuses

from emv import Vertex, f32, program, vertex
from emv.errors import LanguageError


class Page(Vertex):
    rank: f32 = 0.0


@vertex
def shout(v: Page):
    print(f"vertex {v.id} of {v.out_degree}")  # noqa: T201
    v.rank = 1.0


@program
def mistaken(g):
    shout(g)
    return g.vertices.rank


def test_print_when_compiled():
    refuses(
        mistaken,
        LanguageError,
        at='print(f"vertex {v.id} of {v.out_degree}")',
        under='print(f"vertex {v.id} of {v.out_degree}")',
        function="shout",
        says="print() runs only in eager Python",
        remedy="backend='python'",
        run="traced",
    )


def test_print_in_an_eager_run(capsys):
    assert mistaken(path(2), backend="python").tolist() == [1.0, 1.0]
    assert capsys.readouterr().out == "vertex 0 of 1\nvertex 1 of 0\n"
