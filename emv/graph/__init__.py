"""Graphs: columns of vertices and edges, and the index arrays derived from them."""

from emv.graph.columns import Columns, EdgeColumns, VertexColumns
from emv.graph.graph import Graph
from emv.graph.layouts import Layouts, Order
from emv.graph.rows import Rows

__all__ = ["Columns", "EdgeColumns", "Graph", "Layouts", "Order", "Rows", "VertexColumns"]
