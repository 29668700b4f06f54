"""Collect the lines of one generated function, its parameters, and the user lines behind them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import PurePath

from emv.errors import Loc
from emv.ir.copies import SINGLE, Copies
from emv.ir.kernel import Buffer
from emv.ir.schedule import Slot


class Buffers(dict[str, Buffer]):
    """The arrays of a program's kernels, by name, and how the copies of a batch stand in them."""

    def __init__(self, copies: Copies = SINGLE) -> None:
        super().__init__()
        self.copies = copies


class Writer:
    """The text of one function.

    Parameters are collected while the body is written: every array that the text names is one.
    """

    def __init__(self, buffers: Buffers) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.arrays: set[str] = set()
        self.buffers = buffers
        self.copies = buffers.copies
        self.num_names = 0

    def add(self, line: str, loc: Loc | None = None) -> None:
        """Append a line, with the user's place as a comment."""
        text = "    " * self.depth + line
        if loc is not None and loc.line:
            text = f"{text:<72}  # {PurePath(loc.file).name}:{loc.line}"
        self.lines.append(text)

    @contextlib.contextmanager
    def block(self, head: str, loc: Loc | None = None) -> Iterator[None]:
        """Write ``head`` and indent what follows; an empty block gets ``pass``."""
        self.add(head, loc)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.add("pass")
        self.depth -= 1

    def use(self, buffer: Buffer) -> str:
        """Name an array: it becomes a parameter of the function."""
        self.buffers.setdefault(buffer.name, buffer)
        self.arrays.add(buffer.name)
        return buffer.name

    def graph(self, name: str) -> str:
        """Name an index array of the graph."""
        return self.use(Buffer(name, "graph", key=name))

    def scratch(self, name: str, dtype: str, size: str, initial: object = None) -> str:
        """Name a working array."""
        return self.use(Buffer(name, "scratch", dtype, size, initial=initial))

    def slot(self, slot: Slot) -> str:
        """Return the text of a scalar's place, its array named."""
        self.scratch(slot.array, "float64" if slot.is_float else "int64", "")
        return str(slot)

    def read(self, slot: Slot) -> str:
        """Return the text of a scalar in its type, its array named."""
        self.slot(slot)
        return slot.read

    def state(self) -> None:
        """Name the shared state."""
        self.scratch("state", "int64", "")

    def fresh(self, stem: str) -> str:
        """Return a local name that nothing else has."""
        self.num_names += 1
        return f"{stem}_{self.num_names}"
