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
from emv.algorithms.components import check_components, components
from emv.algorithms.k_hop import check_k_hop, ego_graph, k_hop
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
        components,
        k_hop,
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
    "check_components",
    "check_k_hop",
    "check_label_propagation",
    "check_num_triangles",
    "check_pagerank",
    "check_sssp",
    "check_sssp_parents",
    "check_triangles",
    "components",
    "ego_graph",
    "k_hop",
    "label_propagation",
    "num_triangles",
    "pagerank",
    "sssp",
    "sssp_parents",
    "triangles",
]
