"""How the copies of a batch stand side by side: their union, whose arcs are stored once.

Copy ``b`` of vertex ``v`` is the vertex ``v * size + b`` of the union; an arc from ``v`` to ``w``
stands for one from each copy of ``v`` to that of ``w``. With the copies innermost, neighbouring
threads read the same arc and neighbouring entries of columns, so one pass over the arcs serves
many copies. ``size`` is a power of two known when kernels are written, so that copies and vertices
are told apart by a shift and a mask.
"""

from __future__ import annotations

from emv.ir.frozen import dataclass


@dataclass(frozen=True)
class Copies:
    """The copies that kernels work on at once.

    Attributes
    ----------
    shift : int
        The binary logarithm of how many there are; 0 of a plain run.
    shared : frozenset of (kind, field)
        Vertex columns that no copy writes: they are stored once.
    prefix : str
        Of the names that kernels have for the shift and the mask.
    """

    shift: int = 0
    shared: frozenset[tuple[str, str]] = frozenset()
    prefix: str = ""

    @property
    def size(self) -> int:
        """Return how many copies there are."""
        return 1 << self.shift

    def vertex(self, copy: str) -> str:
        """Return the text of the vertex that an id is a copy of, as an index."""
        return f"(np.uint64({copy}) >> {self.prefix}SHIFT)" if self.shift else copy

    def number(self, copy: str) -> str:
        """Return the text of which copy an id belongs to, as an index."""
        return f"(np.uint64({copy}) & {self.prefix}COPY)" if self.shift else "0"

    def like(self, vertex: str, copy: str) -> str:
        """Return the text of a vertex in the copy that an id belongs to."""
        if not self.shift:
            return vertex
        shift, mask = f"{self.prefix}SHIFT", f"{self.prefix}COPY"
        return f"(np.uint64({vertex}) << {shift} | np.uint64({copy}) & {mask})"

    def count(self, text: str) -> str:
        """Return the text of how many vertices there are, from how many all copies have."""
        return f"({text} >> {self.shift})" if self.shift else text

    def index(self, key: tuple[str, str], copy: str) -> str:
        """Return the text of where a vertex column has an id's entry."""
        return self.vertex(copy) if key in self.shared else copy

    def constants(self) -> dict[str, str]:
        """Return the texts of the shift and the mask, by their names."""
        if not self.shift:
            return {}
        return {
            f"{self.prefix}SHIFT": f"np.uint64({self.shift})",
            f"{self.prefix}COPY": f"np.uint64({self.size - 1})",
        }


SINGLE = Copies()


def shift_for(number: int) -> int:
    """Return the shift for so many copies: their number rounded up to a power of two.

    Examples
    --------
    >>> [shift_for(number) for number in (0, 1, 2, 5, 64, 65)]
    [0, 0, 1, 3, 6, 7]
    """
    return max(0, number - 1).bit_length()
