"""Tables of a networkx graph or a scipy matrix, and back; `Graph` wraps these functions."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.dtypes import SHORT_NAMES
from emv.errors import GraphError
from emv.graph.build import first_positions, grouped
from emv.graph.column_values import SCALAR_TYPES
from emv.graph.columns import Columns, EdgeColumns, VertexColumns
from emv.graph.kinds import REMEDIES, refused_kind
from emv.graph.of_networkx import MISSING, Adjacency, is_plain, packed
from emv.graph.rows import Rows
from emv.graph.tables import Tables
from emv.graph.widths import index_dtype
from emv_kernels.aside import leavable

if TYPE_CHECKING:
    import networkx
    import scipy.sparse


def sequence(labels: ArrayLike) -> Sequence[Any] | NDArray[Any]:
    """Return labels as something with a length."""
    return labels if isinstance(labels, Sequence | np.ndarray) else np.asarray(labels)


def from_networkx(G: networkx.Graph[Any]) -> Tables:
    """Return the tables of a networkx graph; see `Graph.from_networkx` for the rules."""
    nodes, (src, dst), data = _plain(G) if is_plain(G) else _shown(G)
    is_numbered = set(map(type, nodes)) <= {int} and nodes == list(range(len(nodes)))
    vertex_columns, no_vertex_columns = columns_of(
        "node", [G.nodes[node] for node in nodes], VertexColumns
    )
    edge_columns, no_edge_columns = columns_of("edge", data, EdgeColumns, {"weight": 1})
    return Tables(
        len(nodes),
        src,
        dst,
        G.is_directed(),
        None if is_numbered else np.fromiter(nodes, dtype=object, count=len(nodes)),
        vertex_columns,
        edge_columns,
        no_vertex_columns,
        no_edge_columns,
    )


_Read = tuple[list[Any], tuple[NDArray[np.int64], NDArray[np.int64]], list[Mapping[Any, Any]]]


def _plain(G: networkx.Graph[Any]) -> _Read:
    """Return nodes, ends and attributes of the edges as a graph stores them."""
    arcs = Adjacency(G)
    return arcs.nodes, arcs.ends(), list(arcs.data())


def _shown(G: networkx.Graph[Any]) -> _Read:
    """Return nodes, ends and attributes of the edges as a class shows them."""
    nodes = list(G)
    vertex_of = {node: vertex for vertex, node in enumerate(nodes)}
    rows = list(G.edges(data=True))
    src, dst = (
        np.fromiter((vertex_of[row[end]] for row in rows), np.int64, len(rows)) for end in (0, 1)
    )
    return nodes, (src, dst), [row[2] for row in rows]


def columns_of(
    kind: str,
    rows: Sequence[Mapping[Any, Any]],
    store: type[Columns],
    defaults: Mapping[str, float] = {},
) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the numeric attributes that all rows have, and why the others are no columns."""
    columns: dict[str, NDArray[Any]] = {}
    absent: dict[str, str] = {}
    for name in dict.fromkeys(itertools.chain.from_iterable(rows)):
        if not isinstance(name, str):
            continue
        values = [row.get(name, MISSING) for row in rows]
        num_have = len(values)
        if type(MISSING) in set(map(type, values)):
            num_have = sum(value is not MISSING for value in values)
            values = [defaults.get(name) if value is MISSING else value for value in values]
        column = _numbers(values)
        if num_have < len(rows) and name not in defaults:
            absent[name] = f"only {num_have} of {len(rows)} {kind}s have the attribute '{name}'"
        elif column is None and (refused := refused_kind(values)) is not None:
            absent[name] = (
                f"the {kind} attribute '{name}' is {refused[0]} ({refused[1]}), which emv does "
                f"not store; {REMEDIES[refused[0]]}"
            )
        elif column is None or not store.can_be_named(name):
            absent[name] = f"the {kind} attribute '{name}' cannot be a column of numbers"
        else:
            columns[name] = column
    return columns, absent


def _numbers(values: list[Any]) -> NDArray[Any] | None:
    """Return values as an array of numbers or bools, or None when one is neither."""
    if not all(issubclass(kind, SCALAR_TYPES) for kind in set(map(type, values))):
        return None
    column = packed(values)
    return column if column.dtype.name in SHORT_NAMES else None


def to_networkx(tables: Tables) -> networkx.Graph[Any]:
    """Return the networkx graph of some tables; see `Graph.to_networkx` for the rules."""
    import networkx as nx

    low, high = tables.src, tables.dst
    if not tables.directed:
        low, high = np.minimum(low, high), np.maximum(low, high)
    pairs = low.astype(np.int64) * tables.num_vertices + high
    repeats = len(leavable(lambda: np.unique(pairs), len(low))) < len(low)
    kinds = {
        (True, False): nx.DiGraph,
        (True, True): nx.MultiDiGraph,
        (False, False): nx.Graph,
        (False, True): nx.MultiGraph,
    }
    G = kinds[tables.directed, repeats]()
    nodes = range(tables.num_vertices) if tables.labels is None else tables.labels.tolist()
    G.add_nodes_from(zip(nodes, _fields(tables.vertex_columns, tables.num_vertices), strict=True))
    ends = (map(nodes.__getitem__, ids.tolist()) for ids in (tables.src, tables.dst))
    G.add_edges_from(zip(*ends, _fields(tables.edge_columns, len(low)), strict=True))
    return G


