"""A function made by exec(), which leaves no source text behind."""

import pytest
from errors.expect import path, refuses

from emv import Vertex, f32, program, vertex
from emv.errors import SourceError

TEXT = """
@vertex
def update(v: Page):
    v.rank = 1.0
"""


class Page(Vertex):
    rank: f32 = 0.0


def test_function_made_by_exec():
    around = {"vertex": vertex, "Page": Page, "__name__": "typed"}
    exec(TEXT, around)

    @program
    def mistaken(g):
        around["update"](g)

    with pytest.raises(SourceError) as raised:
        mistaken(path(), backend="python")
    message = str(raised.value)
    assert "the source of update() cannot be read" in message
    assert 'File "<string>", line 2, in update' in message
    assert "Write the function in a file or a notebook cell" in message
