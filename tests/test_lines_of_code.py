"""The algorithms' pages stay within the lengths the language promises."""

import lines_of_code
import pytest
import words_of_programs
from lines_of_code import (
    BASELINES,
    BY_HAND,
    GPU_LIMITS,
    KERNELS,
    LIMITS,
    PAGES,
    code_lines,
    gpu_lines,
)

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


KERNEL = """
@cuda.jit("void()")
def kernel(a,
           b):
    '''Say.'''
    # a comment
    a[0] = b                    # counted: 2, with def 4

    a[1] = (
        b
    )                           # counted: 5


@bounded(256, 1)
def other(a):
    a[0] = 1                    # counted: 7


@functools.cache
def on_the_host(a):
    return a
"""


def test_gpu_lines_are_decorators_and_bodies():
    assert gpu_lines(PAGE) == (1 + 5, 1 + 5 + 3)
    assert gpu_lines(KERNEL, KERNELS) == (7, 10)
    assert gpu_lines(KERNEL) == (0, 0)


@pytest.mark.paper("S170")
@pytest.mark.parametrize("name", GPU_LIMITS)
def test_gpu_lines_are_within_those_of_the_paper(name):
    assert gpu_lines((PAGES / f"{name}.py").read_text("utf-8"))[0] <= GPU_LIMITS[name]


@pytest.mark.parametrize("name", BY_HAND)
def test_kernels_by_hand_are_found(name):
    text = (BASELINES / f"{name}.py").read_text("utf-8")
    count, with_def = gpu_lines(text, KERNELS)
    assert 10 < count < with_def < code_lines(text)


@pytest.mark.parametrize("limits", ["LIMITS", "GPU_LIMITS"])
def test_a_page_over_a_limit_is_an_exit_status(limits, monkeypatch, capsys):
    assert lines_of_code.main() == 0
    assert "over" not in capsys.readouterr().out
    monkeypatch.setitem(getattr(lines_of_code, limits), "bfs", 5)
    assert lines_of_code.main() == 1
    assert capsys.readouterr().out.count("   over") == 1


@pytest.mark.paper("S167", "S171", "S172")
def test_no_page_says_a_word_of_a_gpu(capsys):
    assert words_of_programs.main() == 0
    found = words_of_programs.speed_ups({"bfs": 7, "sssp": 11})
    assert all(per_line < ratio for ratio, per_line in found.values())
    assert len(capsys.readouterr().out.splitlines()) >= len(lines_of_code.LIMITS) + 3 + len(found)


def test_a_page_that_speaks_of_threads_is_found():
    assert words_of_programs.words_of_gpus("i = cuda.threadIdx.x") == {"cuda", "threadIdx"}
    for name in words_of_programs.BY_HAND:
        assert "cuda" in words_of_programs.words_of_gpus((BASELINES / f"{name}.py").read_text())
