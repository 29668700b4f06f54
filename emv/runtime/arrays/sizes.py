"""How long and how wide arrays are: expressions in counts that a graph, a place or a run gives.

======= ===========================================================================================
``V N`` vertices: those of all copies of a batch, those of the graph
``E``   edges
``A``   arcs, those of all copies of a batch
``C``   copies of a batch that there is room for
``T``   threads of the host that run kernels
``B``   blocks of a GPU that do
``M3``  room for the messages of launch 3, which runs may find too small
``ROW`` ids that a thread collects
======= ===========================================================================================

A list of ids counts by its name, an order of arcs (``arc``, ``slot``, ``ell_in``) by its places.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from emv.graph.widths import id_dtype, index_dtype
from emv.ir.copies import Copies
from emv_kernels.sizes import ROW_PLACES


@dataclass(frozen=True)
class Size:
    """A number of entries: a sum of products of numbers and counts, each rounded up.

    Examples
    --------
    >>> Size.of("A/4+2").entries({"A": 5}), Size.of("2*V").entries({"V": 5})
    (4, 10)
    """

    text: str
    terms: tuple[tuple[int, int, tuple[str, ...]], ...]  # factor, divisor and names of counts

    @classmethod
    def of(cls, text: str) -> Size:
        """Return what a text says."""
        terms = []
        for product in text.split("+"):
            factors = product.replace("/", "*/").split("*")
            number = math.prod(int(each) for each in factors if each.isdecimal())
            divisor = math.prod(int(each[1:]) for each in factors if each.startswith("/"))
            terms.append((number, divisor, tuple(each for each in factors if each[0].isalpha())))
        return cls(text, tuple(terms))

    def entries(self, counts: Mapping[str, int]) -> int:
        """Return the number for some counts."""
        return sum(
            -(-number * math.prod(counts[name] for name in names) // divisor)
            for number, divisor, names in self.terms
        )

    def depends_on(self, name: str) -> bool:
        """Return whether a count is part of it."""
        return any(name in names for _, _, names in self.terms)


class Counts(dict[str, int]):
    """What the names in sizes and dtypes mean for a graph and a batch of copies.

    Attributes
    ----------
    dtypes : dict
        The words of `emv.runtime.arrays.table.Array` whose width depends on the graph.
    """

    def __init__(self, graph: Any, copies: Copies) -> None:
        vertices, arcs = graph.num_vertices, graph.num_arcs
        super().__init__(N=vertices, E=graph.num_edges, C=copies.size, ROW=ROW_PLACES)
        self.update(V=vertices * copies.size, A=arcs * copies.size)
        self.layouts = graph.layouts
        self.dtypes = {
            "id": id_dtype(vertices << copies.shift),
            "end": id_dtype(vertices),
            "vertex": index_dtype(vertices),
            "arc": index_dtype(arcs),
        }

    def __missing__(self, order: str) -> int:
        self[order] = int(self.layouts.num_in(order))
        return self[order]

    def entries(self) -> int:
        """Return how much there is to work on: the largest of the counts of the graph."""
        return max(self[each] for each in "VEA")

    def dtype(self, word: str) -> np.dtype[Any]:
        """Return what the element type of an array means."""
        return self.dtypes[word] if word in self.dtypes else np.dtype(word)
