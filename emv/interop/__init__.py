"""Graphs of other libraries, both ways: igraph, networkit, graph-tool, DGL and PyG.

Each ``from_...`` takes the library's own object and needs nothing installed but what made it; each
``to_...`` needs the library. Ids stay what they are, weights keep their width, parallel edges and
loops are kept. What the other side has no place for is said once, by name, as a warning of the
logger ``emv.interop``.

networkx, scipy, pandas, Arrow, polars and dense arrays have methods of `emv.Graph`.
"""

from __future__ import annotations

from emv.interop.dgl import from_dgl, to_dgl
from emv.interop.graph_tool import from_graph_tool, to_graph_tool
from emv.interop.igraph import from_igraph, to_igraph
from emv.interop.networkit import from_networkit, to_networkit
from emv.interop.pyg import edge_index, from_edge_index, from_pyg, to_pyg

__all__ = [
    "edge_index",
    "from_dgl",
    "from_edge_index",
    "from_graph_tool",
    "from_igraph",
    "from_networkit",
    "from_pyg",
    "to_dgl",
    "to_graph_tool",
    "to_igraph",
    "to_networkit",
    "to_pyg",
]
