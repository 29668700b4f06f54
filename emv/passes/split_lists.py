"""Rewrite a function over a vertex's out-edges into one over single arcs, where that is the same.

``for link in links: link.send(v.rank / v.out_degree)`` does the same work for every link, so each
arc can do its own, in any order, and receivers can pull. That holds when the rounds of the loop
share no variable that they change and the function does nothing but read, draw and send.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.ir import body as b
from emv.passes.share_rounds import assigned_in

_ROLES = {"own": "src", "link": "own", "link_dst": "dst"}


def arc_form(function: Any) -> b.Body | None:
    """Return the body of a vertex or elist function in arc form, or None when it has none."""
    body: b.Body = function.body
    if function.kind == "edge":
        return body
    if function.kind not in ("vertex", "elist") or not function.effects.pure:
        return None
    if "send_to" in function.effects.acts or body.result is not None or _draws_once(body):
        return None
    statements = _split(body.statements, frozenset())
    if statements is None:
        return None
    return dataclasses.replace(body, statements=statements)


def _draws_once(body: b.Body) -> bool:
    """Return whether an instance draws outside the loop over its links: once for all arcs."""
    loops = [each for each in b.statements_in(body.statements) if isinstance(each, b.ForLinks)]
    by_link = {id(each) for loop in loops for each in b.expressions_in(loop.body)}
    drawn = [e for e in b.expressions_in(body.statements) if isinstance(e, b.Random)]
    return any(id(each) not in by_link for each in drawn)


def _split(block: tuple[b.Stmt, ...], outer: frozenset[str]) -> tuple[b.Stmt, ...] | None:
    """Return the block with its list loop opened, or None."""
    made: list[b.Stmt] = []
    assigned = set(outer)
    for stmt in block:
        if isinstance(stmt, b.ForLinks):
            inside = b.statements_in(stmt.body)
            jumps = any(isinstance(each, b.Break | b.Continue) for each in inside)
            # What one round changes another could see.
            if stmt is not block[-1] or jumps or assigned & {*assigned_in(stmt.body)}:
                return None
            made += [_rename(each) for each in stmt.body]
        elif isinstance(stmt, b.If):
            branches = [_split(each, frozenset(assigned)) for each in (stmt.then, stmt.otherwise)]
            if branches[0] is None or branches[1] is None:
                return None
            condition = _rename_expr(stmt.condition)
            made.append(b.If(stmt.loc, condition, branches[0], branches[1]))
        elif isinstance(stmt, b.Assign | b.Send):
            made.append(_rename(stmt))
        else:
            return None
        assigned |= {*assigned_in((stmt,))}
    return tuple(made)


def _rename(stmt: b.Stmt) -> b.Stmt:
    """Return a statement with the roles that its elements have seen from an arc."""
    made = b.with_parts(stmt, _rename_expr)
    if isinstance(made, b.Send) and made.along == "all":
        return dataclasses.replace(made, along="arc")
    return b.with_blocks(made, lambda block: tuple(map(_rename, block)))


def _rename_expr(expr: b.Expr) -> b.Expr:
    if isinstance(expr, b.Call) and expr.name == "len:edges":
        return b.Attribute("i64", expr.loc, b.Element("vertex", "src", None), "out_degree")
    made: Any = b.with_parts(expr, _rename_expr)
    element = b.element_of(made)
    if element is not None:
        role = _ROLES.get(element.role, element.role)
        made = dataclasses.replace(made, element=dataclasses.replace(element, role=role))
    renamed: b.Expr = made
    return renamed
