"""Assignments to fields, where rule (2) is kept: own fields freely, others only in agreement."""

from __future__ import annotations

import ast

import numpy as np

from emv.dtypes import dtype_named, short_name
from emv.errors import Loc, OwnershipError, TypeMismatchError
from emv.ir import body as ir
from emv.lang import words
from emv.lang.call_expressions import CallExpressions
from emv.lang.promote import is_integer, spelled, storable


class Stores(CallExpressions):
    """Builds the assignments to fields of one function."""

    def store(self, target: ast.Attribute, value: ast.expr) -> ir.Stmt:
        """Build ``element.field = value``."""
        folded = self.folded(target, value)
        return folded or self.set_field(target, self.value(value))

    def set_field(self, target: ast.Attribute, value: ir.Expr) -> ir.Stmt:
        """Build the assignment of a built value to a field."""
        if isinstance(target.value, ast.Name) and target.value.id in self.scope.records:
            return self.store_message(target, value)
        element = self.visit(target.value)
        if not isinstance(element, ir.Element):
            raise self.refuse(
                f"{ast.unparse(target.value)} has no fields to assign",
                target,
                "Only vertices, edges and messages have fields: v.field = value.",
            )
        if element.role not in ("own", "link") and not isinstance(value, ir.Const):
            raise OwnershipError(
                f"{ast.unparse(target)} belongs to another element",
                self.loc(target),
                "Rule (2): a function writes its own fields. Another element's field takes a "
                f"constant, or an operator: {ast.unparse(target)} += x, or {ast.unparse(target)} "
                f"= emv.min({ast.unparse(target)}, x). Otherwise send a message.",
            )
        return self.checked_store(element, target, value, None)

    def folded(self, target: ast.Attribute, value: ast.expr) -> ir.Stmt | None:
        """Build ``w.best = emv.min(w.best, x)`` on another element as an atomic operator."""
        if not isinstance(value, ast.Call) or len(value.args) != 2:
            return None
        element = self.visit(target.value)
        if not isinstance(element, ir.Element) or element.role == "own":
            return None
        called = self.visit(value.func)
        op = {id(words.min): "min", id(words.max): "max"}.get(id(called))
        first, second = value.args
        if op is None or ast.unparse(first) != ast.unparse(target):
            return None
        inside = () if element.index is None else ir.inside(element.index)
        if any(isinstance(each, ir.Random) for each in inside):
            whom = ast.unparse(target.value)
            raise OwnershipError(
                f"{whom} is another element each time, since its index is drawn",
                self.loc(target),
                f"Rule (2): name it before: w = {whom}, then w.{target.attr} = "
                f"{ast.unparse(value.func)}(w.{target.attr}, x).",
            )
        return self.checked_store(element, target, self.number(second), op)

    def checked_store(
        self, element: ir.Element, target: ast.Attribute, value: ir.Expr, op: str | None
    ) -> ir.Stmt:
        """Check that the field exists and takes the value's type."""
        loc, name = self.loc(target), target.attr
        field = element.record.fields.get(name)
        if field is not None and field.mask:
            raise TypeMismatchError(
                f"{name!r} is a Mask",
                loc,
                f"Write {ast.unparse(target)}.set() or {ast.unparse(target)}.unset().",
            )
        if field is None or field.disjoint:
            if field is None and name in ("id", "out_degree", "in_degree", "src", "dst"):
                raise OwnershipError(
                    f"{name!r} is given by the graph and cannot be assigned",
                    loc,
                    "Declare a field of your own for it.",
                )
            if field is None:
                raise element.record.missing(name, self.scope.source.name_loc(target))
            raise TypeMismatchError(
                f"{name!r} is a DisjointSet", loc, "Use emv.union to change it."
            )
        kind = short_name(field.dtype)
        place = f"{element.record.__name__}.{name}"
        check_stored(value, kind, place, loc)
        check_fits(value, kind, place)
        return ir.Store(loc, element, name, value, op)

    def store_message(self, target: ast.Attribute, built: ir.Expr) -> ir.Stmt:
        """Build ``m.cost = value`` in a `@message` function."""
        assert isinstance(target.value, ast.Name)
        name, record = target.value.id, self.scope.records[target.value.id]
        if target.attr not in record.fields:
            raise record.missing(target.attr, self.scope.source.name_loc(target))
        kind = short_name(record.fields[target.attr].dtype)
        check_stored(built, kind, f"{record.__name__}.{target.attr}", self.loc(target), "message")
        position = -1 if record.plain else list(record.fields).index(target.attr)
        return ir.AssignItem(self.loc(target), name, position, built)


def check_stored(value: ir.Expr, kind: str, place: str, loc: Loc, of: str = "field") -> None:
    """Refuse a value of a type that its place does not take."""
    if not storable(value.type, kind):
        raise TypeMismatchError(
            f"{place} is {kind}, the value is {spelled(value.type)}",
            loc,
            f"Convert it: {kind}(...), or declare the {of} with another type.",
        )


def check_fits(value: ir.Expr, kind: str, place: str) -> None:
    """Refuse to store a whole number that is written in the text and does not fit its place.

    -1 fits a number without a sign, whose bits are then all set.
    """
    number = value.value if isinstance(value, ir.Const) else None
    if isinstance(number, bool) or not isinstance(number, int) or not is_integer(kind):
        return
    limits = np.iinfo(dtype_named(kind))
    least = limits.min if kind[0] == "i" else -(limits.max // 2) - 1
    if not least <= number <= limits.max:
        raise TypeMismatchError(
            f"{place} is {kind}, which holds {limits.min} to {limits.max}, not {number}",
            value.loc,
            f"Declare it with another type; {kind}({number}) keeps the low bits.",
        )
