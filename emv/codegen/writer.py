"""Collect the statements of one generated function and the arrays that they name."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator

from emv.codegen.quote import MARK, filled, opened, quote, quoted
from emv.errors import Loc
from emv.ir import nodes as n
from emv.ir.copies import SINGLE, Copies
from emv.ir.kernel import Buffer
from emv.ir.schedule import Slot


class Buffers(dict[str, Buffer]):
    """The arrays of a program's kernels, by name, and how the copies of a batch stand in them.

    ``sliced`` says whether index arrays are those of a part's own arcs.
    """

    def __init__(self, copies: Copies = SINGLE, sliced: bool = False) -> None:
        super().__init__()
        self.copies, self.sliced = copies, sliced

    def take(self, buffer: Buffer) -> Buffer:
        """Return an array, known from here on.

        Raises
        ------
        ValueError
            If another array has its name.
        """
        known = self.setdefault(buffer.name, buffer)
        if known.meaning != buffer.meaning:
            raise ValueError(f"two arrays are called {buffer.name}: {known} and {buffer}")
        return known


class Writer:
    """The statements of one function, written as quotations (`emv.codegen.quote`).

    Attributes
    ----------
    known : dict
        The arrays that were named so far: parameters of the function.
    """

    def __init__(self, buffers: Buffers) -> None:
        self.blocks: list[list[n.Statement]] = [[]]
        self.known: dict[str, Buffer] = {}
        self.buffers = buffers
        self.copies = buffers.copies
        self.num_names = 0

    @property
    def body(self) -> n.Block:
        """Return everything that was written."""
        return tuple(self.blocks[0])

    @property
    def here(self) -> list[n.Statement]:
        """Return the block that is being written."""
        return self.blocks[-1]

    def add(self, text: str, loc: Loc | None = None) -> None:
        """Append statements, made of a line of the user's or not."""
        self.here.extend(quote(text, self.known, loc))

    def put(self, statements: Iterable[n.Statement]) -> None:
        """Append statements that were written elsewhere; the arrays that they name are taken."""
        found = tuple(statements)
        self.here.extend(found)
        self.take(each.name for each in n.inside_block(found) if isinstance(each, n.Array))

    def node(self, text: str) -> n.Node:
        """Return what an expression says."""
        return quoted(text, self.known)

    @contextlib.contextmanager
    def block(self, head: str, loc: Loc | None = None) -> Iterator[None]:
        """Write the statement that ``head`` begins, with what follows in it.

        ``elif`` and ``else`` go on with the branch that was written before. Without a head, what
        follows stands as it is.
        """
        if not head:
            yield
            return
        if head.startswith(("elif ", "else:")):
            with self.otherwise(head, loc):
                yield
            return
        opening = opened(head, self.known, loc)
        self.blocks.append([])
        yield
        inner = tuple(self.blocks.pop())
        self.here.append(opening(inner))

    @contextlib.contextmanager
    def around(self, text: str, loc: Loc | None = None) -> Iterator[None]:
        """Write statements with what follows in them, where they say ``...``."""
        made = quote(text, self.known, loc)
        self.blocks.append([])
        yield
        inner = tuple(self.blocks.pop())
        self.here.extend(filled(made, inner))

    @contextlib.contextmanager
    def otherwise(self, head: str, loc: Loc | None) -> Iterator[None]:
        """Write the other side of the branch before."""
        self.blocks.append([])
        if head.startswith("elif "):
            with self.block(head.removeprefix("el"), loc):
                yield
        else:
            yield
        inner = tuple(self.blocks.pop())
        self.here[-1] = last_branch(self.here[-1], inner)

    def mark(self) -> int:
        """Return the place reached in this block."""
        return len(self.here)

    def cut(self, mark: int) -> n.Block:
        """Take out what was written to this block since a mark."""
        found = tuple(self.here[mark:])
        del self.here[mark:]
        return found

    def insert(self, mark: int, statements: Iterable[n.Statement]) -> None:
        """Put statements where a mark was."""
        self.here[mark:mark] = statements

    def use(self, buffer: Buffer) -> str:
        """Name an array, as quotations spell it: it becomes a parameter of the function."""
        self.known[buffer.name] = self.buffers.take(buffer)
        return MARK + buffer.name if buffer.is_of_user else buffer.name

    def take(self, names: Iterable[str]) -> None:
        """Make arrays parameters of the function that others have named."""
        for name in names:
            bare = name.removeprefix(MARK)
            self.known[bare] = self.buffers[bare]

    def graph(self, name: str) -> str:
        """Name an index array of the graph."""
        return self.use(Buffer(name, "graph", key=name))

    def offsets(self, side: str) -> str:
        """Name the array that says how many arcs of a side each vertex of the whole graph has."""
        return self.graph(f"{'whole_' * self.buffers.sliced}first_{side}")

    def number_of(self, kind: str, own: str) -> str:
        """Return the text of the number that an edge or arc of a part has in the whole graph."""
        return f"{self.graph(f'number_of_{kind}')}[{own}]" if self.buffers.sliced else own

    def column(self, kind: str, name: str, dtype: str, order: str = "edge") -> str:
        """Name the array of a column in an order."""
        letter = "v" if kind == "vertex" else "e"
        if kind == "vertex" or order == "edge":
            return self.use(Buffer(f"{letter}_{name}", "column", dtype, key=(kind, name)))
        text = f"{order}_e_{name}"  # begins as no column does, whatever the field is called
        return self.use(Buffer(text, "ordered", dtype, key=(kind, name, order)))

    def next_column(self, kind: str, name: str, dtype: str) -> str:
        """Name the second copy of a column."""
        letter = "v" if kind == "vertex" else "e"
        return self.use(Buffer(f"next_{letter}_{name}", "next", dtype, key=(kind, name)))

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


def last_branch(node: n.Statement, otherwise: n.Block) -> n.If:
    """Return a branch, and the branches that are its other side, with the last one's other side."""
    assert isinstance(node, n.If), "else and elif stand behind a branch"
    if node.otherwise:
        (inner,) = node.otherwise
        otherwise = (last_branch(inner, otherwise),)
    return dataclasses.replace(node, otherwise=otherwise)


def bare(name: str) -> str:
    """Return an array's name without the mark of those that are called after a user's field."""
    return name.removeprefix(MARK)
