"""Random and regular graphs, made by rule: ``emv.generators.rmat(10**6, 16 * 10**6, rng=1)``.

Every function returns a `Graph` and takes, besides what its model needs:

* ``rng``, as SPEC 7 has it: a whole number from 0 on, a generator of numpy's, or None. Every draw
  is a function of that number and of what it is for, so the graph is the same on any number of
  threads, and on a GPU.
* ``directed``, whether edges lead one way only; each model has its own default.
* ``weights=(low, high)``, which adds an edge column ``weight``: uniform whole numbers from low to
  high - 1 if both are ints (GTgraph's are ``(0, 100)``), else uniform numbers in between.
* ``device="cuda"``, which makes edges and weights on a GPU, where they stay. The models that can
  are rmat, kronecker, random, bipartite and grid, and geometric and delaunay for their points;
  the others refuse it.
* ``held=False``, for a graph that no GPU holds as a whole: edges are drawn by each of several GPUs
  when it builds its part, ``g.on("cuda", gpus=2)``. The models that can are rmat, kronecker, random
  and bipartite, without weights.

A wrong parameter is an `ArgumentError` that says what it must be.
"""

from __future__ import annotations

from emv.generators.blocks import erdos_renyi, stochastic_block
from emv.generators.growing import barabasi_albert
from emv.generators.lattices import grid, honeycomb
from emv.generators.planes import delaunay, geometric
from emv.generators.recursive import kronecker, rmat
from emv.generators.roads import road
from emv.generators.shapes import complete, cycle, path, star, tree
from emv.generators.small_world import watts_strogatz
from emv.generators.uniform import bipartite, random

__all__ = [
    "GENERATORS",
    "barabasi_albert",
    "bipartite",
    "complete",
    "cycle",
    "delaunay",
    "erdos_renyi",
    "geometric",
    "grid",
    "honeycomb",
    "kronecker",
    "path",
    "random",
    "rmat",
    "road",
    "star",
    "stochastic_block",
    "tree",
    "watts_strogatz",
]

GENERATORS = {name: globals()[name] for name in __all__ if name != "GENERATORS"}
"""Every generator by name."""
