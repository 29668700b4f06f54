"""networkx' own tests with the backend: counts the calls that ran in emv, and says so at the end.

A test body reaches emv when a function of emv's that takes a graph returns to it; the generators of
graphs, which most bodies begin with, do not count. Without a fallback a body ends at the first call
that emv cannot run, which networkx notes as an expected failure: so it is told how many got there,
and how many of them ran to their end in emv alone.

Deviations that are meant are listed here, with the reason; they are strict, so a test that passes
nevertheless is a failure, too.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

from emv.networkx.calls import FUNCTIONS, MAKES

LOUVAIN = "compares with the very partition that networkx draws; emv's is another, as good"
DEVIATIONS = {
    "test_louvain.py::test_karate_club_partition": LOUVAIN,
    "test_louvain.py::test_max_level": LOUVAIN,
    "test_louvain.py::test_petersen": LOUVAIN,  # from 3.7 on
    "test_louvain.py::test_none_weight_param": LOUVAIN,
    "test_louvain.py::test_undirected_selfloops": LOUVAIN,
    "test_betweenness_centrality_subset.py::test_equivalence_non_subset": "compares floats of two "
    "functions by ==; emv divides where networkx multiplies by the inverse",
    "test_dag.py::TestDAG::test_topological_sort6": "changes the graph while it takes nodes from "
    "the generator; emv's order is known before the first is taken, and stays what it is",
}
"""Tests of networkx that cannot pass, with the reason."""

CALLS: Counter[str] = Counter()
"""How many calls ran in emv, by function."""

REACHED: dict[str, bool] = {}
"""The tests in which a call ran in emv that takes a graph, and whether they ran to their end."""


def start_tests(items: list[Any], backend: ModuleType) -> None:
    """Mark the deviations among the tests, and count calls of the backend from now on."""
    import pytest

    for item in items:
        reason = DEVIATIONS.get(f"{item.path.name}::{item.nodeid.split('::', 1)[1]}")
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    for name, served in FUNCTIONS.items():
        setattr(backend, name, _counted(name, served.call))
    if items:
        items[0].config.pluginmanager.register(Report())


def _counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def counted(*args: Any, **named: Any) -> Any:
        result = call(*args, **named)
        CALLS[name] += 1
        return result

    return counted


class Report:
    """The pytest plugin that says how many calls ran in emv, and how many tests made one."""

    def __init__(self) -> None:
        self._before = 0

    def pytest_runtest_setup(self, item: Any) -> None:
        """Note how many calls there were before a test."""
        self._before = _taking_graphs()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note a test that did not fail, and in which a call ran."""
        if report.when == "call" and not report.failed and _taking_graphs() > self._before:
            REACHED[report.nodeid] = report.passed

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Write the numbers, and the functions by how often they were called."""
        listed = ", ".join(f"{name} {count}" for name, count in CALLS.most_common())
        ended = sum(REACHED.values())
        terminalreporter.write_line(f"{len(REACHED)} tests reached emv, {ended} to their end")
        terminalreporter.write_line(f"{CALLS.total()} calls ran in emv: {listed}")


def _taking_graphs() -> int:
    """Count the calls that ran in emv, but those that made a graph of nothing."""
    return CALLS.total() - sum(CALLS[name] for name in MAKES)
