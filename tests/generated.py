"""Models of graphs that a GPU makes too, of a scale and options, and what tells graphs apart."""

from __future__ import annotations

import hashlib

from emv import Graph, generators


def sized(count: float) -> int:
    return max(64, int(count))


MODELS = {
    "rmat": lambda s, to: generators.rmat(sized(2**20 * s), sized(2**24 * s), rng=1, **to),
    "rmat weighted": lambda s, to: generators.rmat(
        sized(2**20 * s), sized(2**24 * s), rng=1, weights=(0, 100), **to
    ),
    "kronecker": lambda s, to: generators.kronecker(
        max(6, sized(2**20 * s).bit_length() - 1), **to
    ),
    "random": lambda s, to: generators.random(sized(1e6 * s), sized(16e6 * s), **to),
    "bipartite": lambda s, to: generators.bipartite(
        sized(2e6 * s), sized(2e6 * s), sized(16e6 * s), **to
    ),
    "float weights": lambda s, to: generators.random(
        sized(1e6 * s), sized(16e6 * s), weights=(0.0, 1.0), **to
    ),
    "grid": lambda s, to: generators.grid(sized(2800 * s**0.5), sized(2800 * s**0.5), **to),
    "torus": lambda s, to: generators.grid(*[sized(200 * s ** (1 / 3))] * 3, periodic=True, **to),
    "geometric": lambda s, to: generators.geometric(
        sized(5e5 * s), min(1.0, (8 / (3.14 * sized(5e5 * s))) ** 0.5), **to
    ),
}


def digest(graph: Graph) -> str:
    """Return the SHA-256 of the ends and all columns."""
    found = hashlib.sha256()
    for store in (graph.edges, graph.vertices):
        arrays = [*graph.edges.endpoints()] if store is graph.edges else []
        for array in [*arrays, *(store.stored(name) for name in store)]:
            found.update(array.tobytes())
    return found.hexdigest()
