"""``dblp.xml``, the bibliography of computer science, as the graph of who wrote with whom.

A vertex is an author, by the name that dblp has for one person, with the number of their papers in
the column ``papers``. An edge joins two who have written together, its ``weight`` is the number of
their joint papers. Papers are all records but ``proceedings`` (which have editors), ``data`` and
``www`` (the persons themselves). The file is read in a stream, so that of its gigabytes no more
than the authors of each paper are in memory.

Names have entities such as ``&uuml;``, which ``dblp.dtd`` declares; it is not needed here, as they
are those of HTML. A file that declares entities of its own is refused: they may expand without
end. Format: https://dblp.org/faq/16154937.html; M. Ley: DBLP, Some Lessons Learned, PVLDB 2009.
"""

from __future__ import annotations

import re
from array import array
from html.entities import name2codepoint
from typing import Any, NoReturn
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphFormatError
from emv.graph.io.format import Format, Hints
from emv.graph.io.nested import as_said
from emv.graph.io.source import Source
from emv.graph.simple import simple_edges
from emv.graph.tables import Tables

PAPERS = frozenset("article inproceedings incollection book phdthesis mastersthesis".split())
_BEGIN = re.compile(
    rb"\s*(<\?xml[^>]*>\s*)?((<!DOCTYPE\s+dblp\b[^>]*>|<!--.*?-->)\s*)*<dblp[\s>]", re.S
)
_RECORD, _FIELD = 2, 3  # depths of elements


class Authors:
    """The authors of every paper, as a parser comes to them.

    Attributes
    ----------
    number_of : dict of str to int
        The authors, by name, in the order in which they occur.
    listed : array of int
        The authors of one paper after the other.
    ends : array of int
        Where each paper's authors end.
    """

    def __init__(self) -> None:
        self.number_of: dict[str, int] = {}
        self.listed = array("q")
        self.ends = array("q")
        self._depth = 0
        self._of_paper: dict[int, None] | None = None
        self._text: list[str] | None = None

    def begin(self, name: str, _attributes: Any) -> None:
        """Enter an element."""
        self._depth += 1
        if self._depth == _RECORD and name in PAPERS:
            self._of_paper = {}
        elif self._depth == _FIELD and name == "author" and self._of_paper is not None:
            self._text = []

    def end(self, name: str) -> None:
        """Leave an element."""
        self._depth -= 1
        if self._text is not None and self._depth == _RECORD:
            author = " ".join("".join(self._text).split())
            self._text = None
            if author and self._of_paper is not None:
                self._of_paper[self.number_of.setdefault(author, len(self.number_of))] = None
        elif self._of_paper is not None and self._depth < _RECORD:
            self.listed.extend(self._of_paper)
            self.ends.append(len(self.listed))
            self._of_paper = None

    def text(self, text: str) -> None:
        """Take a part of a name."""
        if self._text is not None:
            self._text.append(text)

    def entity(self, name: str, _is_parameter: bool) -> None:
        """Take a letter that is called by a name."""
        if self._text is not None:
            self._text.append(chr(name2codepoint[name]) if name in name2codepoint else f"&{name};")


def read_dblp(source: Source, hints: Hints) -> Tables:
    """Return the tables of the graph of co-authors.

    Raises
    ------
    GraphFormatError
        If the file is damaged, ends early, or declares entities.
    """
    authors = _parsed(source)
    count = len(authors.number_of)
    listed = np.frombuffer(authors.listed, np.int64) if authors.listed else np.empty(0, np.int64)
    src, dst = pairs_of(listed, np.array(authors.ends, np.int64))
    joint = {"weight": np.ones(len(src), np.int32)}
    src, dst, columns = simple_edges(src, dst, count, False, joint, "sum")
    papers = np.bincount(listed, minlength=count).astype(np.int32)
    tables = Tables(
        count,
        src,
        dst,
        False,
        np.fromiter(authors.number_of, object, count),
        vertex_columns={"papers": papers},
        edge_columns={"weight": columns["weight"].astype(np.int32)},
    )
    return as_said(tables, hints.directed)


def _parsed(source: Source) -> Authors:
    """Return the authors of all papers of a file."""
    authors, parser = Authors(), expat.ParserCreate()
    parser.buffer_text = True
    parser.UseForeignDTD(True)  # names that are declared elsewhere are skipped, and told of
    parser.StartElementHandler = authors.begin
    parser.EndElementHandler = authors.end
    parser.CharacterDataHandler = authors.text
    parser.SkippedEntityHandler = authors.entity

    def refuse(name: str, *_: Any) -> NoReturn:
        raise GraphFormatError(f"declares the entity {name!r}, which is not read", source.file)

    parser.EntityDeclHandler = refuse
    try:
        for block in source.blocks():
            parser.Parse(block, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise GraphFormatError(
            f"is no whole dblp.xml: {expat.ErrorString(error.code)}",
            source.file,
            error.lineno,
            remedy="fetch the file again",
        ) from None
    except (LookupError, ValueError) as error:  # an encoding that Python has not, or not here
        raise GraphFormatError(f"has an encoding that is not read: {error}", source.file) from None
    return authors


def pairs_of(
    listed: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the two of every pair of members of a group; a pair of several groups is there often.

    Parameters
    ----------
    listed : int64[n]
        The members of one group after the other.
    ends : int64[num_groups]
        Where each group ends.

    Examples
    --------
    >>> pairs_of(np.array([4, 5, 6, 4]), np.array([3, 3, 4]))
    (array([4, 4, 5]), array([5, 6, 6]))
    """
    firsts = np.concatenate([[0], ends[:-1]]).astype(np.int64)[: len(ends)]
    sizes = ends - firsts
    one, other = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for size in np.unique(sizes[sizes > 1]):
        groups = listed[firsts[sizes == size][:, None] + np.arange(size)]
        left, right = np.triu_indices(size, 1)
        one.append(groups[:, left].ravel())
        other.append(groups[:, right].ravel())
    return np.concatenate(one), np.concatenate(other)


DBLP = Format(
    name="dblp",
    title="the bibliography dblp.xml",
    suffixes=(".xml",),
    recognises=lambda source: _BEGIN.match(source.head) is not None,
    read=read_dblp,
    write=None,
    keeps=frozenset(),
)
