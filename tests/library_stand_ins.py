"""Stand-ins for igraph, networkit, graph-tool, DGL, torch and PyG: what emv calls of each, no more.

They follow the libraries' documentation. Where a library is installed, tests use it and not these.
"""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np


class Attributes(dict):  # type: ignore[type-arg]
    """A sequence of igraph's with attributes."""

    def attributes(self) -> list[str]:
        return list(self)


class IGraph:
    """igraph.Graph."""

    def __init__(self, n: int = 0, edges: Any = (), directed: bool = False) -> None:
        self._count, self._directed = n, directed
        self._edges = [tuple(map(int, pair)) for pair in edges]
        self.vs, self.es = Attributes(), Attributes()

    def get_edgelist(self) -> list[tuple[int, ...]]:
        return self._edges

    def vcount(self) -> int:
        return self._count

    def is_directed(self) -> bool:
        return self._directed


class NetworKit:
    """networkit.Graph."""

    def __init__(self, n: int, rows: list[Any], weighted: bool, directed: bool) -> None:
        self._bound, self._rows = n, rows
        self._weighted, self._directed = weighted, directed
        self.removed: set[int] = set()

    def iterNodes(self) -> Any:  # noqa: N802
        return (node for node in range(self._bound) if node not in self.removed)

    def upperNodeIdBound(self) -> int:  # noqa: N802
        return self._bound

    def iterEdges(self) -> Any:  # noqa: N802
        return (row[:2] for row in self._rows)

    def iterEdgesWeights(self) -> Any:  # noqa: N802
        return iter(self._rows)

    def isWeighted(self) -> bool:  # noqa: N802
        return self._weighted

    def isDirected(self) -> bool:  # noqa: N802
        return self._directed


def graph_from_coo(data: Any, n: int, directed: bool = False, weighted: bool = False) -> NetworKit:
    """networkit.GraphFromCoo; narrower ids crash networkit."""
    weights, (src, dst) = data
    assert src.dtype.itemsize == dst.dtype.itemsize == 8
    rows = list(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))
    return NetworKit(n, rows, weighted, directed)


class PropertyMap:
    """A property map of graph-tool."""

    def __init__(self, kind: str, vals: Any) -> None:
        self._kind, self._values = kind, list(vals)
        dtypes = {"double": np.float64, "bool": np.uint8, "int64_t": np.int64}
        dtypes |= {"int32_t": np.int32, "int16_t": np.int16}
        self.a = None if kind == "string" else np.array(vals, dtypes[kind])

    def value_type(self) -> str:
        return self._kind

    def __getitem__(self, place: int) -> Any:
        return self._values[place]


class GraphTool:
    """graph_tool.Graph."""

    edge_index = object()

    def __init__(self, directed: bool = True) -> None:
        self._directed = directed
        self.vertices, self.edges = np.empty(0, int), np.empty((0, 2), int)
        self.vp: dict[str, PropertyMap] = {}
        self.ep: dict[str, PropertyMap] = {}

    def add_vertex(self, n: int) -> None:
        self.vertices = np.arange(n)

    def add_edge_list(self, edges: Any) -> None:
        self.edges = np.array(edges)

    def new_vp(self, kind: str, vals: Any) -> PropertyMap:
        return PropertyMap(kind, vals)

    new_ep = new_vp

    def is_directed(self) -> bool:
        return self._directed

    def get_vertices(self) -> Any:
        return self.vertices

    def get_edges(self, properties: Any) -> Any:
        assert properties == [self.edge_index]
        rows = np.column_stack([self.edges, np.arange(len(self.edges))])
        return rows[np.argsort(rows[:, 0], kind="stable")]  # by vertex, not by index


class Tensor:
    """A tensor on the host that hands its memory on by DLPack only."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)
        self.shape = self.array.shape

    def __dlpack__(self, **asked: Any) -> Any:
        return self.array.__dlpack__(**asked)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


class DGLGraph:
    """dgl.DGLGraph of one kind."""

    is_homogeneous = True

    def __init__(self, ends: Any, num_nodes: int) -> None:
        self._ends, self._count = ends, num_nodes
        self.ndata: dict[str, Tensor] = {}
        self.edata: dict[str, Tensor] = {}

    def num_nodes(self) -> int:
        return self._count

    def edges(self, order: str) -> Any:
        assert order == "eid"
        return self._ends


class Data:
    """torch_geometric.data.Data."""

    def __init__(self, num_nodes: int, **fields: Any) -> None:
        self.num_nodes, self._fields = num_nodes, fields

    def to_dict(self) -> dict[str, Any]:
        return {"num_nodes": self.num_nodes, **self._fields}


def _module(name: str, **members: Any) -> types.ModuleType:
    made = types.ModuleType(name)
    vars(made).update(members)
    return made


def stand_ins() -> dict[str, types.ModuleType]:
    """Return the modules by name."""
    data = _module("torch_geometric.data", Data=Data)
    return {
        "igraph": _module("igraph", Graph=IGraph),
        "networkit": _module("networkit", GraphFromCoo=graph_from_coo),
        "graph_tool": _module("graph_tool", Graph=GraphTool),
        "dgl": _module("dgl", graph=DGLGraph),
        "torch": _module("torch", from_numpy=Tensor),
        "torch_geometric": _module("torch_geometric", data=data),
        "torch_geometric.data": data,
    }


def put_in(monkeypatch: Any, *names: str) -> None:
    """Let an import of these libraries give the stand-ins."""
    for name, module in stand_ins().items():
        if name.partition(".")[0] in names:
            monkeypatch.setitem(sys.modules, name, module)
