"""What code generation hands to the backends: text, its arrays, and a map to the user's lines."""

from __future__ import annotations

import hashlib
from dataclasses import field
from typing import Any

from emv.ir.frozen import dataclass


@dataclass(frozen=True)
class Buffer:
    """An array that kernels name.

    Attributes
    ----------
    name : str
        In the text, where no other array of the program has it.
    source : str
        ``graph`` (an index array), ``column`` (state or input), ``ordered`` (an edge column in the
        order of arcs or slots), ``next`` (the second copy of a column), ``copies`` (a scalar that
        differs from copy to copy of a batch) or ``scratch``.
    dtype : str
        numpy name.
    size : str
        ``V``, ``E``, ``A`` (vertices, edges, arcs; of all copies, but for edges), ``C`` (copies),
        ``T`` (threads), a room, or an expression.
    key : Any
        What it is: a graph array's name, or (kind, field, order).
    initial : Any
        What scratch holds when the run begins.
    """

    name: str
    source: str
    dtype: str = ""
    size: str = ""
    key: Any = None
    initial: Any = None

    @property
    def is_of_user(self) -> bool:
        """Return whether it is called after a field of the user's."""
        return self.source in ("column", "ordered", "next")

    @property
    def meaning(self) -> Any:
        """Return what tells it from every other array."""
        return (self.source, self.key if self.is_of_user else self.name)


@dataclass(frozen=True)
class Room:
    """A size that only runs can tell.

    Attributes
    ----------
    start : str
        The size that runs begin with which know nothing.
    most : str or None
        What it never exceeds, where that is known.
    """

    start: str
    most: str | None = None


@dataclass(frozen=True)
class KernelSource:
    """The kernels of one program.

    Attributes
    ----------
    text : str
        A Python module.
    functions : dict
        Entry points (launches and loops by number) to their names and parameters.
    buffers : dict
        Every array by name.
    lines : dict
        Line of the text to the user's ``(file, line)`` it came from.
    labels : tuple of str
        Of a traced program: the names of the phases that its records number.
    rooms : dict
        Sizes that only runs can tell, such as ``M3`` (messages of launch 3).
    shared_bytes : int
        Shared memory of a block on a GPU whose size is told at the launch.
    may_wait : bool
        Whether functions of the user's have ``while`` loops, which may have no end; on cores.
    """

    name: str
    text: str
    functions: dict[str, tuple[str, ...]]
    buffers: dict[str, Buffer]
    lines: dict[int, tuple[str, int]] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    rooms: dict[str, Room] = field(default_factory=dict)
    shared_bytes: int = 0
    may_wait: bool = False

    def digest(self, *more: str) -> str:
        """Return the key of the text, together with versions of what compiles it."""
        whole = "\n".join([self.text, *more])
        return hashlib.sha256(whole.encode()).hexdigest()[:20]
