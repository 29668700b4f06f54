"""The algorithms' pages stay within the lengths the language promises."""

import pytest

from bench.lines_of_code import LIMITS, PAGES, code_lines

PAGE = '''"""What the page is.

More.
"""

import emv
from emv import (
    Vertex,
    vertex,
)

__all__ = ["a"]
NONE = -1                       # counted: 1


class Page(Vertex):
    rank: float                 # counted: 3


@vertex
def a(
    v: Page,
):
    """Say."""

    # a comment
    v.rank = 1                  # counted: 8
    text = (
        """x
    y"""
    )                           # counted: 12


@vertex
def check_a(v):
    assert v
'''


def test_only_language_text_is_counted():
    assert code_lines(PAGE) == 12


@pytest.mark.parametrize("name", LIMITS)
def test_page_is_within_its_limit(name):
    assert code_lines((PAGES / f"{name}.py").read_text("utf-8")) <= LIMITS[name]
