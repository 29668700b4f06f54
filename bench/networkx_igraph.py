"""Functions of networkx that igraph has too: emv with the graph converted already, beside igraph.

Graphs are those of `bench.networkx_calls`, as networkx graphs that emv has converted, and as
igraph's own. Each call gives Python's lists, dicts or sets, as users get them, and is made three
times, once if that takes a second; the least counts, in seconds of the processor until the result
is there, emv on one thread as igraph is. Each gives what its users get, which is what decides: a
graph of networkx that is filled when somebody looks at it, and igraph's own graph; a dict, and
igraph's list of the same numbers: for degree centralities, of which igraph has none, its degrees
multiplied by one share. `dict` compares like with like: networkx' call beside igraph's whose list
becomes a dict by node. Exits 1 where networkx' call is slower.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from operator import methodcaller
from typing import Any

import igraph

from bench.networkx_calls import PATIENCE, ROUNDS, Stopped, by_graph, seconds, stopped_after
from bench.study import Row, run

ENOUGH = 1.0  # seconds after which a call is not repeated
MOST = 15  # times that a short call is made

Igraph = Callable[[igraph.Graph], Any]


def shares(degrees: list[int]) -> list[float]:
    """Return degrees by the largest that there may be, as networkx' centralities are."""
    share = 1 / (len(degrees) - 1)
    return [degree * share for degree in degrees]


def main_core(g: igraph.Graph) -> igraph.Graph:
    """Return the graph of the largest core number, which is networkx' default."""
    cores = g.coreness()
    largest = max(cores)
    return g.induced_subgraph([v for v, core in enumerate(cores) if core == largest])


PEERS: dict[str, Igraph] = {  # what igraph does for a function of networkx
    "ancestors": lambda g: set(g.subcomponent(1, mode="in")),
    "average_clustering": lambda g: g.transitivity_avglocal_undirected(mode="zero"),
    "average_neighbor_degree": lambda g: g.knn()[0],
    "bellman_ford_path_length": lambda g: g.distances(1, 2, "weight", algorithm="bellman_ford"),
    "bfs_edges": lambda g: g.bfs(1),
    "clustering": lambda g: g.transitivity_local_undirected(mode="zero"),
    "connected_components": lambda g: list(g.connected_components()),
    "degree_assortativity_coefficient": lambda g: g.assortativity_degree(directed=False),
    "degree_centrality": lambda g: shares(g.degree()),
    "descendants": lambda g: set(g.subcomponent(1, mode="out")),
    "dfs_preorder_nodes": lambda g: g.dfs(1)[0],
    "dijkstra_path_length": lambda g: g.distances(1, 2, "weight", algorithm="dijkstra"),
    "has_path": lambda g: g.distances(1, 2),
    "hits": lambda g: (g.hub_score(), g.authority_score()),
    "in_degree_centrality": lambda g: shares(g.indegree()),
    "is_bipartite": lambda g: g.is_bipartite(return_types=False),
    "is_strongly_connected": lambda g: g.is_connected(mode="strong"),
    "is_weakly_connected": lambda g: g.is_connected(mode="weak"),
    "isolates": lambda g: g.vs.select(_degree=0).indices,
    "k_core": main_core,
    "louvain_communities": lambda g: list(g.community_multilevel("weight")),
    "minimum_spanning_edges": lambda g: g.spanning_tree(g.es["weight"], return_tree=False),
    "node_connected_component": lambda g: set(g.subcomponent(1)),
    "number_connected_components": lambda g: len(g.connected_components()),
    "number_of_selfloops": lambda g: sum(g.is_loop()),
    "number_strongly_connected_components": lambda g: len(g.connected_components("strong")),
    "out_degree_centrality": lambda g: shares(g.outdegree()),
    "shortest_path": lambda g: g.get_shortest_paths(1),
    "single_source_bellman_ford_path_length": lambda g: g.distances(
        1, weights="weight", algorithm="bellman_ford"
    ),
    "single_source_dijkstra_path": lambda g: g.get_shortest_paths(1, weights="weight"),
    "single_source_dijkstra_path_length": lambda g: g.distances(1, weights="weight"),
    "single_source_shortest_path_length": lambda g: g.distances(1),
    "strongly_connected_components": lambda g: list(g.connected_components("strong")),
    "weakly_connected_components": lambda g: list(g.connected_components("weak")),
}
PLAIN = """
closeness_centrality=closeness constraint core_number=coreness diameter eccentricity
eigenvector_centrality harmonic_centrality is_connected is_directed_acyclic_graph=is_dag is_tree
pagerank radius reciprocity to_scipy_sparse_array=get_adjacency_sparse
topological_sort=topological_sorting transitivity=transitivity_undirected triangles=list_triangles
"""  # functions, and a method of igraph that does the same, where it is called otherwise
PEERS |= {each.partition("=")[0]: methodcaller(each.split("=")[-1]) for each in PLAIN.split()}
BY_NODE = """
average_neighbor_degree closeness_centrality clustering constraint core_number degree_centrality
eccentricity eigenvector_centrality harmonic_centrality in_degree_centrality out_degree_centrality
pagerank
""".split()  # functions of which networkx returns a dict by node, and igraph a list


