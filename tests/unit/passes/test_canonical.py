"""Bodies in one form: spellings of one meaning look alike, and nothing changes its meaning."""

from __future__ import annotations

import itertools
import math

import pytest
import spelled_paths
import spelled_searches
from hypothesis import given
from hypothesis import strategies as st

import emv
from emv import Edge, Vertex, edge, f32, i32, inf, u8, u64, vertex
from emv.errors import Loc
from emv.ir import body as b
from emv.passes.canonical import canonical, leaves
from emv.passes.simplify import bare, decided, negated, plain

HERE = Loc("here.py", 1)


class Spot(Vertex):
    x: i32 = 0
    y: i32 = 0
    small: u8 = 0
    large: u64 = 0
    height: f32 = inf
    is_open: bool = True


def shown(function):
    """Return what a function does: its ends, each as its conditions and effects."""
    found = []
    for conditions, block in leaves(canonical(function.body).statements):
        if block:
            done = [effect(stmt) for stmt in block]
            found.append((" and ".join(map(str, conditions)), "; ".join(done)))
    return found


def effect(stmt):
    if isinstance(stmt, b.Store):
        return f"{stmt.element}.{stmt.field} = {stmt.value}"
    if isinstance(stmt, b.Send):
        return f"send {stmt.value}"
    if isinstance(stmt, b.Assign):
        return f"{stmt.name} = {stmt.value}"
    return type(stmt).__name__


def meaning(function):
    """Return what a function does, whatever the order of its effects."""
    return [(when, sorted(done.split("; "))) for when, done in shown(function)]


SETTLING = ["settle", "settle_mirrored", "settle_early_return", "settle_by_choice"]
KEEPING = ["keep", "keep_mirrored", "keep_unless", "keep_smaller", "keep_best", "keep_by_choice"]


@pytest.mark.parametrize("name", SETTLING)
def test_who_settles_does_the_same_however_it_is_spelled(name):
    expected = [("(own.depth == -1)", ["Activate", "own.depth = depth"])]
    assert meaning(getattr(spelled_searches, name)) == expected


@pytest.mark.parametrize("name", KEEPING)
def test_who_keeps_the_smaller_does_the_same_however_it_is_spelled(name):
    expected = [("(dist < own.dist)", ["Activate", "own.dist = dist"])]
    assert meaning(getattr(spelled_paths, name)) == expected


@vertex
def reassigns(v: Spot, a: i32):
    a = a + 1
    a = a + 1
    v.x = a
    v.y = v.x + a


@vertex
def wraps(v: Spot, a: int):
    v.small = a
    v.x = v.small


@vertex
def changes_nothing(v: Spot):
    v.x = v.x
    if v.x == v.x:
        v.y = 1


@vertex
def stores_twice(v: Spot, a: i32):
    v.x = 1
    if a > 0:
        v.x = a


@vertex
def never(v: Spot, a: i32):
    if a < 3:
        if a >= 3:
            v.x = 1
        elif not (a >= 3 or v.is_open):
            v.y = 2


@vertex
def nan_is_told(v: Spot, h: f32):
    if not h < v.height:
        v.x = 1


@vertex
def truth(v: Spot):
    if v.is_open == True:  # noqa: E712 - this is what it shows
        v.x = 1
    if v.is_open != True:  # noqa: E712
        v.x = 2


@vertex
def results(v: Spot, a: i32):
    if a == 0:
        return 0
    return a * 2 + 3 - 1


@vertex
def looks_twice(v: Spot, a: i32):
    best = max(v.x, a)
    if best > v.x:
        v.x = best


WIDE = "cast:i64(cast:u8(a))"
FORMS = {
    reassigns: [("", "own.x = (a + 2); own.y = (cast:i32((a + 2)) + (a + 2))")],
    wraps: [("", "own.small = a; own.x = cast:u8(a)")],
    changes_nothing: [("", "own.y = 1")],
    stores_twice: [("(0 < a)", "own.x = a"), ("(a <= 0)", "own.x = 1")],
    never: [("(a < 3) and (not own.is_open)", "own.y = 2")],
    nan_is_told: [("(not (h < own.height))", "own.x = 1")],
    truth: [("own.is_open", "own.x = 1"), ("(not own.is_open)", "own.x = 2")],
    results: [("(a == 0)", "_result = 0"), ("(a != 0)", "_result = ((a * 2) + 2)")],
    looks_twice: [("(own.x < a)", "own.x = a")],
}


@pytest.mark.parametrize("function", FORMS, ids=lambda function: function.name)
def test_form(function):
    assert shown(function) == FORMS[function]


@vertex
def with_a_loop(v: Spot, a: i32):
    for k in range(3):
        if not k < a:
            v.x = v.x + (1 + 2)


def test_bodies_with_loops_keep_their_statements():
    (loop,) = canonical(with_a_loop.body).statements
    (test,) = loop.body
    assert str(test.condition) == "(a <= k)"
    assert str(test.then[0].value) == "(own.x + 3)"


@vertex
def branches_often(v: Spot, a: i32):
    v.x += 1 if a > 1 else 0
    if a > 2:
        v.x += 1
    if a * 2 > 3:
        v.x += 2
    if a * 3 > 4:
        v.x += 3
    if a * 4 > 5:
        v.x += 4
    if a * 5 > 6:
        v.x += 5


