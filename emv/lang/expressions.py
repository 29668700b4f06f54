"""From the syntax tree of an expression to a typed expression of the body.

One method per kind of node. A node the language lacks is refused at its place with what to write
instead; everything accepted has one meaning on every backend.
"""

from __future__ import annotations

import ast
import types
from typing import Any

from emv.dtypes import short_name
from emv.errors import LanguageError, Loc, TypeMismatchError, did_you_mean
from emv.ir import body as ir
from emv.lang.literals import BINARY, constant_of, from_outside, instead_of, known, negated
from emv.lang.outside import MISSING, is_constant, is_holder, plain_number
from emv.lang.promote import arithmetic, is_float, is_integer, is_number, join, passed, spelled
from emv.lang.records import RecordType
from emv.lang.scope import ListRef, Scope, constant_type
from emv.lang.spelling import kind_of

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
            "Numbers, truth values and tuples written in the function are values; text, lists, "
            "dicts, arrays and tuples from outside are not. Pass a number as a parameter of the "
            "program, or use a column.",
        )

    def number(self, node: ast.expr) -> ir.Expr:
        """Build an expression that must be one number or truth value."""
        found = self.value(node)
        if not is_number(found.type):
            raise TypeMismatchError(
                f"{ast.unparse(node)} is a {spelled(found.type)}, not a number",
                self.loc(node),
                f"Take one of its items: {ast.unparse(node)}[0].",
            )
        return found

    def visit(self, node: ast.expr) -> Any:
        """Build any expression: a value, an element, a list or something known while compiling."""
        method = getattr(self, f"visit_{type(node).__name__}", None)
        if method is None:
            raise self.refuse(
                f"{kind_of(node)} has no place in a user function",
                node,
                "Assign on a line of its own, above."
                if isinstance(node, ast.NamedExpr)
                else "Use arithmetic, comparisons, and / or / not, 'a if c else b', tuples, calls "
                "of known functions, and fields of vertices and edges.",
            )
        return method(node)

    def visit_Constant(self, node: ast.Constant) -> ir.Expr:
        """Build a literal."""
        if not isinstance(node.value, bool | int | float):
            remedy = instead_of(node.value)
            raise self.refuse(f"{node.value!r} is not a number", node, remedy)
        self.check_size(node.value, node)
        return ir.Const(constant_type(node.value), self.loc(node), node.value)

    def check_size(self, number: Any, node: ast.AST) -> None:
        """Refuse a whole number of more than 64 bits."""
        if isinstance(number, int) and not -(2**63) <= number < 2**64:
            raise self.refuse(
                "this whole number has more than 64 bits",
                node,
                "Whole numbers count in 64 bits: write a float, such as 1e30.",
            )

    def visit_Name(self, node: ast.Name) -> Any:
        """Find what a name means."""
        scope, name = self.scope, node.id
        if scope.is_local(name) and name not in scope.assigned:
            raise self.refuse(
                f"{name!r} may have no value here yet",
                node,
                "Give it one on every way that leads here: before the if, or before the loop.",
            )
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
                f"the name {name!r} is not defined",
                node,
                "Assign it first, import it, or make it a parameter."
                + did_you_mean(name, [*scope.names, *scope.locals]),
            )
        if is_constant(value):
            scope.captured[name] = value
            return ir.Const(constant_type(value), self.loc(node), plain_number(value), name)
        return value

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Build a field of an element, a component of a message, or a name of a module."""
        if isinstance(node.value, ast.Name) and node.value.id in self.scope.records:
            return self.message_field(node)
        whole = self.visit(node.value)
        if isinstance(whole, ir.Element):
            return self.element_field(whole, node)
        if is_holder(whole) and hasattr(whole, node.attr):
            value = getattr(whole, node.attr)
            if is_constant(value):
                self.scope.captured[ast.unparse(node)] = value
                constant = plain_number(value)
                return ir.Const(constant_type(value), self.loc(node), constant, node.attr)
            if isinstance(whole, types.ModuleType):
                return value
        if isinstance(whole, RecordType) and node.attr == "at":
            return (whole, "at")
        if is_mask(whole) and node.attr in ("set", "unset"):
            return (whole, node.attr)
        if isinstance(whole, ir.Expr) and node.attr == "bit_count":
            return (whole, "bit_count")
        raise self.refuse(
            f"{ast.unparse(node.value)} has no field that compiled code can read: {node.attr!r}",
            node,
            "A combiner gets the fields of a message as a tuple, in their order: write a[0]."
            if isinstance(whole, ir.Expr) and isinstance(whole.type, tuple)
            else "Only vertices, edges, messages and modules have attributes here, and numbers of "
            "dataclasses, classes and enumerations."
            + did_you_mean(node.attr, dir(whole) if is_holder(whole) else []),
        )

    def message_field(self, node: ast.Attribute) -> ir.Expr:
        """Build ``m.cost`` for a local that holds a message record."""
        assert isinstance(node.value, ast.Name)
        record = self.scope.records[node.value.id]
        if node.attr not in record.fields:
            raise record.missing(node.attr, self.scope.source.name_loc(node))
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
        if element.kind == "vertex" and name in ("out_dst", "out_edge"):
            return (element, name)
        if element.kind == "edge" and name in ("src", "dst"):
            return end_of(element, name)
        field = element.record.fields.get(name)
        if field is None:
            if name in ("send", "send_to", "activate", "delete"):
                return (element, name)
            if element.kind == "vertex" and name in ("add_edge", "clear_edges"):
                return (element, name)
            raise element.record.missing(name, self.scope.source.name_loc(node))
        if field.disjoint:
            return (element, name)
        return ir.Load(short_name(field.dtype), loc, element, name)

    def visit_BinOp(self, node: ast.BinOp) -> ir.Expr:
        """Build an arithmetic operation."""
        op = BINARY.get(type(node.op))
        if op is None:
            raise self.refuse(
                f"{kind_of(node.op)} has no place in a user function",
                node,
                "Use + - * / // % ** & | ^ << >>.",
            )
        left, right = self.number(node.left), self.number(node.right)
        if op in "&|^<<>>" and (is_float(left.type) or is_float(right.type)):
            raise TypeMismatchError(
                f"{op} works on integers, not on {spelled(left.type)} and {spelled(right.type)}",
                self.loc(node),
                "Convert with int(x), or use and / or for truth values.",
            )
        if "bool" in (left.type, right.type) and op in ("/", "//", "%", "**", "<<", ">>"):
            raise TypeMismatchError(
                f"{op} takes numbers, not {spelled(left.type)} and {spelled(right.type)}",
                self.loc(node),
                "Write int(x) for the number of a truth value.",
            )
        if op == "**" and not is_float(left.type) and (known(right) or 0) < 0:
            raise TypeMismatchError(
                f"an integer to the power of {right} is no integer",
                self.loc(node),
                f"Write {ast.unparse(node.left)} ** {float(known(right) or 0)}.",
            )
        kind = arithmetic(op, str(left.type), str(right.type))
        return self.computed(ir.Binary(kind, self.loc(node), op, left, right), node)

    def computed(self, made: ir.Expr, node: ast.AST) -> ir.Expr:
        """Return an operation, refused where Python makes more than 64 bits of what is written."""
        if not from_outside(made):
            self.check_size(known(made), node)
        return constant_of(made)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ir.Expr:
        """Build a unary operation; a negated literal stays a literal."""
        op, operand = UNARY[type(node.op)], self.number(node.operand)
        loc = self.loc(node)
        if op == "-" and isinstance(operand, ir.Const) and operand.type != "bool":
            if operand.name or operand.type not in ("int", "u64"):
                return negated(operand, loc)
            self.check_size(-operand.value, node)
            return ir.Const(constant_type(-operand.value), loc, -operand.value)
        if op == "~" and is_float(operand.type):
            raise TypeMismatchError(
                f"~ works on integers, not on {spelled(operand.type)}", loc, "Use not, or -x."
            )
        kind = "bool" if op == "not" else operand.type
        kind = "int" if kind == "bool" and op != "not" else kind
        return self.computed(ir.Unary(kind, loc, op, operand), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ir.Expr:
        """Build ``and`` / ``or`` as a value: of truth values only, so that the result is one."""
        parts = tuple(self.number(each) for each in node.values)
        wrong = next((each for each in parts if each.type != "bool"), None)
        if wrong is not None:
            word = "and" if isinstance(node.op, ast.And) else "or"
            given = ast.unparse(node.values[parts.index(wrong)])
            raise TypeMismatchError(
                f"{word} as a value joins truth values; {given} is {spelled(wrong.type)}",
                wrong.loc,
                f"Write {given} != 0, or choose with: a if c else b.",
            )
        return self.logic(node, parts)

    def logic(self, node: ast.BoolOp, parts: tuple[ir.Expr, ...]) -> ir.Expr:
        """Join truth values."""
        return ir.Logic(
            "bool", self.loc(node), "and" if isinstance(node.op, ast.And) else "or", parts
        )

    def truth(self, node: ast.expr) -> ir.Expr:
        """Build a condition; a number counts as ``number != 0``, as in Python."""
        if isinstance(node, ast.BoolOp):
            return self.logic(node, tuple(self.truth(each) for each in node.values))
        found = self.number(node)
        if found.type == "bool":
            return found
        zero = ir.Const("int", found.loc, 0)
        return ir.Compare("bool", found.loc, "!=", found, zero)

    def visit_Compare(self, node: ast.Compare) -> ir.Expr:
        """Build a comparison; ``a < b < c`` becomes two joined by ``and``."""
        parts: list[ir.Expr] = []
        left = self.value(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn) and len(node.ops) == 1:
                return self.one_of(node, left, comparator)
            right = self.value(comparator)
            if type(op) not in COMPARE or join(left.type, right.type) is None:
                raise self.refuse(
                    f"cannot compare {spelled(left.type)} with {spelled(right.type)} this way",
                    node,
                    "Use == != < <= > >= between numbers, or between tuples of one shape; x in "
                    "(1, 2) is of a number and numbers that are written there.",
                )
            parts.append(ir.Compare("bool", self.loc(node), COMPARE[type(op)], left, right))
            left = right
        return (
            parts[0] if len(parts) == 1 else ir.Logic("bool", self.loc(node), "and", tuple(parts))
        )

    def one_of(self, node: ast.Compare, left: ir.Expr, among: ast.expr) -> ir.Expr:
        """Build ``x in (1, 2)`` as ``x == 1 or x == 2``, and ``not in`` as its opposite.

        The numbers are constants: of one that is read Python asks first whether it is the very
        same object, which NaN may be.
        """
        items = among.elts if isinstance(among, ast.Tuple | ast.List) else []
        given = [self.number(each) for each in items]
        known = [each for each in given if all(map(_is_written, ir.inside(each)))]
        if not known or len(known) < len(items) or isinstance(left.type, tuple):
            raise self.refuse(
                "in asks whether a number is one of some that are written there",
                node,
                "Write x in (1, 2), or x == a or x == b where a and b are no constants.",
            )
        op, joint = ("==", "or") if isinstance(node.ops[0], ast.In) else ("!=", "and")
        parts = tuple(ir.Compare("bool", self.loc(node), op, left, each) for each in known)
        return parts[0] if len(parts) == 1 else ir.Logic("bool", self.loc(node), joint, parts)

    def visit_IfExp(self, node: ast.IfExp) -> ir.Expr:
        """Build ``a if c else b``."""
        condition, yes, no = self.truth(node.test), self.value(node.body), self.value(node.orelse)
        kind = join(yes.type, no.type)
        if kind is None:
            raise TypeMismatchError(
                f"the two branches are {spelled(yes.type)} and {spelled(no.type)}",
                self.loc(node),
                "Give both branches one shape: two numbers, or two tuples of one length.",
            )
        if not passed(yes.type) == passed(no.type) == passed(kind):
            self.scope.chosen[self.loc(node)] = kind
        return ir.Choose(kind, self.loc(node), condition, yes, no)

    def visit_Tuple(self, node: ast.Tuple) -> ir.Expr:
        """Build a tuple of numbers."""
        items = tuple(self.number(each) for each in node.elts)
        return ir.Tuple(tuple(each.type for each in items), self.loc(node), items)

    def visit_Subscript(self, node: ast.Subscript) -> ir.Expr:
        """Build ``pair[1]`` with a literal position, or ``vector[k]``."""
        whole = self.value(node.value)
        written = self.value(node.slice) if isinstance(whole.type, tuple) else None
        index = written.value if isinstance(written, ir.Const) else None
        if isinstance(whole.type, ir.VectorType) and written is not None and index is None:
            if not is_integer(written.type):
                raise TypeMismatchError(
                    f"a part has a whole number, not {spelled(written.type)}",
                    written.loc,
                    "Write v[int(x)].",
                )
            return ir.Part(whole.type[0], self.loc(node), whole, written)
        if not isinstance(whole.type, tuple) or not isinstance(index, int):
            raise self.refuse(
                "only tuples can be indexed, by a literal number, and vectors, by any",
                node,
                "Fields are reached by name, other elements by Record.at(id).",
            )
        if not -len(whole.type) <= index < len(whole.type):
            raise self.refuse(
                f"the tuple has {len(whole.type)} items", node, "Use a smaller index."
            )
        position = index % len(whole.type)
        return ir.Item(whole.type[position], self.loc(node), whole, position)


def is_mask(found: Any) -> bool:
    """Return whether something is a mask's value at an element."""
    return isinstance(found, ir.Load) and bool(found.element.record.fields[found.field].mask)


def end_of(edge: ir.Element, name: str) -> ir.Element:
    """Return the vertex at one end of an edge."""
    record = edge.record.vertex
    if edge.role == "own":
        return ir.Element("vertex", name, record)
    if edge.role in ("left", "right"):
        return ir.Element("vertex", f"{edge.role}_src" if name == "src" else "common", record)
    if edge.role == "link":
        return ir.Element("vertex", "own" if name == "src" else "link_dst", record)
    end = ir.Attribute("id", edge.index.loc if edge.index else None, edge, name)  # type: ignore[arg-type]
    return ir.Element("vertex", "far", record, end)


def _is_written(expr: ir.Expr) -> bool:
    """Return whether an expression is a constant that equals itself, or computes with such."""
    if isinstance(expr, ir.Const):
        return bool(expr.value == expr.value)
    return isinstance(expr, ir.Binary | ir.Unary)
