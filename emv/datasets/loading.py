"""The real graph if its file is there, else one that stands in: `load`."""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass
from pathlib import Path

from emv.config import config
from emv.datasets.catalogue import CATALOGUE, Entry, Figures, File
from emv.errors import ArgumentError, GraphFormatError, did_you_mean
from emv.graph import Graph
from emv.graph.io import read
from emv.tracebacks import ends_at_caller

KINDS = ("real", "generated", "stand-in")
PACKED = ("", ".gz", ".zst")


@dataclass(frozen=True)
class Dataset:
    """A graph of the papers, and what it really is.

    Attributes
    ----------
    name : str
        As `load` knows it.
    title : str
        What the paper calls it, and where.
    kind : {"real", "generated", "stand-in"}
        Read from the published file; made by the recipe that the paper gives; or made by another,
        so that its figures are like those of the real graph.
    about : str
        How it was made, or the file it was read from.
    graph : Graph
        The graph.
    printed : Figures
        What the paper prints of it.
    file : str or None
        The path it was read from.
    sha256 : str or None
        Of that file.

    Examples
    --------
    >>> load("delaunay", scale=0.001)
    <delaunay: stand-in, Graph(1049 vertices, 3130 edges, undirected, vertices: x f64, y f64)>
    """

    name: str
    title: str
    kind: str
    about: str
    graph: Graph
    printed: Figures
    file: str | None = None
    sha256: str | None = None

    @property
    def is_stand_in(self) -> bool:
        """Whether it is another graph than the paper's."""
        return self.kind == "stand-in"

    def __repr__(self) -> str:
        return f"<{self.name}: {self.kind}, {self.graph}>"


@ends_at_caller
def load(name: str, *, scale: float = 1.0, stand_in: bool | None = None) -> Dataset:
    """Return a graph of the papers: the real one if its file is there, else a stand-in.

    Files are looked for in the folder ``$EMV_DATA``, by default ``~/.cache/emv/data``, under the
    name that they are published by, also with ``.gz`` or ``.zst`` behind it. Nothing is fetched:
    the error of ``load(name, stand_in=False)`` says where a file is to be had.

    Parameters
    ----------
    name : str
        One of `names`.
    scale : float
        Makes a graph with so many times the vertices and arcs; another than 1 is never real.
    stand_in : bool, optional
        True never reads a file, False reads it or fails.

    Raises
    ------
    ArgumentError
        If there is no such graph, the scale is not above 0 and at most 1, or the file is not there.
    GraphFormatError
        If the file has other counts than the published one.

    Examples
    --------
    >>> found = load("email-enron", scale=0.1, stand_in=True)
    >>> found.kind, found.graph.num_vertices
    ('stand-in', 3669)
    """
    if name not in CATALOGUE:
        raise ArgumentError(
            f"there is no graph '{name}'.{did_you_mean(str(name), CATALOGUE)}",
            remedy=f"There are: {', '.join(CATALOGUE)}.",
        )
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale <= 1:
        raise ArgumentError(f"scale is {scale!r}, but it is a number above 0 and at most 1")
    entry = CATALOGUE[name]
    if stand_in is not True and scale == 1:
        for file in entry.files:
            for path in (config.data / f"{file.name}{ending}" for ending in PACKED):
                if path.is_file():
                    return _real(name, entry, file, path)
    if stand_in is False:
        raise ArgumentError(_absent(name, entry, scale), remedy="or leave stand_in=False out")
    return _made(name, entry, scale)


def _real(name: str, entry: Entry, file: File, path: Path) -> Dataset:
    """Read a file that is there, and compare it with what is known of it."""
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if file.sha256 is not None and path.name == file.name and digest != file.sha256:
        raise GraphFormatError(
            f"its SHA-256 is {digest}, but the published file's is {file.sha256}",
            str(path),
            remedy=f"fetch it again from {file.url}",
        )
    graph = read(path, **file.options)
    found, wanted = (graph.num_vertices, graph.num_arcs), (file.num_vertices, file.num_arcs)
    if found != wanted:
        raise GraphFormatError(
            f"it has {found[0]:,} vertices and {found[1]:,} arcs, but {name} has "
            f"{wanted[0]:,} and {wanted[1]:,}",
            str(path),
            remedy=f"fetch it from {file.url}, or pass stand_in=True",
        )
    about = f"read from {path.name}, accepted by its counts"
    if file.sha256 is not None:
        about = f"read from {path.name}, its checksum is the published one"
    return Dataset(name, entry.title, "real", about, graph, entry.printed, str(path), digest)


def _absent(name: str, entry: Entry, scale: float) -> str:
    """Return why there is no real graph."""
    if scale != 1:
        return f"{name} of scale {scale:g} is never the real graph"
    if not entry.files:
        return f"the paper's {name} was generated and is not published"
    where = " or ".join(f"{file.name} from {file.url}" for file in entry.files)
    return f"there is no file of {name} in {config.data}; put there {where}"


def _made(name: str, entry: Entry, scale: float) -> Dataset:
    """Make the graph, or a smaller one of its kind."""
    n, num_arcs, max_degree = entry.size
    vertices, arcs = max(64, round(n * scale)), max(64, 2 * round(num_arcs * scale / 2))
    graph = entry.make(vertices, arcs, max_degree)
    about = " ".join((inspect.getdoc(entry.make) or "").split())
    kind = "generated" if entry.recipe else "stand-in"
    return Dataset(name, entry.title, kind, about, graph, entry.printed)


def names() -> list[str]:
    """Return the names that `load` knows.

    Examples
    --------
    >>> names()[:3]
    ['rmat', 'random', 'bip']
    """
    return list(CATALOGUE)
