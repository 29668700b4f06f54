"""Algorithms, a page each: written in the language, with the check of their results beside them.

Every page begins with what the algorithm returns and by which method; its text is what a user could
have written. Each name is a program: ``bfs(g, 0)`` gives the result, ``bfs.run(g, 0)`` a `Run`.
"""

from __future__ import annotations

from emv.algorithms._checks import WrongResultError
from emv.algorithms.bfs import bfs, check_bfs
from emv.algorithms.bfs_parents import bfs_parents, check_bfs_parents
from emv.algorithms.boruvka import boruvka, check_boruvka
from emv.algorithms.cascade import cascade, check_cascade
from emv.algorithms.closeness_centrality import check_closeness_centrality, closeness_centrality
from emv.algorithms.components import check_components, components
from emv.algorithms.eigenvector_centrality import (
    check_eigenvector_centrality,
    eigenvector_centrality,
)
from emv.algorithms.harmonic_centrality import check_harmonic_centrality, harmonic_centrality
from emv.algorithms.hits import check_hits, hits
from emv.algorithms.k_hop import check_k_hop, ego_graph, k_hop
from emv.algorithms.katz_centrality import check_katz_centrality, katz_centrality
from emv.algorithms.label_propagation import check_label_propagation, label_propagation
from emv.algorithms.pagerank import check_pagerank, pagerank
from emv.algorithms.sssp import check_sssp, sssp
from emv.algorithms.sssp_parents import check_sssp_parents, sssp_parents
from emv.algorithms.triangles import check_num_triangles, check_triangles, num_triangles, triangles
from emv.runtime.program import ProgramFunction

ALGORITHMS: dict[str, ProgramFunction] = {
    program.name: program
    for program in (
        bfs,
        bfs_parents,
        boruvka,
        cascade,
        closeness_centrality,
        components,
        eigenvector_centrality,
        harmonic_centrality,
        hits,
        k_hop,
        katz_centrality,
        label_propagation,
        num_triangles,
        pagerank,
        sssp,
        sssp_parents,
        triangles,
    )
}
"""The programs by name, for the command line."""

__all__ = [
    "ALGORITHMS",
    "WrongResultError",
    "bfs",
    "bfs_parents",
    "boruvka",
    "cascade",
    "check_bfs",
    "check_bfs_parents",
    "check_boruvka",
    "check_cascade",
    "check_closeness_centrality",
    "check_components",
    "check_eigenvector_centrality",
    "check_harmonic_centrality",
    "check_hits",
    "check_k_hop",
    "check_katz_centrality",
    "check_label_propagation",
    "check_num_triangles",
    "check_pagerank",
    "check_sssp",
    "check_sssp_parents",
    "check_triangles",
    "closeness_centrality",
    "components",
    "ego_graph",
    "eigenvector_centrality",
    "harmonic_centrality",
    "hits",
    "k_hop",
    "katz_centrality",
    "label_propagation",
    "num_triangles",
    "pagerank",
    "sssp",
    "sssp_parents",
    "triangles",
]
