"""From the statements of a user function to the body that backends compile.

``return`` disappears here: the value goes to the local `RESULT`, and what stood after a branch that
returned moves into the other branch, so that backends can paste a body into a loop.
"""

from __future__ import annotations

import ast
from typing import Any

from emv.errors import LanguageError, Loc, TypeMismatchError
from emv.ir import body as ir
from emv.lang import words
from emv.lang.calls import CASTS
from emv.lang.changing import Changing
from emv.lang.literals import BINARY
from emv.lang.promote import is_float, join, passed, spelled, storable, strong
from emv.lang.records import RecordType
from emv.lang.spelling import kind_of
from emv.lang.ways import always_leaves, always_returns, may_return

STORE_OPS = {"+": "add", "-": "add", "*": "mul", "&": "and", "|": "or", "^": "xor"}
VOTES = {words.keep_going: "keep_going", words.halt: "halt"}


class Statements(Changing):
    """Builds the statements of one function."""

    def block(self, nodes: list[ast.stmt], in_loop: bool = False) -> tuple[ir.Stmt, ...]:
        """Build a list of statements; those after a returning branch move into its other arm."""
        built: list[ir.Stmt] = []
        for position, node in enumerate(nodes):
            rest = nodes[position + 1 :]
            if isinstance(node, ast.Return):
                built.extend(self.give_back(node, in_loop))
                break
            if isinstance(node, ast.If) and rest and not in_loop and may_return(node):
                built.append(self.branch_and_rest(node, rest))
                break
            built.extend(self.statement(node, in_loop))
        return tuple(built)

    def branch_and_rest(self, node: ast.If, rest: list[ast.stmt]) -> ir.Stmt:
        """Build an ``if`` of which a branch returns, with what follows put into the others."""
        then = node.body if always_returns(node.body) else node.body + rest
        otherwise = node.orelse if always_returns(node.orelse) else node.orelse + rest
        condition, before = self.truth(node.test), set(self.scope.assigned)
        first = self.block(then)
        self.scope.assigned = before
        return ir.If(self.loc(node), condition, first, self.block(otherwise))

    def give_back(self, node: ast.Return, in_loop: bool) -> list[ir.Stmt]:
        """Build ``return``."""
        if in_loop:
            raise self.refuse(
                "return inside a loop is not supported",
                node,
                "Set a variable, break, and return after the loop.",
            )
        if node.value is None:
            return []
        value = self.value(node.value)
        self.scope.assign(ir.RESULT, value.type, self.loc(node))
        self.scope.result = self.scope.locals[ir.RESULT]
        return [ir.Assign(self.loc(node), ir.RESULT, value)]

    def statement(self, node: ast.stmt, in_loop: bool) -> list[ir.Stmt]:
        """Build one statement."""
        method = getattr(self, f"build_{type(node).__name__}", None)
        if method is None:
            raise self.refuse(
                f"{kind_of(node)} has no place in a user function",
                node,
                "Use assignments, if, for over range() or a list, while, break, continue, return.",
            )
        made: list[ir.Stmt] = method(node, in_loop)
        return made

    def build_Pass(self, node: ast.Pass, in_loop: bool) -> list[ir.Stmt]:
        """Build ``pass``: nothing."""
        return []

    def build_If(self, node: ast.If, in_loop: bool) -> list[ir.Stmt]:
        """Build a branch."""
        condition, before = self.truth(node.test), self.scope.assigned
        ways: list[set[str]] = []
        blocks: list[tuple[ir.Stmt, ...]] = []
        for nodes in (node.body, node.orelse):
            self.scope.assigned = set(before)
            blocks.append(self.block(nodes, in_loop))
            if not always_leaves(nodes):
                ways.append(self.scope.assigned)
        self.scope.assigned = set.intersection(*ways) if ways else before
        return [ir.If(self.loc(node), condition, blocks[0], blocks[1])]

    def build_Assign(self, node: ast.Assign, in_loop: bool) -> list[ir.Stmt]:
        """Build ``x = ...``, ``a, b = ...``, ``element.field = ...`` or ``x = y = ...``."""
        if len(node.targets) != 1:
            return self.assign_each(node)
        target = node.targets[0]
        if isinstance(target, ast.Attribute):
            return [self.store(target, node.value)]
        if isinstance(target, ast.Tuple):
            return self.unpack(target, node)
        if not isinstance(target, ast.Name):
            raise self.refuse(
                f"cannot assign to {ast.unparse(target)}", node, "Assign to a name or to a field."
            )
        return self.assign_name(target, node.value, node)

    def assign_each(self, node: ast.Assign) -> list[ir.Stmt]:
        """Build ``x = v.y = ...``: the value first, then the names and fields from the left."""
        value, loc = self.number(node.value), self.loc(node)
        hidden = self.scope.hidden(f"assigned_{loc.line}_{loc.column}")
        self.scope.assign(hidden, value.type, loc)
        made: list[ir.Stmt] = [ir.Assign(loc, hidden, value)]
        for place in node.targets:
            if not isinstance(place, ast.Name | ast.Attribute):
                raise self.refuse(
                    "only names and fields can take one value", place, "Write two assignments."
                )
            made.append(self.put_in(place, ir.Local(value.type, loc, hidden)))
        return made

    def put_in(self, place: ast.expr, value: ir.Expr) -> ir.Stmt:
        """Build the assignment of a value to a name or a field."""
        if isinstance(place, ast.Name):
            return self.put(place.id, value, value.loc)
        assert isinstance(place, ast.Attribute)
        return self.set_field(place, value)

    def build_AnnAssign(self, node: ast.AnnAssign, in_loop: bool) -> list[ir.Stmt]:
        """Build ``x: f32 = ...``; the annotation converts nothing, so it says what the value is."""
        if node.value is None or not isinstance(node.target, ast.Name):
            raise self.refuse("an annotation needs a name and a value", node, "Write x = value.")
        said, value = self.visit(node.annotation), self.value(node.value)
        kind = CASTS.get(said) if isinstance(said, type) else None
        if kind is None or kind != strong("int" if value.type == "id" else value.type):
            name, word = node.target.id, ast.unparse(node.annotation)
            raise self.refuse(
                f"{name!r} is said to be {word}, and what it is given is {spelled(value.type)}",
                node,
                f"Nothing is converted by an annotation: write {name} = {word}(...), or leave it "
                "out.",
            )
        return self.assign_name(node.target, node.value, node)

    def assign_name(self, target: ast.Name, value: ast.expr, node: ast.stmt) -> list[ir.Stmt]:
        """Build an assignment to a name; a name for an element costs nothing at run time."""
        loc = self.loc(node)
        if isinstance(value, ast.Call) and self.is_new_vertex(value):
            return [self.add_vertex(value, target.id)]
        found = self.visit(value)
        if isinstance(found, ir.Element):
            return self.name_element(target.id, found, node)
        if not isinstance(found, ir.Expr):
            self.value(value)
        return [self.put(target.id, found, loc)]

    def put(self, name: str, value: ir.Expr, loc: Loc) -> ir.Stmt:
        """Build the assignment of a value to a local, a parameter or a loop variable."""
        scope = self.scope
        known = scope.names.get(name)
        if known is None:
            scope.assign(name, value.type, loc)
        elif not isinstance(known, str | tuple):
            raise LanguageError(
                f"{name!r} already names a vertex, an edge or a list", loc, "Use another name."
            )
        elif not storable(value.type, known):
            raise TypeMismatchError(
                f"{name!r} is {spelled(known)}, the value is {spelled(value.type)}",
                loc,
                "Use another name: in compiled code a variable has one type.",
            )
        elif passed(value.type) != passed(known):
            scope.convert(name, value.type, known)
            value = as_passed(value, known)
        return ir.Assign(loc, name, value)

    def name_element(self, name: str, found: ir.Element, node: ast.stmt) -> list[ir.Stmt]:
        """Build ``line = Line.at(root.best)``: the id is computed now, the name is an alias."""
        scope, known = self.scope, self.scope.names.get(name)
        both_far = isinstance(known, ir.Element) and known.role == found.role == "far"
        same = known == found or (both_far and known.record is found.record)  # type: ignore[union-attr]
        if name in scope.locals or not (known is None or same):
            raise self.refuse(f"{name!r} already names something else", node, "Use another name.")
        scope.assigned.add(name)
        if found.role != "far":
            scope.names[name] = found
            return []
        assert found.index is not None
        hidden, loc = scope.hidden(f"{name}_id"), self.loc(node)
        scope.assign(hidden, "i64", loc)
        index = ir.Local("i64", loc, hidden)
        scope.names[name] = ir.Element(found.kind, "far", found.record, index)
        return [ir.Assign(loc, hidden, found.index)]

    def unpack(self, target: ast.Tuple, node: ast.Assign) -> list[ir.Stmt]:
        """Build ``a, v.b = x, y``: all values first, then the names and fields."""
        places, whole = target.elts, self.value(node.value)
        plain = all(isinstance(each, ast.Name | ast.Attribute) for each in places)
        if not plain or not isinstance(whole.type, tuple):
            raise self.refuse(
                "only names and fields can take the items of a tuple", node, "Write a, b = x, y."
            )
        if len(whole.type) != len(places):
            raise self.refuse(
                f"{len(places)} names cannot take {len(whole.type)} values", node, "Match them up."
            )
        loc, made, taken = self.loc(node), list[ir.Stmt](), list[ir.Local]()
        for position, place in enumerate(places):
            name = place.id if isinstance(place, ast.Name) else f"item{position}"
            hidden, kind = self.scope.hidden(f"{name}_new"), whole.type[position]
            self.scope.assign(hidden, kind, loc)
            item = whole.items[position] if isinstance(whole, ir.Tuple) else None
            made.append(ir.Assign(loc, hidden, item or ir.Item(kind, loc, whole, position)))
            taken.append(ir.Local(kind, loc, hidden))
        made += [self.put_in(place, value) for place, value in zip(places, taken, strict=True)]
        return made

    def build_AugAssign(self, node: ast.AugAssign, in_loop: bool) -> list[ir.Stmt]:
        """Build ``x += ...`` and ``element.field += ...``."""
        op = BINARY.get(type(node.op))
        if isinstance(node.target, ast.Name):
            read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            computed = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
            return self.assign_name(node.target, computed, node)
        if not isinstance(node.target, ast.Attribute):
            raise self.refuse("only names and fields can be updated", node, "Write name += value.")
        element = self.visit(node.target.value)
        if isinstance(element, ir.Element) and element.role != "own":
            if op not in STORE_OPS:
                raise self.refuse(
                    f"{op}= on another element's field has no atomic form",
                    node,
                    "Use +=, -=, *=, &=, |=, ^= or emv.min / emv.max, or send a message.",
                )
            value = self.number(node.value)
            if op == "-":
                value = ir.Unary(value.type, value.loc, "-", value)
            return [self.checked_store(element, node.target, value, STORE_OPS[op])]
        read_field = ast.copy_location(
            ast.Attribute(node.target.value, node.target.attr, ast.Load()), node.target
        )
        value_node = ast.copy_location(ast.BinOp(read_field, node.op, node.value), node)
        return [self.store(node.target, value_node)]

    def build_Break(self, node: ast.Break, in_loop: bool) -> list[ir.Stmt]:
        """Build ``break``."""
        return [ir.Break(self.loc(node))]

    def build_Continue(self, node: ast.Continue, in_loop: bool) -> list[ir.Stmt]:
        """Build ``continue``."""
        return [ir.Continue(self.loc(node))]

    def build_Expr(self, node: ast.Expr, in_loop: bool) -> list[ir.Stmt]:
        """Build a call that is a statement: a message, a vote, an activation, a join."""
        if isinstance(node.value, ast.Constant):
            return []  # a docstring or an ellipsis
        if not isinstance(node.value, ast.Call):
            if isinstance(node.value, ast.Yield | ast.YieldFrom | ast.Await):
                self.visit(node.value)
            raise self.refuse("this expression does nothing", node, "Assign it or drop it.")
        call = node.value
        called = self.visit(call.func)
        if called in (words.keep_going, words.halt):
            return [ir.Vote(self.loc(node), VOTES[called])]
        if called is words.union and len(call.args) == 2:
            return [self.union(call)]
        if called is words.add_vertex:
            return [self.add_vertex(call)]
        if isinstance(called, tuple):
            owner, word = called
            made = self.said(owner, word, call)
            if made is not None:
                return [made]
        if called in (print, breakpoint):
            return [ir.EagerOnly(self.loc(node), called.__name__)]
        self.visit(call)
        raise self.refuse("the value of this call is not used", node, "Assign it or drop it.")

    def said(self, owner: Any, word: str, call: ast.Call) -> ir.Stmt | None:
        """Build what is said of an element or of its mask; None where it is a value."""
        loc = self.loc(call)
        if isinstance(owner, ir.Load) and not call.args:
            value = ir.Const("bool", loc, word == "set")
            return ir.Store(loc, owner.element, owner.field, value, word)
        if isinstance(owner, ir.Element) and word == "activate" and not call.args:
            return ir.Activate(loc, owner)
        if isinstance(owner, ir.Element) and word in ("add_edge", "clear_edges", "delete"):
            return self.change(owner, word, call)
        is_sent = isinstance(owner, ir.Element) and word in ("send", "send_to")
        return self.send(owner, word, call) if is_sent else None

    def union(self, call: ast.Call) -> ir.Stmt:
        """Build ``emv.union(e.src.group, e.dst.group)``."""
        first, field = self.member(call.args[0], call)
        second, other = self.member(call.args[1], call)
        if field != other:
            raise TypeMismatchError(
                f"{field!r} and {other!r} are different sets", self.loc(call), "Join one column."
            )
        return ir.Union(self.loc(call), first, second, field)

    def send(self, owner: ir.Element, word: str, call: ast.Call) -> ir.Stmt:
        """Build a message."""
        loc = self.loc(call)
        wanted = 2 if word == "send_to" else 1
        if len(call.args) != wanted or call.keywords:
            raise self.refuse(
                f"{word}() takes {'an id and a message' if wanted == 2 else 'one message'}",
                call,
                "Several values travel as a tuple: e.send((cost, e.id)), v.send_to(id, (a, b)).",
            )
        if "common" in self.scope.loops:
            raise self.refuse(
                "messages cannot be sent in a loop over common neighbours",
                call,
                "Collect what the loop finds in a variable and send that after it, or write to "
                "the neighbour: left.dst.count += 1.",
            )
        if owner.role not in ("own", "link"):
            raise self.refuse(
                "only the instance itself sends", call, "Write e.send(x) or v.send(x)."
            )
        along = "to" if word == "send_to" else ("arc" if owner.kind == "edge" else "all")
        value = self.value(call.args[-1])
        self.scope.sent_record = self.record_of(call.args[-1])
        joined = value.type if self.scope.message is None else join(self.scope.message, value.type)
        if joined is None:
            raise TypeMismatchError(
                f"this message is {spelled(value.type)}, an earlier one "
                f"{spelled(self.scope.message)}",
                loc,
                "All messages of a function have one type: convert one, or send tuples alike.",
            )
        self.scope.message = joined
        target = self.number(call.args[0]) if along == "to" else None
        if target is not None and is_float(target.type):
            raise TypeMismatchError(
                f"send_to() takes the integer id of a vertex first, not {spelled(target.type)}",
                target.loc,
                "Write v.send_to(int(x), message), or keep ids in an i32 or i64 field.",
            )
        site = self.scope.number_of("send", call)
        return ir.Send(loc, along, value, site, target)

    def record_of(self, node: ast.expr) -> Any:
        """Return the message record that an expression makes, if it makes one."""
        if isinstance(node, ast.Call):
            called = self.visit(node.func)
            return called if isinstance(called, RecordType) else None
        return self.scope.records.get(node.id) if isinstance(node, ast.Name) else None


def as_passed(value: ir.Expr, kind: ir.Type) -> ir.Expr:
    """Return a value as one of the type in which values of a type are computed."""
    if not isinstance(kind, tuple):
        return ir.Call(kind, value.loc, f"cast:{strong(passed(kind))}", (value,))
    loc, items = value.loc, getattr(value, "items", None)
    items = items or [ir.Item(each, loc, value, k) for k, each in enumerate(value.type)]
    return ir.Tuple(kind, loc, tuple(map(as_passed, items, kind)))
