"""The graphs of the papers: their printed figures, their files, and what stands in for them.

Medusa (Zhong and He, TPDS 2014, Table 4; SIGMOD Record 2014, Table 3 and Figure 2) and GasCL (Che,
HPEC 2014, Figure 3). E counts arcs: an undirected edge twice. Exact counts are those of the
collections that published the files. Their checksums are not recorded here, so a file is accepted
by its counts, and its own checksum is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from emv.datasets import meshes, networks
from emv.graph import Graph

SNAP = "https://snap.stanford.edu/data"
SUITESPARSE = "https://suitesparse-collection-website.herokuapp.com/MM"


@dataclass(frozen=True)
class Figures:
    """What a paper prints of a graph; None where it prints nothing.

    Attributes
    ----------
    num_vertices, num_arcs : float
        In millions.
    max, mean, deviation : float
        Of the out-degrees.
    diameter : int
        Of the collection that published the file.
    """

    num_vertices: float | None = None
    num_arcs: float | None = None
    max: int | None = None
    mean: float | None = None
    deviation: float | None = None
    diameter: int | None = None


@dataclass(frozen=True)
class File:
    """A file that holds the real graph.

    Attributes
    ----------
    name : str
        As it is published.
    url : str
        Where to get it.
    num_vertices, num_arcs : int
        What it must have.
    sha256 : str or None
        Of the published file; None where it is not known.
    options : mapping
        For `emv.read`.
    """

    name: str
    url: str
    num_vertices: int
    num_arcs: int
    sha256: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """A graph of the papers.

    Attributes
    ----------
    title : str
        What the paper calls it, and in which table.
    printed : Figures
        The paper's figures.
    size : (num_vertices, num_arcs, max_degree)
        What the stand-in is made for.
    make : function
        Makes it from these three numbers; its docstring says how.
    files : tuple of File
        The real graph; empty where the papers' own was generated.
    recipe : bool
        Whether `make` follows the recipe that the paper gives, so that nothing stands in.
    """

    title: str
    printed: Figures
    size: tuple[int, int, int]
    make: Callable[[int, int, int], Graph]
    files: tuple[File, ...] = ()
    recipe: bool = False


def _snap(name: str, num_vertices: int, num_arcs: int) -> File:
    return File(name, f"{SNAP}/{name}", num_vertices, num_arcs)


def _matrix(group: str, name: str, num_vertices: int, num_arcs: int, **options: Any) -> File:
    """Return a Matrix Market file of the University of Florida (SuiteSparse) collection."""
    url = f"{SUITESPARSE}/{group}/{name}.tar.gz (unpack it)"
    return File(f"{name}.mtx", url, num_vertices, num_arcs, options=options)


CATALOGUE: dict[str, Entry] = {
    "rmat": Entry(
        "RMAT, Medusa's Table 4",
        Figures(1.0, 16.0, 1742, 16, 32.9),
        (1_000_000, 16_000_000, 1742),
        meshes.rmat,
        recipe=True,
    ),
    "random": Entry(
        "Random, Medusa's Table 4",
        Figures(1.0, 16.0, 38, 16, 4.0),
        (1_000_000, 16_000_000, 38),
        meshes.random,
        recipe=True,
    ),
    "bip": Entry(
        "BIP, Medusa's Table 4",
        Figures(4.0, 16.0, 40, 4, 5.1),
        (4_000_000, 16_000_000, 40),
        meshes.bipartite,
    ),
    "wiki-talk": Entry(
        "WikiTalk, Medusa's Table 4",
        Figures(2.4, 5.0, 100_022, 2.1, 99.9, 9),
        (2_394_385, 5_021_410, 100_022),
        networks.wiki_talk,
        (_snap("wiki-Talk.txt.gz", 2_394_385, 5_021_410),),
    ),
    "roadnet-ca": Entry(
        "RoadNet-CA, Medusa's Table 4",
        Figures(2.0, 5.5, 12, 2.8, 1.0, 849),
        (1_965_206, 5_533_214, 12),
        meshes.roads,
        (_snap("roadNet-CA.txt.gz", 1_965_206, 5_533_214),),
    ),
    "kkt-power": Entry(
        "kkt_power, Medusa's Table 4",
        Figures(2.1, 13.0, 95, 6.3, 7.5),
        (2_063_494, 12_964_640, 95),
        meshes.optimisation,
        (_matrix("Zaoui", "kkt_power", 2_063_494, 12_964_640, loops=False),),
    ),
    "copapers-citeseer": Entry(
        "coPapersCiteseer, Medusa's Table 4",
        Figures(0.4, 32.1, 1188, 73.9, 101.3),
        (434_102, 32_073_440, 1188),
        networks.citations,
        (_matrix("DIMACS10", "coPapersCiteseer", 434_102, 32_073_440),),
    ),
    "hugebubbles-00020": Entry(
        "hugebubbles-00020, Medusa's Table 4",
        Figures(21.2, 63.6, 3, 3.0, 0.03),
        (21_198_119, 63_580_358, 3),
        meshes.bubbles,
        (_matrix("DIMACS10", "hugebubbles-00020", 21_198_119, 63_580_358),),
    ),
    "delaunay": Entry(
        "delaunay, GasCL's Figure 3 (its size is not said; here that of delaunay_n20)",
        Figures(),
        (1_048_576, 6_291_372, 23),
        meshes.triangles,
        (_matrix("DIMACS10", "delaunay_n20", 1_048_576, 6_291_372),),
    ),
    "flickr": Entry(
        "flickr, GasCL's Figure 3",
        Figures(),
        (820_878, 9_837_214, 0),
        networks.flickr,
        (_matrix("Gleich", "flickr", 820_878, 9_837_214),),
    ),
    "email-enron": Entry(
        "email-Enron, GasCL's Figure 3",
        Figures(diameter=11),
        (36_692, 367_662, 1383),
        networks.email,
        (_snap("email-Enron.txt.gz", 36_692, 367_662),),
    ),
    "g2-circuit": Entry(
        "G2-circuit, GasCL's Figure 3 (without the diagonal)",
        Figures(),
        (150_102, 576_572, 0),
        meshes.circuit,
        (_matrix("AMD", "G2_circuit", 150_102, 576_572, loops=False),),
    ),
    "mesh-deform": Entry(
        "mesh-deform, GasCL's Figure 3 (a matrix of 234,023 rows and 9,393 columns)",
        Figures(),
        (243_416, 1_707_658, 0),
        meshes.deformation,
        (_matrix("Yoshiyasu", "mesh_deform", 243_416, 1_707_658),),
    ),
    "dblp": Entry(
        "DBLP co-authors, Medusa's Figure 2 (its size is not said)",
        Figures(),
        (700_000, 4_200_000, 0),
        networks.coauthors,
        (
            _matrix("LAW", "dblp-2010", 326_186, 1_615_400),
            File(
                "com-dblp.ungraph.txt.gz",
                f"{SNAP}/bigdata/communities/com-dblp.ungraph.txt.gz",
                317_080,
                2_099_732,
                options={"directed": False},
            ),
        ),
    ),
}
