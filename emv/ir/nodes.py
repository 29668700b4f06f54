"""Kernels as trees: what a function of a kernel does, before anybody writes it as text.

Code generation lowers launches to these nodes. Whoever wants to know what a kernel reads and
writes, or to change it, works on them; a printer writes them down at the very end and decides
nothing. An array is named by what it is, its `Buffer`, so that no name of a user's can be mistaken
for one. All nodes are immutable, and compare by what they say. ``parts`` is what stands directly
inside a node or statement, in the order in which it is read.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeAlias

from emv.errors import Loc
from emv.ir.frozen import dataclass
from emv.ir.kernel import Buffer

# How tightly an operator binds its parts; those of one strength are taken from the left.
BINDS = {
    "if": 1,
    "or": 2,
    "and": 3,
    "not": 4,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 5),
    "|": 6,
    "^": 7,
    "&": 8,
    "<<": 9,
    ">>": 9,
    "+": 10,
    "-": 10,
    **dict.fromkeys(("*", "/", "//", "%"), 11),
    "neg": 12,
    "pos": 12,
    "~": 12,
    "**": 13,
}
PREFIXES = {"neg": "-", "pos": "+", "~": "~", "not": "not "}


@dataclass(frozen=True)
class Name:
    """A local, a constant of the module or of numpy (``np.int64``), or a variable of the GPU."""

    text: str
    parts: ClassVar[tuple[Node, ...]] = ()


@dataclass(frozen=True)
class Number:
    """A number or truth value."""

    value: Any
    parts: ClassVar[tuple[Node, ...]] = ()


@dataclass(frozen=True)
class Array:
    """An array as a whole: an argument of a call, or one of two that change places."""

    buffer: Buffer
    parts: ClassVar[tuple[Node, ...]] = ()

    @property
    def name(self) -> str:
        """Return the array's name."""
        return self.buffer.name


@dataclass(frozen=True)
class Item:
    """An element of an array, or a component of a local that is a tuple."""

    whole: Node
    index: Node

    @property
    def parts(self) -> tuple[Node, Node]:
        """Return both."""
        return (self.whole, self.index)

    def of(self, parts: tuple[Any, ...]) -> Item:
        """Return the same of other parts."""
        return Item(*parts)


@dataclass(frozen=True)
class Apply:
    """An operator, by Python's name; ``neg`` and ``if`` (yes, test, no) are spelled out."""

    op: str
    parts: tuple[Node, ...]

    def of(self, parts: tuple[Any, ...]) -> Apply:
        """Return the same of other parts."""
        return Apply(self.op, parts)


@dataclass(frozen=True)
class Call:
    """A call of a helper of the kernels, of a conversion, or of another function of the module."""

    function: str
    parts: tuple[Node, ...]

    def of(self, parts: tuple[Any, ...]) -> Call:
        """Return the same of other parts."""
        return Call(self.function, parts)


@dataclass(frozen=True)
class Group:
    """A tuple."""

    parts: tuple[Node, ...]

    def of(self, parts: tuple[Any, ...]) -> Group:
        """Return the same of other parts."""
        return Group(parts)


Node: TypeAlias = "Name | Number | Array | Item | Apply | Call | Group"


@dataclass(frozen=True)
class Statement:
    """A statement, the user's line that it came from, and a remark for who reads the kernel."""

    loc: Loc | None = dataclasses.field(default=None, kw_only=True)
    note: str = dataclasses.field(default="", kw_only=True)

    @property
    def parts(self) -> tuple[Node | Statement, ...]:
        """Return what stands directly inside."""
        return ()

    def of(self, parts: tuple[Any, ...]) -> Statement:
        """Return the same of other parts."""
        return self


@dataclass(frozen=True)
class Assign(Statement):
    """``target = value``; with ``op``, ``target op= value``."""

    target: Node
    value: Node
    op: str = ""

    @property
    def parts(self) -> tuple[Node, ...]:
        """Return both sides."""
        return (self.target, self.value)

    def of(self, parts: tuple[Any, ...]) -> Assign:
        """Return the same of other parts."""
        return dataclasses.replace(self, target=parts[0], value=parts[1])


@dataclass(frozen=True)
class Do(Statement):
    """A call for what it does."""

    call: Call

    @property
    def parts(self) -> tuple[Node, ...]:
        """Return the call."""
        return (self.call,)

    def of(self, parts: tuple[Any, ...]) -> Do:
        """Return the same of other parts."""
        return dataclasses.replace(self, call=parts[0])


