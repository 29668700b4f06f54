"""The loops of a user function: over numbers, lists, and the neighbours that two vertices share."""

from __future__ import annotations

import abc
import ast
from typing import Any

from emv.errors import Loc, TypeMismatchError
from emv.ir import body as ir
from emv.lang import loop_words
from emv.lang.endless import never_left_loop
from emv.lang.promote import has_key, is_float, passed, spelled, strong
from emv.lang.records import Edge
from emv.lang.scope import ListRef
from emv.lang.stores import Stores
from emv.lang.ways import never_left


class Loops(Stores, abc.ABC):
    """Builds the loops of one function."""

    @abc.abstractmethod
    def block(self, nodes: list[ast.stmt], in_loop: bool = False) -> tuple[ir.Stmt, ...]:
        """Build a list of statements."""

    @abc.abstractmethod
    def put(self, name: str, value: ir.Expr, loc: Loc) -> ir.Stmt:
        """Build the assignment of a value to a name."""

    def build_For(self, node: ast.For, in_loop: bool) -> list[ir.Stmt]:
        """Build a loop over ``range(...)``, an edge list, a message list or common neighbours."""
        if isinstance(node.iter, ast.Call) and self.visit(node.iter.func) is loop_words.common:
            return [self.for_common(node, node.iter)]
        if isinstance(node.iter, ast.Call) and self.visit(node.iter.func) is loop_words.tally:
            return [self.for_tally(node, node.iter)]
        if node.orelse or not isinstance(node.target, ast.Name):
            raise self.refuse("this form of for is not supported", node, "Write for name in ...:")
        name, scope = node.target.id, self.scope
        if scope.names.get(name) is not None and name in scope.assigned:
            raise self.refuse(f"{name!r} already names something else", node, "Use another name.")
        if not isinstance(node.iter, ast.Call):
            return [self.for_list(name, self.visit(node.iter), node)]
        if self.visit(node.iter.func) is sorted:
            return [self.for_list(name, self.sortable(node.iter), node, is_sorted=True)]
        return [self.for_range(name, node.iter, node)]

    def for_list(self, name: str, over: Any, node: ast.For, is_sorted: bool = False) -> ir.Stmt:
        """Build ``for link in links``, ``for m in heard`` or ``for m in sorted(heard)``."""
        scope = self.scope
        if not isinstance(over, ListRef):
            raise self.refuse(
                f"cannot loop over {ast.unparse(node.iter)}",
                node,
                "Loop over range(n), or over the EdgeList or MessageList parameter.",
            )
        if over.kind == "edges":
            if "links" in scope.loops:
                raise self.refuse(
                    "a loop over the edge list inside another one is not supported",
                    node,
                    "Collect what the first loop finds in variables, then loop again after it.",
                )
            scope.names[name] = ir.Element("edge", "link", over.record)
            return ir.ForLinks(self.loc(node), name, self.repeated("links", node, name))
        assert over.type is not None
        scope.names[name] = over.type
        if over.record is not None:
            scope.records[name] = over.record
        body = self.repeated("messages", node, name)
        return ir.ForMessages(self.loc(node), name, body, is_sorted)

    def sortable(self, call: ast.Call, word: str = "sorted()") -> ListRef:
        """Return the message list in ``sorted(heard)``: of numbers, or pairs of 32-bit numbers."""
        over = self.visit(call.args[0]) if len(call.args) == 1 and not call.keywords else None
        if not isinstance(over, ListRef) or over.kind != "messages":
            raise self.refuse(
                f"{word} takes a message list and nothing else",
                call,
                f"... in {word.removesuffix('()')}(heard):",
            )
        if over.type is None or over.record is not None or not has_key(over.type):
            done = "sorted" if word == "sorted()" else "tallied"
            raise self.refuse(
                f"messages that are {spelled(over.type)} cannot be {done}"
                if over.record is None
                else f"message records such as {over.record.__name__} cannot be {done}",
                call,
                "Send numbers, or pairs of numbers of at most 32 bits, such as (i32, f32).",
            )
        return over

    def for_tally(self, node: ast.For, call: ast.Call) -> ir.Stmt:
        """Build ``for kind, amount in emv.tally(heard)``: two locals that take a pair's parts."""
        scope, loc, kinds = self.scope, self.loc(node), self.tallied(call)
        names = [e.id for e in getattr(node.target, "elts", ()) if isinstance(e, ast.Name)]
        if len(names) != 2 or len(set(names)) != 2 or node.orelse:
            raise self.refuse(
                "this form of emv.tally() is not supported",
                node,
                "Write for kind, amount in emv.tally(heard):",
            )
        whole = scope.hidden(f"tallied_{loc.line}")
        scope.names[whole] = kinds
        before = set(scope.assigned)
        pair = ir.Local(kinds, loc, whole)
        taken = [
            self.put(name, ir.Item(kind, loc, pair, position), loc)
            for position, (name, kind) in enumerate(zip(names, kinds, strict=True))
        ]
        body = self.repeated("messages", node, whole, *names)
        scope.assigned = before
        return ir.ForMessages(loc, whole, (*taken, *body), is_sorted=True, is_tally=True)

    def tallied(self, call: ast.Call) -> tuple[str, str]:
        """Return the types of kinds and amounts in ``emv.tally(heard)``."""
        over = self.sortable(call, "emv.tally()")
        pair = over.type if isinstance(over.type, tuple) else (over.type, "i64")
        kind, amount = (str(each) for each in pair)
        if is_float(kind):
            raise self.refuse(
                f"messages that are {spelled(over.type)} cannot be tallied: kinds are whole",
                call,
                "Send whole numbers, or pairs of which the first is one, such as (i32, f32).",
            )
        return kind, "f64" if is_float(amount) else "i64"

    def repeated(self, kind: str, node: ast.For | ast.While, *names: str) -> tuple[ir.Stmt, ...]:
        """Build the body of a loop; what it assigns may have no value after it."""
        scope, before = self.scope, self.scope.assigned
        scope.assigned = {*before, *names}
        scope.loops.append(kind)
        built = self.block(node.body, in_loop=True)
        scope.loops.pop()
        scope.assigned = before
        if kind in ("links", "messages"):
            scope.names.pop(names[0])
        return built

    def for_common(self, node: ast.For, call: ast.Call) -> ir.Stmt:
        """Build ``for left, right in emv.common(u, v)``."""
        scope, target = self.scope, node.target
        names = [each.id for each in getattr(target, "elts", ()) if isinstance(each, ast.Name)]
        if len(names) != 2 or len(set(names)) != 2 or node.orelse or len(call.args) != 2:
            raise self.refuse(
                "this form of emv.common() is not supported",
                node,
                "Write for left, right in emv.common(u, v): left leads from u, right from v, to "
                "one and the same vertex.",
            )
        if "common" in scope.loops:
            raise self.refuse(
                "a loop over common neighbours inside another one is not supported",
                node,
                "Collect what the first loop finds in variables, then loop again after it.",
            )
        for name in names:
            if scope.names.get(name) is not None or name in scope.locals:
                raise self.refuse(f"{name!r} already names something else", node, "Use another.")
        first, second = (self.vertex_of(each, call) for each in call.args)
        record = self.edge_record(first)
        for name, role in zip(names, ("left", "right"), strict=True):
            scope.names[name] = ir.Element("edge", role, record)
        body = self.repeated("common", node, *names)
        for name in names:
            scope.names.pop(name)
        return ir.ForCommon(self.loc(node), first, second, body)

    def vertex_of(self, node: ast.expr, call: ast.Call) -> ir.Element:
        """Build an argument of emv.common(), which is a vertex."""
        found = self.visit(node)
        if not isinstance(found, ir.Element) or found.kind != "vertex":
            raise TypeMismatchError(
                f"emv.common() takes two vertices, and {ast.unparse(node)} is none",
                self.loc(call),
                "Give e.src, e.dst, the vertex of the function, or Record.at(id).",
            )
        return found

    def edge_record(self, vertex: ir.Element) -> Any:
        """Return the record of the edges that the function speaks of; plain ones if of none."""
        for each in self.scope.names.values():
            is_edge = isinstance(each, ir.Element) and each.kind == "edge"
            if is_edge or (isinstance(each, ListRef) and each.kind == "edges"):
                return each.record
        return Edge[vertex.record]  # type: ignore[misc]

    def for_range(self, name: str, call: ast.Call, node: ast.For) -> ir.Stmt:
        """Build ``for name in range(...)``."""
        loc = self.loc(node)
        if self.visit(call.func) is not range or not 1 <= len(call.args) <= 3 or call.keywords:
            raise self.refuse("only range(...) can be called here", node, "for i in range(n):")
        bounds = [self.number(each) for each in call.args]
        if any(is_float(each.type) for each in bounds):
            raise TypeMismatchError(
                "range() takes integers, not floats", loc, "Convert: range(int(x))."
            )
        zero, one = ir.Const("int", loc, 0), ir.Const("int", loc, 1)
        start, stop = (zero, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        step = bounds[2] if len(bounds) == 3 else one
        before = set(self.scope.assigned)
        self.scope.assign(name, "i64", loc)
        if passed(self.scope.locals[name]) != "i64":
            raise TypeMismatchError(
                f"{name!r} counts in whole numbers here, and is "
                f"{spelled(strong(self.scope.locals[name]))} elsewhere",
                loc,
                "Use another name: in compiled code a variable has one type.",
            )
        body = self.repeated("range", node, name)
        self.scope.assigned = before
        return ir.ForRange(loc, name, start, stop, step, body)

    def build_While(self, node: ast.While, in_loop: bool) -> list[ir.Stmt]:
        """Build ``while``."""
        if node.orelse:
            raise self.refuse("while ... else is not supported", node, "Use a variable.")
        if never_left(node):
            raise never_left_loop(
                self.loc(node.test), "Write its condition behind while, or break out of it."
            )
        self.scope.loops.append("while")
        condition = self.truth(node.test)
        self.scope.loops.pop()
        return [ir.While(self.loc(node), condition, self.repeated("while", node))]
