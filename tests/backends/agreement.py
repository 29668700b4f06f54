"""Run a program eagerly and compiled, and compare."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


def both(made, graph, *args):
    """Run on both backends; the values agree. Return the two runs."""
    eager = made.run(graph, *args, backend="python")
    fast = made.run(graph, *args, backend="cpu")
    np.testing.assert_array_equal(fast.result, eager.result)
    return eager, fast


def same_course(made, graph, *args):
    """Run on both backends; values, supersteps and the reason of the stop agree."""
    eager, fast = both(made, graph, *args)
    assert (fast.supersteps, fast.stopped) == (eager.supersteps, eager.stopped)


def sources_of(draw, graph):
    return draw(st.lists(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=3))