@dataclass(frozen=True)
class If(Statement):
    """A branch."""

    test: Node
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()

    @property
    def parts(self) -> tuple[Node | Statement, ...]:
        """Return the test and both sides."""
        return (self.test, *self.then, *self.otherwise)

    def of(self, parts: tuple[Any, ...]) -> If:
        """Return the same of other parts."""
        end = 1 + len(self.then)
        return dataclasses.replace(self, test=parts[0], then=parts[1:end], otherwise=parts[end:])


@dataclass(frozen=True)
class While(Statement):
    """A loop."""

    test: Node
    body: tuple[Statement, ...]

    @property
    def parts(self) -> tuple[Node | Statement, ...]:
        """Return the test and the body."""
        return (self.test, *self.body)

    def of(self, parts: tuple[Any, ...]) -> While:
        """Return the same of other parts."""
        return dataclasses.replace(self, test=parts[0], body=parts[1:])


@dataclass(frozen=True)
class For(Statement):
    """A counted loop: ``span`` is a call of ``range``."""

    name: str
    span: Call
    body: tuple[Statement, ...]

    @property
    def parts(self) -> tuple[Node | Statement, ...]:
        """Return the span and the body."""
        return (self.span, *self.body)

    def of(self, parts: tuple[Any, ...]) -> For:
        """Return the same of other parts."""
        return dataclasses.replace(self, span=parts[0], body=parts[1:])


@dataclass(frozen=True)
class Leave(Statement):
    """``break``, ``continue``, ``pass`` or ``return``, the last with a value if there is one."""

    word: str
    value: Node | None = None

    @property
    def parts(self) -> tuple[Node, ...]:
        """Return the value, if there is one."""
        return () if self.value is None else (self.value,)

    def of(self, parts: tuple[Any, ...]) -> Leave:
        """Return the same of other parts."""
        return dataclasses.replace(self, value=parts[0]) if parts else self


Block: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True)
class Function:
    """A function of a module.

    Attributes
    ----------
    name : str
        In the module.
    decorator : str
        What compiles it, such as ``@device``; empty for what a kernel of a program is.
    first : tuple of str
        What it is told before its arrays.
    arrays : tuple of str
        The arrays that it takes, by name.
    body : tuple of Statement
        What it does.
    """

    name: str
    decorator: str
    first: tuple[str, ...]
    arrays: tuple[str, ...]
    body: Block

    @property
    def parameters(self) -> tuple[str, ...]:
        """Return everything that it takes."""
        return (*self.first, *self.arrays)


NODES = (Name, Number, Array, Item, Apply, Call, Group)


def inside(node: Any) -> Iterator[Any]:
    """Yield a node or statement and everything in it, in the order in which it is read."""
    return inside_block((node,))


def inside_block(block: Block) -> Iterator[Any]:
    """Yield every statement of a block and everything in them."""
    waiting: list[Any] = [*reversed(block)]
    while waiting:
        node = waiting.pop()
        yield node
        parts = node.parts
        if parts:
            waiting += parts[::-1]


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return a node or statement in which ``change`` has replaced what it wants to.

    ``change`` is asked from the outside inward and returns what stands there instead; whatever it
    returns as it was is looked into.
    """
    made = change(node)
    if made is not node or not node.parts:
        return made
    parts = node.parts
    found = rebuilt_all(parts, change)
    return node if found is parts else node.of(found)


def rebuilt_all(parts: tuple[Any, ...], change: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return nodes or a block with the changes made in each; the same object if there are none."""
    made = tuple([rebuilt(each, change) for each in parts])
    return parts if all(map(operator.is_, made, parts)) else made


def assigned_in(block: Block) -> set[str]:
    """Return the locals that a block assigns."""
    found, waiting = set[str](), list[Any](block)
    while waiting:
        node = waiting.pop()
        if isinstance(node, NODES):  # in which no statement stands
            continue
        match node:
            case Assign(Name(name)) | For(name):
                found.add(name)
            case Assign(Group(parts)):
                found |= {each.text for each in parts if isinstance(each, Name)}
        waiting += node.parts
    return found


def renamed(block: Block, names: Callable[[str], str]) -> Block:
    """Return a block whose locals have other names."""

    def change(node: Any) -> Any:
        if isinstance(node, Name):
            text = names(node.text)
            return node if text == node.text else Name(text)
        if isinstance(node, For) and names(node.name) != node.name:
            return rebuilt(dataclasses.replace(node, name=names(node.name)), change)
        return node

    return rebuilt_all(block, change)
