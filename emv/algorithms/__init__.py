"""Algorithms, a page each: written in the language, with the check of their results beside them.

Every page begins with what the algorithm returns and by which method; its text is what a user could
have written. Each name is a program: ``bfs(g, 0)`` gives the result, ``bfs.run(g, 0)`` a `Run`.
"""

from __future__ import annotations

from emv.algorithms._checks import WrongResultError
from emv.algorithms._negative_cycles import NegativeCycleError
from emv.algorithms.betweenness_centrality import (
    betweenness_centrality,
    check_betweenness_centrality,
)
from emv.algorithms.bfs import bfs, check_bfs
from emv.algorithms.bfs_parents import bfs_parents, check_bfs_parents
from emv.algorithms.bipartite_sides import bipartite_sides, check_bipartite_sides, is_bipartite
from emv.algorithms.boruvka import boruvka, check_boruvka
from emv.algorithms.cascade import cascade, check_cascade
from emv.algorithms.closeness_centrality import check_closeness_centrality, closeness_centrality
from emv.algorithms.clustering import (
    average_clustering,
    check_clustering,
    clustering,
    transitivity,
)
from emv.algorithms.components import check_components, components
from emv.algorithms.core_number import check_core_number, check_k_core, core_number, k_core
from emv.algorithms.eccentricity import check_eccentricity, diameter, diameter_bounds, eccentricity
from emv.algorithms.edge_betweenness_centrality import (
    check_edge_betweenness_centrality,
    edge_betweenness_centrality,
)
from emv.algorithms.eigenvector_centrality import (
    check_eigenvector_centrality,
    eigenvector_centrality,
)
from emv.algorithms.greedy_color import check_greedy_color, greedy_color
from emv.algorithms.harmonic_centrality import check_harmonic_centrality, harmonic_centrality
from emv.algorithms.hits import check_hits, hits
from emv.algorithms.k_hop import check_k_hop, ego_graph, k_hop
from emv.algorithms.k_truss import check_k_truss, k_truss
from emv.algorithms.katz_centrality import check_katz_centrality, katz_centrality
from emv.algorithms.label_propagation import check_label_propagation, label_propagation
from emv.algorithms.louvain import check_louvain, louvain
from emv.algorithms.maximal_bipartite_matching import (
    check_maximal_bipartite_matching,
    maximal_bipartite_matching,
)
from emv.algorithms.maximal_independent_set import (
    check_maximal_independent_set,
    maximal_independent_set,
)
from emv.algorithms.maximal_matching import check_maximal_matching, maximal_matching
from emv.algorithms.modularity import check_modularity, modularity
from emv.algorithms.pagerank import check_pagerank, pagerank
from emv.algorithms.random_walks import check_random_walks, random_walks
from emv.algorithms.sample_neighbors import NeighborSample, check_sample_neighbors, sample_neighbors
from emv.algorithms.similarity import (
    check_jaccard,
    common_neighbors,
    cosine,
    jaccard,
    overlap,
    sorensen,
)
from emv.algorithms.sssp import check_sssp, sssp
from emv.algorithms.sssp_parents import check_sssp_parents, sssp_parents
from emv.algorithms.strongly_connected_components import (
    check_strongly_connected_components,
    strongly_connected_components,
)
from emv.algorithms.topological_generations import (
    check_topological_generations,
    topological_generations,
    topological_sort,
)
from emv.algorithms.triangles import check_num_triangles, check_triangles, num_triangles, triangles
from emv.runtime.program import ProgramFunction

ALGORITHMS: dict[str, ProgramFunction] = {
    program.name: program
    for program in (
        betweenness_centrality,
        bfs,
        bfs_parents,
        bipartite_sides,
        boruvka,
        cascade,
        clustering,
        closeness_centrality,
        components,
        core_number,
        eccentricity,
        edge_betweenness_centrality,
        eigenvector_centrality,
        greedy_color,
        harmonic_centrality,
        hits,
        k_core,
        k_hop,
        katz_centrality,
        label_propagation,
        maximal_bipartite_matching,
        maximal_independent_set,
        maximal_matching,
        num_triangles,
        pagerank,
        sssp,
        sssp_parents,
        strongly_connected_components,
        topological_generations,
        triangles,
    )
}
"""The programs by name, for the command line."""

__all__ = [
    "ALGORITHMS",
    "NegativeCycleError",
    "NeighborSample",
    "WrongResultError",
    "average_clustering",
    "betweenness_centrality",
    "bfs",
    "bfs_parents",
    "bipartite_sides",
    "boruvka",
    "cascade",
    "check_betweenness_centrality",
    "check_bfs",
    "check_bfs_parents",
    "check_bipartite_sides",
    "check_boruvka",
    "check_cascade",
    "check_closeness_centrality",
    "check_clustering",
    "check_components",
    "check_core_number",
    "check_eccentricity",
    "check_edge_betweenness_centrality",
    "check_eigenvector_centrality",
    "check_greedy_color",
    "check_harmonic_centrality",
    "check_hits",
    "check_jaccard",
    "check_k_core",
    "check_k_hop",
    "check_k_truss",
    "check_katz_centrality",
    "check_label_propagation",
    "check_louvain",
    "check_maximal_bipartite_matching",
    "check_maximal_independent_set",
    "check_maximal_matching",
    "check_modularity",
    "check_num_triangles",
    "check_pagerank",
    "check_random_walks",
    "check_sample_neighbors",
    "check_sssp",
    "check_sssp_parents",
    "check_strongly_connected_components",
    "check_topological_generations",
    "check_triangles",
    "closeness_centrality",
    "clustering",
    "common_neighbors",
    "components",
    "core_number",
    "cosine",
    "diameter",
    "diameter_bounds",
    "eccentricity",
    "edge_betweenness_centrality",
    "ego_graph",
    "eigenvector_centrality",
    "greedy_color",
    "harmonic_centrality",
    "hits",
    "is_bipartite",
    "jaccard",
    "k_core",
    "k_hop",
    "k_truss",
    "katz_centrality",
    "label_propagation",
    "louvain",
    "maximal_bipartite_matching",
    "maximal_independent_set",
    "maximal_matching",
    "modularity",
    "num_triangles",
    "overlap",
    "pagerank",
    "random_walks",
    "sample_neighbors",
    "sorensen",
    "sssp",
    "sssp_parents",
    "strongly_connected_components",
    "topological_generations",
    "topological_sort",
    "transitivity",
    "triangles",
]
