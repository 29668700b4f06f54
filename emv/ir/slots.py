"""Where the scalars of a running program stand."""

from __future__ import annotations

from emv.ir.frozen import dataclass


@dataclass(frozen=True)
class Slot:
    """A place for a scalar while the program runs: ``ints[index]`` or ``floats[index]``.

    An ``unsigned`` one stands in ``ints`` as the i64 of the same bits.
    """

    array: str
    index: int
    unsigned: bool = False

    @property
    def is_float(self) -> bool:
        """Return whether it holds a float."""
        return self.array != "ints"

    @property
    def type(self) -> str:
        """Return the type of what it holds: ``i64``, ``u64`` or ``f64``."""
        return "f64" if self.is_float else "u64" if self.unsigned else "i64"

    @property
    def read(self) -> str:
        """Return the text of what it holds, in its type."""
        return f"np.uint64({self})" if self.unsigned else str(self)

    def __str__(self) -> str:
        return f"{self.array}[{self.index}]"