def as_igraph(G: Any) -> igraph.Graph:
    """Return the same graph as igraph's."""
    count = G.number_of_nodes()
    g = igraph.Graph(count, list(G.edges), directed=G.is_directed())
    if "weight" in next(iter(G.edges(data=True)))[2]:
        g.es["weight"] = [data["weight"] for *_, data in G.edges(data=True)]
    return g


def spent_by_igraph(name: str, g: igraph.Graph, nodes: list[Any] | None = None) -> float:
    """Return the seconds of a call of igraph, which must not know the answer from one before.

    With nodes its list becomes a dict by node.
    """
    g.add_vertex()  # any change makes igraph forget, as whether all is one component
    g.delete_vertices(g.vcount() - 1)
    begin = time.process_time()
    found = PEERS[name](g)
    if nodes is not None:
        found = dict(zip(nodes, found, strict=True))
    end = time.process_time()
    del found  # when the clock has been read, as in `seconds`
    return end - begin


def measured(name: str, G: Any, g: igraph.Graph) -> Row:
    """Return the row of a function."""
    calls = {
        "emv_s": lambda: seconds(name, (G,), "emv", None, is_filled=False),
        "igraph_s": lambda: spent_by_igraph(name, g),
    }
    if name in BY_NODE:
        nodes = list(G)
        calls["igraph_dict_s"] = lambda: spent_by_igraph(name, g, nodes)
    with stopped_after(PATIENCE):
        calls["emv_s"]()  # compiles
    taken: dict[str, list[float]] = {each: [] for each in calls}
    while any(map(is_short, taken.values())):  # by turns, as other work comes and goes
        for each, call in calls.items():
            if is_short(taken[each]):
                taken[each].append(call())
    return {"function": name, **{each: min(found) for each, found in taken.items()}}


def is_short(found: list[float]) -> bool:
    """Return whether a call is to be made again."""
    is_told = len(found) >= ROUNDS and sum(found) >= ENOUGH / 4
    return not is_told and sum(found) < ENOUGH and len(found) < MOST


def networkx_igraph(edges: int = 1_000_000, only: tuple[str, ...] = tuple(PEERS)) -> Iterator[Row]:
    """Time functions of networkx beside igraph's; exit 1 if igraph is faster somewhere."""
    warnings.simplefilter("ignore")
    for kind, G, names in by_graph(list(only), edges):
        g = as_igraph(G)
        seconds("is_isolate", (G,), "emv")  # converts it
        for name in names:
            try:
                row = measured(name, G, g)
            except (NotImplementedError, Stopped) as error:
                yield {"function": name, "graph": kind, "why": repr(error)}
                continue
            others = {"call x": "igraph_s", "dict x": "igraph_dict_s"}
            row |= {x: row[each] / row["emv_s"] for x, each in others.items() if each in row}
            row["missed"] = row["emv_s"] >= row["igraph_s"]
            yield {"graph": kind, "edges": edges, **row}


if __name__ == "__main__":
    raise SystemExit(run(networkx_igraph))
