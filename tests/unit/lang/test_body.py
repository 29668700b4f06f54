"""Bodies: every way through a function keeps its meaning when ``return`` becomes branches."""

from __future__ import annotations

import itertools
import linecache
import operator

from hypothesis import given
from hypothesis import strategies as st

import emv
from emv import Edge, Vertex, edge, f32, i32, vertex
from emv.ir import body as ir

OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
}
numbered = itertools.count()


class Spot(Vertex):
    x: i32 = 0
    y: f32 = 0.0


def evaluate(expr: ir.Expr, local: dict):
    """Compute an expression of constants, locals and operators."""
    if isinstance(expr, ir.Const):
        return expr.value
    if isinstance(expr, ir.Local):
        return local[expr.name]
    assert isinstance(expr, ir.Binary | ir.Compare)
    return OPERATORS[expr.op](evaluate(expr.left, local), evaluate(expr.right, local))


def run(block: tuple[ir.Stmt, ...], local: dict) -> None:
    """Run statements without loops."""
    for stmt in block:
        if isinstance(stmt, ir.Assign):
            local[stmt.name] = evaluate(stmt.value, local)
        else:
            assert isinstance(stmt, ir.If)
            run(stmt.then if evaluate(stmt.condition, local) else stmt.otherwise, local)


def define(lines: list[str]):
    """Return the @vertex function of these lines, as if they stood in a file."""
    text = "def chosen(v: Spot, a: int, b: int, c: int):\n" + "\n".join(lines) + "\n"
    name = f"<body {next(numbered)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    around = {"Spot": Spot, "__name__": name}
    exec(compile(text, name, "exec"), around)
    return vertex(around["chosen"])


@st.composite
def blocks(draw, depth: int = 0) -> list[str]:
    """Draw the lines of a block of assignments, branches and returns."""
    indent, lines = "    " * (depth + 1), []
    for _ in range(draw(st.integers(1, 3))):
        kinds = ["assign", "return", "if", "else"][: 4 if depth < 3 else 2]
        kind = draw(st.sampled_from(kinds))
        name, value = draw(st.sampled_from("xabc")), draw(st.integers(-3, 3))
        if kind == "assign":
            lines.append(f"{indent}x = x * 2 + {name} - {value}")
            continue
        if kind == "return":
            lines.append(f"{indent}return {name} + {value}")
            continue
        lines.append(f"{indent}if {name} > {value}:")
        lines += draw(blocks(depth + 1))
        if kind == "else":
            lines.append(f"{indent}else:")
            lines += draw(blocks(depth + 1))
    return lines


@given(blocks())
def test_returns_become_branches(lines):
    function = define(["    x = 1", *lines, "    return x * 10"])
    for a, b, c in itertools.product((-2, 1, 3), repeat=3):
        local = {"a": a, "b": b, "c": c}
        run(function.body.statements, local)
        assert local[ir.RESULT] == function.python(None, a, b, c)


@vertex
def partly_returning(v: Spot):
    if v.x > 0:
        if v.x > 5:
            return 1.0
        v.y = 2.0
    v.send(v.y)
    v.y = emv.random()
    return v.y + emv.random()


def test_what_stands_twice_keeps_its_numbers():
    statements = ir.statements_in(partly_returning.body.statements)
    sends = [stmt.site for stmt in statements if isinstance(stmt, ir.Send)]
    expressions = ir.expressions_in(partly_returning.body.statements)
    draws = {each.loc.line: each.call for each in expressions if isinstance(each, ir.Random)}
    assert sends == [0, 0]  # once where v.x > 0 and once where not
    assert sorted(draws.values()) == [0, 1]


@vertex
def swapping(v: Spot, first: int, second: int):
    first_new = 7
    first, second = second, first
    v.x = first * second + first_new
    spot_id = 3
    spot = Spot.at(spot_id)
    spot_id = 9
    v.y = spot.y + spot_id


def test_names_of_the_compiler_do_not_meet_those_of_the_user():
    names = [stmt.name for stmt in swapping.body.statements if isinstance(stmt, ir.Assign)]
    assert names.count("first_new") == 1
    assert names.count("spot_id") == 2
    assert "spot_id_" in names
    expressions = ir.expressions_in(swapping.body.statements)
    loads = [str(each) for each in expressions if isinstance(each, ir.Load)]
    assert loads == ["vertex[spot_id_].y"]


@edge
def ends(e: Edge[Spot]):
    source = e.src
    total = 0
    total += source.x
    total = total + e.dst.y
    e.send((total, e.dst.id))


def test_types_of_locals_messages_and_results():
    assert ends.body.locals == {"total": "f32"}
    assert ends.body.message == ("f32", "id")
    assert ends.body.result is None
    assert partly_returning.body.result == "f64"
