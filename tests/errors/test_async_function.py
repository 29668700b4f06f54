"""An async function is no user function."""

from errors.expect import refuses

from emv import Vertex, f32, vertex
from emv.errors import LanguageError


class Page(Vertex):
    rank: f32 = 0.0


def define():
    @vertex
    async def later(v: Page):
        v.rank = 1.0


def test_async_function():
    refuses(
        define,
        LanguageError,
        at="@vertex",
        under="vertex",
        function="define",
        says="@vertex decorates a plain def, not <function define.<locals>.later",
        remedy="Write @vertex without parentheses above a def.",
    )