def _fields(columns: Mapping[str, NDArray[Any]], num_rows: int) -> list[dict[str, Any]]:
    """Return a dictionary per row."""
    if not columns:
        return [{} for _ in range(num_rows)]
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def from_scipy(
    A: scipy.sparse.sparray | scipy.sparse.spmatrix, directed: bool, weight: str
) -> Tables:
    """Return the tables of a sparse matrix; see `Graph.from_scipy` for the rules."""
    import scipy.sparse

    if not scipy.sparse.issparse(A):
        raise GraphError(
            f"from_scipy takes a sparse matrix or array, not {type(A).__name__}",
            remedy="wrap it: scipy.sparse.coo_array(A)",
        )
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise GraphError(f"an adjacency matrix is square, but this one has shape {A.shape}")
    entries = A.tocoo()
    return of_entries(A.shape[0], (entries.row, entries.col, entries.data), directed, weight)


def of_entries(
    num_vertices: int,
    entries: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    directed: bool,
    weight: str,
) -> Tables:
    """Return the tables of a square matrix with these rows, columns and values."""
    src, dst, values = entries
    if not directed:
        check_symmetric(src, dst, values)
        upper = src <= dst
        src, dst, values = src[upper], dst[upper], values[upper]
    return Tables(num_vertices, src, dst, directed, edge_columns={weight: values})


def check_symmetric(src: NDArray[Any], dst: NDArray[Any], values: NDArray[Any]) -> None:
    """Refuse entries off the diagonal that lack an equal one across it."""
    upper, lower = src < dst, src > dst
    num_vertices = 1 + max((int(ids.max()) for ids in (src, dst) if ids.size), default=-1)
    ahead = _grouped_entries(src[upper], dst[upper], values[upper], num_vertices)
    behind = _grouped_entries(dst[lower], src[lower], values[lower], num_vertices)
    if all(np.array_equal(*each) for each in zip(ahead, behind, strict=True)):
        return
    above = _sorted_entries(src[upper], dst[upper], values[upper])
    below = _sorted_entries(dst[lower], src[lower], values[lower])
    length = min(len(above[0]), len(below[0]))
    same = np.ones(length, np.bool_)
    for one, other in zip(above, below, strict=True):
        same &= (one[:length] == other[:length]) | (
            (one[:length] != one[:length]) & (other[:length] != other[:length])
        )
    if same.all() and len(above[0]) == len(below[0]):
        return
    first = length if same.all() else int(np.argmin(same))
    longer = above if first < len(above[0]) else below
    row, column = int(longer[0][first]), int(longer[1][first])
    raise GraphError(
        f"directed=False needs a symmetric matrix, but entries ({row}, {column}) and "
        f"({column}, {row}) differ",
        remedy="pass directed=True, or make it symmetric, for instance with A.maximum(A.T)",
    )


def _grouped_entries(
    row: NDArray[Any], column: NDArray[Any], values: NDArray[Any], num_vertices: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the entries sorted by row and column, those of one place in their order."""
    dtype = index_dtype(num_vertices)
    row, column = row.astype(dtype), column.astype(dtype)
    for by in (1, 0):
        keys = (row, column)[by]
        first = first_positions(keys, num_vertices)
        row, column, values = (grouped(keys, each, first) for each in (row, column, values))
    return row, column, values


def _sorted_entries(
    row: NDArray[Any], column: NDArray[Any], values: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    order = leavable(lambda: np.lexsort((values, column, row)), len(row))
    return row[order], column[order], values[order]


def as_csr(rows: Rows, values: NDArray[Any]) -> scipy.sparse.csr_array:
    """Return the matrix of these rows without a copy, its arrays read-only.

    Ids below 2**31 have the same bits with a sign, which scipy's have.
    """
    import scipy.sparse

    first, other = rows.first, rows.other
    signed = [each.view(f"i{each.itemsize}") for each in (other, first)]
    shape = (len(first) - 1, len(first) - 1)
    matrix = scipy.sparse.csr_array((values, *signed), shape=shape, copy=False)
    for name in ("data", "indices", "indptr"):
        array = getattr(matrix, name).view()
        array.flags.writeable = False
        setattr(matrix, name, array)
    return matrix


def to_scipy(
    num_vertices: int, src: NDArray[Any], dst: NDArray[Any], values: NDArray[Any]
) -> scipy.sparse.coo_array:
    """Return the matrix with these entries, copied."""
    import scipy.sparse

    shape = (num_vertices, num_vertices)
    return scipy.sparse.coo_array((values, (src, dst)), shape=shape, copy=True)
