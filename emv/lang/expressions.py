"""From the syntax tree of an expression to a typed expression of the body.

One method per kind of node. A node the language lacks is refused at its place with what to write
instead; everything accepted has one meaning on every backend.
"""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any

from emv.dtypes import dtype_of, short_name
from emv.errors import Loc, LanguageError, TypeMismatchError
from emv.ir import body as ir
from emv.lang import words
from emv.lang.calls import CASTS, PLAIN_CALLS, call_type
from emv.lang.promote import arithmetic, is_float, is_number, join, spelled
from emv.lang.records import Message, RecordType
from emv.lang.scope import MISSING, ListRef, Scope, constant_type, is_constant

BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}


class Expressions:
    """Builds the expressions of one function."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def loc(self, node: ast.AST) -> Loc:
        """Return where a node stands."""
        return self.scope.loc(node)

    def refuse(self, what: str, node: ast.AST, remedy: str) -> LanguageError:
        """Return the error for syntax the language lacks."""
        return LanguageError(what, self.loc(node), remedy)

    def value(self, node: ast.expr) -> ir.Expr:
        """Build an expression that must be a value, not an element or a list."""
        found = self.visit(node)
        if isinstance(found, ir.Expr):
            return found
        if isinstance(found, ir.Element):
            raise TypeMismatchError(
                f"a {found.kind} is not a value",
                self.loc(node),
                f"Use one of its fields, or its number: {ast.unparse(node)}.id",
            )
        raise TypeMismatchError(
            f"{ast.unparse(node)} is not a number that compiled code can hold",
            self.loc(node),
            "Numbers, truth values and tuples of them are values; text, lists, dicts and arrays "
            "are not. Pass a number as a parameter of the program, or use a column.",
        )

    def number(self, node: ast.expr) -> ir.Expr:
        """Build an expression that must be one number or truth value."""
        found = self.value(node)
        if not is_number(found.type):
            raise TypeMismatchError(
                f"{ast.unparse(node)} is a {spelled(found.type)}, not a number", self.loc(node)
            )
        return found

    def visit(self, node: ast.expr) -> Any:
        """Build any expression: a value, an element, a list or something known while compiling."""
        method = getattr(self, f"visit_{type(node).__name__}", None)
        if method is None:
            raise self.refuse(
                f"{_kind(node)} has no place in a user function",
                node,
                "Use arithmetic, comparisons, and / or / not, 'a if c else b', tuples, calls of "
                "known functions, and fields of vertices and edges.",
            )
        return method(node)

    def visit_Constant(self, node: ast.Constant) -> ir.Expr:
        """Build a literal."""
        if not isinstance(node.value, bool | int | float):
            raise self.refuse(
                f"{node.value!r} is not a number", node, "Compiled code computes with numbers."
            )
        return ir.Const(constant_type(node.value), self.loc(node), node.value)

    def visit_Name(self, node: ast.Name) -> Any:
        """Find what a name means."""
        scope, name = self.scope, node.id
        if name in scope.names:
            found = scope.names[name]
            if isinstance(found, ir.Element | ListRef):
                return found
            return ir.Local(found, self.loc(node), name)
        if name in scope.locals:
            return ir.Local(scope.locals[name], self.loc(node), name)
        value = scope.outside(name)
        if value is MISSING:
            raise self.refuse(
                f"the name {name!r} is not defined here", node, "Assign it before it is read."
            )
        if is_constant(value):
            scope.captured[name] = value
            return ir.Const(constant_type(value), self.loc(node), value, name)
        return value

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Build a field of an element, a component of a message, or a name of a module."""
        if isinstance(node.value, ast.Name) and node.value.id in self.scope.records:
            return self.message_field(node)
        whole = self.visit(node.value)
        if isinstance(whole, ir.Element):
            return self.element_field(whole, node)
        if isinstance(whole, types.ModuleType) and hasattr(whole, node.attr):
            value = getattr(whole, node.attr)
            if is_constant(value):
                self.scope.captured[ast.unparse(node)] = value
                return ir.Const(constant_type(value), self.loc(node), value, node.attr)
            return value
        if isinstance(whole, RecordType) and node.attr == "at":
            return (whole, "at")
        raise self.refuse(
            f"{ast.unparse(node.value)} has no field that compiled code can read: {node.attr!r}",
            node,
            "Only vertices, edges, messages and modules of numbers have attributes here.",
        )

    def message_field(self, node: ast.Attribute) -> ir.Expr:
        """Build ``m.cost`` for a local that holds a message record."""
        assert isinstance(node.value, ast.Name)
        record = self.scope.records[node.value.id]
        if node.attr not in record.fields:
            raise record.missing(node.attr, self.loc(node))
        whole = self.value(node.value)
        if record.plain:
            return whole
        position = list(record.fields).index(node.attr)
        return ir.Item(whole.type[position], self.loc(node), whole, position)

    def element_field(self, element: ir.Element, node: ast.Attribute) -> Any:
        """Build a field or system attribute of a vertex or edge."""
        name, loc = node.attr, self.loc(node)
        if name == "id":
            return ir.Attribute("id", loc, element, name)
        if element.kind == "vertex" and name in ("out_degree", "in_degree"):
            return ir.Attribute("i64", loc, element, name)
        if element.kind == "edge" and name in ("src", "dst"):
            return end_of(element, name)
        field = element.record.fields.get(name)
        if field is None:
            if name in ("send", "send_to", "activate"):
                return (element, name)
            raise element.record.missing(name, _attribute_loc(loc, node))
        if field.disjoint:
            return (element, name)
        return ir.Load(short_name(field.dtype), loc, element, name)

    def visit_BinOp(self, node: ast.BinOp) -> ir.Expr:
        """Build an arithmetic operation."""
        op = BINARY.get(type(node.op))
        if op is None:
            raise self.refuse(f"{_kind(node.op)} is not supported", node, "Use + - * / // % **.")
        left, right = self.number(node.left), self.number(node.right)
        if op in "&|^<<>>" and (is_float(left.type) or is_float(right.type)):
            raise TypeMismatchError(f"{op} needs integers", self.loc(node))
        kind = arithmetic(op, str(left.type), str(right.type))
        return ir.Binary(kind, self.loc(node), op, left, right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ir.Expr:
        """Build a unary operation; a negated literal stays a literal."""
        op, operand = UNARY[type(node.op)], self.number(node.operand)
        loc = self.loc(node)
        if op == "-" and isinstance(operand, ir.Const) and operand.type != "bool":
            return ir.Const(operand.type, loc, -operand.value)
        if op == "~" and is_float(operand.type):
            raise TypeMismatchError("~ needs an integer", loc)
        kind = "bool" if op == "not" else operand.type
        return ir.Unary("int" if kind == "bool" and op != "not" else kind, loc, op, operand)

    def visit_BoolOp(self, node: ast.BoolOp) -> ir.Expr:
        """Build ``and`` / ``or``; the parts must be truth values, so that the result is one."""
        parts = tuple(self.truth(each) for each in node.values)
        return ir.Logic("bool", self.loc(node), "and" if isinstance(node.op, ast.And) else "or", parts)

    def truth(self, node: ast.expr) -> ir.Expr:
        """Build a condition; a number counts as ``number != 0``, as in Python."""
        found = self.number(node)
        if found.type == "bool":
            return found
        zero = ir.Const("int", found.loc, 0)
        return ir.Compare("bool", found.loc, "!=", found, zero)

    def visit_Compare(self, node: ast.Compare) -> ir.Expr:
        """Build a comparison; ``a < b < c`` becomes two joined by ``and``."""
        sides = [self.value(each) for each in (node.left, *node.comparators)]
        parts: list[ir.Expr] = []
        for left, op, right in zip(sides, node.ops, sides[1:], strict=False):
            if type(op) not in COMPARE or join(left.type, right.type) is None:
                raise self.refuse(
                    f"cannot compare {spelled(left.type)} with {spelled(right.type)} this way",
                    node,
                    "Use == != < <= > >= between numbers, or between tuples of one shape.",
                )
            parts.append(ir.Compare("bool", self.loc(node), COMPARE[type(op)], left, right))
        return parts[0] if len(parts) == 1 else ir.Logic("bool", self.loc(node), "and", tuple(parts))

    def visit_IfExp(self, node: ast.IfExp) -> ir.Expr:
        """Build ``a if c else b``."""
        condition, yes, no = self.truth(node.test), self.value(node.body), self.value(node.orelse)
        kind = join(yes.type, no.type)
        if kind is None:
            raise TypeMismatchError(
                f"the two branches are {spelled(yes.type)} and {spelled(no.type)}", self.loc(node)
            )
        return ir.Choose(kind, self.loc(node), condition, yes, no)

    def visit_Tuple(self, node: ast.Tuple) -> ir.Expr:
        """Build a tuple of numbers."""
        items = tuple(self.number(each) for each in node.elts)
        return ir.Tuple(tuple(each.type for each in items), self.loc(node), items)

    def visit_Subscript(self, node: ast.Subscript) -> ir.Expr:
        """Build ``pair[1]`` with a literal position."""
        whole = self.value(node.value)
        index = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if not isinstance(whole.type, tuple) or not isinstance(index, int):
            raise self.refuse(
                "only tuples can be indexed, by a literal number",
                node,
                "Fields are reached by name, other elements by Record.at(id).",
            )
        if not -len(whole.type) <= index < len(whole.type):
            raise self.refuse(f"the tuple has {len(whole.type)} items", node, "Use a smaller index.")
        position = index % len(whole.type)
        return ir.Item(whole.type[position], self.loc(node), whole, position)

    def visit_Call(self, node: ast.Call) -> Any:
        """Build a call of something every backend knows, or of a plain function of the user's."""
        called = self.visit(node.func)
        loc = self.loc(node)
        if isinstance(called, tuple):
            owner, word = called
            if word == "at":
                return self.far(owner, node)
            raise self.refuse(f"{word}() gives no value", node, "Write it as a statement.")
        if called is words.random or called is words.randint:
            return self.draw(called, node)
        if called is words.find:
            return self.find(node)
        if isinstance(called, RecordType) and issubclass(called, Message):
            return self.message(called, node)
        if called is len and len(node.args) == 1:
            return self.length(node)
        if node.keywords:
            raise self.refuse("keyword arguments are not supported here", node, "Pass by position.")
        args = tuple(self.number(each) for each in node.args)
        name = PLAIN_CALLS.get(called) if _hashable(called) else None
        if name is not None or _hashable(called) and called in CASTS:
            name = name or f"cast:{CASTS[called]}"
            return ir.Call(call_type(name, args, loc), loc, name, args)
        if isinstance(called, types.FunctionType) and called.__module__ != words.__name__:
            return self.helper(called, args, loc)
        raise self.refuse(
            f"{ast.unparse(node.func)} cannot be called in a user function",
            node,
            "Known are abs, min, max, round, int, float, bool, the number types, the functions of "
            "math, emv.random, emv.randint, emv.find, and plain functions of your own.",
        )

    def helper(self, called: types.FunctionType, args: tuple[ir.Expr, ...], loc: Loc) -> ir.Expr:
        """Build a call of a plain function; its value has the widest type of its arguments."""
        name = self.scope.add_helper(called)
        hint = called.__annotations__.get("return")
        kind: Any = _hinted(hint, called)
        if kind is None:
            raise LanguageError(
                f"{name}() does not say what it returns",
                loc,
                f"Annotate it: def {name}(...) -> f32. A helper's type is its annotation.",
            )
        return ir.HelperCall(kind, loc, name, args)

    def far(self, record: Any, node: ast.Call) -> ir.Element:
        """Build ``Record.at(id)``."""
        if len(node.args) != 1 or node.keywords:
            raise self.refuse(f"{record.__name__}.at takes one id", node, "Write Record.at(id).")
        index = self.number(node.args[0])
        if is_float(index.type):
            raise TypeMismatchError(
                f"{record.__name__}.at takes an integer id, not {spelled(index.type)}",
                self.loc(node),
            )
        return ir.Element(record.kind, "far", record, index)

    def draw(self, called: Any, node: ast.Call) -> ir.Expr:
        """Build a random draw and number it."""
        wanted = 0 if called is words.random else 1
        if len(node.args) != wanted or node.keywords:
            raise self.refuse(
                "random() takes nothing, randint() the number of outcomes", node, "See emv.randint."
            )
        call = self.scope.num_draws
        self.scope.num_draws += 1
        if not wanted:
            return ir.Random("float", self.loc(node), call)
        bound = self.number(node.args[0])
        return ir.Random("int", self.loc(node), call, bound)

    def find(self, node: ast.Call) -> ir.Expr:
        """Build ``emv.find(v.group)``."""
        element, field = self.member(node.args[0], node)
        return ir.Find("i64", self.loc(node), element, field)

    def member(self, node: ast.expr, call: ast.Call) -> tuple[ir.Element, str]:
        """Return the vertex and field of a disjoint-set member."""
        found = self.visit(node)
        if isinstance(found, tuple) and isinstance(found[0], ir.Element):
            field = found[0].record.fields.get(found[1])
            if field is not None and field.disjoint:
                return found[0], found[1]
        raise TypeMismatchError(
            f"{ast.unparse(node)} is not a member of disjoint sets",
            self.loc(call),
            "Declare the field as DisjointSet and write emv.union(e.src.group, e.dst.group).",
        )

    def message(self, record: Any, node: ast.Call) -> ir.Expr:
        """Build ``Offer(cost=..., origin=...)``."""
        given = dict(zip(record.fields, node.args, strict=False))
        given |= {each.arg: each.value for each in node.keywords if each.arg}
        if set(given) != set(record.fields) or len(node.args) > len(record.fields):
            raise self.refuse(
                f"{record.__name__} takes exactly {', '.join(record.fields)}",
                node,
                record.describe(),
            )
        items, kinds = [], []
        for name, field in record.fields.items():
            kind = short_name(field.dtype)
            value = self.number(given[name])
            items.append(ir.Call(kind, value.loc, f"cast:{kind}", (value,)))
            kinds.append(kind)
        return ir.Tuple(tuple(kinds), self.loc(node), tuple(items))

    def length(self, node: ast.Call) -> ir.Expr:
        """Build ``len(links)`` or ``len(heard)``."""
        found = self.visit(node.args[0])
        if not isinstance(found, ListRef):
            raise self.refuse("len() takes an edge list or a message list", node, "See EdgeList.")
        return ir.Call("i64", self.loc(node), f"len:{found.kind}", ())


def end_of(edge: ir.Element, name: str) -> ir.Element:
    """Return the vertex at one end of an edge."""
    record = edge.record.vertex
    if edge.role == "own":
        return ir.Element("vertex", name, record)
    if edge.role == "link":
        return ir.Element("vertex", "own" if name == "src" else "link_dst", record)
    end = ir.Attribute("id", edge.index.loc if edge.index else None, edge, name)  # type: ignore[arg-type]
    return ir.Element("vertex", "far", record, end)


def _kind(node: ast.AST) -> str:
    return f"{type(node).__name__} syntax"


def _attribute_loc(loc: Loc, node: ast.Attribute) -> Loc:
    start = loc.end_column - len(node.attr)
    return Loc(loc.file, loc.line, start, loc.end_column, loc.function, loc.text)


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _hinted(hint: Any, function: types.FunctionType) -> str | None:
    if isinstance(hint, str):
        hint = {**vars(builtins), **function.__globals__}.get(hint)
    dtype = dtype_of(hint)
    return None if dtype is None else short_name(dtype)
