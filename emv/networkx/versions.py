"""What differs between the versions of networkx that are served, 3.6 and 3.7.

Parameters that only the later version has are there in emv, too: networkx fills in those it knows.

- 3.7: a graph without nodes has no eccentricity, and so no diameter, radius and periphery; before,
  `eccentricity` is empty, and the others raise what Python's `max` raises.
- 3.7: ``closeness_centrality(sp=)``, which is refused, and ``adjacency_matrix(format=)``.
- 3.7: ``bfs_predecessors`` warns that it will be gone.
- 3.7: ``centroid`` is another name of ``barycenter``; before, it takes trees alone.
- 3.7: ``degree_pearson_correlation_coefficient`` of less than two pairs is nan, not refused.
- 3.7: ``rich_club_coefficient(n_samples=)``, which matters where it is refused.
- 3.7: ``floyd_warshall_numpy`` refuses cycles of negative length; before, it returns what it has.
- 3.7: ``leiden_communities(metric=)`` is networkx' own, by another measure; before, it has none.
- 3.7: ``hits(method=)``, a power iteration by default; before, singular vectors.
- 3.7: ``circular_ladder_graph`` of less than two rungs is refused there; emv makes none anyway.
"""

from __future__ import annotations

import re

import networkx as nx


def version_of(text: str) -> tuple[int, int]:
    """Return the first two numbers of a version.

    Examples
    --------
    >>> version_of("3.7rc0.dev0")
    (3, 7)
    """
    major, minor = re.findall(r"\d+", text)[:2]
    return int(major), int(minor)


def is_from(*version: int) -> bool:
    """Return whether networkx is this version or a later one."""
    return version_of(nx.__version__) >= version


def demand_eccentricity(count: int) -> None:
    """Refuse a graph without nodes, if networkx does.

    Raises
    ------
    networkx.NetworkXPointlessConcept
        If there are none, from 3.7 on.
    """
    if not count and is_from(3, 7):
        raise nx.NetworkXPointlessConcept("Cannot compute eccentricity of a null graph.")
