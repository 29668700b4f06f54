"""The body of a user function in one form: what is done under which condition, and nothing else.

The body is run on symbols (King: Symbolic Execution and Program Testing, CACM 19, 1976). Locals and
own fields that were written stand for what they were given, so conditions and values speak of
parameters and of columns as they were before the call. A branch that what is known decides is
taken; any other splits the rest of the body in two. What remains is a tree of conditions with the
effects at its leaves: names, early returns, nesting, ``else`` and the order of tests are gone.

Shortcuts and guards are looked for here, and take from here what they name. All else of a kernel is
printed from the user's own text, whose lines stand beside it; LLVM simplifies that as well.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias, TypeGuard

from emv.dtypes import short_name
from emv.errors import Loc
from emv.ir import body as b
from emv.lang.promote import natural, strong
from emv.passes.simplify import NOWHERE, alike, bare, decided, fits, joined, negated, plain

MOST_FORKS = 24  # of a body: one that branches more often is left as it is written
UNKNOWN = (b.ForRange, b.ForLinks, b.ForMessages, b.ForCommon, b.While, b.AssignItem, b.EagerOnly)
Block: TypeAlias = tuple[b.Stmt, ...]
Next: TypeAlias = "Callable[[_Way], Block]"


def canonical(body: b.Body) -> b.Body:
    """Return a body in its one form; one with loops keeps its statements, in plain expressions."""
    known = not any(isinstance(each, UNKNOWN) for each in b.statements_in(body.statements))
    try:
        made = _Runner(body).rest(list(body.statements), _Way()) if known else None
    except _TooManyError:
        made = None
    statements = _plain_block(body.statements) if made is None else made
    return dataclasses.replace(body, statements=statements)


def leaves(block: Block, before: tuple[b.Expr, ...] = ()) -> Iterator[tuple[list[b.Expr], Block]]:
    """Yield what is done at each end of a tree, with the conditions that lead there."""
    if len(block) == 1 and isinstance(block[0], b.If):
        test = block[0]
        yield from leaves(test.then, (*before, *parts(test.condition)))
        yield from leaves(test.otherwise, (*before, *parts(negated(test.condition))))
    else:
        yield list(before), block


def parts(condition: b.Expr) -> tuple[b.Expr, ...]:
    """Return the conditions all of which hold where one does."""
    if isinstance(condition, b.Logic) and condition.op == "and":
        return condition.parts
    return (condition,)


@dataclass
class _Way:
    """What is known and done on one way through a body."""

    values: dict[str, b.Expr] = field(default_factory=dict)  # of locals
    fields: dict[tuple[str, str], b.Expr] = field(default_factory=dict)  # of the own element
    known: list[b.Expr] = field(default_factory=list)  # conditions that hold
    effects: list[b.Stmt] = field(default_factory=list)

    def split(self, condition: b.Expr) -> _Way:
        """Return this way as it goes on where a condition holds."""
        known = [*self.known, *parts(condition)]
        return _Way(dict(self.values), dict(self.fields), known, list(self.effects))

    def field(self, stmt: b.Store) -> b.Expr:
        """Return what a field of the own element holds."""
        kind = short_name(stmt.element.record.fields[stmt.field].dtype)
        before = b.Load(kind, stmt.loc, stmt.element, stmt.field)
        return self.fields.get((stmt.element.kind, stmt.field), before)

    def write(self, stmt: b.Store) -> None:
        """Take the store of a value to a field of the own element."""
        kind = short_name(stmt.element.record.fields[stmt.field].dtype)
        self.fields[stmt.element.kind, stmt.field] = as_stored(stmt.value, kind)
        self.effects.append(stmt)

    def read(self, expr: b.Expr) -> b.Expr:
        """Return an expression in terms of what was there before the call."""
        return plain(self._replaced(expr))

    def _replaced(self, expr: b.Expr) -> b.Expr:
        if isinstance(expr, b.Local):
            return self.values.get(expr.name, expr)
        if b.reads(expr, "own"):
            return self.fields.get((expr.element.kind, expr.field), expr)
        return b.with_parts(expr, self._replaced)


class _TooManyError(Exception):
    """A body branches too often to be taken way by way."""


class _Runner:
    """Runs the statements of one body; its methods return what is done from there on."""

    def __init__(self, body: b.Body) -> None:
        self.body = body
        self.forks = 0

    def rest(self, waiting: list[b.Stmt], way: _Way) -> Block:
        """Go on with the statements that wait."""
        for position, stmt in enumerate(waiting):
            later = waiting[position + 1 :]
            if isinstance(stmt, b.If):
                return self.test(stmt, way.read(stmt.condition), later, way)
            if is_update(stmt):
                return self.update(stmt, way.read(stmt.value), later, way)
            self.step(stmt, way)
        return tuple(_lasting(way))

    def fork(self, test: tuple[Loc, b.Expr], then: Next, otherwise: Next, way: _Way) -> Block:
        """Go on where a condition holds and where it does not, or where it is known to lead."""
        loc, condition = test
        holds = decided(condition, way.known)
        if holds is not None:
            return (then if holds else otherwise)(way)
        self.forks += 1
        if self.forks > MOST_FORKS:
            raise _TooManyError
        first, second = way.split(condition), way.split(negated(condition))
        return test_of(loc, condition, then(first), otherwise(second))

    def test(self, stmt: b.If, condition: b.Expr, later: list[b.Stmt], way: _Way) -> Block:
        """Go on with a branch, of a condition in terms of what was there before the call.

        A ``min`` in it is taken apart where one of its sides then decides.
        """
        for part, choice in choices_in(condition):
            sides = [plain(swapped(condition, part, side)) for side in (choice.yes, choice.no)]
            known = [way.split(choice.condition).known, way.split(negated(choice.condition)).known]
            if any(decided(*each) is not None for each in zip(sides, known, strict=True)):
                ways = [functools.partial(self.test, stmt, side, later) for side in sides]
                return self.fork((stmt.loc, choice.condition), ways[0], ways[1], way)
        then = functools.partial(self.rest, [*stmt.then, *later])
        otherwise = functools.partial(self.rest, [*stmt.otherwise, *later])
        return self.fork((stmt.loc, condition), then, otherwise, way)

    def update(self, stmt: b.Store, value: b.Expr, later: list[b.Stmt], way: _Way) -> Block:
        """Go on with a store of the own element, behind its test where it may change nothing.

        ``v.f = x if x < v.f else v.f`` and ``v.f = min(v.f, x)`` are ``if x < v.f: v.f = x``.
        """
        choice = as_choice(value)
        before = way.field(stmt)
        if choice is not None and (alike(choice.yes, before) or alike(choice.no, before)):
            sides = (choice.yes, choice.no)
            ways = [functools.partial(self.update, stmt, side, later) for side in sides]
            return self.fork((stmt.loc, choice.condition), ways[0], ways[1], way)
        way.write(dataclasses.replace(stmt, value=value))
        return self.rest(later, way)

    def step(self, stmt: b.Stmt, way: _Way) -> None:
        """Take one statement after which there is one way on."""
        if not isinstance(stmt, b.Assign):
            way.effects.append(b.with_parts(stmt, way.read))
            return
        kind = self.body.result if stmt.name == b.RESULT else self.body.locals.get(stmt.name)
        value = as_computed(way.read(stmt.value), stmt.value.type if kind is None else kind)
        way.values[stmt.name] = value
        if stmt.name == b.RESULT:
            way.effects.append(dataclasses.replace(stmt, value=value))


def is_update(stmt: b.Stmt) -> TypeGuard[b.Store]:
    """Return whether a statement assigns to a field of the own element."""
    return isinstance(stmt, b.Store) and stmt.op is None and stmt.element.role == "own"


def test_of(loc: Loc, condition: b.Expr, then: Block, otherwise: Block) -> Block:
    """Return a branch in its one form: the side that does something first, nested tests joined."""
    if [_bare(each) for each in then] == [_bare(each) for each in otherwise]:
        return then
    if not then:
        return test_of(loc, negated(condition), otherwise, ())
    inner = then[0] if len(then) == 1 else None
    if not otherwise and isinstance(inner, b.If) and not inner.otherwise:
        both = needed([*parts(condition), *parts(inner.condition)])
        return (b.If(loc, joined(both), inner.then, ()),)
    return (b.If(loc, condition, then, otherwise),)


def needed(conditions: list[b.Expr]) -> list[b.Expr]:
    """Return conditions without those that hold wherever the others do."""
    kept = list(conditions)
    for each in conditions:
        others = [other for other in kept if other is not each]
        if others and decided(each, others):
            kept = others
    return kept


def choices_in(condition: b.Expr) -> Iterator[tuple[b.Expr, b.Choose]]:
    """Yield what a condition compares that is one of two values, with the choice that it is."""
    for each in b.inside(condition):
        if isinstance(each, b.Compare):
            for part in (each.left, each.right):
                choice = as_choice(part)
                if choice is not None:
                    yield part, choice


def as_choice(expr: b.Expr) -> b.Choose | None:
    """Return a choice, or a ``min`` or ``max`` of two as one; None for all else.

    Python's ``min(a, b)`` is ``b if b < a else a``, for NaN as well.
    """
    if isinstance(expr, b.Choose):
        return expr
    if not (isinstance(expr, b.Call) and expr.name in ("min", "max") and len(expr.args) == 2):
        return None
    first, second = expr.args
    op = "<" if expr.name == "min" else ">"
    test = plain(b.Compare("bool", expr.loc, op, second, first))
    return b.Choose(expr.type, expr.loc, test, second, first)


def swapped(expr: b.Expr, old: b.Expr, new: b.Expr) -> b.Expr:
    """Return an expression with one of its parts, this very one, exchanged."""
    return new if expr is old else b.with_parts(expr, lambda part: swapped(part, old, new))


def as_computed(value: b.Expr, kind: b.Type) -> b.Expr:
    """Return a value as a local of a type holds it."""
    if isinstance(kind, tuple) or natural(value.type) == natural(kind):
        return value
    return plain(b.Call(kind, value.loc, f"cast:{strong(kind)}", (value,)))


def as_stored(value: b.Expr, kind: str) -> b.Expr:
    """Return a value as a field of a type gives it back; parameters have their own type."""
    if fits(value, kind) or (isinstance(value, b.Local) and value.type == kind):
        return value
    return plain(b.Call(kind, value.loc, f"cast:{kind}", (value,)))


def _lasting(way: _Way) -> Iterator[b.Stmt]:
    """Yield what remains of what was done: of each own field the last value, if it is a new one."""
    done = set[tuple[str, str]]()
    kept: list[b.Stmt] = []
    for stmt in reversed(way.effects):
        if is_update(stmt):
            key = (stmt.element.kind, stmt.field)
            is_last = key not in done
            done.add(key)
            if not is_last or alike(way.fields[key], _Way().field(stmt)):
                continue
        kept.append(stmt)
    yield from reversed(kept)


def _bare(stmt: b.Stmt) -> b.Stmt:
    """Return a statement without places in the user's text."""
    made = dataclasses.replace(b.with_parts(stmt, bare), loc=NOWHERE)
    return b.with_blocks(made, lambda block: tuple(map(_bare, block)))


def _plain_block(block: Block) -> Block:
    """Return a block with its expressions in their one form, and its branches where they are."""
    return tuple(b.with_blocks(b.with_parts(stmt, plain), _plain_block) for stmt in block)
