"""For suites of your own algorithms: one answer on every backend, oracles, graphs as code.

`assert_same_on_all_backends` runs a program as plain Python, which defines the language, and
compiled. `networkx_oracle` and `scipy_oracle` ask those libraries about the same graph.
`emv.testing.strategies` draws graphs for hypothesis (``pip install "emv-graph[testing]"``), and
what fails is printed by `code_of` as code that makes the graph again. With emv installed, pytest
knows ``@pytest.mark.emv`` and ``--emv-backend``; see lesson 9.
"""

from __future__ import annotations

from emv.testing.agreement import assert_same_on_all_backends, backends
from emv.testing.code import code_of, with_columns
from emv.testing.oracles import (
    by_vertex,
    networkx_of,
    networkx_oracle,
    scipy_of,
    scipy_oracle,
)

__all__ = [
    "assert_same_on_all_backends",
    "backends",
    "by_vertex",
    "code_of",
    "networkx_of",
    "networkx_oracle",
    "scipy_of",
    "scipy_oracle",
    "with_columns",
]
