"""The graph: vertices numbered ``0..n-1``, edges in the order they were added, columns of both.

What programs run over is derived from it in `Graph.layouts`. How edges, arcs, loops, repeats and
labels are counted and numbered is decided in ``docs/design/graph.md``.

`Graph` is a face: what it holds is a `Store`, and what its methods do, and say of themselves, is
written by theme in `grow`, `facts`, `interchange`, `tabular` and `forms`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, Unpack

from numpy.typing import ArrayLike, NDArray

from emv.config import config
from emv.graph import facts, forms, grow, interchange, partition, placing, tabular, versions
from emv.graph.changes import Changes
from emv.graph.columns import EdgeColumns, VertexColumns
from emv.graph.labels import Labels
from emv.graph.layouts import Layouts
from emv.graph.parts import Parts
from emv.graph.prepare import Options
from emv.graph.ranges import LateArray
from emv.graph.stats import GraphStats
from emv.graph.store import Store
from emv.graph.tables import Tables
from emv.graph.text_of import text_of
from emv.graph.words import without_words

if TYPE_CHECKING:
    import networkx
    import pandas
    import polars
    import pyarrow
    import scipy.sparse


@without_words
class Graph:
    """A graph with columns of numbers on its vertices and edges.

    ``Graph()`` is empty and grows; `from_edges`, `from_networkx` and `from_scipy` make one at
    once. Repeated edges and loops are kept.

    Parameters
    ----------
    directed : bool
        Whether an edge leads one way only. An undirected edge has two arcs and one row of
        columns; an undirected loop has one arc.

    Attributes
    ----------
    vertices, edges : VertexColumns, EdgeColumns
        The columns: ``g.vertices.rank``, ``g.edges.weight = 1.0``, ``"weight" in g.edges``.

    Examples
    --------
    >>> g = Graph.from_edges([0, 0, 1], [1, 2, 2], weight=[0.5, 1.0, 2.0])
    >>> g
    Graph(3 vertices, 3 edges, directed, edges: weight f64)
    >>> g.edges.weight
    array([0.5, 1. , 2. ])
    """

    __networkx_backend__ = "emv"  # so that networkx' functions take it, see docs/networkx.md

    def __init__(self, directed: bool = True) -> None:
        self._store = Store(bool(directed))
        self._placed: str | None = None  # a device, of the views that `on` makes

    @classmethod
    def _of(cls, store: Store, placed: str | None = None) -> Self:
        graph = cls.__new__(cls)
        graph._store, graph._placed = store, placed
        return graph

    def __repr__(self) -> str:
        return facts.described(self._store, self._placed)

    def _repr_html_(self) -> str:
        from emv.graph.pictured import pictured  # only notebooks ask for it

        return pictured(self._store, self._placed)

    # Out of other things.

    @classmethod
    @text_of(interchange.from_edges)
    def from_edges(
        cls,
        src: ArrayLike,
        dst: ArrayLike | None = None,
        *,
        num_vertices: int | None = None,
        directed: bool = True,
        labels: ArrayLike | None = None,
        renumber: bool = False,
        **edge_columns: ArrayLike,
    ) -> Self:
        made = interchange.from_edges(
            src,
            dst,
            num_vertices=num_vertices,
            directed=directed,
            labels=labels,
            renumber=renumber,
            **edge_columns,
        )
        return cls._of(made)

    @classmethod
    @text_of(interchange.from_networkx)
    def from_networkx(cls, G: networkx.Graph[Any]) -> Self:
        return cls._of(interchange.from_networkx(G))

    @classmethod
    @text_of(interchange.from_scipy)
    def from_scipy(
        cls,
        A: scipy.sparse.sparray | scipy.sparse.spmatrix,
        directed: bool = True,
        weight: str = "weight",
    ) -> Self:
        return cls._of(interchange.from_scipy(A, directed, weight))

    @classmethod
    @text_of(interchange.from_dense)
    def from_dense(cls, A: ArrayLike, directed: bool = True, weight: str = "weight") -> Self:
        return cls._of(interchange.from_dense(A, directed, weight))

    @classmethod
    @text_of(tabular.from_pandas)
    def from_pandas(
        cls,
        edges: pandas.DataFrame,
        source: str = "src",
        target: str = "dst",
        *,
        directed: bool = True,
        columns: Iterable[str] | None = None,
        vertices: pandas.DataFrame | None = None,
    ) -> Self:
        made = tabular.from_pandas(
            edges, source, target, directed=directed, columns=columns, vertices=vertices
        )
        return cls._of(made)

    @classmethod
    @text_of(tabular.from_arrow)
    def from_arrow(
        cls,
        edges: pyarrow.Table,
        source: str = "src",
        target: str = "dst",
        *,
        directed: bool = True,
        columns: Iterable[str] | None = None,
        vertices: pyarrow.Table | None = None,
    ) -> Self:
        made = tabular.from_arrow(
            edges, source, target, directed=directed, columns=columns, vertices=vertices
        )
        return cls._of(made)

    @classmethod
    @text_of(interchange.of_tables)
    def of_tables(cls, tables: Tables, *, owned: bool = False) -> Self:
        return cls._of(interchange.of_tables(tables, owned=owned))

    @classmethod
    @text_of(interchange.of_stored)
    def of_stored(
        cls,
        tables: Tables,
        labels: Labels | None,
        index_arrays: Mapping[str, NDArray[Any] | LateArray],
        num_arcs: int,
    ) -> Self:
        return cls._of(interchange.of_stored(tables, labels, index_arrays, num_arcs))

    # Growing in place, as it is made.

    @text_of(grow.add_vertex)
    def add_vertex(self, label: Any = None, **fields: Any) -> int:
        return grow.add_vertex(self._store, label, **fields)

    @text_of(grow.add_edge)
    def add_edge(self, src: Any, dst: Any, **fields: Any) -> int:
        return grow.add_edge(self._store, src, dst, **fields)

    # Later versions.

    @text_of(versions.add_vertices)
    def add_vertices(
        self, count: int, labels: ArrayLike | None = None, **columns: ArrayLike
    ) -> Graph:
        return self._later(versions.add_vertices(self._store, count, labels, **columns))

    @text_of(versions.remove_vertices)
    def remove_vertices(self, vertices: ArrayLike) -> Graph:
        return self._later(versions.remove_vertices(self._store, vertices))

    @text_of(versions.add_edges)
    def add_edges(self, src: ArrayLike, dst: ArrayLike, **columns: ArrayLike) -> Graph:
        return self._later(versions.add_edges(self._store, src, dst, **columns))

    @text_of(versions.remove_edges)
    def remove_edges(
        self,
        edges: ArrayLike | None = None,
        *,
        src: ArrayLike | None = None,
        dst: ArrayLike | None = None,
    ) -> Graph:
        return self._later(versions.remove_edges(self._store, edges, src=src, dst=dst))

    @text_of(versions.changes)
    def changes(self) -> Changes[Graph]:
        return versions.changes(self._store, self._later)

    # What there is.

    @property
    def num_vertices(self) -> int:
        """Vertices, also those without edges."""
        return self._store.num_vertices

    @property
    def num_edges(self) -> int:
        """Edges as they were added: rows of the edge columns."""
        return len(self._store.edges)

    @property
    def num_arcs(self) -> int:
        """Directions of edges: as many as edges if directed, else two each and one per loop."""
        return self.layouts.num_arcs

    @property
    def directed(self) -> bool:
        """Whether an edge leads one way only."""
        return self._store.directed

    @property
    def vertices(self) -> VertexColumns:
        """The vertex columns."""
        return self._store.vertices

    @property
    def edges(self) -> EdgeColumns:
        """The edge columns, and ``src`` and ``dst`` of each edge."""
        return self._store.edges

    @property
    def labels(self) -> NDArray[Any] | None:
        """The original ids, ``any[num_vertices]``; None when the ids are the original ones."""
        labels = self._store.labels
        return None if labels is None else labels.read()

    @property
    def edge_keys(self) -> NDArray[Any]:
        """What edges are called in all versions, ``int[num_edges]``, ascending; never given twice.

        Ids, as long as no edge was removed.
        """
        return self._store.edge_keys

    @property
    def layouts(self) -> Layouts:
        """The index arrays that programs run over; new when the graph has grown."""
        return self._store.layouts

    def is_directed(self) -> bool:
        """Return `directed`; what networkx asks every graph."""
        return self.directed

    def is_multigraph(self) -> bool:
        """Return whether some edges are repeated; what networkx asks every graph."""
        return self.stats().repeats > 0

    @text_of(facts.id_of)
    def id_of(self, label: Any) -> int:
        return facts.id_of(self._store, label)

    @text_of(facts.ids_of)
    def ids_of(self, labels: Iterable[Any]) -> NDArray[Any]:
        return facts.ids_of(self._store, labels)

    @text_of(facts.arcs)
    def arcs(self, *columns: str) -> tuple[NDArray[Any], ...]:
        return facts.arcs(self._store, *columns)

    @text_of(facts.out_degrees)
    def out_degrees(self) -> NDArray[Any]:
        return facts.out_degrees(self._store)

    @text_of(facts.in_degrees)
    def in_degrees(self) -> NDArray[Any]:
        return facts.in_degrees(self._store)

    @text_of(facts.stats)
    def stats(self, *, diameter: bool = False, parts: bool = False) -> GraphStats:
        return facts.stats(self._store, diameter=diameter, parts=parts)

    @text_of(partition.parts)
    def parts(
        self,
        num_parts: int,
        by: str | os.PathLike[str] | ArrayLike | Callable[..., ArrayLike] = "ranges",
        *,
        hops: int = 1,
    ) -> Parts:
        return partition.parts(self._store, num_parts, by, hops=hops)

    # Handed on.

    @text_of(interchange.tables)
    def tables(self) -> Tables:
        return interchange.tables(self._store)

    @text_of(interchange.to_scipy)
    def to_scipy(
        self, weight: str | None = "weight", copy: bool = True
    ) -> scipy.sparse.coo_array | scipy.sparse.csr_array:
        return interchange.to_scipy(self._store, weight, copy)

    @text_of(interchange.to_networkx)
    def to_networkx(self) -> networkx.Graph[Any]:
        return interchange.to_networkx(self._store)

    @text_of(tabular.to_pandas)
    def to_pandas(self, vertices: bool = False) -> pandas.DataFrame:
        return tabular.to_pandas(self._store, vertices)

    @text_of(tabular.to_arrow)
    def to_arrow(self, vertices: bool = False) -> pyarrow.Table:
        return tabular.to_arrow(self._store, vertices)

    @text_of(tabular.to_polars)
    def to_polars(self, vertices: bool = False) -> polars.DataFrame:
        return tabular.to_polars(self._store, vertices)

    @text_of(tabular.to_dict)
    def to_dict(self, values: ArrayLike) -> dict[Any, Any]:
        return tabular.to_dict(self._store, values)

    # Where it runs.

    @property
    def device(self) -> str:
        """Where programs on this graph run: ``auto``, ``cpu``, ``cuda`` ...; see `on`."""
        return self._placed or config.backend

    @text_of(placing.on)
    def on(
        self,
        device: str,
        *,
        parts: int | None = None,
        gpus: int | str | Sequence[str] | None = None,
        by: str | os.PathLike[str] | ArrayLike | Callable[..., ArrayLike] = "ranges",
        exchange: str = "auto",
    ) -> Graph:
        options: dict[str, Any] = {"parts": parts, "gpus": gpus, "by": by, "exchange": exchange}
        return Graph._of(self._store, placing.on(self._store, device, **options))

    # Other forms.

    @text_of(forms.prepared)
    def prepared(self, **options: Unpack[Options]) -> Graph:
        return Graph._of(forms.prepared(self._store, **options), self._placed)

    @text_of(forms.subgraph)
    def subgraph(self, vertices: ArrayLike | None = None, edges: ArrayLike | None = None) -> Graph:
        return Graph._of(forms.subgraph(self._store, vertices, edges), self._placed)

    @text_of(forms.oriented)
    def oriented(self) -> Graph:
        return self._kept("oriented", lambda: forms.oriented(self._store, self.device))

    @text_of(forms.both_ways)
    def both_ways(self) -> Graph:
        if not self.directed:
            return self
        return self._kept("both ways", lambda: forms.both_ways(self._store))

    def _later(self, store: Store) -> Graph:
        return Graph._of(store, self._placed)

    def _kept(self, form: str, make: Callable[[], Store]) -> Graph:
        """Return a form of this graph, which is kept with the edges that there are."""
        kept = self.layouts.forms
        if form not in kept:
            kept[form] = Graph._of(make())
        graph: Graph = kept[form]
        given = {key: each for key, each in self.layouts.owners.items() if "given" in key[1]}
        graph.layouts.owners.update(given)  # the vertices are the same
        return graph if self._placed is None else graph.on(self._placed)
