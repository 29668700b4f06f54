"""What a result means and how it is summed up: counts, and the ten vertices worth a look.

`RESULTS` says it for every algorithm. The rules in it are few: the largest values; how much was
reached, and what lies farthest; how many groups, and the largest; how many edges were chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.algorithms._lengths import no_path, whole_sum
from emv.cli.arguments import Call
from emv.graph import Graph

NUM_SHOWN = 10


@dataclass(frozen=True)
class Summary:
    """A result in short.

    Attributes
    ----------
    sentence : str
        The counts as a sentence; empty where there is nothing to count.
    counts : dict
        The counts by name.
    heading : (str, str)
        What the two columns of `top` are.
    top : list of (int, number)
        Vertices, by id, and their values.
    """

    sentence: str = ""
    counts: dict[str, int | float] = field(default_factory=dict)
    heading: tuple[str, str] = ("vertex", "value")
    top: list[tuple[int, int | float]] = field(default_factory=list)


Rule = Callable[[Graph, NDArray[Any], Call, str], Summary]


@dataclass(frozen=True)
class Meaning:
    """What the numbers of a result are.

    Attributes
    ----------
    column : str
        What one of them is called.
    summarise : function
        The rule that sums them up.
    per_edge : bool
        Whether there is one per edge; otherwise one per vertex.
    are_vertices : bool
        Whether they are ids of vertices.
    parts : tuple of str
        What the columns are called of a program that returns several.
    is_number : bool
        Whether it is a single number, which no file is written of.
    has_rows : bool
        Whether there is a value per vertex or per edge.
    """

    column: str
    summarise: Rule
    per_edge: bool = False
    are_vertices: bool = False
    parts: tuple[str, ...] = ()
    is_number: bool = False
    has_rows: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """Return what all results are called in a file."""
        return self.parts or ("value",)

    def named(self, result: Any) -> dict[str, Any]:
        """Return all results by name."""
        results = result if self.parts else (result,)
        return dict(zip(self.names, results, strict=True))

    def part_of(self, result: Any) -> Any:
        """Return the column that is shown of what the program returned."""
        return result[self.parts.index(self.column)] if self.parts else result

    def summary(self, graph: Graph, values: NDArray[Any], call: Call) -> Summary:
        """Return the summary of a result."""
        return self.summarise(graph, values, call, self.column)


def largest(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Show the largest values."""
    return Summary(heading=("vertex", column), top=_top(values, np.arange(len(values))))


