"""Columns that were given but cannot be kept: no default of a program stands in for them."""

from __future__ import annotations

from decimal import Decimal

import networkx as nx
import pandas as pd
import pyarrow as pa
import pytest

import emv
from emv.errors import ColumnError
from emv.graph import Graph

REASON = r"'weight'.* (does not store|cannot be a column)"


def badly_weighed() -> dict[str, Graph]:
    """Return graphs whose weights cannot be stored."""
    rows = {"src": [0, 1], "dst": [1, 2]}
    ends = {name: pa.array(values) for name, values in rows.items()}
    G = nx.Graph([(0, 1, {"weight": "5"}), (1, 2, {"weight": 7})])
    return {
        "texts": Graph.from_pandas(pd.DataFrame(rows | {"weight": ["5", "7"]})),
        "decimals": Graph.from_pandas(pd.DataFrame(rows | {"weight": [Decimal(5), Decimal(7)]})),
        "half": Graph.from_arrow(pa.table(ends | {"weight": pa.array([5, 7], pa.float16())})),
        "wide": Graph.from_arrow(
            pa.table(ends | {"weight": pa.array([Decimal(5), Decimal(7)], pa.decimal128(3))})
        ),
        "networkx": Graph.from_networkx(G),
    }


@pytest.mark.parametrize("kind", badly_weighed())
@pytest.mark.parametrize("backend", ["python", "cpu"])
def test_programs_do_not_count_a_weight_left_out_as_one(kind, backend) -> None:
    g = badly_weighed()[kind]
    derived = [g, g.prepared(loops=False), g.subgraph(vertices=[0, 1]), g.both_ways()]
    for each in derived:
        with pytest.raises(ColumnError, match=REASON):
            emv.algorithms.sssp(each, 0, backend=backend)
        with pytest.raises(ColumnError, match=REASON):
            each.to_scipy()
    assert g.to_scipy(None).sum() == g.num_arcs
    for each in (g.prepared(weighted=False), Graph.from_edges([0, 1], [1, 2])):
        assert emv.algorithms.sssp(each, 0, backend=backend).tolist() == [0, 1, 2]
        assert each.to_scipy().sum() == each.num_arcs
    g.edges.weight = [5, 7]
    assert emv.algorithms.sssp(g, 0, backend=backend).tolist() == [0, 5, 12]
