"""What igraph is asked for beside networkx gives the numbers that networkx gives."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from bench.networkx_igraph import BY_NODE, PEERS, as_igraph

OTHER_SCALE = {"eigenvector_centrality"}  # igraph's largest is 1
ARCS = {"in_degree_centrality", "out_degree_centrality"}


@pytest.mark.parametrize("name", sorted(BY_NODE))
def test_igraphs_lists_are_networkxs_dicts(name: str) -> None:
    G = nx.gnm_random_graph(60, 240, seed=5, directed=name in ARCS)
    largest = max(nx.weakly_connected_components(G) if name in ARCS else nx.connected_components(G))
    G = nx.convert_node_labels_to_integers(G.subgraph(largest))
    g = as_igraph(G)
    theirs = np.array(PEERS[name](g))
    named = {"max_iter": 1000} if name == "eigenvector_centrality" else {}
    ours = np.array(list(getattr(nx, name)(G, **named).values()))
    if name in OTHER_SCALE:
        theirs, ours = theirs / theirs.max(), ours / ours.max()
    if name == "harmonic_centrality":  # igraph's is a mean over the others
        theirs = theirs * (len(G) - 1)
    assert theirs == pytest.approx(ours, rel=1e-4, abs=1e-9)