def reached(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Count the vertices that were reached and show the farthest; -1 is not reached."""
    return _farthest(values, values != -1, column)


def measured(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Count the vertices that a path leads to and show the farthest."""
    return _farthest(values, values != no_path(values.dtype), column)


def _farthest(values: NDArray[Any], is_reached: NDArray[np.bool_], column: str) -> Summary:
    vertices = np.flatnonzero(is_reached)
    top = _top(values[vertices], vertices)
    sentence = f"{len(vertices):,} of {len(values):,} vertices reached; the largest {column}:"
    return Summary(sentence, {"reached": len(vertices)}, ("vertex", column), top)


def groups(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Count the groups, each called after a vertex, and show the largest."""
    vertices_of = np.bincount(values, minlength=1)
    num_groups = int(np.count_nonzero(vertices_of))
    names = np.flatnonzero(vertices_of)
    noun = column if num_groups == 1 else plural(column)
    sentence = f"{num_groups:,} {noun}; vertex is the first of each:"
    top = _top(vertices_of[names], names)
    return Summary(sentence, {plural(column): num_groups}, ("vertex", "size"), top)


def children(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Count the vertices that have a parent and show those with the most children; -1 is none."""
    children_of = np.bincount(values[values >= 0], minlength=1)
    num_children = int(np.count_nonzero(values >= 0))
    parents = np.flatnonzero(children_of)
    sentence = f"{num_children:,} of {len(values):,} vertices have a {column}; the most children:"
    top = _top(children_of[parents], parents)
    return Summary(sentence, {"children": num_children}, ("vertex", "children"), top)


def chosen(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Count the edges that were chosen and add up their weights."""
    num_chosen = int(np.count_nonzero(values))
    weight = call.value("weight")
    if isinstance(weight, str):
        total = whole_sum(graph.edges[weight][values]) if weight in graph.edges else num_chosen
    else:
        total = weight * num_chosen
    sentence = f"{num_chosen:,} of {len(values):,} edges are {column}, their weight is {total:.9g}"
    return Summary(sentence, {"chosen": num_chosen, "weight": total})


def number(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Show the one number that the program returned."""
    value = int(values)
    return Summary(f"{value:,} {column}", {column: value})


def members(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Count the vertices that were chosen."""
    num_chosen = int(np.count_nonzero(values))
    sentence = f"{num_chosen:,} of {len(values):,} vertices are {column}"
    return Summary(sentence, {"chosen": num_chosen})


def pairs(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Count the pairs of mates, and the vertices without; -1 is none."""
    num_single = int(np.count_nonzero(values < 0))
    num_pairs = (len(values) - num_single) // 2
    sentence = f"{num_pairs:,} pairs; {num_single:,} of {len(values):,} vertices have no {column}"
    return Summary(sentence, {"pairs": num_pairs, "single": num_single})


def classes(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Count the different values; -1 is none."""
    vertices_of = np.bincount(values[values >= 0], minlength=1)
    num_classes, most = int(np.count_nonzero(vertices_of)), int(vertices_of.max())
    noun = column if num_classes == 1 else plural(column)
    sentence = f"{num_classes:,} {noun}; the commonest is that of {most:,} vertices"
    return Summary(sentence, {plural(column): num_classes, "largest": most})


def largest_edge(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Name the edge with the largest value, by its ends."""
    if not len(values):
        return Summary()
    edge = int(np.argmax(values))
    src, dst = (label_of(graph, int(ends[edge])) for ends in graph.edges.endpoints())
    value = plain(values[edge])
    arrow = "->" if graph.directed else "-"
    sentence = f"the largest {column} is {value:.6g}, of the edge {src} {arrow} {dst}"
    return Summary(sentence, {f"largest {column}": value})


def value(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Show the one number or truth value that the program returned."""
    found = values.item() if isinstance(values, np.generic | np.ndarray) else values
    if isinstance(found, bool):
        return Summary(f"{column}: {'yes' if found else 'no'}", {column: found})
    return Summary(f"{column}: {found:.9g}", {column: found})


def selected(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Count the edges that were chosen."""
    num_chosen = int(np.count_nonzero(values))
    return Summary(f"{num_chosen:,} of {len(values):,} edges are {column}", {"chosen": num_chosen})


def named(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Name the first vertices of a list."""
    shown = ", ".join(str(label_of(graph, int(vertex))) for vertex in values[:NUM_SHOWN])
    more = ", ..." if len(values) > NUM_SHOWN else ""
    return Summary(f"{len(values):,} {column}: {shown}{more}", {column: len(values)})


def walked(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Count walks and what they visit."""
    num_visits = int(np.count_nonzero(values >= 0))
    sentence = f"{len(values):,} {column} visit {num_visits:,} vertices, repeats counted"
    return Summary(sentence, {column: len(values), "visits": num_visits})


def sampled(graph: Graph, values: NDArray[Any], call: Call, column: str) -> Summary:
    """Count the arcs of a sample."""
    return Summary(f"{len(values):,} arcs sampled", {"arcs": len(values)})


RESULTS = {
    "average_clustering": Meaning("average clustering", value, is_number=True),
    "common_neighbors": Meaning(
        "shared", largest_edge, per_edge=True, parts=("shared", "first", "second")
    ),
    "cosine": Meaning("cosine", largest_edge, per_edge=True),
    "diameter": Meaning("diameter", value, is_number=True),
    "diameter_bounds": Meaning("low", value, parts=("low", "high"), is_number=True),
    "influence_maximization": Meaning(
        "seeds", named, are_vertices=True, parts=("seeds", "spread"), has_rows=False
    ),
    "is_bipartite": Meaning("bipartite", value, is_number=True),
    "jaccard": Meaning("jaccard", largest_edge, per_edge=True),
    "k_truss": Meaning("in the truss", selected, per_edge=True),
    "leiden": Meaning("community", groups, are_vertices=True, parts=("community", "modularity")),
    "louvain": Meaning("community", groups, are_vertices=True, parts=("community", "modularity")),
    "modularity": Meaning("modularity", value, is_number=True),
    "overlap": Meaning("overlap", largest_edge, per_edge=True),
    "random_walks": Meaning("walks", walked, are_vertices=True, has_rows=False),
    "sample_neighbors": Meaning(
        "edge", sampled, parts=("src", "dst", "edge", "hop"), has_rows=False
    ),
    "sorensen": Meaning("sorensen", largest_edge, per_edge=True),
    "spread": Meaning(
        "mean", value, parts=("mean", "deviation", "low", "high", "runs"), is_number=True
    ),
    "topological_sort": Meaning("vertices in order", named, are_vertices=True, has_rows=False),
    "transitivity": Meaning("transitivity", value, is_number=True),
    "betweenness_centrality": Meaning("score", largest),
    "bfs": Meaning("depth", reached),
    "bfs_parents": Meaning("parent", children, are_vertices=True),
    "bipartite_sides": Meaning("side", classes),
    "boruvka": Meaning("in the forest", chosen, per_edge=True),
    "icm": Meaning("step", reached),
    "clustering": Meaning("coefficient", largest),
    "closeness_centrality": Meaning("closeness", largest),
    "components": Meaning("component", groups, are_vertices=True),
    "core_number": Meaning("core number", largest),
    "eccentricity": Meaning("eccentricity", largest),
    "edge_betweenness_centrality": Meaning("score", largest_edge, per_edge=True),
    "epidemic": Meaning("caught", reached, parts=("state", "caught", "since")),
    "eigenvector_centrality": Meaning("score", largest),
    "greedy_color": Meaning("color", classes),
    "harmonic_centrality": Meaning("nearness", largest),
    "hits": Meaning("authority", largest, parts=("hub", "authority")),
    "k_core": Meaning("in the core", members),
    "k_hop": Meaning("depth", reached),
    "katz_centrality": Meaning("score", largest),
    "label_propagation": Meaning("label", groups, are_vertices=True),
    "ltm": Meaning("step", reached),
    "maximal_bipartite_matching": Meaning("mate", pairs, are_vertices=True),
    "maximal_independent_set": Meaning("in the set", members),
    "maximal_matching": Meaning("mate", pairs, are_vertices=True),
    "num_triangles": Meaning("triangles", number, is_number=True),
    "pagerank": Meaning("rank", largest),
    "sssp": Meaning("distance", measured),
    "sssp_parents": Meaning("parent", children, are_vertices=True),
    "strongly_connected_components": Meaning("component", groups, are_vertices=True),
    "topological_generations": Meaning("generation", reached),
    "triangles": Meaning("triangles", largest),
}
"""By algorithm."""


def meaning_of(call: Call, graph: Graph, result: Any) -> Meaning:
    """Return what the results of a program are; those of a user's own are told by their shapes.

    Several have the names of a dictionary, or numbers; the first is summed up.
    """
    if not call.is_own:
        meaning = RESULTS[call.program.name]
        if meaning.parts or not isinstance(result, tuple):
            return meaning
        numbered = ("count", meaning.column)
        return replace(meaning, parts=numbered, summarise=classes, are_vertices=False)
    if isinstance(result, dict):
        parts = tuple(map(str, result))
    else:
        count = len(result) if isinstance(result, tuple) else 0
        parts = tuple(f"result_{number}" for number in range(count))
    first = first_of(result)
    per_edge = np.shape(first) == (graph.num_edges,) != (graph.num_vertices,)
    is_column = np.shape(first) in ((graph.num_vertices,), (graph.num_edges,))
    rule = (largest_edge if per_edge else largest) if is_column else told
    return Meaning(parts[0] if parts else "value", rule, per_edge=per_edge, parts=parts)


def first_of(result: Any) -> Any:
    """Return the first of several results, or the only one."""
    several = list(result.values()) if isinstance(result, dict) else result
    return several[0] if isinstance(several, tuple | list) and several else several


def told(graph: Graph, values: Any, call: Call, column: str) -> Summary:
    """Say what the program returned that is no column."""
    if np.ndim(values):
        return Summary(f"{column}: an array of {' x '.join(map(str, np.shape(values)))} numbers")
    value = values.item() if isinstance(values, np.generic | np.ndarray) else values
    return Summary(f"{column}: {value}", {column: value} if isinstance(value, int | float) else {})


def _top(values: NDArray[Any], vertices: NDArray[Any]) -> list[tuple[int, int | float]]:
    """Return the vertices with the largest values; of equal ones the smallest ids."""
    if len(values) > NUM_SHOWN:
        least = np.partition(values, -NUM_SHOWN)[-NUM_SHOWN]
        is_large = values >= least
        values, vertices = values[is_large], vertices[is_large]
    order = np.argsort(-values, kind="stable")[:NUM_SHOWN]
    return [(int(vertices[each]), plain(values[each])) for each in order]


def plural(noun: str) -> str:
    """Return the plural of a noun.

    Examples
    --------
    >>> plural("color"), plural("community")
    ('colors', 'communities')
    """
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def plain(value: np.generic) -> Any:
    """Return a numpy number as a Python number with as many digits as it has.

    Examples
    --------
    >>> plain(np.float32(0.1)), plain(np.int32(3))
    (0.1, 3)
    """
    return float(str(value)) if isinstance(value, np.floating) else value.item()


def label_of(graph: Graph, vertex: int) -> Any:
    """Return what the file calls a vertex."""
    if graph.labels is None:
        return vertex
    label = graph.labels[vertex]
    return label.item() if isinstance(label, np.generic) else label
