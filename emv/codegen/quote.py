"""Quotes: nodes of kernels, written the way they will be read.

``quote("x[k] = y[k] + 1", arrays)`` is the assignment of a sum to an element. A quotation is read
at once, where it is written, and what it says is a tree from then on (as Lisp's backquote, or the
quotations of MetaOCaml: Taha and Sheard, PEPM 1997). A name is an array if it is one of ``arrays``,
and otherwise a local, or something of the module.

Arrays that are called after a user's field are spelled with a mark that no name can have, so that
a field's name cannot be taken for something else; `Writer.use` returns them so.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import textwrap
from collections.abc import Mapping
from typing import Any

from emv.errors import Loc
from emv.ir import nodes as n
from emv.ir.kernel import Buffer

MARK = "\u0298"  # a letter to Python's parser, so that it reads names; no keyboard has it

OPERATORS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.BitAnd: "&",
    ast.And: "and",
    ast.Or: "or",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "~",
    ast.Not: "not",
}
NOTE = "  # "
HOLE = n.Leave("...")  # for what `filled` puts there


class Reader:
    """Reads quotations.

    Parameters
    ----------
    arrays : mapping
        The arrays that names may mean; those of users' fields by their names without the mark.
    """

    def __init__(self, arrays: Mapping[str, Buffer], loc: Loc | None = None) -> None:
        self.arrays = arrays
        self.loc = loc
        self.notes: dict[int, str] = {}

    def block(self, text: str) -> n.Block:
        """Return the statements of a quotation."""
        if NOTE in text:
            for number, line in enumerate(text.split("\n"), 1):
                _, mark, note = line.partition(NOTE)
                if mark:
                    self.notes[number] = note
        return self.statements(parsed(text))

    def statements(self, found: list[ast.stmt]) -> n.Block:
        """Return statements; several targets of one value are one assignment each."""
        made: list[n.Statement] = []
        for each in found:
            read = getattr(self, f"read_{type(each).__name__}")(each)
            made += read if isinstance(read, list) else [read]
        return tuple(made)

    def at(self, found: ast.stmt) -> dict[str, Any]:
        """Return where a statement came from, and the remark behind it."""
        return {"loc": self.loc, "note": self.notes.get(found.lineno, "")}

    def read_Assign(self, found: ast.Assign) -> list[n.Statement]:
        """Read an assignment."""
        value = self.node(found.value)
        targets = reversed(found.targets)  # the innermost takes the value first, as Python's do not
        return [n.Assign(self.node(each), value, **self.at(found)) for each in targets]

    def read_AugAssign(self, found: ast.AugAssign) -> n.Statement:
        """Read an assignment with an operator."""
        op = OPERATORS[type(found.op)]
        return n.Assign(self.node(found.target), self.node(found.value), op, **self.at(found))

    def read_Expr(self, found: ast.Expr) -> n.Statement:
        """Read a call, or ``...``, where something else will stand."""
        if isinstance(found.value, ast.Constant) and found.value.value is ...:
            return HOLE
        call = self.node(found.value)
        assert isinstance(call, n.Call), ast.unparse(found)
        return n.Do(call, **self.at(found))

    def read_If(self, found: ast.If) -> n.Statement:
        """Read a branch."""
        then, otherwise = self.statements(found.body), self.statements(found.orelse)
        return n.If(self.node(found.test), then, otherwise, **self.at(found))

    def read_While(self, found: ast.While) -> n.Statement:
        """Read a loop."""
        return n.While(self.node(found.test), self.statements(found.body), **self.at(found))

    def read_For(self, found: ast.For) -> n.Statement:
        """Read a counted loop."""
        span = self.node(found.iter)
        assert isinstance(span, n.Call), ast.unparse(found)
        assert isinstance(found.target, ast.Name), ast.unparse(found)
        body = self.statements(found.body)
        return n.For(found.target.id, span, body, **self.at(found))

    def read_Break(self, found: ast.stmt) -> n.Statement:
        """Read a word that stands alone."""
        return n.Leave(type(found).__name__.lower(), **self.at(found))

    read_Continue = read_Pass = read_Break

    def read_Return(self, found: ast.Return) -> n.Statement:
        """Read a return."""
        value = None if found.value is None else self.node(found.value)
        return n.Leave("return", value, **self.at(found))

    def node(self, found: ast.AST) -> n.Node:
        """Return an expression."""
        made: n.Node = getattr(self, f"node_{type(found).__name__}")(found)
        return made

    def node_Name(self, found: ast.Name) -> n.Node:
        """Read a name."""
        if found.id[0] == MARK:
            return n.Array(self.arrays[found.id[1:]])
        buffer = self.arrays.get(found.id)
        if buffer is None or buffer.is_of_user:
            return n.Name(found.id)
        return n.Array(buffer)

    def node_Attribute(self, found: ast.Attribute) -> n.Node:
        """Read something of a module, or of the GPU."""
        return n.Name(dotted(found))

    def node_Constant(self, found: ast.Constant) -> n.Node:
        """Read a number."""
        return n.Number(found.value)

    def node_Subscript(self, found: ast.Subscript) -> n.Node:
        """Read an element."""
        index: n.Node
        if isinstance(found.slice, ast.Slice):
            assert found.slice.lower is None, "a slice is the whole"
            index = n.Name(":")
        else:
            index = self.node(found.slice)
        return n.Item(self.node(found.value), index)

    def node_Tuple(self, found: ast.Tuple) -> n.Node:
        """Read a tuple."""
        return n.Group(tuple(map(self.node, found.elts)))

    def node_Call(self, found: ast.Call) -> n.Node:
        """Read a call."""
        assert not found.keywords
        return n.Call(dotted(found.func), tuple(map(self.node, found.args)))

    def node_BinOp(self, found: ast.BinOp) -> n.Node:
        """Read an operation on two values."""
        return n.Apply(OPERATORS[type(found.op)], (self.node(found.left), self.node(found.right)))

    def node_UnaryOp(self, found: ast.UnaryOp) -> n.Node:
        """Read an operation on one value."""
        return n.Apply(OPERATORS[type(found.op)], (self.node(found.operand),))

    def node_BoolOp(self, found: ast.BoolOp) -> n.Node:
        """Read conditions joined by ``and`` or ``or``."""
        return n.Apply(OPERATORS[type(found.op)], tuple(map(self.node, found.values)))

    def node_Compare(self, found: ast.Compare) -> n.Node:
        """Read a comparison of two values."""
        assert len(found.ops) == 1, "comparisons are not chained"
        op = OPERATORS[type(found.ops[0])]
        return n.Apply(op, (self.node(found.left), self.node(found.comparators[0])))

    def node_IfExp(self, found: ast.IfExp) -> n.Node:
        """Read a choice."""
        return n.Apply("if", tuple(map(self.node, (found.body, found.test, found.orelse))))


@functools.lru_cache(maxsize=1 << 14)
def parsed(text: str) -> list[ast.stmt]:
    """Return the syntax of a quotation; kernels say most things more than once.

    One that begins in a line of its own may stand as deep as what is around it.
    """
    return ast.parse(textwrap.dedent(text) if text.startswith("\n") else text).body


def dotted(found: ast.AST) -> str:
    """Return a name such as ``cuda.threadIdx.x``."""
    if isinstance(found, ast.Attribute):
        return f"{dotted(found.value)}.{found.attr}"
    assert isinstance(found, ast.Name)
    return found.id


def quote(text: str, arrays: Mapping[str, Buffer], loc: Loc | None = None) -> n.Block:
    """Return the statements that a quotation says.

    Examples
    --------
    >>> quote("x[k] += 1  # a remark", {"x": Buffer("x", "scratch")})[0].note
    'a remark'
    """
    return Reader(arrays, loc).block(text)


def filled(block: n.Block, inner: n.Block) -> n.Block:
    """Return a quotation with other statements where it says ``...``."""
    made: list[n.Statement] = []
    for each in block:
        match each:
            case n.If(_, then, otherwise):
                each = dataclasses.replace(
                    each, then=filled(then, inner), otherwise=filled(otherwise, inner)
                )
            case n.While(_, body) | n.For(_, _, body):
                each = dataclasses.replace(each, body=filled(body, inner))
        made += inner if each is HOLE else [each]
    return tuple(made)


def quoted(text: str, arrays: Mapping[str, Buffer]) -> n.Node:
    """Return the expression that a quotation says."""
    (made,) = parsed(f"({text})")
    assert isinstance(made, ast.Expr)
    return Reader(arrays).node(made.value)
