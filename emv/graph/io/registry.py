"""The formats there are, in the order in which each is asked whether a file is its own.

The last one is what a file is that no other knows.
"""

from __future__ import annotations

from emv.graph.io.dblp import DBLP
from emv.graph.io.dimacs import DIMACS
from emv.graph.io.directory import DIRECTORY
from emv.graph.io.edge_list import EDGE_LIST
from emv.graph.io.format import Format
from emv.graph.io.gap import GAP
from emv.graph.io.graphalytics import GRAPHALYTICS
from emv.graph.io.matrix_market import MATRIX_MARKET
from emv.graph.io.metis import METIS
from emv.graph.io.ncol import NCOL
from emv.graph.io.nested import GEXF, GML, GRAPHML, NODE_LINK
from emv.graph.io.npz import NPZ
from emv.graph.io.pajek import PAJEK
from emv.graph.io.parquet import PARQUET
from emv.graph.io.table import TABLE

FORMATS: tuple[Format, ...] = (
    DIRECTORY,
    NPZ,
    PARQUET,
    GAP,
    MATRIX_MARKET,
    DIMACS,
    METIS,
    GRAPHALYTICS,
    GRAPHML,
    GEXF,
    GML,
    DBLP,
    NODE_LINK,
    PAJEK,
    NCOL,
    TABLE,
    EDGE_LIST,
)
