"""Parameters that a function gives other values: each instance has a variable of its own for them.

    least = min(least, v.cost)    # in kernels: least_own, which begins as least

A parameter that is one number for all is read once by whoever runs many instances, so what one
instance makes of it must not be seen by the next.
"""

from __future__ import annotations

import dataclasses

from emv.errors import Loc
from emv.ir import body as ir
from emv.lang.promote import strong
from emv.lang.scope import Scope

_NAMING = (ir.Assign, ir.AssignItem, ir.ForRange, ir.ForMessages, ir.AddVertex)


def with_own(
    statements: tuple[ir.Stmt, ...], parameters: dict[str, ir.Type], scope: Scope, loc: Loc
) -> tuple[tuple[ir.Stmt, ...], dict[str, ir.Type]]:
    """Return statements that assign to no parameter, and the variables that they have for it.

    Parameters
    ----------
    parameters : dict
        The types of the parameters, by name.
    loc : Loc
        Where the variables get their first values.
    """
    assigned = {each.name for each in ir.statements_in(statements) if isinstance(each, _NAMING)}
    own = {name: scope.hidden(f"{name}_own") for name in parameters if name in assigned}
    if not own:
        return statements, {}
    first = [
        ir.Assign(loc, hidden, ir.Local(parameters[name], loc, name))
        for name, hidden in own.items()
    ]
    locals_ = {hidden: strong(parameters[name]) for name, hidden in own.items()}
    return (*first, *renamed(statements, own)), locals_


def renamed(block: tuple[ir.Stmt, ...], own: dict[str, str]) -> tuple[ir.Stmt, ...]:
    """Return statements that name other variables."""

    def expression(expr: ir.Expr) -> ir.Expr:
        if isinstance(expr, ir.Local) and expr.name in own:
            return dataclasses.replace(expr, name=own[expr.name])
        return ir.with_parts(expr, expression)

    def statement(stmt: ir.Stmt) -> ir.Stmt:
        made = ir.with_blocks(ir.with_parts(stmt, expression), lambda each: renamed(each, own))
        if isinstance(made, _NAMING) and made.name in own:
            return dataclasses.replace(made, name=own[made.name])
        return made

    return tuple(map(statement, block))
