"""The graphs of the papers on Medusa and GasCL: ``emv.datasets.load("wiki-talk").graph``.

`load` reads the real graph if its file is in the folder ``$EMV_DATA``; else it makes one with as
many vertices and arcs, the same largest degree, about the same deviation, and a diameter of the
same class, which says of itself that it stands in. `table` measures them all.
"""

from __future__ import annotations

from emv.datasets.catalogue import CATALOGUE, Figures
from emv.datasets.loading import Dataset, load, names
from emv.datasets.tables import Row, Table, table

__all__ = ["CATALOGUE", "Dataset", "Figures", "Row", "Table", "load", "names", "table"]