def test_a_body_that_branches_too_often_keeps_its_statements():
    assert len(canonical(branches_often.body).statements) == len(branches_often.body.statements)


@edge
def sends_by_chance(e: Edge[Spot]):
    drawn = emv.random()
    if drawn < 0.5:
        e.send((e.src.x, drawn))


def test_a_draw_is_one_draw_wherever_it_is_named():
    ((when, done),) = shown(sends_by_chance)
    assert (when, done) == ("(random#0() < 0.5)", "send (src.x, random#0())")


# Rules of expressions hold for every value.

OPERATORS = ("<", "<=", ">", ">=", "==", "!=")
FLOATS = (0.0, -0.0, 1.5, math.inf, -math.inf, math.nan)
INTEGERS = (0, 1, -1, 2**63 - 1, -(2**63), 7)


def evaluate(expr, values):
    """Compute an expression as compiled code does: integers wrap at 64 bits."""
    if isinstance(expr, b.Const):
        return expr.value
    if isinstance(expr, b.Local):
        return values[expr.name]
    if isinstance(expr, b.Logic):
        found = [evaluate(each, values) for each in expr.parts]
        return all(found) if expr.op == "and" else any(found)
    if isinstance(expr, b.Choose):
        return evaluate(expr.yes if evaluate(expr.condition, values) else expr.no, values)
    if isinstance(expr, b.Unary):
        found = evaluate(expr.operand, values)
        return not found if expr.op == "not" else wrapped(-found)
    left, right = evaluate(expr.left, values), evaluate(expr.right, values)
    if isinstance(expr, b.Compare):
        return eval(f"left {expr.op} right", {"left": left, "right": right})
    return wrapped(eval(f"left {expr.op} right", {"left": left, "right": right}))


def wrapped(value):
    return (value + 2**63) % 2**64 - 2**63 if isinstance(value, int) else value


def number_of(kind):
    numbers = st.sampled_from(INTEGERS if kind == "int" else FLOATS)
    constants = numbers.map(lambda value: b.Const(kind, HERE, value))
    names = st.sampled_from("ab").map(lambda name: b.Local(kind, HERE, f"{name}_{kind}"))
    return st.recursive(
        constants | names,
        lambda inner: st.builds(
            lambda op, left, right: b.Binary(kind, HERE, op, left, right),
            st.sampled_from("+-*"),
            inner,
            inner,
        ),
        max_leaves=4,
    )


def comparison_of(kind):
    number = number_of(kind)
    return st.builds(
        lambda op, left, right: b.Compare("bool", HERE, op, left, right),
        st.sampled_from(OPERATORS),
        number,
        number,
    )


CONDITIONS = st.recursive(
    comparison_of("int") | comparison_of("float") | st.just(b.Local("bool", HERE, "c")),
    lambda inner: st.one_of(
        inner.map(lambda each: b.Unary("bool", HERE, "not", each)),
        st.builds(
            lambda op, parts: b.Logic("bool", HERE, op, tuple(parts)),
            st.sampled_from(["and", "or"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(lambda *three: b.Choose("bool", HERE, *three), inner, inner, inner),
        st.builds(
            lambda op, left, right: b.Compare("bool", HERE, op, left, b.Const("bool", HERE, right)),
            st.sampled_from(["==", "!="]),
            inner,
            st.booleans(),
        ),
    ),
    max_leaves=6,
)
VALUES = st.fixed_dictionaries(
    {
        "a_int": st.sampled_from(INTEGERS),
        "b_int": st.sampled_from(INTEGERS),
        "a_float": st.sampled_from(FLOATS),
        "b_float": st.sampled_from(FLOATS),
        "c": st.booleans(),
    }
)


@given(CONDITIONS, VALUES)
def test_rules_hold_for_every_value(condition, values):
    made = plain(condition)
    assert evaluate(made, values) == evaluate(condition, values)
    assert evaluate(negated(made), values) == (not evaluate(condition, values))
    assert bare(plain(made)) == bare(made)


@given(st.lists(CONDITIONS.map(plain), max_size=3), CONDITIONS, VALUES)
def test_what_is_decided_is_so(known, condition, values):
    assert_decided(plain(condition), known, values)


def assert_decided(condition, known, values):
    if all(evaluate(each, values) for each in known):
        holds = decided(condition, known)
        assert holds is None or holds == evaluate(condition, values)


def test_comparisons_of_one_pair_decide_each_other_where_they_can():
    names = [b.Local("float", HERE, name) for name in "ab"]
    made = [
        plain(b.Compare("bool", HERE, op, left, right))
        for op, (left, right) in itertools.product(OPERATORS, itertools.permutations(names))
    ]
    for fact, condition in itertools.product([*made, *map(negated, made)], made):
        pairs = [dict(zip("ab", each, strict=True)) for each in itertools.product(FLOATS, repeat=2)]
        held = {evaluate(condition, values) for values in pairs if evaluate(fact, values)}
        assert decided(condition, [fact]) == (held.pop() if len(held) == 1 else None)
