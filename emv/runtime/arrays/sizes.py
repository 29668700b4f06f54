"""How long arrays are: expressions in counts that a graph, a machine or a run gives.

======  ============================================================================================
``V``   vertices, those of all copies of a batch
``N``   vertices of the graph
``E``   edges
``A``   arcs, those of all copies of a batch
``C``   copies of a batch that there is room for
``T``   threads of the host that run kernels
``B``   blocks of a GPU that do
``M3``  room for the messages of launch 3, which runs may find too small
``ROW`` ids that a thread collects
======  ============================================================================================

A list of ids counts by its name, an order of arcs (``arc``, ``slot``, ``ell_in``) by its places.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """A number of entries: a sum of products of numbers and counts, each rounded up.

    Attributes
    ----------
    text : str
        Such as ``V+B*2048``.
    terms : tuple of (int, int, tuple of str)
        Factor, divisor and names of the counts of each product.

    Examples
    --------
    >>> Size.of("A/4+2").entries({"A": 5}), Size.of("2*V").entries({"V": 5})
    (4, 10)
    """

    text: str
    terms: tuple[tuple[int, int, tuple[str, ...]], ...]

    @classmethod
    def of(cls, text: str) -> Size:
        """Return what a text says."""
        terms = []
        for product in text.split("+"):
            factors = product.replace("/", "*/").split("*")
            number = math.prod(int(each) for each in factors if each.isdecimal())
            divisor = math.prod(int(each[1:]) for each in factors if each.startswith("/"))
            names = tuple(each for each in factors if each[0].isalpha())
            terms.append((number, divisor, names))
        return cls(text, tuple(terms))

    def entries(self, counts: Mapping[str, int]) -> int:
        """Return the number for some counts."""
        return sum(
            -(-number * math.prod(counts[name] for name in names) // divisor)
            for number, divisor, names in self.terms
        )

    def names(self) -> set[str]:
        """Return the names of the counts."""
        return {name for _, _, names in self.terms for name in names}
