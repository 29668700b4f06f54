"""From the tree of a call to a typed expression: functions, far elements, draws, messages."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import types
from typing import Any

from emv.dtypes import dtype_of, short_name
from emv.errors import LanguageError, Loc, TypeMismatchError
from emv.ir import body as ir
from emv.lang import loop_words, words
from emv.lang.calls import CASTS, OF_MATH, PLAIN_CALLS, call_type
from emv.lang.expressions import Expressions
from emv.lang.outside import is_constant, is_plain
from emv.lang.promote import is_float, is_integer, join, passed, spelled, storable, strong
from emv.lang.records import Message, RecordType
from emv.lang.scope import ListRef, constant_type
from emv.lang.vectors import LARGEST, Vector


class CallExpressions(Expressions):
    """Builds the expressions of one function, calls included."""

    def visit_Call(self, node: ast.Call) -> Any:
        """Build a call of something every backend knows, or of a plain function of the user's."""
        called = self.visit(node.func)
        loc = self.loc(node)
        if isinstance(called, tuple):
            owner, word = called
            built = {
                "at": self.far,
                "bit_count": self.bit_count,
                "out_dst": self.out_arc,
                "out_edge": self.out_arc,
            }
            if word in built:
                return built[word](owner, node)
            raise self.refuse(f"{word}() gives no value", node, "Write it as a statement.")
        if called is words.random or called is words.randint:
            return self.draw(called, node)
        special = {
            id(words.find): self.find,
            id(Vector): self.vector,
            id(words.add_vertex): self.unnamed_vertex,
            id(loop_words.common): self.word_of_loops,
            id(loop_words.tally): self.word_of_loops,
        }.get(id(called))
        if special is not None:
            return special(node)
        if isinstance(called, RecordType) and issubclass(called, Message):
            return self.message(called, node)
        if called is len and len(node.args) == 1:
            return self.length(node)
        if is_plain(called):
            return self.helper(called, node)
        if node.keywords:
            raise self.refuse("keyword arguments are not supported here", node, "Pass by position.")
        args = tuple(self.number(each) for each in node.args)
        name = PLAIN_CALLS.get(called) if _hashable(called) else None
        if name is not None or (_hashable(called) and called in CASTS):
            name = name or f"cast:{CASTS[called]}"
            return ir.Call(call_type(name, args, loc), loc, name, args)
        raise self.refuse(
            f"{ast.unparse(node.func)} cannot be called in a user function",
            node,
            "Known are abs, min, max, round, int, float, bool, the number types, x.bit_count(), "
            f"emv.random, emv.randint, emv.find, {', '.join(OF_MATH)} of math, and plain functions "
            "of yours.",
        )

    def word_of_loops(self, node: ast.Call) -> ir.Expr:
        """Refuse a word that stands behind ``for ... in`` alone."""
        text = ast.unparse(node)
        raise self.refuse(f"{text} is a loop and gives no value", node, f"for one, two in {text}:")

    def unnamed_vertex(self, node: ast.Call) -> ir.Expr:
        """Refuse ``emv.add_vertex()`` where it is not a statement by itself."""
        raise self.refuse(
            "emv.add_vertex() stands inside another expression",
            node,
            "Name the new vertex first: new = emv.add_vertex(...).",
        )

    def helper(self, called: types.FunctionType, node: ast.Call) -> ir.Expr:
        """Build a call of a plain function; its annotation says what it returns."""
        loc, name = self.loc(node), called.__name__
        kind: Any = hinted(called)
        if kind is None:
            raise LanguageError(
                f"{name}() does not say what it returns",
                loc,
                f"Annotate it: def {name}(...) -> f32. A helper's type is its annotation.",
            )
        args = tuple(self.number(each) for each in node.args)
        named = {str(each.arg): self.number(each.value) for each in node.keywords}
        given = self.passed_on(called, args, named, loc)
        kinds = tuple(passed(each.type) for each in given)
        self.scope.captured[ast.unparse(node.func)] = called
        self.scope.add_helper(called, kinds)
        return ir.HelperCall(kind, loc, name, kinds, given)

    def passed_on(
        self,
        called: types.FunctionType,
        args: tuple[ir.Expr, ...],
        named: dict[str, ir.Expr],
        loc: Loc,
    ) -> tuple[ir.Expr, ...]:
        """Return what a plain function is given, each in the type that its parameter says."""
        name, signature = called.__name__, inspect.signature(called)
        wanted = signature.parameters
        found: dict[str, Any] = {
            each.name: ir.Const(constant_type(each.default), loc, each.default)
            for each in wanted.values()
            if is_constant(each.default)
        }
        try:
            found |= signature.bind_partial(*args, **named).arguments
        except TypeError as error:
            wrong = str(error)
        else:
            wrong = ", ".join(f"nothing for {each!r}" for each in wanted if each not in found)
        if wrong:
            count = f"takes {len(wanted)} arguments, not {len(args) + len(named)}"
            is_count = len(args) + len(named) != len(wanted)
            raise LanguageError(
                f"{name}() {count if is_count else f'cannot be called so: {wrong}'}",
                loc,
                f"Its parameters are: {', '.join(wanted) or 'none'}.",
            )
        given = [found[each] for each in wanted]
        for position, parameter in enumerate(wanted):
            kind, value = hinted(called, parameter), given[position]
            if kind is None or kind == value.type:
                continue
            if not storable(value.type, kind):
                raise TypeMismatchError(
                    f"{parameter!r} of {name}() is {kind}, but the call gives "
                    f"{spelled(strong(value.type))}",
                    loc,
                    f"Declare {parameter} with the type it receives, or convert the value before.",
                )
            given[position] = ir.Call(kind, value.loc, f"cast:{kind}", (value,))
        return tuple(given)

    def bit_count(self, number: ir.Expr, node: ast.Call) -> ir.Expr:
        """Build ``x.bit_count()``."""
        if node.args or node.keywords or not is_integer(number.type):
            raise self.refuse(
                f"bit_count() counts the bits of a whole number, not of {spelled(number.type)}",
                node,
                "Write x.bit_count() where x is an integer; int(x) makes one of a truth value.",
            )
        return ir.Call("int", self.loc(node), "bit_count", (number,))

    def far(self, record: Any, node: ast.Call) -> ir.Element:
        """Build ``Record.at(id)``."""
        if len(node.args) != 1 or node.keywords:
            raise self.refuse(f"{record.__name__}.at takes one id", node, "Write Record.at(id).")
        index = self.number(node.args[0])
        if is_float(index.type):
            raise TypeMismatchError(
                f"{record.__name__}.at takes an integer id, not {spelled(index.type)}",
                index.loc,
                f"Write {record.__name__}.at(int(x)), or keep ids in an i32 or i64 field.",
            )
        return ir.Element(record.kind, "far", record, index)

    def out_arc(self, vertex: Any, node: ast.Call) -> ir.Expr:
        """Build ``v.out_dst(k)`` or ``v.out_edge(k)``."""
        assert isinstance(node.func, ast.Attribute)
        word = node.func.attr
        if len(node.args) != 1 or node.keywords:
            raise self.refuse(f"{word}() takes the number of an out-arc", node, f"v.{word}(0)")
        index = self.number(node.args[0])
        if is_float(index.type):
            raise TypeMismatchError(
                f"{word}() takes a whole number, not {spelled(index.type)}",
                index.loc,
                f"Write v.{word}(int(x)).",
            )
        return ir.OutArc("id", self.loc(node), vertex, word.removeprefix("out_"), index)

    def draw(self, called: Any, node: ast.Call) -> ir.Expr:
        """Build a random draw and number it."""
        if called is words.random and node.args:
            return self.named_draw(node)
        wanted = 0 if called is words.random else 1
        if len(node.args) != wanted or node.keywords:
            raise self.refuse(
                "random() takes nothing or whole numbers that name the draw, randint() the number "
                "of outcomes",
                node,
                "Write emv.random() for a float in [0, 1), emv.randint(6) for one of 0 to 5.",
            )
        if self.scope.loops not in ([], ["links"]):
            raise self.refuse(
                "a draw inside a loop would give the same number every time",
                node,
                "A draw is named by its place in the text and by its element. Draw before the "
                "loop, or once per edge in: for link in links; or name it, emv.random(k).",
            )
        call = self.scope.number_of("draw", node)
        if not wanted:
            return ir.Random("f64", self.loc(node), call)
        bound = self.number(node.args[0])
        if is_float(bound.type):
            raise TypeMismatchError(
                f"randint() takes a whole number, not {spelled(bound.type)}",
                bound.loc,
                "Write emv.randint(int(x)).",
            )
        return ir.Random("int", self.loc(node), call, bound)

    def named_draw(self, node: ast.Call) -> ir.Expr:
        """Build a draw that depends on one or two whole numbers and the seed alone."""
        name = [self.number(each) for each in node.args]
        if len(name) > 2 or node.keywords:
            raise self.refuse(
                f"random() takes at most two numbers, not {len(name) + len(node.keywords)}",
                node,
                "Write emv.random(e.id), or emv.random(e.id, step).",
            )
        for each in name:
            if is_float(each.type):
                raise TypeMismatchError(
                    f"random() is named by whole numbers, not {spelled(each.type)}",
                    each.loc,
                    "Write emv.random(int(x)).",
                )
        loc = self.loc(node)
        turn = name[1] if len(name) > 1 else ir.Const("int", loc, 0)
        call = self.scope.number_of("draw", node)
        return ir.Random("f64", loc, call, None, (name[0], turn))

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

    def vector(self, node: ast.Call) -> ir.Expr:
        """Build ``Vector(x, y, z)``: its parts have the type that holds all of them."""
        parts = [self.number(each) for each in node.args]
        if node.keywords or not 1 <= len(parts) <= LARGEST:
            raise self.refuse(
                f"a vector has 1 to {LARGEST} numbers", node, "Write Vector(x, y, z)."
            )
        kind: Any = functools.reduce(join, [each.type for each in parts])  # type: ignore[arg-type]
        items = [ir.Call(kind, part.loc, f"cast:{strong(kind)}", (part,)) for part in parts]
        return ir.Tuple(ir.VectorType([kind] * len(parts)), self.loc(node), tuple(items))

    def length(self, node: ast.Call) -> ir.Expr:
        """Build ``len(links)`` or ``len(heard)``."""
        found = self.visit(node.args[0])
        if isinstance(found, ir.Expr) and isinstance(found.type, ir.VectorType):
            return ir.Const("int", self.loc(node), len(found.type))
        if not isinstance(found, ListRef):
            raise self.refuse(
                "len() takes an edge list, a message list or a vector",
                node,
                "Degrees are v.out_degree and v.in_degree.",
            )
        return ir.Call("i64", self.loc(node), f"len:{found.kind}", ())


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def hinted(function: types.FunctionType, name: str = "return") -> str | None:
    """Return the number type that a plain function says it returns, or that a parameter has."""
    hint = function.__annotations__.get(name)
    if isinstance(hint, str):
        hint = function.__globals__.get(hint, getattr(builtins, hint, None))
    dtype = dtype_of(hint)
    return None if dtype is None else short_name(dtype)
