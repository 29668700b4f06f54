"""Kernels as trees: what a function of a kernel does, before anybody writes it as text.

Code generation lowers launches to these nodes. Whoever wants to know what a kernel reads and
writes, or to change it, works on them; a printer writes them down at the very end and decides
nothing. An array is named by what it is, its `Buffer`, so that no name of a user's can be mistaken
for one. All nodes are immutable, and compare by what they say.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from emv.errors import Loc
from emv.ir.kernel import Buffer


@dataclass(frozen=True)
class Name:
    """A local, a constant of the module or of numpy (``np.int64``), or a variable of the GPU."""

    text: str


@dataclass(frozen=True)
class Number:
    """A number or truth value."""

    value: Any


@dataclass(frozen=True)
class Array:
    """An array as a whole: an argument of a call, or one of two that change places."""

    buffer: Buffer

    @property
    def name(self) -> str:
        """Return the array's name."""
        return self.buffer.name


@dataclass(frozen=True)
class Item:
    """An element of an array, or a component of a local that is a tuple."""

    whole: Node
    index: Node


@dataclass(frozen=True)
class Apply:
    """An operator, by Python's name; ``neg`` and ``if`` (yes, test, no) are spelled out."""

    op: str
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Call:
    """A call of a helper of the kernels, of a conversion, or of another function of the module."""

    function: str
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Group:
    """A tuple."""

    parts: tuple[Node, ...]


Node: TypeAlias = "Name | Number | Array | Item | Apply | Call | Group"


@dataclass(frozen=True)
class Statement:
    """A statement, the user's line that it came from, and a remark for who reads the kernel."""

    loc: Loc | None = dataclasses.field(default=None, kw_only=True)
    note: str = dataclasses.field(default="", kw_only=True)


@dataclass(frozen=True)
class Assign(Statement):
    """``target = value``; with ``op``, ``target op= value``."""

    target: Node
    value: Node
    op: str = ""


@dataclass(frozen=True)
class Do(Statement):
    """A call for what it does."""

    call: Call


@dataclass(frozen=True)
class If(Statement):
    """A branch."""

    test: Node
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class While(Statement):
    """A loop."""

    test: Node
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class For(Statement):
    """A counted loop: ``span`` is a call of ``range`` or ``prange``."""

    name: str
    span: Call
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Leave(Statement):
    """``break``, ``continue``, ``pass`` or ``return``, the last with a value if there is one."""

    word: str
    value: Node | None = None


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


def parts_of(node: Any) -> tuple[Any, ...]:
    """Return what stands directly inside a node or statement, in the order in which it is read."""
    match node:
        case Item(whole, index):
            return (whole, index)
        case Apply(_, parts) | Call(_, parts) | Group(parts):
            return parts
        case Assign(target, value):
            return (target, value)
        case Do(call):
            return (call,)
        case If(test, then, otherwise):
            return (test, *then, *otherwise)
        case While(test, body):
            return (test, *body)
        case For(_, span, body):
            return (span, *body)
        case Leave(_, value) if value is not None:
            return (value,)
    return ()


def inside(node: Any) -> Iterator[Any]:
    """Yield a node or statement and everything in it."""
    yield node
    for part in parts_of(node):
        yield from inside(part)


def inside_block(block: Block) -> Iterator[Any]:
    """Yield every statement of a block and everything in them."""
    for statement in block:
        yield from inside(statement)


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return a node or statement in which ``change`` has replaced what it wants to.

    ``change`` is asked from the outside inward and returns what stands there instead; whatever it
    returns as it was is looked into.
    """
    made = change(node)
    if made is not node:
        return made
    match node:
        case Item(whole, index):
            parts = (rebuilt(whole, change), rebuilt(index, change))
            return node if parts == (whole, index) else Item(*parts)
        case Apply(op, parts):
            found = rebuilt_all(parts, change)
            return node if found is parts else Apply(op, found)
        case Call(function, parts):
            found = rebuilt_all(parts, change)
            return node if found is parts else Call(function, found)
        case Group(parts):
            found = rebuilt_all(parts, change)
            return node if found is parts else Group(found)
        case Statement():
            return _rebuilt_statement(node, change)
    return node


def _rebuilt_statement(node: Statement, change: Callable[[Any], Any]) -> Statement:
    changes: dict[str, Any] = {}
    for each in dataclasses.fields(node):
        value = getattr(node, each.name)
        if isinstance(value, NODES):
            made = rebuilt(value, change)
        elif isinstance(value, tuple):
            made = rebuilt_all(value, change)
        else:
            continue
        if made is not value:
            changes[each.name] = made
    return dataclasses.replace(node, **changes) if changes else node


def rebuilt_all(parts: tuple[Any, ...], change: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return nodes or a block with the changes made in each; the same object if there are none."""
    made = tuple(rebuilt(each, change) for each in parts)
    return parts if all(a is b for a, b in zip(made, parts, strict=True)) else made


def assigned_in(block: Block) -> set[str]:
    """Return the locals that a block assigns."""
    found = set[str]()
    for node in inside_block(block):
        match node:
            case Assign(Name(name)) | For(name):
                found.add(name)
            case Assign(Group(parts)):
                found |= {each.text for each in parts if isinstance(each, Name)}
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
