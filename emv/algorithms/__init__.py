"""Algorithms, a page each: written in the language, with the check of their results beside them.

Every page begins with what the algorithm returns and by which method; its text is what a user could
have written. Each name is a program: ``bfs(g, 0)`` gives the result, ``bfs.run(g, 0)`` a `Run`.
"""

from __future__ import annotations

from emv.algorithms._checks import WrongResultError
from emv.algorithms.bfs import bfs, check_bfs
from emv.algorithms.bipartite_sides import bipartite_sides, check_bipartite_sides, is_bipartite
from emv.algorithms.boruvka import boruvka, check_boruvka
from emv.algorithms.cascade import cascade, check_cascade
from emv.algorithms.components import check_components, components
from emv.algorithms.core_number import check_core_number, check_k_core, core_number, k_core
from emv.algorithms.greedy_color import check_greedy_color, greedy_color
from emv.algorithms.maximal_independent_set import (
    check_maximal_independent_set,
    maximal_independent_set,
)
from emv.algorithms.pagerank import check_pagerank, pagerank
from emv.algorithms.sssp import check_sssp, sssp
from emv.algorithms.strongly_connected_components import (
    check_strongly_connected_components,
    strongly_connected_components,
)
from emv.algorithms.topological_generations import (
    check_topological_generations,
    topological_generations,
    topological_sort,
)
from emv.algorithms.triangles import (
    check_num_triangles,
    check_triangles,
    num_triangles,
    triangles,
)
from emv.runtime.program import ProgramFunction

ALGORITHMS: dict[str, ProgramFunction] = {
    program.name: program
    for program in (
        bfs,
        bipartite_sides,
        boruvka,
        cascade,
        components,
        core_number,
        greedy_color,
        k_core,
        maximal_independent_set,
        num_triangles,
        pagerank,
        sssp,
        strongly_connected_components,
        topological_generations,
        triangles,
    )
}
"""The programs by name, for the command line."""

__all__ = [
    "ALGORITHMS",
    "WrongResultError",
    "bfs",
    "bipartite_sides",
    "boruvka",
    "cascade",
    "check_bfs",
    "check_bipartite_sides",
    "check_boruvka",
    "check_cascade",
    "check_components",
    "check_core_number",
    "check_greedy_color",
    "check_k_core",
    "check_maximal_independent_set",
    "check_num_triangles",
    "check_pagerank",
    "check_sssp",
    "check_strongly_connected_components",
    "check_topological_generations",
    "check_triangles",
    "components",
    "core_number",
    "greedy_color",
    "is_bipartite",
    "k_core",
    "maximal_independent_set",
    "num_triangles",
    "pagerank",
    "sssp",
    "strongly_connected_components",
    "topological_generations",
    "topological_sort",
    "triangles",
]
