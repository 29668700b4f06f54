"""Run a program eagerly and compiled, and compare."""

from __future__ import annotations

from hypothesis import strategies as st

from emv.testing import assert_same_on_all_backends


def compiled_runs(made, graph, *args):
    """Run eagerly and on every other backend; the values agree. Return the runs."""
    eager, *others = assert_same_on_all_backends(made, graph, *args, rtol=0)
    return eager, others


def both(made, graph, *args):
    """Run eagerly and compiled; the values agree. Return the two runs."""
    eager, others = compiled_runs(made, graph, *args)
    return eager, others[-1]


def same_course(made, graph, *args):
    """Run eagerly and compiled; values, supersteps and the reason of the stop agree."""
    eager, others = compiled_runs(made, graph, *args)
    for other in others:
        assert (other.supersteps, other.stopped) == (eager.supersteps, eager.stopped)


def sources_of(draw, graph):
    return draw(st.lists(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=3))
